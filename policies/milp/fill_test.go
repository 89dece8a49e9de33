package milp

import (
	"math"
	"math/rand/v2"
	"testing"

	"berth/policies/plan"
	"berth/policies/plan/plantest"
)

// One service beside jobs that run already: a cheapest flow is worth what
// enumeration finds.
func TestFillOneService(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	tried := 0
	for range 3000 {
		p := plantest.RandomSeeded(rng, plantest.Options{GPUs: 1 + rng.IntN(5), Steps: 1 + rng.IntN(6), Jobs: 1 + rng.IntN(4), Services: 1})
		var jobs []plan.Job
		for _, j := range p.Jobs {
			if j.Inherited() {
				jobs = append(jobs, j)
			}
		}
		if p.Jobs = jobs; len(p.Services) != 1 {
			continue
		}
		_, optimum := plantest.Optimum(p)
		d := &decision{p: p}
		pl := d.plan(&placement{})
		f := filler{p: p}
		if !f.fill(d.inherited(), rng, pl) {
			t.Fatalf("no legal way was found:\n%+v", p)
		}
		if v := p.Check(pl); len(v) > 0 {
			t.Fatalf("illegal plan: %v\n%+v", v[0], p)
		}
		if got := p.Score(pl).Objective; math.Abs(got-optimum) > 1e-9*max(1, math.Abs(optimum)) {
			t.Fatalf("worth %v, the optimum is %v\n%+v", got, optimum, p)
		}
		tried++
	}
	if tried < 1000 {
		t.Errorf("only %d instances had a service", tried)
	}
}

// Exchanging jobs of one shape keeps a plan legal, worth no less, and in the
// order that the aggregated model asks for.
func TestExchange(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	changed := 0
	for range 500 {
		p := plantest.RandomSeeded(rng, plantest.Options{GPUs: 8, Steps: 8, Jobs: 12, Services: 1})
		for j := range p.Jobs { // few shapes, so that they meet
			if job := &p.Jobs[j]; !job.Inherited() {
				job.Shapes = []plan.Shape{{GPUs: 1 + j%2, Steps: 2}}
			}
		}
		pl := plantest.RandomPlanSeeded(rng, p)
		got := exchange(p, pl)
		if v := p.Check(got); len(v) > 0 {
			t.Fatalf("illegal: %v", v[0])
		}
		before, after := p.Score(pl).Objective, p.Score(got).Objective
		if after < before-1e-9 {
			t.Fatalf("worth %v, was %v", after, before)
		}
		if after > before {
			changed++
		}
		a := newAggregate(p, false)
		if fault := a.model.Fault(a.point(got)); fault > 1e-9 {
			t.Fatalf("breaks the model by %v", fault)
		}
	}
	if changed == 0 {
		t.Error("nothing was ever exchanged")
	}
}
