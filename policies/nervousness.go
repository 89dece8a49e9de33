package policies

import (
	"math"
	"time"

	"berth/policies/plan"
)

// Planner is what a policy that plans can tell of its plans after a run.
type Planner interface {
	// Nervousness is the share of GPUs for which a plan changed what the plan
	// before it had foreseen for the same step, over all plans; NaN when no step
	// was planned twice.
	Nervousness() float64
	// PlanningTime is the wall-clock time spent on planning.
	PlanningTime() time.Duration
}

// Nervousness implements Planner.
func (p *horizon) Nervousness() float64 { return p.nervous.share() }

// PlanningTime implements Planner.
func (p *horizon) PlanningTime() time.Duration { return p.took }

// nervousness compares what two plans in a row say of the same step.
type nervousness struct {
	step           int   // that the last plan foresaw
	expected       []any // by GPU: who holds it then
	changed, cells int
}

func (n *nervousness) expect(step int, holders []any) { n.step, n.expected = step, holders }

// compare counts the GPUs whose holder is not the expected one.
func (n *nervousness) compare(step int, holders []any) {
	if n.expected == nil || step != n.step {
		return
	}
	for g, h := range holders {
		if h != n.expected[g] {
			n.changed++
		}
	}
	n.cells += len(holders)
}

func (n *nervousness) share() float64 {
	if n.cells == 0 {
		return math.NaN()
	}
	return float64(n.changed) / float64(n.cells)
}

// holders says who holds each GPU in a step of a plan: items numbers jobs and
// services as the plan does.
func holders(p *plan.Problem, pl *plan.Plan, items []any, step int) []any {
	out := make([]any, p.GPUs)
	for i, at := range pl.Jobs {
		if at.Start < 0 || at.Start > step || at.Start+p.Jobs[i].Shapes[at.Shape].Steps <= step {
			continue
		}
		for _, r := range at.GPUs {
			for g := r.First; g < r.End(); g++ {
				out[g] = items[i]
			}
		}
	}
	for i, steps := range pl.Services {
		for _, r := range steps[step] {
			for g := r.First; g < r.End(); g++ {
				out[g] = items[len(pl.Jobs)+i]
			}
		}
	}
	return out
}
