package policies_test

// Invariants of workloads whose jobs ask for shares, CPUs, memory and models,
// held against a judge who knows machine and jobs and is told who starts where.

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"berth/policies"
	"berth/policies/placement"
	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawRequests gives machines CPUs, memory and models, and jobs requests.
func drawRequests(t *rapid.T) *world {
	w := drawWorld(t)
	integer := func(lo, hi int, name string) int { return rapid.IntRange(lo, hi).Draw(t, name) }
	w.alignment = rapid.SampledFrom([]hardware.Alignment{hardware.Scattered, hardware.Scattered, hardware.Buddy}).Draw(t, "alignment again")
	for i := range w.pools {
		p := &w.pools[i]
		p.SKU.Name = rapid.SampledFrom([]string{"A", "B"}).Draw(t, "model")
		p.CPUMilli = rapid.SampledFrom([]int{0, 4000, 8000}).Draw(t, "node CPU")
		p.MemoryMiB = rapid.SampledFrom([]int{0, 1000}).Draw(t, "node memory")
	}
	for i := range w.jobs {
		j := &w.jobs[i]
		q := &j.Request
		q.CPUMilli = integer(0, 1, "CPU?") * integer(0, 9000, "CPU")
		q.MemoryMiB = integer(0, 1, "memory?") * integer(0, 1100, "memory")
		q.Models = rapid.SampledFrom([]hardware.Models{"", "", "A", "B", "B|A"}).Draw(t, "models")
		switch integer(0, 3, "sort") {
		case 0, 1:
			j.MinGPUs, j.MaxGPUs = 1, 1
			q.GPUMilli = integer(1, 1000, "share")
		case 2:
			j.MinGPUs, j.MaxGPUs = 0, 0
		}
	}
	return w
}

// nodeJudge adds up what holds what.
type nodeJudge struct {
	sim.IgnoreAll
	w           *world
	nodes       []hardware.Range
	pool        []hardware.Pool // of each node
	milli       []int           // held of each GPU
	cpu, memory []int           // held of each node
	running     map[int64]bool
	final       map[int64]sim.JobState
	fault       string
}

func newNodeJudge(w *world) *nodeJudge {
	n := &nodeJudge{w: w, milli: make([]int, w.gpus()), running: map[int64]bool{}, final: map[int64]sim.JobState{}}
	first := 0
	for _, p := range w.pools {
		for g := 0; g < p.GPUs; g += p.GPUsPerNode {
			n.nodes = append(n.nodes, hardware.Range{First: first + g, N: min(p.GPUsPerNode, p.GPUs-g)})
			n.pool = append(n.pool, p)
		}
		first += p.GPUs
	}
	n.cpu, n.memory = make([]int, len(n.nodes)), make([]int, len(n.nodes))
	return n
}

// change adds what a job holds, or takes it away.
func (n *nodeJudge) change(j *sim.ActiveJob, sign int) {
	q, share := j.Request, j.Request.Share()
	total := hardware.Size(j.GPUs)
	cpu, memory := 0, 0
	for i, node := range n.nodes {
		here := 0
		for g := node.First; g < node.End(); g++ {
			if slices.ContainsFunc(j.GPUs, func(r hardware.Range) bool { return g >= r.First && g < r.End() }) {
				n.milli[g] += sign * share
				here++
			}
			if n.milli[g] > 1000 || n.milli[g] < 0 {
				n.fault = fmt.Sprintf("GPU %d serves %d thousandths", g, n.milli[g])
			}
		}
		switch {
		case total == 0 && j.Node == i:
			n.cpu[i] += sign * q.CPUMilli
			n.memory[i] += sign * q.MemoryMiB
		case here > 0: // rounded, in a way that adds up; a judge allows either
			if !q.Models.Accepts(n.pool[i].SKU.Name) {
				n.fault = fmt.Sprintf("job %d runs on %s, which it does not accept", j.ID, n.pool[i].SKU.Name)
			}
			n.cpu[i] += sign * (q.CPUMilli * here / total)
			n.memory[i] += sign * (q.MemoryMiB * here / total)
		}
		cpu, memory = max(cpu, n.cpu[i]), max(memory, n.memory[i])
		if p := n.pool[i]; p.CPUMilli > 0 && n.cpu[i] > p.CPUMilli || p.MemoryMiB > 0 && n.memory[i] > p.MemoryMiB || n.cpu[i] < 0 || n.memory[i] < 0 {
			n.fault = fmt.Sprintf("node %d of %+v gives %d CPU, %d MiB", i, p, n.cpu[i], n.memory[i])
		}
	}
}

func (n *nodeJudge) JobStarted(now sim.Time, j *sim.ActiveJob) {
	if size := hardware.Size(j.GPUs); size < j.MinGPUs || size > j.MaxGPUs || now < j.Eligible() {
		n.fault = fmt.Sprintf("job %d starts on %d GPUs at %v", j.ID, size, now)
	}
	n.running[j.ID] = true
	n.change(j, 1)
}

