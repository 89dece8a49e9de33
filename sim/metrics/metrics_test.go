package metrics_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func near(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, math.Abs(y)) }

// GPUTime is exact where 64 bits are not enough.
func TestGPUTimeIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum, rest metrics.GPUTime
		want := new(big.Int)
		for range rapid.IntRange(0, 20).Draw(t, "terms") {
			n, d := rapid.IntRange(0, 1<<20).Draw(t, "gpus"), sim.Time(rapid.Int64Range(0, math.MaxInt64).Draw(t, "time"))
			if rapid.Bool().Draw(t, "rest") {
				rest.Add(n, d)
			} else {
				sum.Add(n, d)
			}
			want.Add(want, new(big.Int).Mul(big.NewInt(int64(n)), big.NewInt(int64(d))))
		}
		hours, _ := new(big.Float).Quo(new(big.Float).SetInt(want), big.NewFloat(3.6e12)).Float64()
		if got := sum.Plus(rest).Hours(); math.Abs(got-hours) > 1e-14*hours {
			t.Fatalf("%v GPU-hours, want %v", got, hours)
		}
		if sum.Plus(rest) != rest.Plus(sum) {
			t.Fatal("a sum depends on its order")
		}
	})
}

// change is one round of a made-up run.
type change struct {
	at     sim.Time
	counts sim.Counts
}

func drawChanges(t *rapid.T, longest int64) (changes []change, end sim.Time) {
	for range rapid.IntRange(0, 30).Draw(t, "rounds") {
		count := func(name string) int { return rapid.IntRange(0, 50).Draw(t, name) }
		c := sim.Counts{Batch: count("batch"), Realtime: count("real-time"), Missing: count("missing"), Free: count("free"), Waiting: count("waiting")}
		c.Served = rapid.IntRange(0, c.Realtime).Draw(t, "served")
		changes = append(changes, change{end, c})
		end += sim.Time(rapid.Int64Range(1, longest).Draw(t, "length"))
	}
	return changes, end
}

// A timeline is the means over its slices, however long the run.
func TestTimelineAgainstSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		longest := rapid.SampledFrom([]int64{1e9, 3600e9, 30 * 86400e9, 1e17}).Draw(t, "longest")
		changes, end := drawChanges(t, longest)
		timeline := metrics.NewTimeline()
		for _, c := range changes {
			if err := timeline.RoundEnded(c.at, &c.counts); err != nil {
				t.Fatal(err)
			}
		}
		if err := timeline.RunEnded(end); err != nil {
			t.Fatal(err)
		}
		if want := int((end + timeline.Width - 1) / timeline.Width); len(timeline.Bins) != want || want > 2048 || timeline.End != end {
			t.Fatalf("%d slices of %v to %v, want %d", len(timeline.Bins), timeline.Width, end, want)
		}
		for i, got := range timeline.Bins {
			from := sim.Time(i) * timeline.Width
			to := min(from+timeline.Width, end)
			var want metrics.Bin
			for k, c := range changes {
				until := end
				if k+1 < len(changes) {
					until = changes[k+1].at
				}
				share := float64(max(0, min(until, to)-max(c.at, from))) / float64(to-from)
				want.Batch += share * float64(c.counts.Batch)
				want.Served += share * float64(c.counts.Served)
				want.ReservedIdle += share * float64(c.counts.Realtime-c.counts.Served)
				want.Idle += share * float64(c.counts.Free)
				want.Missing += share * float64(c.counts.Missing)
				want.Waiting += share * float64(c.counts.Waiting)
			}
			for _, x := range [][2]float64{{got.Batch, want.Batch}, {got.Served, want.Served}, {got.ReservedIdle, want.ReservedIdle},
				{got.Idle, want.Idle}, {got.Missing, want.Missing}, {got.Waiting, want.Waiting}} {
				if !near(x[0], x[1]) {
					t.Fatalf("slice %d of %v: %+v, want %+v", i, timeline.Width, got, want)
				}
			}
		}
	})
}

