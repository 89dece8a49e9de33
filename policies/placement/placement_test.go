package placement_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"berth/policies/placement"
	"berth/sim"
	"berth/sim/hardware"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// starter starts jobs in order of arrival, each where it fits.
type starter struct {
	p    *placement.Placement
	mask placement.Mask
}

func (s *starter) Name() string { return "starter" }

func (s *starter) Decide(r *sim.Round) error {
	s.p.Observe(r)
	for _, j := range r.Waiting() {
		if j.State == sim.Waiting {
			s.p.Start(r, j, s.mask)
		}
	}
	return nil
}

// cluster is two nodes of model A and one, smaller, of model B.
func cluster(t fataler) *hardware.Topology {
	topology, err := hardware.NewTopology(
		hardware.Pool{SKU: hardware.SKU{Name: "A"}, GPUs: 8, GPUsPerNode: 4, CPUMilli: 16_000, MemoryMiB: 1000},
		hardware.Pool{SKU: hardware.SKU{Name: "B"}, GPUs: 2, GPUsPerNode: 2, CPUMilli: 8_000, MemoryMiB: 1000})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return topology
}

type fataler interface {
	Fatalf(format string, args ...any)
}

func run(t fataler, name string, o placement.Options, mask placement.Mask, jobs []sim.Job) string {
	p, err := placement.New(name, o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var table, rest bytes.Buffer
	w := &sim.Workload{Topology: cluster(t), Alignment: hardware.Scattered, Jobs: &sim.Jobs{List: jobs}}
	if err := sim.Run(context.Background(), w, &starter{p, mask}, sim.NewRecorder(&table, &rest, &rest)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return table.String()
}

// What is remembered of the nodes that did not change is what scoring all of
// them anew gives: a mask that hides nothing turns the memory off.
func TestMemoChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		integer := func(lo, hi int, name string) int { return rapid.IntRange(lo, hi).Draw(t, name) }
		var jobs []sim.Job
		at := sim.Time(0)
		for i := range integer(1, 60, "jobs") {
			at += sim.Time(integer(0, 3, "gap")) * time.Minute
			d := sim.Time(integer(1, 30, "minutes")) * time.Minute
			j := sim.Job{ID: int64(i + 1), Submit: at, Priority: 1, Duration: d, Estimate: d}
			j.MinGPUs = integer(0, 4, "gpus")
			j.MaxGPUs = j.MinGPUs
			j.Request = hardware.Request{CPUMilli: 1 + 1000*integer(0, 8, "CPU"), MemoryMiB: 100 * integer(0, 5, "memory")}
			if j.MinGPUs == 1 {
				j.Request.GPUMilli = 250 * integer(0, 4, "share")
			}
			j.Request.Models = rapid.SampledFrom([]hardware.Models{"", "", "A", "B", "A|B"}).Draw(t, "models")
			jobs = append(jobs, j)
		}
		for _, e := range placement.All() {
			if e.Name == "random" { // draws differently
				continue
			}
			remembered := run(t, e.Name, placement.Options{Seed: 3}, placement.Mask{}, jobs)
			anew := run(t, e.Name, placement.Options{Seed: 3}, placement.Mask{GPU: func(int, int) bool { return false }}, jobs)
			if d := cmp.Diff(anew, remembered); d != "" {
				t.Fatalf("%s: %s", e.Name, d)
			}
		}
	})
}

// Masked GPUs and nodes stay empty.
func TestMasks(t *testing.T) {
	var jobs []sim.Job
	for i := range 12 {
		jobs = append(jobs, sim.Job{ID: int64(i + 1), MinGPUs: 1, MaxGPUs: 1, Priority: 1, Duration: time.Hour, Estimate: time.Hour})
	}
	for _, e := range placement.All() {
		text := run(t, e.Name, placement.Options{}, placement.Mask{
			GPU: func(g, size int) bool { return g%2 == 0 }, Node: func(n int) bool { return n == 1 },
		}, jobs)
		for line := range bytes.Lines([]byte(text)) {
			if f := bytes.Split(line, []byte(",")); bytes.Equal(f[13], []byte("completed")) {
				switch string(f[12]) {
				case "1", "3", "9":
				default:
					t.Errorf("%s: %s", e.Name, line)
				}
			}
		}
		if n := bytes.Count([]byte(text), []byte("completed")); n != len(jobs) {
			t.Errorf("%s: %d of %d jobs ran", e.Name, n, len(jobs))
		}
	}
}

// Random spreads evenly: each of three nodes and ten GPUs gets its part.
func TestRandomIsUniform(t *testing.T) {
	var jobs []sim.Job
	const n = 3000
	for i := range n {
		d := 30 * time.Second
		jobs = append(jobs, sim.Job{ID: int64(i + 1), Submit: sim.Time(i) * time.Minute, MinGPUs: 1, MaxGPUs: 1, Priority: 1, Duration: d, Estimate: d,
			Request: hardware.Request{GPUMilli: 500}})
	}
	count := map[string]float64{}
	for line := range bytes.Lines([]byte(run(t, "random", placement.Options{Seed: 1}, placement.Mask{}, jobs))) {
		count[string(bytes.Split(line, []byte(","))[12])]++
	}
	for g := range 10 {
		want := n / 3.0 / 4
		if g >= 8 {
			want = n / 3.0 / 2
		}
		if got := count[fmt.Sprint(g)]; math.Abs(got-want) > 4*math.Sqrt(want) {
			t.Errorf("GPU %d got %v of %d jobs, about %v expected", g, got, n, want)
		}
	}
}

func TestUnknownPlacement(t *testing.T) {
	const want = `placement "worst" is unknown; accepted are random, firstfit, bestfit, dotproduct, packing, clustering, fgd`
	if _, err := placement.New("worst", placement.Options{}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestTypicalOf(t *testing.T) {
	shape := func(cpu, gpus, milli int) placement.Shape {
		return placement.Shape{GPUs: gpus, Request: hardware.Request{CPUMilli: cpu, GPUMilli: milli, MemoryMiB: cpu}}
	}
	var shapes []placement.Shape
	for range 12 {
		shapes = append(shapes, shape(1, 1, 500))
	}
	for i := range 7 {
		s := shape(2, 1, []int{0, 1000}[i%2]) // the same
		s.MemoryMiB = i                       // does not count
		shapes = append(shapes, s)
	}
	shapes = append(shapes, shape(9, 0, 0)) // the last twentieth
	want := []placement.Typical{{shapes[0], 12 / 19.0}, {shape(2, 1, 1000), 7 / 19.0}}
	want[0].MemoryMiB, want[1].MemoryMiB = 0, 0
	if d := cmp.Diff(want, placement.TypicalOf(shapes)); d != "" {
		t.Error(d)
	}
}
