package policies_test

import (
	"context"
	"testing"
	"time"

	"berth/policies"
	"berth/sim"
	"berth/sim/hardware"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// With exact estimates conservative backfilling is what it is by definition:
// each job in order of arrival at the first second from which on enough GPUs
// stay free of all earlier jobs for as long as it takes.
func TestConservativeByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const gpus = 5
		var jobs []sim.Job
		var used [400]int
		want := map[int64]sim.Time{}
		at := 0
		for i := range rapid.IntRange(1, 14).Draw(t, "jobs") {
			at += rapid.IntRange(0, 4).Draw(t, "gap")
			n, d := rapid.IntRange(1, gpus).Draw(t, "size"), rapid.IntRange(1, 9).Draw(t, "length")
			jobs = append(jobs, rigid(int64(i), sim.Time(at)*time.Second, sim.Time(d)*time.Second, n))
			from := at
			for k := from; k < from+d; k++ {
				if used[k]+n > gpus {
					from = k + 1
				}
			}
			for k := from; k < from+d; k++ {
				used[k] += n
			}
			want[int64(i)] = sim.Time(from+d) * time.Second
		}
		if d := cmp.Diff(want, finish(t, "conservative", policies.Config{}, gpus, jobs, 0).at); d != "" {
			t.Fatal(d)
		}
	})
}

// promises checks the promises of conservative after each round: none is ever
// put off, and each is kept or bettered.
type promises struct {
	sim.Policy
	made map[int64]sim.Time
	t    fataler
}

func (p promises) Decide(r *sim.Round) error {
	err := p.Policy.Decide(r)
	for id, from := range policies.Promises(p.Policy) {
		if before, ok := p.made[id]; ok && from > before {
			p.t.Fatalf("at %v job %d, promised %v, is put off to %v", r.Now(), id, before, from)
		}
		p.made[id] = from
	}
	for _, j := range r.Running() {
		if before, ok := p.made[j.ID]; ok && j.Started > before {
			p.t.Fatalf("job %d, promised %v, starts at %v", j.ID, before, j.Started)
		}
	}
	return err
}

// With estimates that are never too short, no promise is ever broken, and some
// are bettered.
func TestConservativeKeepsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const gpus = 4
		var jobs []sim.Job
		at := sim.Time(0)
		for i := range rapid.IntRange(1, 14).Draw(t, "jobs") {
			at += sim.Time(rapid.IntRange(0, 300).Draw(t, "gap")) * time.Second
			j := rigid(int64(i), at, sim.Time(rapid.IntRange(1, 600).Draw(t, "length"))*time.Second, rapid.IntRange(1, gpus).Draw(t, "size"))
			j.Estimate = j.Duration * sim.Time(rapid.IntRange(1, 4).Draw(t, "padding"))
			jobs = append(jobs, j)
		}
		topology, err := hardware.NewTopology(hardware.Pool{GPUs: gpus})
		if err != nil {
			t.Fatal(err)
		}
		p, err := policies.New("conservative", policies.Config{})
		if err != nil {
			t.Fatal(err)
		}
		w := &sim.Workload{Topology: topology, Alignment: hardware.Scattered, Jobs: &sim.Jobs{List: jobs}}
		if err := sim.Run(context.Background(), w, promises{p, map[int64]sim.Time{}, t}); err != nil {
			t.Fatal(err)
		}
	})
}
