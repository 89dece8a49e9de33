package sim_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"

	"github.com/google/go-cmp/cmp"
)

// small is two nodes with two GPUs of model A each, four CPUs and 100 MiB, and
// one with one GPU of model B, which counts neither.
func small(t *testing.T, jobs ...sim.Job) *sim.Workload {
	t.Helper()
	topology, err := hardware.NewTopology(
		hardware.Pool{SKU: hardware.SKU{Name: "A"}, GPUs: 4, GPUsPerNode: 2, CPUMilli: 4000, MemoryMiB: 100},
		hardware.Pool{SKU: hardware.SKU{Name: "B"}, GPUs: 1, GPUsPerNode: 1})
	if err != nil {
		t.Fatal(err)
	}
	return &sim.Workload{Topology: topology, Alignment: hardware.Scattered, Jobs: &sim.Jobs{List: jobs}}
}

func asking(id int64, gpus int, q hardware.Request) sim.Job {
	return sim.Job{ID: id, MinGPUs: gpus, MaxGPUs: gpus, Priority: 1, Duration: time.Hour, Estimate: time.Hour, Request: q}
}

// Each decision breaks one rule about requests, after those that are legal.
func TestIllegalRequests(t *testing.T) {
	type request = hardware.Request
	for _, c := range []struct {
		name, rule string
		jobs       []sim.Job
		decide     func(r *sim.Round, j []*sim.ActiveJob)
	}{
		{"less left than asked", "capacity", []sim.Job{asking(1, 1, request{GPUMilli: 600}), asking(2, 1, request{GPUMilli: 401})}, func(r *sim.Round, j []*sim.ActiveJob) {
			r.Start(j[0], block(0, 1))
			r.Start(j[1], block(0, 1))
		}},
		{"whole of a shared GPU", "capacity", []sim.Job{asking(1, 1, request{GPUMilli: 600}), asking(2, 1, request{})}, func(r *sim.Round, j []*sim.ActiveJob) {
			r.Start(j[0], block(0, 1))
			r.Start(j[1], block(0, 1))
		}},
		{"share of a held GPU", "capacity", []sim.Job{asking(1, 1, request{GPUMilli: 1}), asking(2, 1, request{})}, func(r *sim.Round, j []*sim.ActiveJob) {
			r.Start(j[1], block(0, 1))
			r.Start(j[0], block(0, 1))
		}},
		{"share of two GPUs", "demand range", []sim.Job{asking(1, 1, request{GPUMilli: 600})}, func(r *sim.Round, j []*sim.ActiveJob) { r.Start(j[0], block(0, 2)) }},
		{"share of none", "demand range", []sim.Job{asking(1, 1, request{GPUMilli: 600})}, func(r *sim.Round, j []*sim.ActiveJob) { r.Start(j[0]) }},
		{"share of a GPU that is not there", "capacity", []sim.Job{asking(1, 1, request{GPUMilli: 600})}, func(r *sim.Round, j []*sim.ActiveJob) { r.Start(j[0], block(5, 1)) }},
		{"share below the first GPU", "capacity", []sim.Job{asking(1, 1, request{GPUMilli: 600})}, func(r *sim.Round, j []*sim.ActiveJob) { r.Start(j[0], block(-1, 1)) }},
		{"another model", "model", []sim.Job{asking(1, 1, request{Models: "B|C"})}, func(r *sim.Round, j []*sim.ActiveJob) { r.Start(j[0], block(0, 1)) }},
		{"too many CPUs", "CPU", []sim.Job{asking(1, 1, request{CPUMilli: 3000}), asking(2, 0, request{CPUMilli: 1001})}, func(r *sim.Round, j []*sim.ActiveJob) {
			r.Start(j[0], block(0, 1))
			r.StartOn(j[1], 0)
		}},
		{"too many CPUs on one of two nodes", "CPU", []sim.Job{asking(1, 3, request{CPUMilli: 7000})}, func(r *sim.Round, j []*sim.ActiveJob) { r.Start(j[0], block(0, 3)) }},
		{"too much memory", "memory", []sim.Job{asking(1, 2, request{MemoryMiB: 150}), asking(2, 2, request{MemoryMiB: 100})}, func(r *sim.Round, j []*sim.ActiveJob) {
			r.Start(j[0], block(1, 2))
			r.Start(j[1], block(0, 1), block(3, 1))
		}},
		{"no such node", "capacity", []sim.Job{asking(1, 0, request{CPUMilli: 1})}, func(r *sim.Round, j []*sim.ActiveJob) { r.StartOn(j[0], 3) }},
		{"started twice, on no node", "no interruption", []sim.Job{asking(1, 0, request{CPUMilli: 1})}, func(r *sim.Round, j []*sim.ActiveJob) {
			r.StartOn(j[0], 2)
			r.StartOn(j[0], -1)
		}},
		{"GPUs for a job without", "demand range", []sim.Job{asking(1, 0, request{CPUMilli: 1})}, func(r *sim.Round, j []*sim.ActiveJob) { r.Start(j[0], block(0, 1)) }},
	} {
		legal := 0
		policy := rogue(func(r *sim.Round) error {
			if len(r.Waiting()) > 0 {
				c.decide(r, r.Waiting())
				legal = len(r.Running())
			}
			return nil
		})
		err := sim.Run(context.Background(), small(t, c.jobs...), policy)
		var broken *sim.RuleError
		if !errors.As(err, &broken) || broken.Rule != c.rule {
			t.Errorf("%s: %v, want rule %s", c.name, err, c.rule)
		}
		if want := len(c.jobs) - 1; legal != want && c.rule != "no interruption" {
			t.Errorf("%s: %d decisions before it were legal, want %d", c.name, legal, want)
		}
	}
}

