package plots

import (
	"fmt"
	"math"

	"berth/sim/metrics"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// DelayRun is what jobs had to wait in one run.
type DelayRun struct {
	Label  string // the policy's name
	Delays *metrics.Delays
}

// WaitsAndSlowdowns draws the cumulative distributions of waits and of bounded
// slowdowns on logarithmic axes, side by side, a line a run. Jobs whose wait is
// left of its axis, or none, lift the line at the left edge.
func WaitsAndSlowdowns(runs []DelayRun) (*Figure, error) {
	if len(runs) == 0 {
		return nil, fmt.Errorf("plots: waits and slowdowns: no runs to draw")
	}
	var entries []entry
	for i, r := range runs {
		if r.Delays == nil {
			return nil, fmt.Errorf("plots: waits and slowdowns: run %q has no delays", r.Label)
		}
		entries = append(entries, entry{fit(smallText, r.Label, 110), lineSample(policyStyle(i))})
	}
	key := newLegend(entries, pageWidth-2*margin)
	return &Figure{
		width:  pageWidth,
		height: 1.9*vg.Inch + key.height(),
		draw: func(c draw.Canvas) {
			key.draw(c, c.Min.X, c.Min.Y+key.height())
			drawDelays(draw.Crop(c, 0, -4, key.height()+4, 0), runs)
		},
	}, nil
}

func drawDelays(c draw.Canvas, runs []DelayRun) {
	var waits, slowdowns []*metrics.Sample
	for _, r := range runs {
		waits, slowdowns = append(waits, &r.Delays.Wait), append(slowdowns, &r.Delays.Slowdown)
	}
	lo, hi := delaySpan(waits)
	left := cumulative(waits, lo, hi)
	durationAxis(&left.X, lo, hi)
	hi = 10
	for _, s := range slowdowns {
		if s.N() > 0 {
			hi = max(hi, s.Quantile(1))
		}
	}
	right := cumulative(slowdowns, 1, hi)
	logAxis(&right.X, 1, hi, 1)
	areas := panels(c, [][]*plot.Plot{{left, right}}, 14, 22, 0)[0]
	for i, head := range []string{"share of jobs by wait (left edge: shorter, or none)", "share of jobs by bounded slowdown"} {
		write(areas[i], plainText, quietColor, vg.Point{X: areas[i].Min.X, Y: areas[i].Max.Y + 6}, text.XLeft, text.YBottom, head)
	}
}

// delaySpan is the range of an axis of waits: from a tick, at or below what 99 %
// of the waits exceed, to the longest; no more than eight decades.
func delaySpan(samples []*metrics.Sample) (lo, hi float64) {
	least := math.Inf(1)
	for _, s := range samples {
		if s.N() == 0 {
			continue
		}
		hi = max(hi, s.Quantile(1))
		if none := s.Share(0); none < 1 {
			least = min(least, s.Quantile(none+0.01*(1-none)))
		}
	}
	if hi == 0 {
		return 1, 10
	}
	least = max(least, hi/1e8)
	for _, t := range durationTicks() {
		if !t.short && t.seconds <= least {
			lo = t.seconds
		}
	}
	return lo, max(hi, 10*lo)
}

// cumulative is a plot of distribution functions over a logarithmic axis.
func cumulative(samples []*metrics.Sample, lo, hi float64) *plot.Plot {
	const points = 480
	p := newPlot()
	percentAxis(&p.Y, 0, 1, 0.25)
	p.Add(lightGrid())
	lines := make([]plotter.XYs, len(samples))
	for i, s := range samples {
		if s.N() == 0 {
			continue
		}
		for k := range points + 1 {
			x := lo * math.Pow(hi/lo, float64(k)/points)
			if k == points {
				x = hi
			}
			lines[i] = stair(lines[i], x, s.Share(x))
		}
	}
	addCurves(p, lines)
	return p
}

// stair goes on to x, and there to y.
func stair(pts plotter.XYs, x, y float64) plotter.XYs {
	n := len(pts)
	if n == 0 {
		return plotter.XYs{{X: x, Y: y}}
	}
	level := pts[n-1].Y
	if n > 1 && pts[n-2].Y == level {
		pts[n-1].X = x
	} else {
		pts = append(pts, plotter.XY{X: x, Y: level})
	}
	if y != level {
		pts = append(pts, plotter.XY{X: x, Y: y})
	}
	return pts
}

// durationTick is a length of time to name on a logarithmic axis.
type durationTick struct {
	seconds float64
	label   string
	short   bool // on short axes only
}

// durationTicks are those of a logarithmic axis: about a decade apart, and on a
// short one a few between them.
func durationTicks() []durationTick {
	const minute, hour, day = 60, 3600, 86400
	var ticks []durationTick
	add := func(unit float64, name string, lengths ...float64) {
		for _, n := range lengths {
			main := n == 1 || n == 10 && name != " h" || n >= 100
			ticks = append(ticks, durationTick{n * unit, trimFloat(n, 0) + name, !main})
		}
	}
	for _, u := range []struct {
		unit float64
		name string
	}{{1e-9, " ns"}, {1e-6, " µs"}, {1e-3, " ms"}} {
		add(u.unit, u.name, 1, 10, 100)
	}
	add(1, " s", 1, 2, 5, 10, 20)
	add(minute, " min", 1, 2, 5, 10, 20)
	add(hour, " h", 1, 2, 5, 10)
	add(day, " d", 1, 2, 5, 10, 20, 50, 100, 1e3, 1e4, 1e5)
	return ticks
}

// durationAxis makes an axis of seconds logarithmic, named in the units that
// read best.
func durationAxis(a *plot.Axis, lo, hi float64) {
	a.Min, a.Max, a.Scale = lo, hi, plot.LogScale{}
	ticks := plot.ConstantTicks{}
	for _, t := range durationTicks() {
		if t.seconds >= lo*(1-1e-9) && t.seconds <= hi && (!t.short || hi < 100*lo) {
			ticks = append(ticks, plot.Tick{Value: t.seconds, Label: t.label})
		}
	}
	a.Tick.Marker = ticks
}
