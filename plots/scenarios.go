package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ScenarioRow compares FIFO and the allocator on one scenario. All figures are
// fractions of one (0.246 is 24.6 %); NaN stands for a figure that was not
// published, or an interval that is not known.
type ScenarioRow struct {
	Name string

	Fifo, Allocator                   float64 // utilization
	PublishedFifo, PublishedAllocator float64

	ValueGain, ValueGainHalf float64 // in decayed value, and the half-width of its 95 % interval
	PublishedGain            float64
}

const (
	scenarioRow = vg.Length(25) // height
	dotRadius   = vg.Length(3.6)
)

// Scenarios draws utilization under FIFO and the allocator as two dots joined
// by a bar, and the gain in decayed value beside it, one row a scenario. Hollow
// marks below are the published figures. The heading counts the scenarios in
// which the allocator gains: those whose whole interval lies above zero.
func Scenarios(list []ScenarioRow) (*Figure, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("plots: scenarios: no scenarios to draw")
	}
	for _, r := range list {
		if !finite(r.Fifo, r.Allocator, r.ValueGain) {
			return nil, fmt.Errorf("plots: scenario %q: utilization %v and %v, value gain %v; all three are needed",
				r.Name, r.Fifo, r.Allocator, r.ValueGain)
		}
	}
	return &Figure{
		width:  pageWidth,
		height: scenarioRow*vg.Length(len(list)) + 64 + 2*margin,
		draw:   func(c draw.Canvas) { drawScenarios(c, list) },
	}, nil
}

// half is the half-width to draw, 0 for none.
func (r ScenarioRow) half() float64 {
	if finite(r.ValueGainHalf) && r.ValueGainHalf > 0 {
		return r.ValueGainHalf
	}
	return 0
}

// headline sums the picture up.
func headline(list []ScenarioRow) string {
	lo, hi, gains := math.Inf(1), math.Inf(-1), 0
	for _, r := range list {
		lo, hi = min(lo, r.ValueGain), max(hi, r.ValueGain)
		if r.ValueGain-r.half() > 0 {
			gains++
		}
	}
	if len(list) == 1 {
		return fmt.Sprintf("The allocator against FIFO: decayed value %s", signed(lo))
	}
	where := fmt.Sprintf("in %d of %d scenarios", gains, len(list))
	if gains == len(list) {
		where = fmt.Sprintf("in all %d scenarios", gains)
	}
	return fmt.Sprintf("The allocator beats FIFO %s: decayed value %s to %s", where, signed(lo), signed(hi))
}

// signed writes a fraction as a change: 0.246 as "+25 %".
func signed(v float64) string {
	s := trimFloat(100*v, 0) + " %"
	if v >= 0 {
		s = "+" + s
	}
	return s
}

func drawScenarios(c draw.Canvas, list []ScenarioRow) {
	write(c, titleText, inkColor, vg.Point{X: c.Min.X, Y: c.Max.Y}, text.XLeft, text.YTop, headline(list))
	names := vg.Length(0)
	for _, r := range list {
		names = max(names, widthOf(plainText, fit(plainText, r.Name, 100)))
	}
	use, gain := usePlot(list), gainPlot(list)
	key := newLegend(scenarioLegend(list), c.Size().X-names-8)
	key.draw(c, c.Min.X+names+8, c.Min.Y+key.height())
	body := draw.Crop(c, names+8, 0, key.height()+5, -12)
	areas := panels(body, [][]*plot.Plot{{use, gain}}, 15, 16, 0)[0]
	for i, title := range []string{"utilization", "gain in decayed value over FIFO"} {
		at := vg.Point{X: areas[i].Min.X, Y: areas[i].Max.Y + 4}
		write(c, plainText, quietColor, at, text.XLeft, text.YBottom, title)
	}
	_, y := use.Transforms(&areas[0])
	for i, r := range list {
		at := vg.Point{X: c.Min.X, Y: y(rowOf(list, i)) + lane}
		write(c, plainText, inkColor, at, text.XLeft, text.YCenter, fit(plainText, r.Name, 100))
	}
}

// rowOf is the height of the i-th row on the axis, the first on top.
func rowOf(list []ScenarioRow, i int) float64 { return float64(len(list) - 1 - i) }

func rowsPlot(list []ScenarioRow) *plot.Plot {
	p := newPlot()
	p.Y.Min, p.Y.Max = -0.5, float64(len(list))-0.5
	p.HideY()
	return p
}

func usePlot(list []ScenarioRow) *plot.Plot {
	p := rowsPlot(list)
	lo, hi := 1.0, 0.0
	for _, r := range list {
		for _, v := range []float64{r.Fifo, r.Allocator, r.PublishedFifo, r.PublishedAllocator} {
			if finite(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	percentAxis(&p.X, math.Floor(10*lo-0.7)/10, min(math.Ceil(10*hi+0.7)/10, 1.05), 0.1)
	p.Add(dumbbells(list))
	return p
}

func gainPlot(list []ScenarioRow) *plot.Plot {
	p := rowsPlot(list)
	lo, hi := 0.0, 0.0
	for _, r := range list {
		lo, hi = min(lo, r.ValueGain-r.half()), max(hi, r.ValueGain+r.half())
		if finite(r.PublishedGain) {
			lo, hi = min(lo, r.PublishedGain), max(hi, r.PublishedGain)
		}
	}
	if hi-lo < 0.01 {
		hi += 0.1
	}
	if lo < 0 {
		lo -= 0.2 * (hi - lo)
	}
	hi += 0.2 * (hi - lo) // room for the number
	percentAxis(&p.X, lo, hi, niceStep((hi-lo)/5))
	p.Add(gains(list))
	return p
}
