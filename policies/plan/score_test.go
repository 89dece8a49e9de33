package plan_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"berth/policies/plan"
	"berth/policies/plan/plantest"
	"berth/sim/hardware"
)

// Four GPUs for four hours. One training job holds half the cluster for three
// hours; a service wants 1, 2, 3, 1 and holds 2, 2, 2, 1 of the other half, 2
// before the plan.
func TestScoreByHand(t *testing.T) {
	p := &plan.Problem{
		GPUs: 4, Steps: 4, StepHours: 1, Gamma: 0.5, Lambda: 8, Boundary: plan.Salvage, Sigma: 0.25,
		Jobs: []plan.Job{
			{ID: "t1", Priority: 3, Shapes: []plan.Shape{{GPUs: 2, Steps: 4}}},
			{ID: "t2", Priority: 1, Shapes: []plan.Shape{{GPUs: 8, Steps: 1}}},
		},
		Services: []plan.Service{{
			ID: "chat", Priority: 2, Max: 4, SwapCap: 1, Demand: []int{1, 2, 3, 1},
			Held: []hardware.Range{{First: 2, N: 2}},
		}},
	}
	both, one := []hardware.Range{{First: 2, N: 2}}, []hardware.Range{{First: 3, N: 1}}
	pl := &plan.Plan{
		Jobs: []plan.Placement{
			{Start: 1, GPUs: []hardware.Range{{First: 0, N: 2}}},
			{Start: plan.Unscheduled},
		},
		Services: [][][]hardware.Range{{both, both, both, one}},
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	if v := p.Check(pl); v != nil {
		t.Fatal(v)
	}
	want := plan.Score{
		Utilization:  (6 + 1 + 2 + 2 + 1) / 16.0,
		Occupancy:    (6 + 2 + 2 + 2 + 1) / 16.0,
		Value:        3 * 6,
		DecayedValue: 3 * 2 * (1/2. + 1/4. + 1/8.),
		SalvageValue: 3 * 2 * (1 / 16.) * 0.25,
		Penalty:      8 * 2 * 1,
		Objective:    5.25 + 0.09375 - 16,

		ShortfallGPUHours: 1, ShortfallSteps: 1 / 4.,
		Swaps: 1, Scheduled: 1, Unscheduled: 1,
	}
	if diff := cmp.Diff(want, p.Score(pl), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("score (-want +got):\n%s", diff)
	}
}

// The score agrees with a count of cells, one by one.
func TestScoreCellByCell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plantest.Random(t)
		pl := plantest.RandomPlan(t, p)
		if diff := cmp.Diff(scoreCells(p, pl), p.Score(pl), cmpopts.EquateApprox(1e-9, 1e-12)); diff != "" {
			t.Fatalf("score (-cells +got):\n%s", diff)
		}
	})
}

func scoreCells(p *plan.Problem, pl *plan.Plan) plan.Score {
	var s plan.Score
	working, held, lacking := 0.0, 0.0, 0.0
	for i, at := range pl.Jobs {
		if at.Start == plan.Unscheduled {
			s.Unscheduled++
			continue
		}
		s.Scheduled++
		for t := at.Start; t < at.Start+p.Jobs[i].Shapes[at.Shape].Steps; t++ {
			for range cellsOf(at.GPUs) {
				earned := p.Jobs[i].Priority * p.StepHours
				if t < p.Steps {
					working, held = working+1, held+1
					s.Value += earned
					s.DecayedValue += earned * p.Weight(t)
				} else if p.Boundary == plan.Salvage {
					s.SalvageValue += earned * p.Weight(t) * p.Sigma
				}
			}
		}
	}
	for i, steps := range pl.Services {
		r := &p.Services[i]
		last := cellsOf(r.Held)
		for t, rs := range steps {
			now := cellsOf(rs)
			for g := range p.GPUs {
				if slices.Contains(last, g) != slices.Contains(now, g) && !(t == 0 && r.Fresh) {
					s.Swaps++
				}
			}
			last = now
			held += float64(len(now))
			working += math.Min(float64(len(now)), float64(r.Demand[t]))
			if short := float64(r.Demand[t] - len(now)); short > 0 {
				lacking++
				s.ShortfallGPUHours += short * p.StepHours
				s.Penalty += p.Lambda * r.Priority * short * p.StepHours
			}
		}
	}
	grid := float64(p.GPUs * p.Steps)
	s.Utilization, s.Occupancy = working/grid, held/grid
	s.Objective = s.DecayedValue + s.SalvageValue - s.Penalty
	if len(p.Services) > 0 {
		s.ShortfallSteps = lacking / float64(len(p.Services)*p.Steps)
	}
	return s
}

func cellsOf(rs []hardware.Range) []int {
	var gpus []int
	for _, r := range rs {
		for g := r.First; g < r.End(); g++ {
			gpus = append(gpus, g)
		}
	}
	return gpus
}

func TestWeightSum(t *testing.T) {
	for _, gamma := range []float64{1, 1 - 1e-15, 0.97, 0.5, 1e-300} {
		p := &plan.Problem{Gamma: gamma, StepHours: 0.5}
		want := 0.0
		for step := 3; step < 30; step++ {
			want += p.Weight(step)
		}
		if got := p.WeightSum(3, 30); math.Abs(got-want) > 1e-12*want {
			t.Errorf("gamma %v: sum of weights %v, want %v", gamma, got, want)
		}
	}
}
