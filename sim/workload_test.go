package sim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"berth/sim"
	"berth/sim/hardware"

	"github.com/google/go-cmp/cmp"
)

// fates notes what becomes of each job, and why.
type fates struct {
	sim.IgnoreAll
	of map[int64]string
}

func (f fates) JobEnded(now sim.Time, j *sim.ActiveJob) {
	f.of[j.ID] = strings.TrimSuffix(fmt.Sprintf("%v: %s", j.State, j.Reason), ": ")
}

// Jobs that make no sense are rejected with a reason, and the others run.
func TestImpossibleJobs(t *testing.T) {
	topology, _ := hardware.NewTopology(hardware.Pool{GPUs: 12, GPUsPerNode: 4})
	good := sim.Job{MinGPUs: 2, MaxGPUs: 2, Priority: 1, Duration: time.Hour, Estimate: time.Hour}
	year := 365 * 24 * time.Hour
	for _, c := range []struct {
		name, want string
		alignment  hardware.Alignment
		change     func(*sim.Job)
	}{
		{"good", "completed", hardware.Contiguous, func(*sim.Job) {}},
		{"no duration", "duration", hardware.Contiguous, func(j *sim.Job) { j.Duration = 0 }},
		{"negative duration", "duration", hardware.Contiguous, func(j *sim.Job) { j.Duration = math.MinInt64 }},
		{"no estimate", "estimate", hardware.Contiguous, func(j *sim.Job) { j.Estimate = 0 }},
		{"endless", "clock", hardware.Contiguous, func(j *sim.Job) { j.Duration = sim.Forever }},
		{"expected to be endless", "clock", hardware.Contiguous, func(j *sim.Job) { j.Estimate = sim.Forever }},
		{"never eligible", "clock", hardware.Contiguous, func(j *sim.Job) { j.Earliest = sim.Forever }},
		{"a lifetime", "completed", hardware.Contiguous, func(j *sim.Job) { j.Duration, j.Estimate, j.Earliest = 70*year, 70*year, 140*year }},
		{"no size", "sizes", hardware.Contiguous, func(j *sim.Job) { j.MinGPUs = 0 }},
		{"empty range", "sizes", hardware.Contiguous, func(j *sim.Job) { j.MaxGPUs = 1 }},
		{"no priority", "priority", hardware.Contiguous, func(j *sim.Job) { j.Priority = 0 }},
		{"priority is no number", "priority", hardware.Contiguous, func(j *sim.Job) { j.Priority = math.NaN() }},
		{"infinite priority", "priority", hardware.Contiguous, func(j *sim.Job) { j.Priority = math.Inf(1) }},
		{"superlinear", "parallel", hardware.Contiguous, func(j *sim.Job) { j.MaxGPUs, j.Parallel = 4, 1.5 }},
		{"rigid with a share that is not read", "completed", hardware.Contiguous, func(j *sim.Job) { j.Parallel = 9 }},
		{"larger than the cluster", "larger", hardware.Scattered, func(j *sim.Job) { j.MinGPUs, j.MaxGPUs = 13, 13 }},
		{"larger than a domain", "block", hardware.Contiguous, func(j *sim.Job) { j.MinGPUs, j.MaxGPUs = 8, 8 }},
		{"across domains", "completed", hardware.Contiguous, func(j *sim.Job) { j.MinGPUs, j.MaxGPUs, j.Across = 8, 8, true }},
		{"no power of two", "block", hardware.Buddy, func(j *sim.Job) { j.MinGPUs, j.MaxGPUs = 3, 3 }},
		{"three anywhere", "completed", hardware.Scattered, func(j *sim.Job) { j.MinGPUs, j.MaxGPUs = 3, 3 }},
		{"moldable to a power of two", "completed", hardware.Buddy, func(j *sim.Job) { j.MinGPUs, j.MaxGPUs = 3, 5 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			odd, after := good, good
			odd.ID, after.ID = 1, 2
			c.change(&odd)
			w := &sim.Workload{Topology: topology, Alignment: c.alignment, Jobs: &sim.Jobs{List: []sim.Job{odd, after}}}
			got := fates{of: map[int64]string{}}
			if err := sim.Run(context.Background(), w, rogue(inOrder), got); err != nil {
				t.Fatal(err)
			}
			ok := got.of[1] == "completed"
			if c.want != "completed" {
				ok = strings.HasPrefix(got.of[1], "rejected") && strings.Contains(got.of[1], c.want)
			}
			if !ok || got.of[2] != "completed" {
				t.Errorf("got %v, want %s", got.of, c.want)
			}
		})
	}
}

// Many jobs of decades each, one after another: the clock does not wrap.
func TestLifetimesInARow(t *testing.T) {
	topology, _ := hardware.NewTopology(hardware.Pool{GPUs: 1})
	year := 365 * 24 * time.Hour
	w := &sim.Workload{Topology: topology, Jobs: &stream{left: 6, gap: 1, duration: 70 * year}}
	got := fates{of: map[int64]string{}}
	if err := sim.Run(context.Background(), w, rogue(inOrder), got); err != nil {
		t.Fatal(err)
	}
	want := map[int64]string{5: "completed", 4: "completed", 3: "completed", 2: "completed", 1: "unfinished", 0: "unscheduled"}
	if d := cmp.Diff(want, got.of); d != "" {
		t.Error(d)
	}
}

