package allocator

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"berth/policies/plan"
	"berth/policies/plan/plantest"
	"berth/sim/hardware"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

func mustBeLegal(t failer, p *plan.Problem, pl *plan.Plan) {
	t.Helper()
	if v := p.Check(pl); len(v) > 0 {
		t.Fatalf("illegal plan: %v\nproblem %+v\nplan %+v", v[0], p, pl)
	}
}

// mustSolve searches and holds the outcome to what Solve promises.
func mustSolve(t failer, p *plan.Problem, evaluations int) {
	t.Helper()
	pl, stats := Solve(context.Background(), p, Options{Seed: 1, Budget: Budget{Evaluations: evaluations}})
	mustBeLegal(t, p, pl)
	if got := p.Score(pl).Objective; math.Abs(got-stats.Objective) > 1e-9*max(1, math.Abs(got)) {
		t.Fatalf("the search says %v, the score is %v", stats.Objective, got)
	}
	if stats.Objective < stats.Greedy {
		t.Fatalf("the search returned %v, worse than its start %v", stats.Objective, stats.Greedy)
	}
}

func TestPlansAreLegal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plantest.Random(t)
		mustBeLegal(t, p, Greedy(p))
		mustSolve(t, p, 60)
	})
}

// Larger problems, in particular of more steps than a word has bits, services
// that hold GPUs when the plan starts, and link domains of any size.
func TestLargePlansAreLegal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 120 {
		p := plantest.RandomSeeded(rng, plantest.Options{GPUs: 8 + rng.IntN(57), Steps: 24 + rng.IntN(120), Jobs: 40, Services: 3})
		if i%3 == 0 && p.Alignment != hardware.Scattered {
			p.Domains = oddDomains(rng, p.GPUs)
			p.Jobs = withoutHeld(p.Jobs) // may span the new domains
		}
		mustSolve(t, p, 200)
	}
}

func oddDomains(rng *rand.Rand, gpus int) (domains []hardware.Range) {
	for g := 0; g < gpus; {
		n := min(3+2*rng.IntN(6), gpus-g)
		domains = append(domains, hardware.Range{First: g, N: n})
		g += n
	}
	return domains
}

func withoutHeld(jobs []plan.Job) (free []plan.Job) {
	for _, j := range jobs {
		if !j.Inherited() {
			free = append(free, j)
		}
	}
	return free
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
	if searched > 0.01 {
		t.Errorf("mean gap %.4f is above 0.01", searched)
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

// What is best so far comes back at once, however large the budget.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := plantest.RandomSeeded(rand.New(rand.NewPCG(4, 4)), plantest.Options{GPUs: 16, Steps: 24, Jobs: 20, Services: 2})
	pl, stats := Solve(ctx, p, Options{Budget: Budget{Evaluations: 1e9}})
	mustBeLegal(t, p, pl)
	if stats.Evaluations != 1 {
		t.Errorf("%d evaluations after it was cancelled; want 1", stats.Evaluations)
	}
}

// A search that starts from the order of another begins with much of its plan.
func TestOrderBringsAPlanBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var greedy, again, searched float64
	for range 40 {
		p := plantest.RandomSeeded(rng, plantest.Options{GPUs: 16, Steps: 24, Jobs: 20, Plain: true})
		_, first := Solve(context.Background(), p, Options{Seed: 1, Budget: Budget{Evaluations: 1000}})
		_, second := Solve(context.Background(), p, Options{Order: first.Order})
		greedy += first.Greedy
		searched += first.Objective
		again += second.Objective
	}
	if again < greedy+(searched-greedy)/2 {
		t.Errorf("greedy %.0f, search %.0f, its order again only %.0f", greedy, searched, again)
	}
}

// Once its buffers have grown, a search does not allocate.
func TestStepsDoNotAllocate(t *testing.T) {
	for _, alignment := range []hardware.Alignment{hardware.Contiguous, hardware.Buddy, hardware.Scattered} {
		for _, steps := range []int{24, 100} {
			p := plantest.RandomSeeded(rand.New(rand.NewPCG(6, 6)), plantest.Options{GPUs: 16, Steps: steps, Jobs: 20, Services: 2, Plain: true})
			p.Alignment = alignment
			s := newSearch(p, 1)
			s.start()
			for range 5000 {
				s.step()
			}
			if n := testing.AllocsPerRun(1000, s.step); n > 0 {
				t.Errorf("%v, %d steps: %v allocations a step", alignment, steps, n)
			}
		}
	}
}

// A service that is kept warm beyond its demand gives way to a job, also when
// the budget is small: a policy that plans again and again must get the job
// started.
func TestIdleServiceGivesWay(t *testing.T) {
	for _, alignment := range []hardware.Alignment{hardware.Contiguous, hardware.Buddy, hardware.Scattered} {
		p := &plan.Problem{
			GPUs: 4, Steps: 24, StepHours: 1, Gamma: 1, Lambda: 8, Alignment: alignment, Boundary: plan.Open,
			Jobs: []plan.Job{{ID: "job", Priority: 5, Shapes: []plan.Shape{{GPUs: 4, Steps: 1}}}},
			Services: []plan.Service{{
				ID: "idle", Priority: 1, Min: 1, Max: 4, SwapCap: 3, Demand: make([]int, 24),
				Held: []hardware.Range{{First: 3, N: 1}},
			}},
		}
		for seed := range uint64(50) {
			pl, _ := Solve(context.Background(), p, Options{Seed: seed, Budget: Budget{Evaluations: 20}})
			if pl.Jobs[0].Start != 0 {
				t.Errorf("%v, seed %d: the job starts at %d", alignment, seed, pl.Jobs[0].Start)
			}
		}
	}
}