// Jobs that can never run are turned away with a reason.
func TestImpossibleRequests(t *testing.T) {
	type request = hardware.Request
	const (
		noNode  = "no node has the CPUs, memory or GPU model that it asks for"
		outside = "its request is outside what can be asked"
		shares  = "it asks for shares of no or several GPUs"
		runs    = ""
	)
	for _, c := range []struct {
		gpus   int
		q      request
		reason string
	}{
		{1, request{GPUMilli: 1000}, runs}, {1, request{GPUMilli: 1}, runs}, {1, request{GPUMilli: 1001}, outside}, {1, request{GPUMilli: -1}, outside},
		{2, request{GPUMilli: 500}, shares}, {0, request{GPUMilli: 500, CPUMilli: 1}, shares}, {0, request{}, "its range of sizes is empty"},
		{0, request{CPUMilli: 1 << 30}, runs}, // on the node that does not count CPUs
		{2, request{CPUMilli: 4001}, runs},    // on two nodes
		{3, request{CPUMilli: 6000}, runs}, {4, request{CPUMilli: 8001}, noNode},
		{1, request{MemoryMiB: 1 << 40}, outside}, {2, request{MemoryMiB: 201}, noNode}, {1, request{MemoryMiB: 101, Models: "A"}, noNode},
		{1, request{Models: "C"}, noNode}, {2, request{Models: "B"}, noNode}, {1, request{Models: "C|B"}, runs}, {4, request{Models: "A"}, runs}, {5, request{Models: "A"}, noNode},
	} {
		got := "never left"
		policy := rogue(func(r *sim.Round) error {
			for _, j := range r.Waiting() {
				if !r.StartFirst(j) {
					t.Errorf("%d GPUs, %+v: it can run and finds no place", c.gpus, c.q)
				}
			}
			return nil
		})
		w := small(t, asking(1, c.gpus, c.q))
		w.Horizon = 2 * time.Hour
		if err := sim.Run(context.Background(), w, policy, ender{ended: func(j *sim.ActiveJob) { got = j.Reason }}); err != nil {
			t.Fatal(err)
		}
		if got != c.reason {
			t.Errorf("%d GPUs, %+v: %q, want %q", c.gpus, c.q, got, c.reason)
		}
	}
}

type ender struct {
	sim.IgnoreAll
	ended func(*sim.ActiveJob)
}

func (e ender) JobEnded(_ sim.Time, j *sim.ActiveJob) { e.ended(j) }

