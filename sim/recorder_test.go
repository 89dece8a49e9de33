package sim_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"berth/sim"
	"berth/sim/hardware"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var errFull = errors.New("no space left on device")

// disk is a writer that has room for so many bytes.
type disk struct{ room int }

func (d *disk) Write(p []byte) (int, error) {
	n := min(len(p), d.room)
	d.room -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

// eager starts whatever fits, and moves the first service at every round.
func eager(rounds *int) rogue {
	return func(r *sim.Round) error {
		*rounds++
		for _, j := range r.Waiting() {
			r.StartFirst(j)
		}
		if s := r.Services()[0]; s.Held == 0 {
			gpus, _ := r.Cluster().AppendFree(nil, 1)
			r.Grow(s, gpus...)
		} else {
			r.Shrink(s, s.GPUs...)
		}
		return nil
	}
}

// A full disk under any of the tables stops the run, says so once, and does
// not keep the other tables from being written to their end.
func TestFullDiskStopsTheRun(t *testing.T) {
	topology, _ := hardware.NewTopology(hardware.Pool{GPUs: 2})
	const jobs = 20_000
	for table, name := range []string{"jobs", "services", "timeline"} {
		for _, room := range []int{0, 100_000} {
			t.Run(name, func(t *testing.T) {
				w := &sim.Workload{Topology: topology, Step: 1, Services: []sim.Service{{Name: "s", Max: 1}}, Jobs: &stream{left: jobs, gap: 2, duration: 1}}
				var files [3]bytes.Buffer
				writers := [3]io.Writer{&files[0], &files[1], &files[2]}
				writers[table] = &disk{room}
				rounds := 0
				err := sim.Run(context.Background(), w, eager(&rounds), sim.NewRecorder(writers[0], writers[1], writers[2]))
				if !errors.Is(err, errFull) || strings.Count(err.Error(), "no space left") != 1 {
					t.Errorf("got %v", err)
				}
				if rounds >= jobs {
					t.Error("the run went on to its end")
				}
				for i := range files {
					if text := files[i].String(); i != table && !strings.HasSuffix(text, "\n") {
						t.Errorf("table %d is cut short: …%q", i, text[max(0, len(text)-20):])
					}
				}
			})
		}
	}
}

// Times are written without loss.
func TestSecondsAreExact(t *testing.T) {
	for ns, want := range map[sim.Time]string{
		0: "0", 1: "0.000000001", 1e9: "1", 1_500_000_000: "1.5", 12_000_000_340: "12.00000034",
		-1: "-0.000000001", -2_500_000_000: "-2.5", sim.Forever: "9223372036.854775807",
	} {
		if got := string(sim.AppendSeconds(nil, ns)); got != want {
			t.Errorf("%d ns: %s, want %s", ns, got, want)
		}
	}
}

// Whatever text jobs carry, the tables stay readable.
func TestTablesSurviveAnyText(t *testing.T) {
	topology, _ := hardware.NewTopology(hardware.Pool{GPUs: 1})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune{'a', '"', ',', '\n', ' '}), 1, 8, -1))
		draw := func(what string) string { return strings.ReplaceAll(text.Draw(t, what), "\r", "") } // a reader turns \r\n into \n
		name, tenant, reason := "x"+draw("name"), draw("tenant"), draw("reason")
		w := &sim.Workload{Topology: topology, Services: []sim.Service{{Name: name, Max: 1}}, Jobs: &sim.Jobs{List: []sim.Job{
			{Name: name, Tenant: tenant, MinGPUs: 1, MaxGPUs: 1, Priority: 1, Duration: 1, Estimate: 1}}}}
		var files [3]bytes.Buffer
		refuse := rogue(func(r *sim.Round) error {
			for _, j := range r.Waiting() {
				r.Reject(j, reason)
			}
			return nil
		})
		if err := sim.Run(context.Background(), w, refuse, sim.NewRecorder(&files[0], &files[1], &files[2])); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&files[0]).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{name, tenant, reason}, []string{rows[1][0], rows[1][2], rows[1][14]}); d != "" {
			t.Fatal(d)
		}
		if rows, err = csv.NewReader(&files[1]).ReadAll(); err != nil || rows[1][1] != name {
			t.Fatalf("%v, %q", err, rows)
		}
	})
}

