package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// xAxis shows the levels, by name or by value.
func (f *ResponseFigure) xAxis(a *plot.Axis, l responseLayout) {
	a.Label.Text = f.Factor
	if f.Levels != nil {
		a.Min, a.Max = -0.3, float64(len(f.Levels))-0.7
		ticks := plot.ConstantTicks{}
		for i, name := range f.Levels {
			if l.tilted {
				name = fit(smallText, name, maxTilted)
			}
			if i%l.every != 0 {
				name = ""
			}
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
		}
		a.Tick.Marker = ticks
		if l.tilted {
			a.Tick.Label.Rotation = math.Pi / 4
			a.Tick.Label.XAlign, a.Tick.Label.YAlign = text.XRight, text.YTop
		}
		return
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range f.Series {
		lo, hi = min(lo, s.X[0]), max(hi, s.X[len(s.X)-1])
	}
	if f.XLog {
		air := max(math.Pow(hi/lo, 0.04), 1.05)
		logAxis(a, lo/air, hi*air, 1)
	} else {
		air := 0.04 * (hi - lo)
		if air == 0 {
			air = 1
		}
		valueAxis(a, lo-air, hi+air, 5)
	}
	f.tickLevels(a, l.room)
}

// tickLevels puts the labels of a numeric axis at the levels, if these are few,
// as far as they do not touch.
func (f *ResponseFigure) tickLevels(a *plot.Axis, room vg.Length) {
	levels := map[float64]bool{}
	for _, s := range f.Series {
		for _, x := range s.X {
			levels[x] = true
		}
	}
	if len(levels) > 12 {
		return
	}
	ticks := plot.ConstantTicks{}
	if f.XLog { // the powers show what kind of axis it is
		ticks = unlabelled(a.Tick.Marker)
	}
	free := -room
	for _, x := range sortedKeys(levels) {
		label := compact(x)
		half := widthOf(smallText, label) / 2
		at := vg.Length(a.Norm(x)) * room
		if at-half < free+3 {
			label = ""
		} else {
			free = at + half
		}
		ticks = append(ticks, plot.Tick{Value: x, Label: label})
	}
	a.Tick.Marker = ticks
}

// yAxis shows the measure, and reports where it is broken, NaN for nowhere.
func (f *ResponseFigure) yAxis(a *plot.Axis) (cut float64) {
	lo, hi := f.span()
	if !f.YLog {
		if f.Percent {
			percentAxis(a, lo, hi, niceStep((hi-lo)/5))
		} else {
			valueAxis(a, lo, hi, 5)
		}
		if lo > 0 || hi < 0 {
			return breakable(a)
		}
		return math.NaN()
	}
	unit := 1.0
	if f.Percent {
		unit = 100
	}
	lo, hi = roundLog(f.least()*unit, false)/unit, roundLog(hi*unit, true)/unit
	logAxis(a, lo, hi, unit)
	lowest := math.Inf(1)
	f.each(func(v, _ float64) { lowest = min(lowest, v) })
	label := "0"
	switch {
	case lowest > 0:
		return math.NaN()
	case lowest < 0:
		label = "0 or less"
	}
	a.Min = lo / math.Pow(hi/lo, 0.13)
	a.Tick.Marker = append(plot.ConstantTicks{{Value: a.Min, Label: label}}, a.Tick.Marker.Ticks(0, 0)...)
	return math.Sqrt(lo * a.Min)
}
