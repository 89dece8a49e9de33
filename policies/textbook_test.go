package policies_test

// Queue policies against their textbook definitions, simulated instant by
// instant on an array of GPUs.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/policies"
	"berth/sim"
	"berth/sim/hardware"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// textbook simulates one policy on a world without services.
type textbook struct {
	w       *world
	policy  string
	now     sim.Time
	gpus    []int // job that holds it, as an index from 1; 0: free
	waiting []int
	running []int
	start   map[int]sim.Time
	size    map[int]int
	promise map[int]sim.Time // the first that easy makes to a head
	out     map[string]string
}

// simulate returns when and where each job starts.
func (b *textbook) simulate() map[string]string {
	b.gpus = make([]int, b.w.gpus())
	b.start, b.size, b.promise, b.out = map[int]sim.Time{}, map[int]int{}, map[int]sim.Time{}, map[string]string{}
	queued := map[int]bool{}
	for b.now = -1; ; {
		next := sim.Forever
		for i := range b.w.jobs {
			j := &b.w.jobs[i]
			for _, t := range []sim.Time{j.Submit, j.Eligible()} {
				if t > b.now && b.sizeAt(i, j.Eligible()) > 0 {
					next = min(next, t)
				}
			}
		}
		for _, i := range b.running {
			next = min(next, b.end(i))
		}
		if next == sim.Forever || b.w.horizon > 0 && next >= b.w.horizon {
			return b.out
		}
		b.now = next
		b.running = slices.DeleteFunc(b.running, func(i int) bool {
			for g := range b.gpus {
				if b.end(i) == b.now && b.gpus[g] == i+1 {
					b.gpus[g] = 0
				}
			}
			return b.end(i) == b.now
		})
		for i := range b.w.jobs { // in order of submission
			if j := &b.w.jobs[i]; j.Eligible() <= b.now && !queued[i] && b.sizeAt(i, j.Eligible()) > 0 {
				queued[i] = true
				b.waiting = append(b.waiting, i)
			}
		}
		b.waiting = slices.DeleteFunc(b.waiting, func(i int) bool { return b.sizeAt(i, b.now) == 0 })
		b.decide()
	}
}

func (b *textbook) end(i int) sim.Time { return b.start[i] + b.w.jobs[i].DurationOn(b.size[i]) }

// expected is when a running job should end; one that overruns, any moment.
func (b *textbook) expected(i int) sim.Time {
	return max(b.start[i]+b.w.jobs[i].EstimateOn(b.size[i]), b.now+1)
}

// sizeAt is the smallest size at which a job fits the empty machine and can
// start at a time and end by a closed horizon, or 0.
func (b *textbook) sizeAt(i int, at sim.Time) int {
	j := &b.w.jobs[i]
	for n := j.MinGPUs; n <= min(j.MaxGPUs, b.w.gpus()); n++ {
		late := b.w.closed && at+j.EstimateOn(n) > b.w.horizon
		if !late && b.place(i, n, func(int) bool { return true }) != nil {
			return n
		}
	}
	return 0
}

// place is the lowest-numbered GPUs for a job among those that are open to it.
func (b *textbook) place(i, n int, open func(g int) bool) []int {
	total, j := b.w.gpus(), &b.w.jobs[i]
	if b.w.alignment == hardware.Scattered {
		var found []int
		for g := range total {
			if open(g) && len(found) < n {
				found = append(found, g)
			}
		}
		if len(found) < n {
			return nil
		}
		return found
	}
	if n == 0 || n&(n-1) != 0 {
		return nil
	}
	for first := 0; first+n <= total; first++ {
		if b.w.alignment == hardware.Buddy && first%n != 0 {
			continue
		}
		inside := j.Across || slices.ContainsFunc(b.w.linkDomains(), func(d hardware.Range) bool { return d.First <= first && first+n <= d.End() })
		var found []int
		for g := first; inside && g < first+n && open(g); g++ {
			found = append(found, g)
		}
		if len(found) == n {
			return found
		}
	}
	return nil
}

func (b *textbook) free(g int) bool { return b.gpus[g] == 0 }

// try starts a waiting job where it may.
func (b *textbook) try(i int, open func(g int) bool) bool {
	n := b.sizeAt(i, b.now)
	found := b.place(i, n, func(g int) bool { return b.free(g) && open(g) })
	if found == nil {
		return false
	}
	for _, g := range found {
		b.gpus[g] = i + 1
	}
	b.start[i], b.size[i] = b.now, n
	b.waiting = slices.DeleteFunc(b.waiting, func(k int) bool { return k == i })
	b.running = append(b.running, i)
	b.out[b.w.jobs[i].Label()] = fmt.Sprint(b.now, " on ", found)
	return true
}