func (n *nodeJudge) JobEnded(_ sim.Time, j *sim.ActiveJob) {
	if _, twice := n.final[j.ID]; twice || !j.State.Final() {
		n.fault = fmt.Sprintf("job %d ended as %v, not for the first time", j.ID, j.State)
	}
	n.final[j.ID] = j.State
	if n.running[j.ID] {
		n.change(j, -1)
	}
}

// RoundEnded compares the engine's counts with the judge's.
func (n *nodeJudge) RoundEnded(_ sim.Time, c *sim.Counts) error {
	held := 1000 * c.Realtime
	for _, m := range n.milli {
		held += m
	}
	if counted := 1000*(c.Batch+c.Realtime) + c.Shares; held != counted {
		n.fault = fmt.Sprintf("%d thousandths are held, %d counted", held, counted)
	}
	if all := 1000*(c.Batch+c.Realtime+c.Free) + c.Shares + c.Remnants; all != 1000*n.w.gpus() {
		n.fault = fmt.Sprintf("%d thousandths of %d GPUs", all, n.w.gpus())
	}
	return nil
}

// runRequests makes a run, audits it and returns its tables.
func runRequests(t *rapid.T, w *world, name string, c policies.Config) (string, *nodeJudge) {
	p, err := policies.New(name, c)
	if err != nil {
		t.Fatal(err)
	}
	judge := newNodeJudge(w)
	var jobs, services, timeline bytes.Buffer
	collector := metrics.NewCollector(w.gpus(), metrics.Objective{Gamma: 1, Step: w.stepLength()})
	if err := sim.Run(context.Background(), w.workload(t), p, sim.NewRecorder(&jobs, &services, &timeline), judge, collector); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if judge.fault != "" {
		t.Fatalf("%s, placement %q: %s", name, c.Placement, judge.fault)
	}
	if !collector.Conserved() {
		t.Fatalf("%s: GPU-time is not conserved", name)
	}
	for _, j := range w.jobs {
		if _, ended := judge.final[j.ID]; !ended && (w.horizon == 0 || j.Submit < w.horizon) {
			t.Fatalf("%s: job %d never left", name, j.ID)
		}
	}
	return jobs.String() + services.String() + timeline.String(), judge
}

// No GPU gives more than itself, no node more CPUs or memory than it has, no
// job runs on a model it does not accept, and GPU-time adds up.
func TestRequestsAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawRequests(t)
		name, c := drawPolicy(t, w)
		one, _ := runRequests(t, w, name, c)
		two, _ := runRequests(t, w, name, c)
		if d := cmp.Diff(one, two); d != "" {
			t.Fatalf("%s, placement %q: two runs differ: %s", name, c.Placement, d)
		}
	})
}

// Without services and an end, whatever can run here does, in every order of
// the queue and under every placement.
func TestNoJobStarves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawRequests(t)
		w.services, w.horizon, w.closed = nil, 0, false
		name := rapid.SampledFrom([]string{"fcfs", "sjf", "easy", "priority"}).Draw(t, "policy")
		c := policies.Config{Seed: 1}
		_, first := runRequests(t, w, name, c)
		c.Placement = rapid.SampledFrom(placement.All()).Draw(t, "placement").Name
		_, placed := runRequests(t, w, name, c)
		for id, state := range first.final {
			if placed.final[id] != state || state != sim.Completed && state != sim.Rejected {
				t.Fatalf("%s: job %d is %v, under %s %v", name, id, state, c.Placement, placed.final[id])
			}
		}
	})
}

// EASY with shares: by hand. The head asks for a whole GPU at once; a share
// that ends before it can start goes first, a longer one waits.
func TestBackfillingOfShares(t *testing.T) {
	job := func(id int64, milli int, hours int) sim.Job {
		d := sim.Time(hours) * time.Hour
		return sim.Job{ID: id, MinGPUs: 1, MaxGPUs: 1, Priority: 1, Duration: d, Estimate: d, Request: hardware.Request{GPUMilli: milli}}
	}
	topology, err := hardware.NewTopology(hardware.Pool{GPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	p, err := policies.New("easy", policies.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var jobs, rest bytes.Buffer
	w := &sim.Workload{Topology: topology, Alignment: hardware.Scattered,
		Jobs: &sim.Jobs{List: []sim.Job{job(1, 500, 2), job(2, 1000, 1), job(3, 400, 2), job(4, 400, 3)}}}
	if err := sim.Run(context.Background(), w, p, sim.NewRecorder(&jobs, &rest, &rest)); err != nil {
		t.Fatal(err)
	}
	var starts []string
	for line := range bytes.Lines(jobs.Bytes()) {
		f := bytes.Split(line, []byte(","))
		starts = append(starts, fmt.Sprintf("%s at %s asks %s", f[0], f[5], f[11]))
	}
	want := []string{"job_id at starting_time asks requested_gpus", "1 at 0 asks 0.5", "3 at 0 asks 0.4", "2 at 7200 asks 1", "4 at 10800 asks 0.4"}
	if d := cmp.Diff(want, starts); d != "" {
		t.Error(d)
	}
}