// Workloads that make no sense are errors that say what is accepted.
func TestMeaninglessWorkloads(t *testing.T) {
	topology, _ := hardware.NewTopology(hardware.Pool{GPUs: 4})
	service := func(change func(*sim.Service)) []sim.Service {
		s := sim.Service{Name: "chat", Max: 2, Demand: sim.Curve{Step: time.Hour, Levels: []int{1}}}
		change(&s)
		return []sim.Service{s}
	}
	for name, c := range map[string]struct {
		change func(*sim.Workload)
		want   string
	}{
		"no topology":           {func(w *sim.Workload) { w.Topology = nil }, "topology"},
		"no jobs":               {func(w *sim.Workload) { w.Jobs = nil }, "jobs"},
		"negative horizon":      {func(w *sim.Workload) { w.Horizon = -1 }, "horizon"},
		"negative step":         {func(w *sim.Workload) { w.Step = -1 }, "step"},
		"closed without end":    {func(w *sim.Workload) { w.Closed = true }, "horizon"},
		"minimum above maximum": {func(w *sim.Workload) { w.Services = service(func(s *sim.Service) { s.Min = 3 }) }, "service chat"},
		"negative swap cap":     {func(w *sim.Workload) { w.Services = service(func(s *sim.Service) { s.SwapCap = -1 }) }, "swap cap"},
		"demand without a step": {func(w *sim.Workload) { w.Services = service(func(s *sim.Service) { s.Demand.Step = 0 }) }, "step"},
		"negative demand":       {func(w *sim.Workload) { w.Services = service(func(s *sim.Service) { s.Demand.Levels = []int{2, -1} }) }, "level 1"},
		"one name twice": {func(w *sim.Workload) {
			w.Services = append(service(func(*sim.Service) {}), service(func(*sim.Service) {})...)
		}, `"chat"`},
		"submitted before 0": {func(w *sim.Workload) { w.Jobs = &sim.Jobs{List: []sim.Job{{ID: 3, Submit: -1}}} }, "job 3"},
	} {
		w := &sim.Workload{Topology: topology, Jobs: &sim.Jobs{}}
		c.change(w)
		if err := sim.Run(context.Background(), w, rogue(inOrder)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error about %s", name, err, c.want)
		}
	}
}

// By Amdahl's law, rounded up to the nanosecond.
func TestDurations(t *testing.T) {
	j := sim.Job{MinGPUs: 2, MaxGPUs: 16, Parallel: 0.5, Duration: 100, Estimate: 200}
	for n, want := range map[int]sim.Time{1: 100, 2: 100, 4: 75, 8: 63, 16: 57} {
		if got := j.DurationOn(n); got != want {
			t.Errorf("%v on %d GPUs, want %v", got, n, want)
		}
	}
	if got := j.EstimateOn(4); got != 150 {
		t.Errorf("estimated %v on 4 GPUs, want 150ns", got)
	}
	if d := cmp.Diff([]int{2, 4, 8, 16}, j.Sizes(nil, hardware.Buddy)); d != "" {
		t.Error(d)
	}
	if got := j.Sizes(nil, hardware.Scattered); len(got) != 15 {
		t.Errorf("sizes %v", got)
	}
}

func TestCurve(t *testing.T) {
	c := sim.Curve{Step: time.Hour, Levels: []int{2, 0, 5, 1}}
	for at, want := range map[sim.Time]int{-1: 0, 0: 2, time.Hour - 1: 2, time.Hour: 0, 2 * time.Hour: 5, 4*time.Hour - 1: 1, 4 * time.Hour: 0, sim.Forever: 0} {
		if got := c.At(at); got != want {
			t.Errorf("at %v: %d, want %d", at, got, want)
		}
	}
	for _, x := range []struct {
		from, to sim.Time
		want     int
	}{
		{0, sim.Forever, 5}, {0, time.Hour, 2}, {time.Hour, 2 * time.Hour, 0}, {time.Hour, 2*time.Hour + 1, 5},
		{-time.Hour, 1, 2}, {3 * time.Hour, sim.Forever, 1}, {4 * time.Hour, 9 * time.Hour, 0}, {time.Hour, time.Hour, 0},
	} {
		if got := c.PeakIn(x.from, x.to); got != x.want {
			t.Errorf("peak in [%v, %v): %d, want %d", x.from, x.to, got, x.want)
		}
	}
	if c.Peak() != 5 || (sim.Curve{}).Peak() != 0 || (sim.Curve{}).At(3) != 0 || (sim.Curve{}).PeakIn(0, 9) != 0 {
		t.Error("peaks are wrong")
	}
}

// Streams of other names or seeds are other streams; the same is the same.
func TestStreams(t *testing.T) {
	draw := func(seed uint64, name string) [4]uint64 {
		r := sim.Stream(seed, name)
		return [4]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
	}
	first, again := draw(1, "a"), draw(1, "a")
	if first != again {
		t.Error("one stream twice differs")
	}
	if draw(1, "a") == draw(2, "a") || draw(1, "a") == draw(1, "b") || draw(1, "a") == draw(1, "aa") {
		t.Error("different streams are equal")
	}
}

// A cancelled run ends with ErrInterrupted; what ran until then is reported as
// unfinished, and every submitted job has a final state.
func TestInterruption(t *testing.T) {
	topology, _ := hardware.NewTopology(hardware.Pool{GPUs: 1})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := &sim.Workload{Topology: topology, Jobs: &stream{left: 1000, gap: 1, duration: 10}}
	got := fates{of: map[int64]string{}}
	err := sim.Run(ctx, w, rogue(func(r *sim.Round) error {
		if r.Now() == 95 {
			cancel()
		}
		return inOrder(r)
	}), got)
	if !errors.Is(err, sim.ErrInterrupted) {
		t.Errorf("got %v", err)
	}
	count := map[string]int{}
	for _, state := range got.of {
		count[state]++
	}
	if d := cmp.Diff(map[string]int{"completed": 9, "unfinished": 1, "unscheduled": 85}, count); d != "" {
		t.Error(d)
	}
}