func anywhere(int) bool { return true }

func (b *textbook) decide() {
	for len(b.waiting) > 0 && b.try(b.head(), anywhere) {
	}
	if b.policy == "easy" && len(b.waiting) > 0 {
		b.backfill()
	}
}

func (b *textbook) head() int {
	head := b.waiting[0]
	for _, i := range b.waiting[1:] {
		x, y := &b.w.jobs[i], &b.w.jobs[head]
		if b.policy == "sjf" && x.Estimate < y.Estimate || b.policy == "priority" && x.Priority > y.Priority {
			head = i
		}
	}
	return head
}

// backfill promises the head its earliest start by the estimates, and starts
// whatever does not put that off.
func (b *textbook) backfill() {
	head := b.waiting[0]
	var times []sim.Time
	for _, i := range b.running {
		times = append(times, b.expected(i))
	}
	slices.Sort(times)
	shadow, spare := sim.Forever, 0
	var promised []int
	for _, t := range times {
		n := b.sizeAt(head, t)
		freeThen := func(g int) bool { return b.free(g) || b.expected(b.gpus[g]-1) <= t }
		if promised = b.place(head, n, freeThen); n > 0 && promised != nil {
			shadow = t
			for g := range b.gpus {
				if freeThen(g) {
					spare++
				}
			}
			spare -= n
			break
		}
	}
	if _, known := b.promise[head]; !known {
		b.promise[head] = shadow
	}
	for _, i := range slices.Clone(b.waiting[1:]) {
		n := b.sizeAt(i, b.now)
		early := b.now+b.w.jobs[i].EstimateOn(n) <= shadow
		if b.w.alignment != hardware.Scattered { // the promise is of certain GPUs
			b.try(i, func(g int) bool { return early || !slices.Contains(promised, g) })
		} else if (early || n <= spare) && b.try(i, anywhere) && !early {
			spare -= n
		}
	}
}

// placements notes when and where jobs start.
type placements struct {
	sim.IgnoreAll
	at map[string]string
}

func (p placements) JobStarted(now sim.Time, j *sim.ActiveJob) {
	var gpus []int
	for _, r := range j.GPUs {
		for g := r.First; g < r.End(); g++ {
			gpus = append(gpus, g)
		}
	}
	p.at[j.Label()] = fmt.Sprint(now, " on ", gpus)
}

func startsOf(t fataler, w *world, policy string) map[string]string {
	p, err := policies.New(policy, policies.Config{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	got := placements{at: map[string]string{}}
	if err := sim.Run(context.Background(), w.workload(t), p, got); err != nil {
		t.Fatalf("%v", err)
	}
	return got.at
}

// crowd is a world of many small jobs that queue for few GPUs all the time,
// where much happens at the same instant.
func crowd(rng *rand.Rand, alignment hardware.Alignment) *world {
	w := &world{pools: []hardware.Pool{{GPUs: 1 + rng.IntN(12), GPUsPerNode: 4, NodesPerLink: 1 + rng.IntN(2)}}, alignment: alignment}
	if rng.IntN(3) > 0 {
		w.horizon, w.closed = time.Duration(60+rng.IntN(200))*time.Minute, rng.IntN(2) > 0
	}
	exact, moldable, at := rng.IntN(2) > 0, rng.IntN(2), sim.Time(0)
	for i := range 50 {
		at += sim.Time(rng.IntN(4)) * time.Minute
		j := sim.Job{ID: int64(i), Submit: at, Priority: float64(1 + rng.IntN(3)), MinGPUs: 1 + rng.IntN(w.gpus()), Parallel: 1, Across: rng.IntN(2) > 0}
		j.MaxGPUs = j.MinGPUs + moldable*rng.IntN(4)
		j.Duration = sim.Time(1+rng.IntN(20)) * time.Minute
		j.Estimate = j.Duration
		if !exact {
			j.Estimate = j.Duration * sim.Time(6+rng.IntN(10)) / 10
		}
		if rng.IntN(4) == 0 {
			j.Earliest = at + sim.Time(rng.IntN(20))*time.Minute
		}
		w.jobs = append(w.jobs, j)
	}
	return w
}

var queues = []string{"fcfs", "sjf", "priority", "easy"}

// compareToTextbook runs a queue policy and its textbook.
func compareToTextbook(t fataler, w *world, policy string) {
	exact := !slices.ContainsFunc(w.jobs, func(j sim.Job) bool { return j.Estimate != j.Duration })
	book := &textbook{w: w, policy: policy}
	want := book.simulate()
	if d := cmp.Diff(want, startsOf(t, w, policy)); d != "" {
		t.Fatalf("%v%s (- textbook, + berth):\n%s", w, policy, d)
	}
	for i, at := range book.promise { // a promise that is made is kept
		beyond := at == sim.Forever || w.horizon > 0 && at >= w.horizon
		if start, started := book.start[i]; exact && !beyond && (!started || start > at) {
			t.Fatalf("%vjob %s was promised a start at %v, and starts at %v (%v)", w, w.jobs[i].Label(), at, start, started)
		}
	}
}

func TestQueuesAgainstTextbook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.services = nil
		compareToTextbook(t, w, rapid.SampledFrom(queues).Draw(t, "policy"))
	})
	for seed := range uint64(25) {
		rng := sim.Stream(seed, "crowd")
		for _, alignment := range []hardware.Alignment{hardware.Contiguous, hardware.Buddy, hardware.Scattered} {
			w := crowd(rng, alignment)
			for _, policy := range queues {
				compareToTextbook(t, w, policy)
			}
		}
	}
}

