package plots

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"berth/sim"

	"gonum.org/v1/plot"
)

// timeUnit is what a time axis counts in.
type timeUnit struct {
	label  string
	length sim.Time
	steps  []float64 // between ticks, ascending
}

// unitFor picks minutes for a short run, hours up to three days, days beyond.
func unitFor(span sim.Time) timeUnit {
	switch {
	case span < 2*time.Hour:
		return timeUnit{"time (minutes)", time.Minute, []float64{1, 2, 5, 10, 15, 20, 30}}
	case span <= 72*time.Hour:
		return timeUnit{"time (hours)", time.Hour, []float64{1, 2, 4, 6, 12}}
	}
	return timeUnit{"time (days)", 24 * time.Hour, []float64{0.5, 1, 2, 7, 14, 28, 56, 100, 200, 500, 1000}}
}

// of converts an instant to the unit.
func (u timeUnit) of(t sim.Time) float64 { return float64(t) / float64(u.length) }

// timeAxis makes x show [from, to] with at most n+1 ticks at round times.
func timeAxis(a *plot.Axis, from, to sim.Time, n int) timeUnit {
	u := unitFor(to - from)
	a.Min, a.Max = u.of(from), u.of(to)
	step := u.steps[len(u.steps)-1]
	for _, s := range u.steps {
		if (a.Max-a.Min)/s <= float64(n) {
			step = s
			break
		}
	}
	for (a.Max-a.Min)/step > float64(n) {
		step *= 2
	}
	a.Tick.Marker = ticksEvery(a.Min, a.Max, step, func(v float64) string { return trimFloat(v, 2) })
	a.Label.Text = u.label
	return u
}

// valueAxis makes an axis show [lo, hi] with about n ticks at round values,
// labelled in as many decimals as tell them apart.
func valueAxis(a *plot.Axis, lo, hi float64, n int) {
	a.Min, a.Max = lo, hi
	step := niceStep((hi - lo) / float64(n))
	unit, suffix := 1.0, ""
	switch largest := max(math.Abs(lo), math.Abs(hi)); {
	case largest >= 1e9:
		unit, suffix = 1e9, "G"
	case largest >= 1e6:
		unit, suffix = 1e6, "M"
	case largest >= 1e4:
		unit, suffix = 1e3, "k"
	}
	decimals := decimalsOf(step / unit)
	a.Tick.Marker = ticksEvery(lo, hi, step, func(v float64) string {
		if v == 0 {
			return "0"
		}
		return trimFloat(v/unit, decimals) + suffix
	})
}

// decimalsOf is how many decimals a step of 1, 2 or 5 times a power of ten has.
func decimalsOf(step float64) int { return max(-int(math.Floor(math.Log10(step)+1e-9)), 0) }

// logAxis makes an axis logarithmic, from lo to hi, with ticks at 1 to 9 times
// every power of ten. Powers are labelled, and 2 and 5 on a short axis; on a
// long one, every second or third power. Labels count in the unit, 100 for per
// cent.
func logAxis(a *plot.Axis, lo, hi, unit float64) {
	a.Min, a.Max, a.Scale = lo, hi, plot.LogScale{}
	decades := math.Log10(hi / lo)
	every := int(math.Ceil(decades / 6))
	ticks := plot.ConstantTicks{}
	const slack = 1 + 1e-9
	first := int(math.Floor(math.Log10(lo * unit)))
	for power := first; math.Pow10(power) <= hi*unit*slack; power++ {
		for m := range 9 {
			v := float64(m+1) * math.Pow10(power)
			if v*slack < lo*unit || v > hi*unit*slack {
				continue
			}
			label := ""
			if (m == 0 && power%every == 0) || (decades < 1.7 && (m == 1 || m == 4)) {
				label = trimFloat(v, max(-power, 0))
				if v >= 1e4 {
					label = compact(v)
				}
				if unit == 100 {
					label += " %"
				}
			}
			ticks = append(ticks, plot.Tick{Value: v / unit, Label: label})
		}
	}
	a.Tick.Marker = ticks
}

// roundLog is the nearest of 1, 2 and 5 times a power of ten, up or down.
func roundLog(v float64, up bool) float64 {
	above := niceStep(v)
	if up || above <= v*(1+1e-9) {
		return above
	}
	return niceStep(above / 2.6)
}

// percentAxis makes an axis show fractions of one as per cent.
func percentAxis(a *plot.Axis, lo, hi, step float64) {
	a.Min, a.Max = lo, hi
	decimals := decimalsOf(100 * step)
	a.Tick.Marker = ticksEvery(lo, hi, step, func(v float64) string { return trimFloat(100*v, decimals) + " %" })
}

func ticksEvery(lo, hi, step float64, label func(float64) string) plot.ConstantTicks {
	ticks := plot.ConstantTicks{}
	const slack = 1e-9
	for i := math.Ceil(lo/step - slack); i*step <= hi+step*slack; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: label(i * step)})
	}
	return ticks
}

// niceStep is the least of 1, 2 and 5 times a power of ten that is not below
// rough.
func niceStep(rough float64) float64 {
	if !(rough > 0) || math.IsInf(rough, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= rough*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// compact writes a number as ticks and labels do: 0.25, 12.5, 830, 12.3k, 4M.
func compact(v float64) string {
	switch abs := math.Abs(v); {
	case abs >= 1e9:
		return trimFloat(v/1e9, 2) + "G"
	case abs >= 1e6:
		return trimFloat(v/1e6, 2) + "M"
	case abs >= 1e4:
		return trimFloat(v/1e3, 1) + "k"
	case abs >= 100:
		return trimFloat(v, 0)
	case abs >= 10:
		return trimFloat(v, 1)
	}
	return trimFloat(v, 2)
}

// trimFloat rounds to at most the given decimals and writes a true minus sign.
func trimFloat(v float64, decimals int) string {
	scale := math.Pow(10, float64(decimals))
	v = math.Round(v*scale) / scale
	if v < 0 {
		return "−" + strconv.FormatFloat(-v, 'f', -1, 64)
	}
	return strconv.FormatFloat(math.Abs(v), 'f', -1, 64) // no −0
}

// percent writes a fraction, 0.516 as "51.6 %".
func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// sortedKeys are the keys of a map in order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
