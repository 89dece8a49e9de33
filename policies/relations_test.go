package policies_test

// Metamorphic relations: changes of a workload whose effect is known without
// knowing the schedule.

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"berth/policies"
	"berth/sim"
	"berth/sim/config"
	"berth/sim/experiment"
	"berth/sim/hardware"
	"berth/sim/metrics"
	"berth/workloads"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// schedule is who ran when and where, by the tables, without the columns that
// only repeat the input.
func schedule(t *rapid.T, o *outcome) map[string]string {
	rows, err := csv.NewReader(bytes.NewReader(o.jobs.Bytes())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{"services": o.services.String()}
	for _, r := range rows[1:] {
		out["job "+r[0]] = fmt.Sprint(r[5], " to ", r[6], " on ", r[12], ": ", r[13])
	}
	return out
}

func sameSchedule(t *rapid.T, w *world, a, b map[string]string) {
	if d := cmp.Diff(a, b); d != "" {
		t.Helper()
		t.Fatalf("%v%s", w, d)
	}
}

// Where GPUs are alike, or every job may span link domains, it does not matter
// which node a GPU is in; but to horizon, which places beside the borders.
func TestNodesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		name, c := drawPolicy(t, w)
		c.Placement = "" // which is about nodes
		if w.alignment != hardware.Scattered {
			for i := range w.jobs {
				w.jobs[i].Across = true
			}
		}
		if name == "horizon" {
			name, c = "easy", policies.Config{}
		}
		before := schedule(t, run(t, w, name, c))
		w.pools = []hardware.Pool{{GPUs: w.gpus(), GPUsPerNode: 2, NodesPerLink: 1}}
		sameSchedule(t, w, before, schedule(t, run(t, w, name, c)))
	})
}

// All priorities twice as high: the same schedule, of twice the value.
func TestPrioritiesAreRelative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		name, c := drawPolicy(t, w)
		before := run(t, w, name, c)
		for i := range w.jobs {
			w.jobs[i].Priority *= 2
		}
		for i := range w.services {
			w.services[i].Priority *= 2
		}
		after := run(t, w, name, c)
		sameSchedule(t, w, schedule(t, before), schedule(t, after))
		if !near(after.report.Value, 2*before.report.Value, 1e-12) || !near(after.objective, 2*before.objective, 1e-12) {
			t.Fatalf("%s: value %v and %v, objective %v and %v", name, before.report.Value, after.report.Value, before.objective, after.objective)
		}
	})
}

// Jobs that are submitted when the run is over, or that cannot end in time from
// the start, change nothing for the others.
func TestHopelessJobsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		if w.horizon == 0 {
			w.horizon = 1e15
		}
		name, c := drawPolicy(t, w)
		before := schedule(t, run(t, w, name, c))
		var jobs []sim.Job
		hopeless := sim.Job{ID: 500, MinGPUs: 1, MaxGPUs: 1, Priority: 9, Duration: w.horizon + 1, Estimate: w.horizon + 1}
		for i, j := range w.jobs {
			if w.closed {
				hopeless.ID, hopeless.Submit = 500+int64(i), j.Submit
				jobs = append(jobs, hopeless)
			}
			jobs = append(jobs, j)
		}
		late := drawJob(t, 499, w.horizon)
		if len(jobs) == 0 || jobs[len(jobs)-1].Submit <= late.Submit {
			jobs = append(jobs, late)
		}
		w.jobs = jobs
		after := schedule(t, run(t, w, name, c))
		for i := range w.jobs {
			if w.jobs[i].ID >= 500 {
				delete(after, "job "+w.jobs[i].Label())
			}
		}
		sameSchedule(t, w, before, after)
	})
}

