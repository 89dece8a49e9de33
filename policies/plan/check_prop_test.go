package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"berth/policies/plan"
	"berth/policies/plan/plantest"
	"berth/sim/hardware"
)

// mutants break one rule of a legal plan; each reports whether it found a
// place to break. Other rules may break too.
var mutants = map[plan.Constraint]func(t *rapid.T, p *plan.Problem, pl *plan.Plan) bool{
	plan.Capacity: func(t *rapid.T, p *plan.Problem, pl *plan.Plan) bool {
		i, ok := placedJob(t, p, pl, func(*plan.Job) bool { return true })
		if !ok || len(p.Services) == 0 {
			return false
		}
		pl.Services[len(p.Services)-1][pl.Jobs[i].Start] = pl.Jobs[i].GPUs
		return true
	},
	plan.Range: func(t *rapid.T, p *plan.Problem, pl *plan.Plan) bool {
		for i := range p.Services {
			if p.Services[i].Max < p.GPUs {
				pl.Services[i][rapid.IntRange(0, p.Steps-1).Draw(t, "step")] = block(0, p.GPUs)
				return true
			}
		}
		i, ok := placedJob(t, p, pl, func(*plan.Job) bool { return true })
		if ok {
			pl.Jobs[i].GPUs = pl.Jobs[i].GPUs[1:]
		}
		return ok
	},
	plan.Block: func(t *rapid.T, p *plan.Problem, pl *plan.Plan) bool {
		i, ok := placedJob(t, p, pl, func(j *plan.Job) bool { return !j.Inherited() })
		if !ok || p.Alignment == hardware.Scattered || p.GPUs < 3 {
			return false
		}
		pl.Jobs[i].GPUs = slices.Concat(block(0, 1), block(2, 1))
		return true
	},
	plan.SwapCap: func(t *rapid.T, p *plan.Problem, pl *plan.Plan) bool {
		for i := range p.Services {
			s := &p.Services[i]
			step := rapid.IntRange(0, p.Steps-1).Draw(t, "step")
			last := s.Held
			if step > 0 {
				last = pl.Services[i][step-1]
			}
			if step == 0 && s.Fresh {
				continue
			}
			all := block(0, p.GPUs)
			switch n := hardware.Size(last); {
			case n > s.Cap():
				pl.Services[i][step] = nil
				return true
			case p.GPUs-n > s.Cap():
				pl.Services[i][step] = hardware.Subtract(all, last)
				return true
			}
		}
		return false
	},
	plan.NoInterruption: func(t *rapid.T, p *plan.Problem, pl *plan.Plan) bool {
		i, ok := placedJob(t, p, pl, (*plan.Job).Inherited)
		if ok {
			pl.Jobs[i].Start = rapid.SampledFrom([]int{plan.Unscheduled, 1}).Draw(t, "start")
		}
		return ok
	},
	plan.Horizon: func(t *rapid.T, p *plan.Problem, pl *plan.Plan) bool {
		i, ok := placedJob(t, p, pl, func(j *plan.Job) bool { return !j.Inherited() })
		if !ok {
			return false
		}
		at, shape := &pl.Jobs[i], p.Jobs[i].Shapes[pl.Jobs[i].Shape]
		switch {
		case p.Jobs[i].Earliest > 0:
			at.Start = p.Jobs[i].Earliest - 1
		case p.Boundary == plan.Closed:
			at.Start = p.Steps - shape.Steps + 1
		default:
			at.Start = p.Steps
		}
		return true
	},
	plan.Form: func(t *rapid.T, p *plan.Problem, pl *plan.Plan) bool {
		i, ok := placedJob(t, p, pl, func(*plan.Job) bool { return true })
		if !ok {
			return false
		}
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			pl.Jobs[i].Shape = len(p.Jobs[i].Shapes)
		case 1:
			pl.Jobs[i].Start = -7
		case 2:
			pl.Jobs[i].GPUs = block(p.GPUs, 1)
		case 3:
			pl.Jobs[i].GPUs = slices.Concat(pl.Jobs[i].GPUs, pl.Jobs[i].GPUs)
		}
		return true
	},
}

// placedJob draws a job that the plan runs.
func placedJob(t *rapid.T, p *plan.Problem, pl *plan.Plan, want func(*plan.Job) bool) (int, bool) {
	var placed []int
	for i := range p.Jobs {
		if pl.Jobs[i].Start != plan.Unscheduled && want(&p.Jobs[i]) {
			placed = append(placed, i)
		}
	}
	if len(placed) == 0 {
		return 0, false
	}
	return rapid.SampledFrom(placed).Draw(t, "job"), true
}

// Every mutant of a legal plan is caught, and the rule it breaks is named.
func TestCheckCatchesMutants(t *testing.T) {
	for rule := plan.Capacity; rule <= plan.Form; rule++ {
		t.Run(rule.String(), rapid.MakeCheck(func(t *rapid.T) {
			p := plantest.Random(t)
			pl := plantest.RandomPlan(t, p)
			if !mutants[rule](t, p, pl) {
				t.Skip("nothing to break")
			}
			found := p.Check(pl)
			if !slices.ContainsFunc(found, func(v plan.Violation) bool { return v.Constraint == rule }) {
				t.Fatalf("a breach of %q went unseen; found %v", rule, found)
			}
		}))
	}
}

func BenchmarkCheck(b *testing.B) {
	p, pl := large()
	for b.Loop() {
		p.Check(pl)
	}
}

func BenchmarkScore(b *testing.B) {
	p, pl := large()
	for b.Loop() {
		p.Score(pl)
	}
}

// large is a problem of 64 GPUs × 24 steps with a well-filled plan.
func large() (*plan.Problem, *plan.Plan) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := plantest.RandomSeeded(rng, plantest.Options{GPUs: 64, Steps: 24, Jobs: 30, Services: 3, Plain: true})
	return p, plantest.RandomPlanSeeded(rng, p)
}
