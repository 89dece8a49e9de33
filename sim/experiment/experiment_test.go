package experiment_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"berth/sim"
	"berth/sim/experiment"
	"berth/sim/hardware"
	"berth/sim/metrics"

	"github.com/google/go-cmp/cmp"
)

// Means, intervals and gains of three seeds, by hand: t(0.975; 2) = 4.302653.
func TestCompareByHand(t *testing.T) {
	run := func(utilization, value, wait float64, decayed *float64) *metrics.Report {
		r := &metrics.Report{Utilization: utilization, Value: value, DecayedValue: decayed, Jobs: metrics.JobCounts{Completed: int(value)}}
		if wait >= 0 {
			r.WaitSeconds = &metrics.Distribution{Mean: wait}
		}
		return r
	}
	one := 1.0
	got := experiment.Compare([]string{"a", "b"}, [][]*metrics.Report{
		{run(0.5, 10, 4, &one), run(0.6, 20, 5, &one), run(0.7, 30, 6, &one)},
		{run(0.6, 12, 4, &one), run(0.7, 23, -1, nil), run(0.8, 31, 6, &one)},
	})
	close := func(what string, got *float64, want float64) {
		if got == nil || math.Abs(*got-want) > 1e-6 {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	const t2 = 4.302652729911275
	a, b := got[0], got[1]
	if a.Policy != "a" || b.Policy != "b" || a.Seeds != 3 || b.Seeds != 3 {
		t.Errorf("%+v, %+v", a, b)
	}
	close("mean of a", &a.Value.Mean, 20)
	close("interval of a", a.Value.CI95, t2*10/math.Sqrt(3))
	close("mean of b", &b.Value.Mean, 22)
	close("gain", b.Value.Gain, 2.0/20) // differences 2, 3, 1
	close("interval of the gain", b.Value.GainCI95, t2*1/math.Sqrt(3)/20)
	close("gain in points", b.Utilization.Gain, 10)
	close("interval in points", b.Utilization.GainCI95, 0)
	if a.Value.Gain != nil || a.Value.GainCI95 != nil {
		t.Error("the first policy gains over itself")
	}
	if b.WaitMeanSeconds != nil || b.DecayedValue != nil {
		t.Error("a measure is given that one run does not have")
	}
	if a.ShortfallGPUHours.Gain != nil || b.ShortfallGPUHours.Gain != nil {
		t.Error("a gain over 0 is given")
	}
	single := experiment.Compare([]string{"a", "b"}, [][]*metrics.Report{{run(0.5, 10, 4, &one)}, {run(0.5, 11, 4, &one)}})
	if single[0].Value.CI95 != nil || single[1].Value.GainCI95 != nil {
		t.Error("an interval of a single seed is given")
	}
	close("gain of a single seed", single[1].Value.Gain, 0.1)
}

// The 95 % interval holds the true mean in 95 % of experiments, whatever the
// number of seeds.
func TestIntervalsCover(t *testing.T) {
	for _, n := range []int{3, 10, 30} {
		rng := sim.Stream(1, fmt.Sprint("coverage", n))
		covered := 0
		const trials = 4000
		for range trials {
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = 5 + 2*rng.NormFloat64()
			}
			if m := experiment.MeanOf(xs); math.Abs(m.Mean-5) <= m.Half {
				covered++
			}
		}
		if share := float64(covered) / trials; math.Abs(share-0.95) > 0.014 { // four standard errors
			t.Errorf("%d seeds: the interval covers %.3f", n, share)
		}
	}
	if m := experiment.MeanOf([]float64{4}); m.Mean != 4 || !math.IsNaN(m.Half) {
		t.Errorf("a single sample: %+v", m)
	}
}

// greedy starts whatever fits.
type greedy struct{}

func (greedy) Name() string { return "greedy" }
func (greedy) Decide(r *sim.Round) error {
	for _, j := range r.Waiting() {
		r.StartFirst(j)
	}
	return nil
}

// closing is a source that notes that it was closed.
type closing struct {
	sim.Jobs
	closed *atomic.Int32
	err    error
}

func (c *closing) Close() error { c.closed.Add(1); return c.err }

func setup(seed uint64, closed *atomic.Int32, closeErr error) experiment.Setup {
	return experiment.Setup{
		Scenario: "made up", Policy: "greedy", Seed: seed, OneHorizon: true,
		Objective: metrics.Objective{Gamma: 0.9, Lambda: 1, Step: time.Hour},
		NewPolicy: func() (sim.Policy, error) { return greedy{}, nil },
		NewWorkload: func() (*sim.Workload, error) {
			topology, err := hardware.NewTopology(hardware.Pool{GPUs: 4})
			rng := sim.Stream(seed, "jobs")
			jobs := &closing{closed: closed, err: closeErr}
			for i := range 20 {
				d := sim.Time(1+rng.IntN(100)) * time.Minute
				jobs.List = append(jobs.List, sim.Job{ID: int64(i), Submit: sim.Time(i) * time.Minute, MinGPUs: 1, MaxGPUs: 1, Priority: 1, Duration: d, Estimate: d})
			}
			return &sim.Workload{Topology: topology, Jobs: jobs, Horizon: 8 * time.Hour}, err
		},
	}
}

// Reports come in the order of the setups, whatever is run beside what, and
// every source is closed.
func TestRunAll(t *testing.T) {
	var closed, done atomic.Int32
	var setups []experiment.Setup
	for seed := range uint64(20) {
		setups = append(setups, setup(seed, &closed, nil))
	}
	one, err := experiment.RunAll(context.Background(), setups, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	four, err := experiment.RunAll(context.Background(), setups, 4, func() { done.Add(1) })
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(one, four); d != "" {
		t.Error(d)
	}
	if closed.Load() != 40 || done.Load() != 20 {
		t.Errorf("%d sources closed, %d runs done", closed.Load(), done.Load())
	}
	for i, r := range one {
		if r.Seed != uint64(i) || r.Scenario != "made up" || r.Policy != "greedy" || r.DecayedValue == nil || r.Objective == nil || *r.DecayedValue >= r.Value {
			t.Errorf("run %d: %+v", i, r)
		}
	}
}

// The first error stops the rest, and comes back.
func TestRunAllStops(t *testing.T) {
	wrong := errors.New("wrong")
	var closed atomic.Int32
	setups := []experiment.Setup{setup(1, &closed, wrong)}
	if _, err := experiment.RunAll(context.Background(), setups, 2, nil); !errors.Is(err, wrong) {
		t.Errorf("closing fails: %v", err)
	}
	setups[0].NewPolicy = func() (sim.Policy, error) { return nil, wrong }
	if _, err := experiment.RunAll(context.Background(), setups, 2, nil); !errors.Is(err, wrong) {
		t.Errorf("no policy: %v", err)
	}
	setups[0].NewWorkload = func() (*sim.Workload, error) { return nil, wrong }
	if _, err := experiment.RunAll(context.Background(), setups, 2, nil); !errors.Is(err, wrong) {
		t.Errorf("no workload: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := setup(1, &closed, nil)
	report, err := s.Run(ctx)
	if !errors.Is(err, sim.ErrInterrupted) || report == nil || report.Jobs.Completed != 0 {
		t.Errorf("interrupted: %v, %+v", err, report)
	}
}

// The table of runs reads back as it was, and leaves out what a run lacks.
func TestRunsCSV(t *testing.T) {
	x := 1.5
	text := experiment.RunsCSV([]*metrics.Report{
		{Scenario: `a, "b"`, Policy: "fcfs", Seed: 1 << 63, Utilization: 0.1 + 0.2, DecayedValue: &x, WaitSeconds: &metrics.Distribution{Mean: 3}},
		{Policy: "easy", Jobs: metrics.JobCounts{Submitted: 4, Completed: 3, Rejected: 1}, Swaps: 9},
	})
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	for _, c := range []struct {
		row        int
		name, want string
	}{
		{1, "scenario", `a, "b"`}, {1, "seed", "9223372036854775808"}, {1, "utilization", "0.3"},
		{1, "decayed_value", "1.5"}, {1, "objective", ""}, {1, "wait_mean_seconds", "3"}, {1, "bounded_slowdown_mean", ""},
		{2, "submitted", "4"}, {2, "completed", "3"}, {2, "rejected", "1"}, {2, "swaps", "9"}, {2, "decayed_value", ""}, {2, "utilization", "0"},
	} {
		if i, ok := column[c.name]; !ok || rows[c.row][i] != c.want {
			t.Errorf("row %d, %s: %q, want %q", c.row, c.name, rows[c.row], c.want)
		}
	}
}

// No file is seen before it is whole, and nothing is left behind.
func TestDir(t *testing.T) {
	base := filepath.Join(t.TempDir(), "a", "b")
	d, err := experiment.OpenDir(base)
	if err != nil {
		t.Fatal(err)
	}
	seen := func() string {
		entries, err := os.ReadDir(base)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, e := range entries {
			if e.Name()[0] != '.' {
				text += e.Name() + " "
			}
		}
		return text
	}
	create := func(name, content string) {
		f, err := d.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, content)
	}
	create("one.csv", "old")
	if got := seen(); got != "" {
		t.Errorf("before the commit: %s", got)
	}
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
	create("one.csv", "new")
	create("two.csv", "new")
	d.Discard()
	if text, err := os.ReadFile(d.Path("one.csv")); err != nil || string(text) != "old" {
		t.Errorf("%q, %v", text, err)
	}
	if err := d.WriteJSON("three.json", map[string]int{"b": 1, "a": 2}); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteJSON("four.json", math.NaN()); err == nil {
		t.Error("NaN was written as JSON")
	}
	if text, _ := os.ReadFile(d.Path("three.json")); string(text) != "{\n  \"a\": 2,\n  \"b\": 1\n}\n" {
		t.Errorf("%q", text)
	}
	if got := seen(); got != "one.csv three.json " {
		t.Errorf("in the end: %s", got)
	}
	if hidden, _ := filepath.Glob(filepath.Join(base, ".*")); len(hidden) > 0 {
		t.Errorf("left behind: %v", hidden)
	}
	if _, err := experiment.OpenDir(d.Path("one.csv")); err == nil {
		t.Error("a file was taken for a directory")
	}
}

func TestCells(t *testing.T) {
	cells, err := experiment.Cells(
		[]experiment.Factor{{Name: "window", Key: "policy.window", Levels: []any{int64(6), int64(24)}, With: []string{"policy.commit=2"}},
			{Name: "boundary", Key: "policy.boundary", Levels: []any{"open"}}},
		[]experiment.Grid{{Name: "both", Axes: []experiment.Axis{{Key: "a", Levels: []any{1.5, true}}, {Key: "b", Levels: []any{"x", "y"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	want := []experiment.Cell{
		{Factor: "window", Level: "6", Settings: []string{"policy.window=6", "policy.commit=2"}},
		{Factor: "window", Level: "24", Settings: []string{"policy.window=24", "policy.commit=2"}},
		{Factor: "boundary", Level: "open", Settings: []string{`policy.boundary="open"`}},
		{Factor: "both", Level: "1.5 × x", Settings: []string{"a=1.5", `b="x"`}},
		{Factor: "both", Level: "1.5 × y", Settings: []string{"a=1.5", `b="y"`}},
		{Factor: "both", Level: "true × x", Settings: []string{"a=true", `b="x"`}},
		{Factor: "both", Level: "true × y", Settings: []string{"a=true", `b="y"`}},
	}
	if d := cmp.Diff(want, cells); d != "" {
		t.Error(d)
	}
	for _, f := range []experiment.Factor{{}, {Name: "a"}, {Name: "a", Key: "b"}} {
		if _, err := experiment.Cells([]experiment.Factor{f}, nil); err == nil {
			t.Errorf("%+v was taken", f)
		}
	}
	if _, err := experiment.Cells(nil, []experiment.Grid{{Name: "a"}}); err == nil {
		t.Error("a grid without axes was taken")
	}
}
