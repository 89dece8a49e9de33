package plots

import (
	"math"
	"math/rand/v2"
	"testing"

	"berth/sim/metrics"

	"gonum.org/v1/plot/plotter"
)

// delayRuns have waits between none and days, the later runs the shorter ones.
func delayRuns(n int) []DelayRun {
	var out []DelayRun
	for i := range n {
		random := rand.New(rand.NewPCG(1, 7))
		d := &metrics.Delays{}
		for range 600 {
			wait := math.Exp(8-1.2*float64(i)+2.2*random.NormFloat64()) - 200
			run := math.Exp(6 + 1.5*random.NormFloat64())
			d.Wait.Add(wait)
			d.Slowdown.Add(max(1, (max(wait, 0)+run)/max(run, 10)))
		}
		out = append(out, DelayRun{Label: []string{"fcfs", "easy", "sjf", "las"}[i], Delays: d})
	}
	return out
}

// The line of a distribution is at its share everywhere: at every corner, and
// it never goes down.
func TestCumulativeLine(t *testing.T) {
	var pts plotter.XYs
	for i, y := range []float64{0.25, 0.25, 0.25, 0.5, 1, 1} {
		pts = stair(pts, float64(i), y)
	}
	want := plotter.XYs{{X: 0, Y: 0.25}, {X: 3, Y: 0.25}, {X: 3, Y: 0.5}, {X: 4, Y: 0.5}, {X: 4, Y: 1}, {X: 5, Y: 1}}
	if len(pts) != len(want) {
		t.Fatalf("%v, want %v", pts, want)
	}
	for i := range pts {
		if pts[i] != want[i] {
			t.Fatalf("%v, want %v", pts, want)
		}
	}
}

// The axis of waits begins at a round length below all but the least waits,
// and ends at the longest.
func TestDelaySpan(t *testing.T) {
	sample := func(xs ...float64) *metrics.Sample {
		s := &metrics.Sample{}
		for _, x := range xs {
			s.Add(x)
		}
		return s
	}
	for _, c := range []struct {
		samples []*metrics.Sample
		lo, hi  float64
	}{
		{nil, 1, 10},
		{[]*metrics.Sample{sample(0, 0)}, 1, 10},
		{[]*metrics.Sample{sample(0, 0, 45, 7200)}, 10, 7200},
		{[]*metrics.Sample{sample(0, 7200), sample(90, 700)}, 60, 7200},
		{[]*metrics.Sample{sample(3600)}, 3600, 36000},
		{[]*metrics.Sample{sample(1e-9, 3e6)}, 1e-2, 3e6},
	} {
		if lo, hi := delaySpan(c.samples); lo != c.lo || hi != c.hi {
			t.Errorf("%v to %v, want %v to %v", lo, hi, c.lo, c.hi)
		}
	}
}
