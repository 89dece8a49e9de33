package policies_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"berth/policies"
	"berth/policies/allocator"
	"berth/policies/plan"
	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"
	"berth/workloads"

	"pgregory.net/rapid"
)

// planAndRun makes an offline plan of a scenario and runs a policy on it.
func planAndRun(t *testing.T, name string, seed uint64, policy string, c policies.Config, solve func(*plan.Problem) *plan.Plan) {
	t.Helper()
	s := scenario(t, name)
	c.Gamma, c.Lambda = s.Weights()
	generate := func() *sim.Workload {
		w, err := s.Generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	problem, err := policies.Offline(generate(), c.Gamma, c.Lambda)
	if err != nil {
		t.Fatal(err)
	}
	if err := problem.Validate(); err != nil {
		t.Fatal(err)
	}
	pl := solve(problem)
	if v := problem.Check(pl); len(v) > 0 {
		t.Fatalf("%s, seed %d: the plan is illegal: %v", name, seed, v)
	}
	want := problem.Score(pl)

	p, err := policies.New(policy, c)
	if err != nil {
		t.Fatal(err)
	}
	w := generate()
	collector := metrics.NewCollector(w.Topology.GPUs(), metrics.Objective{Gamma: c.Gamma, Lambda: c.Lambda, Step: w.Step})
	spans := &metrics.Spans{}
	if err := sim.Run(context.Background(), w, p, collector, spans); err != nil {
		t.Fatal(err)
	}
	ran := map[string]string{}
	for _, j := range spans.Jobs {
		ran[j.Label] = fmt.Sprint(j.Start, " on ", hardware.FormatRanges(j.GPUs))
	}
	for i, at := range pl.Jobs {
		planned := ""
		if at.Start >= 0 {
			planned = fmt.Sprint(sim.Time(at.Start)*w.Step, " on ", hardware.FormatRanges(at.GPUs))
		}
		if id := problem.Jobs[i].ID; ran[id] != planned {
			t.Errorf("%s, seed %d, %s: job %s runs %q, planned %q", name, seed, policy, id, ran[id], planned)
		}
	}
	r := collector.Report()
	decayed, objective := collector.Weighted()
	for _, x := range []struct {
		what      string
		run, plan float64
	}{
		{"utilization", r.Utilization, want.Utilization},
		{"occupancy", r.Occupancy, want.Occupancy},
		{"value", r.Value, want.Value},
		{"decayed value", decayed, want.DecayedValue},
		{"objective", objective, want.Objective},
		{"shortfall", r.ShortfallGPUHours, want.ShortfallGPUHours},
		{"shortfall share", r.ShortfallShare, want.ShortfallSteps},
		{"swaps", float64(r.Swaps), float64(want.Swaps)},
	} {
		if !near(x.run, x.plan, 1e-9) {
			t.Errorf("%s, seed %d, %s: %s %v in the run, %v in the plan", name, seed, policy, x.what, x.run, x.plan)
		}
	}
}

// Online FIFO is the FIFO plan, carried out: job by job, and figure by figure.
func TestFIFORunIsItsPlan(t *testing.T) {
	for _, name := range workloads.Names() {
		for seed := range uint64(10) {
			planAndRun(t, name, seed, "fifo", policies.Config{}, allocator.FIFO)
		}
	}
}

// Where all jobs are known from the start, a horizon that plans once carries
// out the allocator's plan.
func TestHorizonRunIsItsPlan(t *testing.T) {
	for _, name := range workloads.Names() {
		if name == "batch-burst" || name == "scale" {
			continue // some jobs come later, or can never end in time and are dropped
		}
		for seed := range uint64(5) {
			planAndRun(t, name, seed, "horizon", policies.Config{Seed: seed, Window: 24, Commit: 24, Budget: "100"}, func(p *plan.Problem) *plan.Plan {
				pl, _ := allocator.Solve(context.Background(), p, allocator.Options{Seed: seed, Budget: allocator.Budget{Evaluations: 100}})
				return pl
			})
		}
	}
}

// checked is the policy horizon; at every round but the first, the problem it
// faces must be valid, its plan legal, and the score of the plan what the
// search claims.
type checked struct {
	sim.Policy
	rounds *int
	fault  func(string, ...any)
}

func (c checked) Decide(r *sim.Round) error {
	if *c.rounds++; *c.rounds > 1 {
		c.check(r)
	}
	return c.Policy.Decide(r)
}

func (c checked) check(r *sim.Round) {
	q := policies.ProblemNow(c.Policy, r)
	if err := q.Validate(); err != nil {
		c.fault("at %v: %v", r.Now(), err)
	}
	pl, stats := allocator.Solve(context.Background(), q, allocator.Options{Budget: allocator.Budget{Evaluations: 3}})
	if v := q.Check(pl); len(v) > 0 {
		c.fault("at %v: %v", r.Now(), v)
	}
	if s := q.Score(pl); math.Abs(s.Objective-stats.Objective) > 1e-6*max(1, math.Abs(s.Objective)) {
		c.fault("at %v: the search claims an objective of %v, the plan has %v", r.Now(), stats.Objective, s.Objective)
	}
}

func TestHorizonPlansAreLegal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		name, c := "", policies.Config{}
		for name != "horizon" {
			name, c = drawPolicy(t, w)
		}
		p, err := policies.New(name, c)
		if err != nil {
			t.Fatal(err)
		}
		if err := sim.Run(context.Background(), w.workload(t), checked{p, new(int), func(format string, args ...any) { t.Fatalf(w.String()+format, args...) }}); err != nil {
			t.Fatalf("%v%v", w, err)
		}
	})
}