// commitments is fifo by its definition, where no job overruns its estimate:
// every job, in order of submission, takes the earliest hole that those leave
// which have not ended.
func commitments(w *world) map[string]string {
	b := &textbook{w: w}
	type booked struct {
		from, to, end sim.Time // to by the estimate, end in truth
		size          int
		gpus          []int
	}
	var all []booked
	out := map[string]string{}
	hole := func(i, n int, from, to sim.Time) (gpus []int, ok bool) {
		if w.alignment == hardware.Scattered { // GPUs are alike: only counts matter
			for _, at := range all {
				used := 0
				for _, o := range all {
					if t := max(from, at.from); o.from <= t && t < o.to && t < to {
						used += o.size
					}
				}
				if used+n > w.gpus() {
					return nil, false
				}
			}
			return nil, n <= w.gpus()
		}
		gpus = b.place(i, n, func(g int) bool {
			return !slices.ContainsFunc(all, func(o booked) bool { return o.from < to && from < o.to && slices.Contains(o.gpus, g) })
		})
		return gpus, gpus != nil
	}
	for i := range w.jobs {
		j := &w.jobs[i]
		if b.sizeAt(i, j.Eligible()) == 0 || w.horizon > 0 && j.Submit >= w.horizon {
			continue
		}
		all = slices.DeleteFunc(all, func(o booked) bool { return o.end <= j.Submit })
		times := []sim.Time{j.Eligible()}
		for _, o := range all {
			times = append(times, max(o.to, j.Eligible()))
		}
		slices.Sort(times)
	sizes:
		for n := j.MinGPUs; n <= min(j.MaxGPUs, w.gpus()); n++ {
			for _, from := range times {
				to := from + j.EstimateOn(n)
				gpus, ok := hole(i, n, from, to)
				if !ok || w.closed && to > w.horizon {
					continue
				}
				all = append(all, booked{from, to, from + j.DurationOn(n), n, gpus})
				if w.horizon == 0 || from < w.horizon {
					out[j.Label()] = fmt.Sprint(from, " on ", gpus)
				}
				break sizes
			}
		}
	}
	return out
}

func compareToCommitments(t fataler, w *world) {
	for i := range w.jobs {
		w.jobs[i].Estimate = max(w.jobs[i].Estimate, w.jobs[i].Duration)
	}
	got := startsOf(t, w, "fifo")
	if w.alignment == hardware.Scattered {
		for label, text := range got {
			at, _, _ := strings.Cut(text, "[")
			got[label] = at + "[]"
		}
	}
	if d := cmp.Diff(commitments(w), got); d != "" {
		t.Fatalf("%v(- textbook, + berth):\n%s", w, d)
	}
}

func TestFIFOAgainstTextbook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.services = nil
		compareToCommitments(t, w)
	})
	for seed := range uint64(25) {
		for _, alignment := range []hardware.Alignment{hardware.Contiguous, hardware.Buddy, hardware.Scattered} {
			compareToCommitments(t, crowd(sim.Stream(seed, "fifo crowd"), alignment))
		}
	}
}
