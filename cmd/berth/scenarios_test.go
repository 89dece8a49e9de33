package main

import (
	"context"
	"math"
	"testing"

	"berth/policies"
	"berth/policies/allocator"
	"berth/sim/experiment"
	"berth/sim/metrics"
	"berth/workloads"
)

// reports runs a scenario under a policy over seeds 1 … n.
func reports(t *testing.T, name, policy string, n int) []*metrics.Report {
	t.Helper()
	in, err := load(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	var setups []experiment.Setup
	for seed := range n {
		s, err := in.setup(policy, uint64(seed+1), nil)
		if err != nil {
			t.Fatal(err)
		}
		setups = append(setups, s)
	}
	out, err := experiment.RunAll(context.Background(), setups, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// FIFO's mean utilization is the published one, or in the published band.
func TestScenariosAreCalibrated(t *testing.T) {
	for _, name := range workloads.Names() {
		low, high := 0.52, 0.85
		if p := workloads.PublishedFigures(name).FIFO; p > 0 {
			low, high = p-0.015, p+0.015
		}
		sum := 0.0
		const seeds = 200
		for _, r := range reports(t, name, "fifo", seeds) {
			sum += r.Utilization
		}
		if mean := sum / seeds; mean < low || mean > high {
			t.Errorf("%s: FIFO's mean utilization is %.4f, want %.3f to %.3f", name, mean, low, high)
		}
	}
}

// In every scenario the allocator gains decayed value and loses no
// utilization; in scale both do the same work.
func TestAllocatorAgainstFIFO(t *testing.T) {
	for _, name := range workloads.Names() {
		c := experiment.Compare([]string{"fifo", "horizon"}, [][]*metrics.Report{reports(t, name, "fifo", 30), reports(t, name, "horizon", 30)})
		gain, half := *c[1].DecayedValue.Gain, *c[1].DecayedValue.GainCI95
		use := *c[1].Utilization.Gain
		t.Logf("%s: decayed value %+.1f ± %.1f %%, utilization %+.1f points", name, 100*gain, 100*half, use)
		if gain-half <= 0 || use < -1e-9 {
			t.Errorf("%s: gain %.3f ± %.3f, utilization %+.2f points", name, gain, half, use)
		}
		if name == "scale" && (math.Abs(use) > 1e-9 || math.Abs(c[0].JobsCompleted.Mean-c[1].JobsCompleted.Mean) > 1e-9 || math.Abs(c[0].JobsCompleted.Mean-27) > 0.5) {
			t.Errorf("scale: %+v and %+v; both should do about 27 jobs at the same utilization", c[0].JobsCompleted, c[1].JobsCompleted)
		}
	}
}

// Online FIFO is the FIFO plan, carried out; and a horizon that plans once is
// the allocator's plan, carried out.
func TestRunsAreTheirPlans(t *testing.T) {
	for _, name := range workloads.Names() {
		in, err := load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		gamma, lambda := in.Weights()
		for seed := uint64(1); seed <= 20; seed++ {
			w, err := in.workload(seed, nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := policies.Offline(w, gamma, lambda)
			if err != nil {
				t.Fatal(err)
			}
			check := func(policy string, objective float64) {
				s, err := in.setup(policy, seed, nil)
				if err != nil {
					t.Fatal(err)
				}
				r, err := s.Run(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(*r.Objective-objective) > 1e-9*math.Abs(objective) {
					t.Errorf("%s, seed %d, %s: the run scores %v, the plan %v", name, seed, policy, *r.Objective, objective)
				}
			}
			check("fifo", p.Score(allocator.FIFO(p)).Objective)
			if name == "batch-burst" || name == "scale" {
				continue // not all jobs are known from the start, or some can never end in time and are dropped
			}
			_, stats := allocator.Solve(context.Background(), p, allocator.Options{Seed: seed, Budget: allocator.Budget{Evaluations: 100}})
			check("horizon:commit=24:budget=100", stats.Objective)
		}
	}
}
