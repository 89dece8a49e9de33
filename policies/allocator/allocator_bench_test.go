package allocator_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"berth/policies"
	"berth/policies/allocator"
	"berth/policies/plan"
	"berth/sim/hardware"
	"berth/workloads"

	"github.com/BurntSushi/toml"
)

// scenario is the problem of an embedded scenario.
func scenario(tb testing.TB, name string, seed uint64) *plan.Problem {
	tb.Helper()
	text, _, err := workloads.Source(name)
	if err != nil {
		tb.Fatal(err)
	}
	var s workloads.Scenario
	if err := toml.Unmarshal(text, &s); err != nil {
		tb.Fatal(err)
	}
	w, err := s.Generate(seed)
	if err != nil {
		tb.Fatal(err)
	}
	gamma, lambda := s.Weights()
	p, err := policies.Offline(w, gamma, lambda)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// eachScenario runs a benchmark on the seven scenarios.
func eachScenario(b *testing.B, run func(b *testing.B, p *plan.Problem)) {
	for _, name := range workloads.Names() {
		p := scenario(b, name, 1)
		b.Run(fmt.Sprintf("%s/gpus=%d/jobs=%d", name, p.GPUs, len(p.Jobs)), func(b *testing.B) {
			b.ReportAllocs()
			run(b, p)
		})
	}
}

// The whole of a greedy plan, from a problem to a plan.
func BenchmarkGreedy(b *testing.B) {
	eachScenario(b, func(b *testing.B, p *plan.Problem) {
		for b.Loop() {
			allocator.Greedy(p)
		}
	})
}

// What of Greedy is not placing: tables before, reading off the plan after.
func BenchmarkSetUp(b *testing.B) {
	eachScenario(b, func(b *testing.B, p *plan.Problem) {
		for b.Loop() {
			allocator.SetUp(p)
		}
	})
}

// The pass alone.
func BenchmarkPass(b *testing.B) {
	eachScenario(b, func(b *testing.B, p *plan.Problem) {
		pass := allocator.Passes(p)
		for b.Loop() {
			pass()
		}
	})
}

// One operation is one evaluation of a search.
func BenchmarkEvaluation(b *testing.B) {
	eachScenario(b, func(b *testing.B, p *plan.Problem) {
		allocator.Solve(context.Background(), p, allocator.Options{Seed: 1, Budget: allocator.Budget{Evaluations: b.N}})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "evaluations/s")
	})
}

// Searches with the published latencies as budgets: what they reach.
func BenchmarkSolve(b *testing.B) {
	for _, budget := range []time.Duration{2 * time.Millisecond, 15 * time.Millisecond} {
		b.Run(budget.String(), func(b *testing.B) {
			eachScenario(b, func(b *testing.B, p *plan.Problem) {
				evaluations, objective := 0, 0.0
				for b.Loop() {
					_, stats := allocator.Solve(context.Background(), p, allocator.Options{Seed: 1, Budget: allocator.Budget{Time: budget}})
					evaluations += stats.Evaluations
					objective += stats.Objective
				}
				b.ReportMetric(float64(evaluations)/float64(b.N), "evaluations/op")
				b.ReportMetric(objective/float64(b.N), "objective")
			})
		})
	}
}

// One greedy plan of a large cluster, from a problem to a plan.
func BenchmarkLarge(b *testing.B) {
	for _, size := range []struct{ gpus, jobs, steps int }{
		{1_024, 300, 24}, {16_384, 2_000, 48}, {100_000, 10_000, 24},
	} {
		p := large(size.gpus, size.jobs, size.steps)
		b.Run(fmt.Sprintf("gpus=%d/jobs=%d/steps=%d", size.gpus, size.jobs, size.steps), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				allocator.Greedy(p)
			}
		})
	}
}

// large is a contended day of a large cluster: about as much work as there is
// room for. Jobs of 1 to 8 GPUs stay in a link domain of 8, larger ones span
// several; three services take a twentieth of the cluster each at their peak.
func large(gpus, jobs, steps int) *plan.Problem {
	rng := rand.New(rand.NewPCG(1, 1))
	p := &plan.Problem{GPUs: gpus, Steps: steps, StepHours: 1, Gamma: 0.97, Lambda: 8, Boundary: plan.Open}
	for g := 0; g < gpus; g += 8 {
		p.Domains = append(p.Domains, hardware.Range{First: g, N: 8})
	}
	for i := range 3 {
		s := plan.Service{ID: fmt.Sprint("s", i), Priority: 5, Max: gpus, SwapCap: max(2, gpus/200), Fresh: true}
		for t := range steps {
			s.Demand = append(s.Demand, gpus/40+rng.IntN(gpus/40))
			_ = t
		}
		p.Services = append(p.Services, s)
	}
	hours := 2 * gpus * steps * 7 / (jobs * 127) // on average, half of this
	for i := range jobs {
		n := 1 << rng.IntN(7)
		p.Jobs = append(p.Jobs, plan.Job{
			ID: fmt.Sprint("j", i), Priority: float64(1 + rng.IntN(10)), Across: n > 8,
			Earliest: max(0, rng.IntN(2*steps)-steps),
			Shapes:   []plan.Shape{{GPUs: n, Steps: 1 + rng.IntN(min(hours, steps))}},
		})
	}
	return p
}