// One job of priority 3 on 4 GPUs from 0:30 to 2:15, by hand.
func TestWeightedByHand(t *testing.T) {
	j := &sim.ActiveJob{Job: sim.Job{Priority: 3, MinGPUs: 4, MaxGPUs: 4}, State: sim.Running,
		Started: 30 * time.Minute, Resumed: 30 * time.Minute, GPUs: []hardware.Range{{First: 0, N: 4}}}
	for _, c := range []struct {
		gamma, want float64
		step        sim.Time
	}{
		{0.5, 12 * (0.5 + 0.5 + 0.25*0.25), time.Hour},
		{1, 12 * 1.75, time.Hour},
		{0.25, 12 * (0.5*0.5 + 0.5*0.25 + 0.5*0.125 + 0.25*0.0625), 30 * time.Minute},
		{0.25, 12 * (1.5 + 0.25*0.0625), 2 * time.Hour},
	} {
		collector := metrics.NewCollector(8, metrics.Objective{Gamma: c.gamma, Lambda: 2, Step: c.step})
		collector.JobSubmitted(0, j)
		done := *j
		done.State, done.Ended = sim.Completed, 2*time.Hour+15*time.Minute
		collector.JobEnded(done.Ended, &done)
		if got, objective := collector.Weighted(); !near(got, c.want) || objective != got {
			t.Errorf("γ %v, steps of %v: decayed value %v, objective %v, want %v", c.gamma, c.step, got, objective, c.want)
		}
	}
}

// Spans say what services hold, without gaps or overlaps, and stop at their
// limit.
func TestSpans(t *testing.T) {
	service := func(wanted, held int) *sim.ActiveService {
		return &sim.ActiveService{Service: sim.Service{Name: "chat"}, Wanted: wanted, Held: held, GPUs: []hardware.Range{{First: 0, N: held}}}
	}
	feed := func(s *metrics.Spans) string {
		s.DemandChanged(0, service(2, 0))
		s.ServiceChanged(0, service(2, 2), nil, nil)
		s.ServiceChanged(5, service(2, 1), nil, nil)
		s.DemandChanged(5, service(1, 1))
		s.JobEnded(6, &sim.ActiveJob{Job: sim.Job{Name: "never"}})
		s.JobEnded(7, &sim.ActiveJob{Job: sim.Job{Name: "a"}, Started: 3, Resumed: 3, GPUs: []hardware.Range{{First: 4, N: 2}}})
		s.DemandChanged(8, service(3, 1))
		if err := s.RunEnded(9); err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, v := range s.Services {
			text += fmt.Sprintf("%s of %d %d-%d, ", hardware.FormatRanges(v.GPUs), v.Wanted, v.Start, v.End)
		}
		for _, j := range s.Jobs {
			text += fmt.Sprintf("%s %s %d-%d, ", j.Label, hardware.FormatRanges(j.GPUs), j.Start, j.End)
		}
		return text
	}
	all := &metrics.Spans{}
	if got, want := feed(all), "0-1 of 2 0-5, 0 of 1 5-8, 0 of 3 8-9, a 4-5 3-7, "; got != want || all.Truncated {
		t.Errorf("%s(truncated %v), want %s", got, all.Truncated, want)
	}
	few := &metrics.Spans{Limit: 2}
	if got := feed(few); len(few.Jobs)+len(few.Services) != 2 || !few.Truncated {
		t.Errorf("at most 2 spans: %s(truncated %v)", got, few.Truncated)
	}
	exact := &metrics.Spans{Limit: 4}
	if feed(exact); exact.Truncated {
		t.Error("4 spans of at most 4 are called truncated")
	}
}

// A collector sorts its samples once, and reports the same again.
func TestReportTwice(t *testing.T) {
	c := metrics.NewCollector(1, metrics.Objective{Gamma: 1, Step: time.Hour})
	for i, wait := range []sim.Time{5e9, 1e9, 3e9} {
		j := &sim.ActiveJob{Job: sim.Job{Priority: 1}, State: sim.Completed, Started: wait, Resumed: wait, Ran: sim.Time(i), Ended: wait + sim.Time(i), GPUs: []hardware.Range{{First: 0, N: 1}}}
		c.JobSubmitted(0, j)
		c.JobEnded(j.Ended, j)
	}
	if d := cmp.Diff(c.Report(), c.Report()); d != "" {
		t.Error(d)
	}
	if got := c.Report().WaitSeconds; !slices.Equal([]float64{got.Mean, got.P50, got.Max}, []float64{3, 3, 5}) {
		t.Errorf("%+v", got)
	}
}
