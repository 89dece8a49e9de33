package policies_test

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"testing"

	"berth/sim"
	"berth/traces"
)

// queued is a heap of jobs by a key, then by number.
type queued []queuedJob

type queuedJob struct {
	key sim.Time
	n   int
}

func (q queued) Len() int      { return len(q) }
func (q queued) Swap(a, b int) { q[a], q[b] = q[b], q[a] }
func (q *queued) Push(x any)   { *q = append(*q, x.(queuedJob)) }
func (q queued) Less(a, b int) bool {
	return cmp.Or(cmp.Compare(q[a].key, q[b].key), cmp.Compare(q[a].n, q[b].n)) < 0
}

func (q *queued) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func (q *queued) add(key sim.Time, n int) { heap.Push(q, queuedJob{key, n}) }

// headOfLine is when each job starts on so many GPUs, all alike, when the one
// with the least key goes first and blocks the others.
func headOfLine(jobs []sim.Job, gpus int, key func(*sim.Job) sim.Time) []sim.Time {
	starts := make([]sim.Time, len(jobs))
	var waiting, running queued
	for next := 0; next < len(jobs) || len(running) > 0; {
		now := sim.Forever
		if next < len(jobs) {
			now = jobs[next].Submit
		}
		if len(running) > 0 {
			now = min(now, running[0].key)
		}
		for len(running) > 0 && running[0].key == now {
			gpus += jobs[running[0].n].MinGPUs
			heap.Pop(&running)
		}
		for ; next < len(jobs) && jobs[next].Submit == now; next++ {
			waiting.add(key(&jobs[next]), next)
		}
		for len(waiting) > 0 && jobs[waiting[0].n].MinGPUs <= gpus {
			i := waiting[0].n
			heap.Pop(&waiting)
			starts[i] = now
			gpus -= jobs[i].MinGPUs
			running.add(now+jobs[i].Duration, i)
		}
	}
	return starts
}

// Philly's jobs under fcfs and sjf against forty lines that know nothing of the
// engine: counts of GPUs and two heaps.
func TestPhillyAgainstHeaps(t *testing.T) {
	path := recorded(t, "philly/philly_jobs.csv.gz")
	trace, err := traces.Open(path, traces.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	var jobs []sim.Job
	for {
		var j sim.Job
		ok, err := trace.Next(&j)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		jobs = append(jobs, j)
	}
	for policy, key := range map[string]func(*sim.Job) sim.Time{
		"fcfs": func(j *sim.Job) sim.Time { return j.Submit },
		"sjf":  func(j *sim.Job) sim.Time { return j.Estimate },
	} {
		for _, gpus := range []int{512, 600} {
			var waits, slowdowns []float64
			hours := 0.0
			for i, start := range headOfLine(jobs, gpus, key) {
				j := &jobs[i]
				waits = append(waits, (start - j.Submit).Seconds())
				slowdowns = append(slowdowns, max(1, float64(start+j.Duration-j.Submit)/max(float64(j.Duration), 10e9)))
				hours += float64(j.MinGPUs) * j.Duration.Hours()
			}
			slices.Sort(waits)
			slices.Sort(slowdowns)
			r := replay(t, path, gpus, policy)
			for _, c := range []struct {
				what      string
				got, want float64
			}{
				{"mean wait", r.WaitSeconds.Mean, meanOf(waits)},
				{"95th percentile of waits", r.WaitSeconds.P95, waits[(95*len(waits)+99)/100-1]},
				{"longest wait", r.WaitSeconds.Max, waits[len(waits)-1]},
				{"mean slowdown", r.BoundedSlowdown.Mean, meanOf(slowdowns)},
				{"GPU-hours", r.GPUHours.Batch, hours},
			} {
				if math.Abs(c.got-c.want) > 1e-9*c.want {
					t.Errorf("%s on %d GPUs: %s %v, want %v", policy, gpus, c.what, c.got, c.want)
				}
			}
		}
	}
}

func meanOf(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
