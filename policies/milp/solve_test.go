package milp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"berth/policies/milp"
	"berth/policies/milp/highs"
	"berth/policies/plan"
	"berth/policies/plan/plantest"
)

// needSolver skips where the solver is not there; BERTH_REQUIRE_SOLVER makes
// that a failure.
func needSolver(t testing.TB) {
	t.Helper()
	if highs.Installed() {
		return
	}
	if os.Getenv("BERTH_REQUIRE_SOLVER") != "" {
		t.Fatal("the HiGHS module is not there and BERTH_REQUIRE_SOLVER is set; run make solver")
	}
	t.Skip("the HiGHS module is not there; make solver fetches it")
}

func solve(t testing.TB, p *plan.Problem, start *plan.Plan, o milp.Options) *milp.Outcome {
	t.Helper()
	out, err := milp.Solve(context.Background(), p, start, o)
	if err != nil {
		t.Fatal(err)
	}
	if v := p.Check(out.Plan); len(v) > 0 {
		t.Fatalf("illegal plan: %v", v[0])
	}
	return out
}

// The judge is exhaustive enumeration: on tiny instances of every kind, the
// full mode proves the optimum.
func TestExact(t *testing.T) {
	needSolver(t)
	rng := rand.New(rand.NewPCG(4, 4))
	const instances = 250
	for i := range instances {
		p := plantest.RandomSeeded(rng, plantest.Options{GPUs: 1 + rng.IntN(4), Steps: 1 + rng.IntN(5), Jobs: rng.IntN(5), Services: rng.IntN(3)})
		_, optimum := plantest.Optimum(p)
		start := plantest.RandomPlanSeeded(rng, p)
		out := solve(t, p, start, milp.Options{})
		if tolerance := 1e-4*max(1, math.Abs(optimum)) + 1e-9; out.Objective < optimum-tolerance || out.Objective > optimum+tolerance || out.Bound < optimum-1e-9 || !out.Proven {
			t.Fatalf("instance %d: objective %v, bound %v, proven %v, limit %q; the optimum is %v\n%+v", i, out.Objective, out.Bound, out.Proven, out.Limit, optimum, p)
		}
	}
}

// Cancelling gives the best plan so far, at once.
func TestCancel(t *testing.T) {
	needSolver(t)
	rng := rand.New(rand.NewPCG(5, 5))
	p := plantest.RandomSeeded(rng, plantest.Options{GPUs: 64, Steps: 24, Jobs: 120, Services: 4})
	start := plantest.RandomPlanSeeded(rng, p)
	ctx, cancel := context.WithCancel(context.Background())
	var asked time.Time
	time.AfterFunc(500*time.Millisecond, func() { asked = time.Now(); cancel() })
	out, err := milp.Solve(ctx, p, start, milp.Options{NodeLimit: 1 << 30})
	late := time.Since(asked)
	if err != nil {
		t.Fatal(err)
	}
	if ctx.Err() == nil {
		t.Skip("solved before it could be cancelled")
	}
	t.Logf("answered %v after the cancellation: objective %.1f, bound %.1f", late, out.Objective, out.Bound)
	if late > 2*time.Second || out.Objective < p.Score(start).Objective || len(p.Check(out.Plan)) > 0 {
		t.Errorf("late by %v, objective %v from %v", late, out.Objective, p.Score(start).Objective)
	}
}

func TestUnknownSolver(t *testing.T) {
	if _, err := milp.Select("magic"); err == nil {
		t.Error("no error")
	}
}

// Both solvers prove the same optimum, from a start.
func TestSolversAgree(t *testing.T) {
	needSolver(t)
	if _, err := milp.Select("cbc"); err != nil {
		t.Skip("cbc is not there (Debian: coinor-cbc)")
	}
	rng := rand.New(rand.NewPCG(6, 6))
	for i := range 6 {
		p := plantest.RandomSeeded(rng, plantest.Options{GPUs: 8, Steps: 16, Jobs: 8, Services: 2})
		start := plantest.RandomPlanSeeded(rng, p)
		a := solve(t, p, start, milp.Options{Solver: "highs"})
		b := solve(t, p, start, milp.Options{Solver: "cbc"})
		if a.Objective > b.Bound+1e-6*math.Abs(b.Bound) || b.Objective > a.Bound+1e-6*math.Abs(a.Bound) {
			t.Errorf("instance %d: highs %v … %v, cbc %v … %v", i, a.Objective, a.Bound, b.Objective, b.Bound)
		}
	}
}
