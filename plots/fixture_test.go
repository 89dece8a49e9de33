package plots

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"
)

// testRun is a small schedule on a grid of GPUs × hours: one service at the
// low end, held at its peak or on its curve, and jobs placed first fit.
type testRun struct {
	Label    string
	GPUs     int
	Hours    int
	Spans    *metrics.Spans
	Timeline *metrics.Timeline
}

type testJob struct {
	kind        sim.Kind
	size, hours int
	priority    float64
}

// testJobs are drawn once for a size of cluster.
func testJobs(n, gpus, hours int) []testJob {
	rng := rand.New(rand.NewPCG(7, uint64(gpus)))
	jobs := make([]testJob, n)
	for i := range jobs {
		jobs[i] = testJob{
			kind:     sim.Kinds()[rng.IntN(4)],
			size:     1 << rng.IntN(int(math.Log2(float64(max(gpus/4, 2))))+1),
			hours:    2 + rng.IntN(hours/4),
			priority: float64(1 + rng.IntN(6)),
		}
	}
	return jobs
}

// demand is a working day's curve that peaks at 3/8 of the cluster.
func demand(gpus, hour int) int {
	day := math.Sin(math.Pi * float64(hour%24-6) / 14)
	return int(math.Round(float64(gpus) * (0.08 + 0.3*max(day, 0))))
}

// run places the jobs in the order given, or the urgent first.
func run(label string, gpus, hours int, jobs []testJob, peak, urgentFirst bool) testRun {
	top := 0
	for h := range hours {
		top = max(top, demand(gpus, h))
	}
	busy := make([][]bool, gpus)
	for g := range busy {
		busy[g] = make([]bool, hours)
	}
	r := testRun{label, gpus, hours, &metrics.Spans{}, nil}
	for h := range hours {
		n := demand(gpus, h)
		holds := n
		if peak {
			holds = top
		}
		for g := range holds {
			busy[g][h] = true
		}
		r.Spans.Services = append(r.Spans.Services, metrics.ServiceSpan{
			Service: "chat", GPUs: []hardware.Range{{First: 0, N: holds}}, Wanted: n,
			Start: hour(h), End: hour(h + 1),
		})
	}
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	if urgentFirst {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(jobs[b].priority, jobs[a].priority) })
	}
	for _, i := range order {
		j := jobs[i]
		if g, h, ok := firstFit(busy, j, i*hours/(3*len(jobs))); ok {
			r.Spans.Jobs = append(r.Spans.Jobs, metrics.JobSpan{
				Label: fmt.Sprintf("j%d", i+1), Kind: j.kind, Priority: j.priority,
				GPUs: []hardware.Range{{First: g, N: j.size}}, Start: hour(h), End: hour(h + j.hours),
			})
		}
	}
	r.Timeline = timelineOf(r, len(jobs))
	return r
}

func hour(h int) sim.Time { return sim.Time(h) * time.Hour }

// firstFit marks and returns the earliest block, lowest GPU first.
func firstFit(busy [][]bool, j testJob, from int) (gpu, start int, ok bool) {
	for h := from; h+j.hours <= len(busy[0]); h++ {
		for g := 0; g+j.size <= len(busy); g++ {
			if free(busy, g, h, j) {
				for k := range j.size {
					for t := range j.hours {
						busy[g+k][h+t] = true
					}
				}
				return g, h, true
			}
		}
	}
	return 0, 0, false
}

func free(busy [][]bool, g, h int, j testJob) bool {
	for k := range j.size {
		for t := range j.hours {
			if busy[g+k][h+t] {
				return false
			}
		}
	}
	return true
}

