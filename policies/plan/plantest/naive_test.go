package plantest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"berth/policies/plan"
	"berth/policies/plan/plantest"
	"berth/sim/hardware"
)

// On the tiniest problems the optimum is the best among all plans that can be
// written down, legal or not, once Check has thrown out the illegal ones.
func TestOptimumAgainstEveryPlan(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, o := range []plantest.Options{
		{GPUs: 2, Steps: 3, Jobs: 2, Services: 1},
		{GPUs: 2, Steps: 2, Jobs: 1, Services: 2},
		{GPUs: 3, Steps: 3, Jobs: 1, Services: 1},
		{GPUs: 3, Steps: 3, Jobs: 2, Services: 0},
		{GPUs: 4, Steps: 1, Jobs: 2, Services: 1},
		{GPUs: 4, Steps: 2, Jobs: 1, Services: 1},
		{GPUs: 4, Steps: 2, Jobs: 2, Services: 0},
	} {
		for range 20 {
			p := plantest.RandomSeeded(rng, o)
			want := math.Inf(-1)
			everyPlan(p, func(pl *plan.Plan) {
				if p.Check(pl) == nil {
					want = max(want, p.Score(pl).Objective)
				}
			})
			if _, got := plantest.Optimum(p); !near(got, want) {
				t.Errorf("optimum %v; the best of every plan is %v; problem %+v", got, want, p)
			}
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// subsets are all sets of n GPUs, as ascending ranges.
func subsets(n int) [][]hardware.Range {
	sets := [][]hardware.Range{nil}
	for g := range n {
		for _, s := range sets {
			sets = append(sets, hardware.Union(s, []hardware.Range{{First: g, N: 1}}))
		}
	}
	return sets
}

// everyPlan visits all plans: each job anywhere on any GPUs, each service any
// GPUs in any step.
func everyPlan(p *plan.Problem, visit func(*plan.Plan)) {
	sets := subsets(p.GPUs)
	pl := &plan.Plan{Jobs: make([]plan.Placement, len(p.Jobs)), Services: make([][][]hardware.Range, len(p.Services))}
	for i := range p.Services {
		pl.Services[i] = make([][]hardware.Range, p.Steps)
	}
	var steps func(i int)
	steps = func(i int) {
		if i == len(p.Services)*p.Steps {
			visit(pl)
			return
		}
		for _, set := range sets {
			pl.Services[i/p.Steps][i%p.Steps] = set
			steps(i + 1)
		}
	}
	var jobs func(i int)
	jobs = func(i int) {
		if i == len(p.Jobs) {
			steps(0)
			return
		}
		pl.Jobs[i] = plan.Placement{Start: plan.Unscheduled}
		jobs(i + 1)
		for start := range p.Steps {
			for shape := range p.Jobs[i].Shapes {
				for _, set := range sets {
					pl.Jobs[i] = plan.Placement{Start: start, Shape: shape, GPUs: set}
					jobs(i + 1)
				}
			}
		}
	}
	jobs(0)
}