// stream yields equal one-GPU jobs at equal gaps, without allocating.
type stream struct {
	left          int
	at            sim.Time
	gap, duration sim.Time
	gpus          int // of each job; 0 means 1
}

func (s *stream) Next(j *sim.Job) (bool, error) {
	if s.left == 0 {
		return false, nil
	}
	s.left--
	s.at += s.gap
	n := max(1, s.gpus)
	*j = sim.Job{ID: int64(s.left), Submit: s.at, MinGPUs: n, MaxGPUs: n, Priority: 1, Duration: s.duration, Estimate: s.duration}
	return true, nil
}

// inOrder is first come, first served.
func inOrder(r *sim.Round) error {
	for _, j := range r.Waiting() {
		if !r.StartFirst(j) {
			break
		}
	}
	return nil
}

// allocations is the number of allocations and of bytes of one run.
func allocations(t *testing.T, w *sim.Workload, policy sim.Policy, observers ...sim.Observer) (allocs, size uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := sim.Run(context.Background(), w, policy, observers...); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}

// In the steady state neither the engine nor the recorder allocates: ten times
// the jobs cost no more than the room for a few more.
func TestNothingIsAllocatedPerJob(t *testing.T) {
	topology, _ := hardware.NewTopology(hardware.Pool{GPUs: 128})
	workload := func(jobs int) *sim.Workload {
		return &sim.Workload{Topology: topology, Alignment: hardware.Scattered, Jobs: &stream{left: jobs, gap: time.Second, duration: 100*time.Second + 1}}
	}
	const few, many = 10_000, 100_000
	for name, run := range map[string]func(jobs int) uint64{
		"engine": func(jobs int) uint64 {
			n, _ := allocations(t, workload(jobs), rogue(inOrder))
			return n
		},
		"engine with a block": func(jobs int) uint64 {
			w := workload(jobs)
			w.Alignment = hardware.Buddy
			n, _ := allocations(t, w, rogue(inOrder))
			return n
		},
		"recorder": func(jobs int) uint64 {
			n, _ := allocations(t, workload(jobs), rogue(inOrder), sim.NewRecorder(io.Discard, io.Discard, io.Discard))
			return n
		},
		"jobs that cannot run": func(jobs int) uint64 {
			w := workload(jobs)
			w.Jobs.(*stream).gpus = 1000
			n, _ := allocations(t, w, rogue(inOrder))
			return n
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := run(few), run(many)
			t.Logf("%d allocations for %d jobs, %d for %d", a, few, b, many)
			if b > a+few/100 {
				t.Errorf("%d allocations for %d jobs, %d for %d", a, few, b, many)
			}
		})
	}
}

// A job without GPUs has its node in jobs.csv while it held one to its end;
// others have none there.
func TestNodeOfJobsWithoutGPUs(t *testing.T) {
	topology, err := hardware.NewTopology(hardware.Pool{GPUs: 4, GPUsPerNode: 2, CPUMilli: 4000})
	if err != nil {
		t.Fatal(err)
	}
	job := func(name string, gpus, cpus int) sim.Job {
		return sim.Job{Name: name, Priority: 1, MinGPUs: gpus, MaxGPUs: gpus, Duration: 5 * time.Second, Estimate: 5 * time.Second, Request: hardware.Request{CPUMilli: cpus}}
	}
	jobs := []sim.Job{job("first", 0, 3000), job("second", 0, 3000), job("gpu", 1, 1000), job("waits", 0, 3000), job("never", 0, 5000)}
	var table bytes.Buffer
	w := &sim.Workload{Topology: topology, Alignment: hardware.Scattered, Jobs: &sim.Jobs{List: jobs}, Horizon: 4 * time.Second}
	start := rogue(func(r *sim.Round) error {
		for _, j := range r.Waiting() {
			r.StartFirst(j)
		}
		return nil
	})
	if err := sim.Run(context.Background(), w, start, sim.NewRecorder(&table, io.Discard, io.Discard)); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, row := range rows[1:] {
		got[row[0]] = row[12] + "|" + row[len(row)-1] + "|" + row[13]
	}
	want := map[string]string{"first": "|0|unfinished", "second": "|1|unfinished", "gpu": "0||unfinished", "waits": "||unscheduled", "never": "||rejected"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
