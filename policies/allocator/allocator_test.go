package allocator

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"berth/policies/plan"
	"berth/policies/plan/plantest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mustBeLegal(t interface {
	Helper()
	Fatalf(string, ...any)
}, p *plan.Problem, pl *plan.Plan) {
	t.Helper()
	if v := p.Check(pl); len(v) > 0 {
		t.Fatalf("illegal plan: %v\nproblem %+v\nplan %+v", v[0], p, pl)
	}
}

func TestPlansAreLegal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plantest.Random(t)
		mustBeLegal(t, p, Greedy(p))
		pl, stats := Solve(context.Background(), p, Options{Seed: 1, Budget: Budget{Evaluations: 60}})
		mustBeLegal(t, p, pl)
		if got := p.Score(pl).Objective; math.Abs(got-stats.Objective) > 1e-9*max(1, math.Abs(got)) {
			t.Fatalf("the search says %v, the score is %v", stats.Objective, got)
		}
		if stats.Objective < stats.Greedy {
			t.Fatalf("the search returned %v, worse than its start %v", stats.Objective, stats.Greedy)
		}
	})
}

func TestLargePlansAreLegal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 60 {
		p := plantest.RandomSeeded(rng, plantest.Options{GPUs: 64, Steps: 24 + rng.IntN(120), Jobs: 40, Services: 3})
		pl, stats := Solve(context.Background(), p, Options{Seed: 1, Budget: Budget{Evaluations: 100}})
		mustBeLegal(t, p, pl)
		if got := p.Score(pl).Objective; math.Abs(got-stats.Objective) > 1e-9*max(1, math.Abs(got)) {
			t.Fatalf("the search says %v, the score is %v", stats.Objective, got)
		}
	}
}

// The judge is exhaustive enumeration.
func TestNeverAboveTheOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	var greedy, searched float64
	const instances = 300
	hit := 0
	for i := range instances {
		p := plantest.RandomSeeded(rng, plantest.Options{GPUs: 1 + rng.IntN(4), Steps: 1 + rng.IntN(5), Jobs: rng.IntN(5), Services: rng.IntN(3)})
		_, optimum := plantest.Optimum(p)
		pl, stats := Solve(context.Background(), p, Options{Seed: uint64(i), Budget: Budget{Evaluations: 300}})
		if stats.Objective > optimum+1e-9 {
			t.Fatalf("instance %d: %v is above the optimum %v: %+v", i, stats.Objective, optimum, pl)
		}
		greedy += plan.Gap(optimum, stats.Greedy) / instances
		gap := plan.Gap(optimum, stats.Objective)
		searched += gap / instances
		if gap < 1e-9 {
			hit++
		}
	}
	t.Logf("mean gap to the optimum: greedy %.2f %%, 300 evaluations %.2f %% (%d of %d optimal)", 100*greedy, 100*searched, hit, instances)
	if searched > 0.02 {
		t.Errorf("mean gap %.4f is above 0.02", searched)
	}
}

func TestDeterministic(t *testing.T) {
	p := plantest.RandomSeeded(rand.New(rand.NewPCG(3, 3)), plantest.Options{GPUs: 16, Steps: 24, Jobs: 20, Services: 2})
	a, _ := Solve(context.Background(), p, Options{Seed: 7, Budget: Budget{Evaluations: 500}})
	b, _ := Solve(context.Background(), p, Options{Seed: 7, Budget: Budget{Evaluations: 500}})
	if d := cmp.Diff(a, b); d != "" {
		t.Error(d)
	}
}