// With exact estimates, queue policies never let jobs get in the way of
// services.
func TestJobsDoNotDisturbServices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		if w.horizon == 0 {
			w.horizon = 40 * 3600e9
		}
		for i := range w.jobs {
			w.jobs[i].Estimate = w.jobs[i].Duration
		}
		name := rapid.SampledFrom([]string{"fifo", "fcfs", "easy", "sjf", "priority", "reservation"}).Draw(t, "policy")
		c := policies.Config{Reserve: rapid.SampledFrom([]string{"", "peak", "curve"}).Draw(t, "reserve"), Partition: rapid.IntRange(0, 3).Draw(t, "partition")}
		busy := run(t, w, name, c)
		w.jobs = nil
		alone := run(t, w, name, c)
		if d := cmp.Diff(alone.services.String(), busy.services.String()); d != "" {
			t.Fatalf("%v%s (- without jobs, + with):\n%s", w, name, d)
		}
	})
}

// Numbers of jobs are names only, and watching a run does not change it.
func TestNamesAndObserversDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		name, c := drawPolicy(t, w)
		c.DurationSigma = 0 // drawn by number
		before := run(t, w, name, c)
		p, err := policies.New(name, c)
		if err != nil {
			t.Fatal(err)
		}
		var tables [6]bytes.Buffer
		first, second := sim.NewRecorder(&tables[0], &tables[1], &tables[2]), sim.NewRecorder(&tables[3], &tables[4], &tables[5])
		if err := sim.Run(context.Background(), w.workload(t), p, first, &metrics.Spans{}, second); err != nil {
			t.Fatal(err)
		}
		for i, want := range []*bytes.Buffer{&before.jobs, &before.services, &before.timeline} {
			if !bytes.Equal(want.Bytes(), tables[i].Bytes()) || !bytes.Equal(want.Bytes(), tables[i+3].Bytes()) {
				t.Fatalf("%s: table %d differs when others watch", name, i)
			}
		}
		for i := range w.jobs {
			w.jobs[i].Name = w.jobs[i].Label()
			w.jobs[i].ID += 1000
		}
		sameSchedule(t, w, schedule(t, before), schedule(t, run(t, w, name, c)))
	})
}

// setups are runs of several scenarios under all policies.
func setups(t *testing.T) []experiment.Setup {
	t.Helper()
	var out []experiment.Setup
	for _, name := range []string{"mixed-control", "batch-burst"} {
		s := scenario(t, name)
		gamma, lambda := s.Weights()
		for _, e := range within() {
			for seed := range uint64(3) {
				out = append(out, experiment.Setup{
					Scenario: name, Policy: e.Name, Seed: seed,
					NewWorkload: func() (*sim.Workload, error) { return s.Generate(seed) },
					NewPolicy: func() (sim.Policy, error) {
						return policies.New(e.Name, policies.Config{Gamma: gamma, Lambda: lambda, Seed: seed, Budget: "50"})
					},
					Objective: metrics.Objective{Gamma: gamma, Lambda: lambda, Step: s.Step()}, OneHorizon: true,
				})
			}
		}
	}
	return out
}

func scenario(t testing.TB, name string) *workloads.Scenario {
	t.Helper()
	text, file, err := workloads.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	var s workloads.Scenario
	if err := config.DecodeStrict(text, file, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// The same bytes whatever the number of processors and of runs at a time.
func TestParallelismDoesNotMatter(t *testing.T) {
	all := func(processors, parallel int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		reports, err := experiment.RunAll(context.Background(), setups(t), parallel, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent(reports, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		var tables bytes.Buffer
		for _, s := range setups(t) {
			if _, err := s.Run(context.Background(), sim.NewRecorder(&tables, &tables, &tables)); err != nil {
				t.Fatal(err)
			}
		}
		return string(text) + string(experiment.RunsCSV(reports)) + tables.String()
	}
	one := all(1, 1)
	for _, c := range [][2]int{{1, 4}, {4, 4}, {runtime.NumCPU(), 2}} {
		if many := all(c[0], c[1]); many != one {
			t.Errorf("GOMAXPROCS %d, %d runs at a time: %s", c[0], c[1], cmp.Diff(one, many))
		}
	}
}
