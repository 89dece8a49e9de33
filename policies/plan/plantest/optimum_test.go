package plantest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"berth/policies/plan"
	"berth/policies/plan/plantest"
)

func TestRandomIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plantest.Random(t)
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		if v := p.Check(plantest.RandomPlan(t, p)); v != nil {
			t.Fatal(v)
		}
	})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		o := plantest.Options{GPUs: 1 + rng.IntN(64), Steps: 1 + rng.IntN(24), Jobs: rng.IntN(31), Services: rng.IntN(4), Plain: rng.IntN(2) == 0}
		p := plantest.RandomSeeded(rng, o)
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		if v := p.Check(plantest.RandomPlanSeeded(rng, p)); v != nil {
			t.Fatal(v)
		}
	}
}

// The optimum is legal, scores what it says, and no legal plan beats it.
func TestOptimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plantest.Random(t)
		best, value := plantest.Optimum(p)
		if best == nil {
			t.Fatal("no optimum")
		}
		if got := p.Score(best).Objective; !near(got, value) {
			t.Fatalf("the optimum scores %v, the search says %v", got, value)
		}
		for range 3 {
			if got := p.Score(plantest.RandomPlan(t, p)).Objective; got > value+1e-9*max(1, math.Abs(value)) {
				t.Fatalf("a random plan scores %v, more than the optimum %v", got, value)
			}
		}
	})
}

// At the full size too: rapid prefers small problems.
func TestOptimumFullSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		p := plantest.RandomSeeded(rng, plantest.Options{GPUs: 4, Steps: 5, Jobs: 4, Services: 2})
		best, value := plantest.Optimum(p)
		if best == nil || !near(p.Score(best).Objective, value) {
			t.Fatalf("optimum %v of %+v is %+v", value, p, best)
		}
		for range 20 {
			if got := p.Score(plantest.RandomPlanSeeded(rng, p)).Objective; got > value && !near(got, value) {
				t.Fatalf("a random plan scores %v, more than the optimum %v", got, value)
			}
		}
	}
}

func TestOptimumRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	large := plantest.RandomSeeded(rng, plantest.Options{GPUs: 16, Steps: 5, Jobs: 1, Services: 1})
	many := plantest.RandomSeeded(rng, plantest.Options{GPUs: 8, Steps: 5, Jobs: 1, Services: 2})
	for _, p := range []*plan.Problem{large, many, {}} {
		if pl, value := plantest.Optimum(p); pl != nil || !math.IsNaN(value) {
			t.Errorf("optimum %v of a problem that is too large or invalid", value)
		}
	}
}

func BenchmarkOptimum(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	var ps []*plan.Problem
	for range 200 {
		ps = append(ps, plantest.RandomSeeded(rng, plantest.Options{GPUs: 4, Steps: 5, Jobs: 4, Services: 2}))
	}
	i := 0
	for b.Loop() {
		plantest.Optimum(ps[i%len(ps)])
		i++
	}
}