// First fit by hand, and what tables and report say of shares and CPUs.
func TestFirstFitByHand(t *testing.T) {
	type request = hardware.Request
	w := small(t,
		asking(1, 1, request{GPUMilli: 460, CPUMilli: 1000}),
		asking(2, 1, request{GPUMilli: 600}),              // not beside the first
		asking(3, 1, request{GPUMilli: 540}),              // beside it
		asking(4, 0, request{CPUMilli: 3001}),             // on the second node
		asking(5, 2, request{CPUMilli: 1}),                // no node has two free GPUs and a CPU but the second
		asking(6, 1, request{Models: "B", CPUMilli: 9e6}), // CPUs are not counted there
		asking(7, 3, request{MemoryMiB: 99}))              // larger than a node: over both, when all have ended
	var jobs, services, timeline bytes.Buffer
	collector := metrics.NewCollector(5, metrics.Objective{Gamma: 1, Step: time.Hour})
	course := metrics.NewTimeline()
	policy := rogue(func(r *sim.Round) error {
		for _, j := range r.Waiting() {
			if j.State == sim.Waiting {
				r.StartFirst(j)
			}
		}
		return nil
	})
	if err := sim.Run(context.Background(), w, policy, sim.NewRecorder(&jobs, &services, &timeline), collector, course); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(jobs.String()) {
		f := strings.Split(line, ",")
		got = append(got, fmt.Sprintf("%s at %s, %s on %q", f[0], f[5], f[11], f[12]))
	}
	want := []string{`job_id at starting_time, requested_gpus on "allocated_gpus"`, `1 at 0, 0.46 on "0"`, `2 at 0, 0.6 on "1"`, `3 at 0, 0.54 on "0"`,
		`4 at 0, 0 on ""`, `5 at 0, 2 on "2-3"`, `6 at 0, 1 on "4"`, `7 at 3600, 3 on "0-1 2"`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	const lines = "time,batch_gpus,realtime_gpus,reserved_idle_gpus,idle_gpus,missing_gpus,waiting_jobs,running_jobs\n" +
		"0,4.6,0,0,0.4,0,1,6\n3600,3,0,0,2,0,0,1\n7200,0,0,0,5,0,0,0\n"
	if d := cmp.Diff(lines, timeline.String()); d != "" {
		t.Error(d)
	}
	if !collector.Conserved() {
		t.Error("GPU-time is not conserved")
	}
	r := collector.Report()
	if r.GPUHours.Batch != 7.6 || r.GPUHours.Idle != 2.4 || r.Value != 7.6 || r.Utilization != 0.76 {
		t.Errorf("%+v, value %v, utilization %v", r.GPUHours, r.Value, r.Utilization)
	}
	if n := len(course.Bins); n == 0 || course.Bins[0].Batch != 4.6 || course.Bins[0].Idle != 0.4 {
		t.Errorf("course of %d slices: %+v", n, course.Bins[:min(n, 1)])
	}
}

// BenchmarkRequests runs jobs on shares, CPUs and memory through the engine by
// first fit; after the start nothing allocates.
func BenchmarkRequests(b *testing.B) {
	topology, err := hardware.NewTopology(hardware.Pool{GPUs: 128, CPUMilli: 96_000, MemoryMiB: 500_000})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	policy := rogue(func(r *sim.Round) error {
		for _, j := range r.Waiting() {
			if !r.StartFirst(j) {
				break
			}
		}
		return nil
	})
	n := 0
	for b.Loop() {
		w := &sim.Workload{Topology: topology, Alignment: hardware.Scattered, Jobs: &requests{left: 20_000}}
		if err := sim.Run(context.Background(), w, policy); err != nil {
			b.Fatal(err)
		}
		n += 20_000
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "jobs/s")
}

// requests is jobs that keep 128 GPUs about half busy.
type requests struct{ left int }

func (s *requests) Next(j *sim.Job) (bool, error) {
	if s.left == 0 {
		return false, nil
	}
	s.left--
	k := s.left * 7919 % 1000
	*j = asking(int64(s.left), 1+k%3/2*3, hardware.Request{CPUMilli: 1000 * (1 + k%7), MemoryMiB: 1000 * (1 + k%5)})
	if j.MinGPUs == 1 {
		j.MaxGPUs, j.Request.GPUMilli = 1, 1+k
	}
	j.Submit = sim.Time(20_000-s.left) * time.Minute
	return true, nil
}
