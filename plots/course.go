package plots

import (
	"fmt"
	"math"

	"berth/sim"
	"berth/sim/metrics"

	"gonum.org/v1/plot/plotter"
)

// Course is how one run went over time.
type Course struct {
	Label    string // the policy's name
	GPUs     int    // of the cluster
	Timeline *metrics.Timeline
}

// checkCourses says what makes courses impossible to draw, and reports the end
// of the longest. A run that took no time is drawn as an hour of nothing.
func checkCourses(figure string, series []Course) (end sim.Time, err error) {
	if len(series) == 0 {
		return 0, fmt.Errorf("plots: %s: no runs to draw", figure)
	}
	for _, s := range series {
		switch {
		case s.Timeline == nil:
			return 0, fmt.Errorf("plots: %s: run %q has no timeline", figure, s.Label)
		case s.GPUs <= 0:
			return 0, fmt.Errorf("plots: %s: run %q has %d GPUs; at least 1 is needed", figure, s.Label, s.GPUs)
		case len(s.Timeline.Bins) > 0 && s.Timeline.Width <= 0:
			return 0, fmt.Errorf("plots: %s: run %q has slices of no width", figure, s.Label)
		}
		end = max(end, s.Timeline.End)
	}
	if end == 0 {
		end = 3600e9
	}
	return end, nil
}

// maxSlices bounds the points of a line: more could not be told apart in print.
const maxSlices = 240

// slice is a stretch of a run, and the means over it. Value is what was gained
// in it.
type slice struct {
	from, to sim.Time
	metrics.Bin
}

// slices merges neighbouring bins until there are at most maxSlices.
func (s Course) slices() []slice {
	t := s.Timeline
	group := (len(t.Bins) + maxSlices - 1) / maxSlices
	var out []slice
	for i := 0; i < len(t.Bins); i += group {
		m := slice{from: sim.Time(i) * t.Width}
		for k := i; k < min(i+group, len(t.Bins)); k++ {
			b := t.Bins[k]
			m.to = min(sim.Time(k+1)*t.Width, t.End)
			d := float64(m.to - sim.Time(k)*t.Width)
			m.Batch += d * b.Batch
			m.Served += d * b.Served
			m.ReservedIdle += d * b.ReservedIdle
			m.Waiting += d * b.Waiting
			m.Value += b.Value
		}
		d := float64(m.to - m.from)
		if d <= 0 {
			break
		}
		m.Batch /= d
		m.Served /= d
		m.ReservedIdle /= d
		m.Waiting /= d
		out = append(out, m)
	}
	return out
}

// steps are the corners of the staircase of a measure.
func steps(u timeUnit, all []slice, measure func(slice) float64) plotter.XYs {
	var pts plotter.XYs
	for _, s := range all {
		y := measure(s)
		if n := len(pts); n > 0 && pts[n-1].Y == y {
			pts[n-1].X = u.of(s.to)
			continue
		}
		pts = append(pts, plotter.XY{X: u.of(s.from), Y: y}, plotter.XY{X: u.of(s.to), Y: y})
	}
	return pts
}

// mean is the mean of a measure over a whole run, 0 when it took no time.
func mean(all []slice, measure func(slice) float64) float64 {
	var sum, length float64
	for _, s := range all {
		d := float64(s.to - s.from)
		sum += d * measure(s)
		length += d
	}
	if length == 0 {
		return 0
	}
	return sum / length
}

// finite reports whether all numbers are.
func finite(vs ...float64) bool {
	for _, v := range vs {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