// timelineOf counts what the spans say, in slices of a quarter of an hour.
func timelineOf(r testRun, submitted int) *metrics.Timeline {
	t := &metrics.Timeline{Width: 15 * time.Minute, End: hour(r.Hours)}
	for at := sim.Time(0); at < t.End; at += t.Width {
		b := metrics.Bin{Waiting: float64(min(submitted, int(float64(3*submitted)*at.Hours()/float64(r.Hours))))}
		for _, s := range r.Spans.Services {
			if s.Start <= at && at < s.End {
				n := hardware.Size(s.GPUs)
				b.Served += float64(min(n, s.Wanted))
				b.ReservedIdle += float64(max(n-s.Wanted, 0))
			}
		}
		for _, s := range r.Spans.Jobs {
			n := float64(hardware.Size(s.GPUs))
			if s.Start <= at && at < s.End {
				b.Batch += n
				b.Value += n * s.Priority * t.Width.Hours()
			}
			if s.Start <= at {
				b.Waiting = max(b.Waiting-1, 0)
			}
		}
		b.Idle = float64(r.GPUs) - b.Batch - b.Served - b.ReservedIdle
		t.Bins = append(t.Bins, b)
	}
	return t
}

func (r testRun) panel() Panel {
	c := r.course()
	return Panel{
		Title: r.Label, GPUs: r.GPUs, DomainSize: 8, Spans: r.Spans, To: hour(r.Hours),
		Subtitle: fmt.Sprintf("utilization %s, value %s", percent(mean(c.slices(), c.working)), compact(totalValue(c))),
	}
}

func (r testRun) course() Course { return Course{r.Label, r.GPUs, r.Timeline} }

// policies runs 2 or more combinations of reservation and order.
func policies(n, gpus, hours, jobs int) (out []testRun) {
	list := testJobs(jobs, gpus, hours)
	for i, name := range []string{"fifo", "horizon", "easy, curve", "priority, peak", "reservation"}[:n] {
		todo := list
		if i == 4 {
			todo = slices.Clone(list)
			slices.Reverse(todo)
		}
		out = append(out, run(name, gpus, hours, todo, i == 0 || i == 3 || i == 4, i == 1 || i == 3))
	}
	return out
}

func courses(runs []testRun) (out []Course) {
	for _, r := range runs {
		out = append(out, r.course())
	}
	return out
}

func gridPanels(runs []testRun) (out []Panel) {
	for _, r := range runs {
		out = append(out, r.panel())
	}
	return out
}

func estimates() []PolicyEstimate {
	return []PolicyEstimate{
		{"fifo", 412, 9, 0.516, 0.006},
		{"horizon", 688, 12, 0.784, 0.009},
		{"easy, curve", 561, 10, 0.702, 0.008},
		{"priority, peak", 478, 15, 0.533, 0.007},
		{"reservation", 395, 11, 0.488, 0.011},
	}
}

// scenarioRows has invented figures beside the published ones.
func scenarioRows() []ScenarioRow {
	none := math.NaN()
	return []ScenarioRow{
		{"mixed-control", 0.516, 0.742, 0.516, none, 0.486, 0.03, none},
		{"training-heavy", 0.538, 0.853, 0.536, 0.870, 0.927, 0.06, 1.05},
		{"inference-heavy", 0.624, 0.781, none, none, 0.351, 0.02, none},
		{"batch-burst", 0.711, 0.846, none, none, 0.288, 0.02, none},
		{"fragmented", 0.842, 0.879, none, none, 0.246, 0.03, none},
		{"uniform-priority", 0.767, 0.868, 0.768, 0.875, 0.204, 0.02, 0.231},
		{"scale", 0.449, 0.449, 0.449, 0.449, 0.142, 0.01, 0.159},
	}
}

// accuracyRows are forecasts against one to four others, with a quantile on
// target, off it, and none.
func accuracyRows() []AccuracyRow {
	return []AccuracyRow{
		{"training", []MethodError{{"forecast", 0.17}, {"uncorrected", 0.31}, {"size only", 2.6}}, 0.876, 0.876, 0.924},
		{"weeks, 1 hour ahead", []MethodError{{"forecast", 0.096}, {"a week before", 0.119}, {"latest value", 0.156}}, 0.905, 0.88, 0.92},
		{"quantization", []MethodError{{"forecast", 0.727}}, nan, nan, nan},
	}
}
