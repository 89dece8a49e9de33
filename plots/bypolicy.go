package plots

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Estimate is a mean over seeds and the half-width of its 95 % interval, in
// the same unit. A Half of 0 or NaN, as with one seed, draws no interval.
type Estimate struct {
	Label      string // the policy's name
	Mean, Half float64
	Group      int // what is of one group has one colour; all of group 0: each its own
}

// PolicyEstimate is what two measures came to under one policy.
type PolicyEstimate struct {
	Label             string
	Value, ValueHalf  float64 // priority × GPU-hours
	Utilization, Half float64 // fractions of GPU-time
}

// ByPolicy draws one measure by policy: a dot for the mean, a bar for the 95 %
// interval, and a line down from the first policy, the baseline. The title
// names the measure and its unit; a unit "%" takes fractions of one.
func ByPolicy(title, unit string, estimates []Estimate) (*Figure, error) {
	col := column{title: title, unit: unit, list: estimates}
	if err := col.check(); err != nil {
		return nil, err
	}
	return dotFigure(columnWidth, []column{col}), nil
}

// ValueAndUtilization draws both measures by policy, side by side.
func ValueAndUtilization(policies []PolicyEstimate) (*Figure, error) {
	value := column{title: "decayed value", unit: "priority × GPU-hours"}
	use := column{title: "utilization", unit: "%"}
	for _, p := range policies {
		value.list = append(value.list, Estimate{Label: p.Label, Mean: p.Value, Half: p.ValueHalf})
		use.list = append(use.list, Estimate{Label: p.Label, Mean: p.Utilization, Half: p.Half})
	}
	for _, c := range []column{value, use} {
		if err := c.check(); err != nil {
			return nil, err
		}
	}
	return dotFigure(pageWidth, []column{value, use}), nil
}

// column is one measure of all policies.
type column struct {
	title, unit string
	list        []Estimate
}

func (col column) check() error {
	if len(col.list) == 0 {
		return fmt.Errorf("plots: %s by policy: no policies to draw", col.title)
	}
	for _, e := range col.list {
		if !finite(e.Mean) {
			return fmt.Errorf("plots: %s by policy: the mean of %q is %v", col.title, e.Label, e.Mean)
		}
	}
	return nil
}

// half is the half-width to draw, 0 for none.
func (e Estimate) half() float64 {
	if finite(e.Half) && e.Half > 0 {
		return e.Half
	}
	return 0
}

// text is "12.3 ± 0.4", in the decimals of the column.
func (col column) text(e Estimate) string {
	m, h, unit := col.shown(e)
	decimals, intervals := col.decimals()
	switch {
	case h > 0:
		return fmt.Sprintf("%s ± %.*f%s", inDecimals(m, decimals), decimals, h, unit)
	case !intervals && math.Abs(m) >= 1e4:
		return compact(m) + unit
	}
	return inDecimals(m, decimals) + unit
}

// shown are the numbers of an estimate as they are written.
func (col column) shown(e Estimate) (mean, half float64, unit string) {
	if col.unit == "%" {
		return 100 * e.Mean, 100 * e.half(), " %"
	}
	return e.Mean, e.half(), ""
}

// decimals is how many decimals all texts have: as many as the narrowest
// interval deserves, its first digit, or two when that is a 1. Without any
// interval, as many as the mean with the most.
func (col column) decimals() (n int, intervals bool) {
	without := 0
	for _, e := range col.list {
		m, h, _ := col.shown(e)
		if h == 0 {
			if _, after, ok := strings.Cut(compact(m), "."); ok && math.Abs(m) < 1e4 {
				without = max(without, len(after))
			}
			continue
		}
		intervals = true
		digits := -int(math.Floor(math.Log10(h)))
		if h*math.Pow10(digits) < 2 {
			digits++
		}
		n = max(n, min(digits, 6))
	}
	if !intervals {
		return without, false
	}
	return n, true
}

// inDecimals writes a number with exactly so many decimals and a true minus sign.
func inDecimals(v float64, decimals int) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	if v < 0 && strings.Trim(s, "0.") != "" {
		return "−" + s
	}
	return s
}

// span is the range of the axis: the intervals and a little air.
func (col column) span() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, e := range col.list {
		lo, hi = min(lo, e.Mean-e.half()), max(hi, e.Mean+e.half())
	}
	air := 0.08 * (hi - lo)
	if air == 0 {
		air = max(0.1*math.Abs(hi), 0.01)
	}
	return lo - air, hi + air
}

func dotFigure(width vg.Length, cols []column) *Figure {
	const row = 15
	return &Figure{
		width:  width,
		height: vg.Length(len(cols[0].list))*row + 40 + 2*margin,
		draw:   func(c draw.Canvas) { drawDots(c, cols) },
	}
}

func drawDots(c draw.Canvas, cols []column) {
	names, numbers := vg.Length(0), vg.Length(0)
	grid := [][]*plot.Plot{nil}
	for _, col := range cols {
		grid[0] = append(grid[0], col.plot())
		for _, e := range col.list {
			names = max(names, widthOf(smallText, e.name()))
			numbers = max(numbers, widthOf(smallText, col.text(e)))
		}
	}
	const gap, apart = 6, 16
	areas := panels(draw.Crop(c, names+gap, -numbers-gap, 0, 0), grid, 14, numbers+gap+apart, 0)[0]
	for i, col := range cols {
		p, area := grid[0][i], areas[i]
		title := vg.Point{X: area.Min.X, Y: area.Max.Y + 5}
		write(area, titleText, inkColor, title, text.XLeft, text.YBottom, col.title)
		_, y := p.Transforms(&area)
		for k, e := range col.list {
			mid := y(float64(len(col.list) - 1 - k))
			if i == 0 {
				write(c, smallText, inkColor, vg.Point{X: c.Min.X, Y: mid}, text.XLeft, text.YCenter, e.name())
			}
			write(area, smallText, inkColor, vg.Point{X: area.Max.X + gap, Y: mid}, text.XLeft, text.YCenter, col.text(e))
		}
	}
}

// name is the label, cut to what fits beside the data.
func (e Estimate) name() string { return fit(smallText, e.Label, 90) }

// plot is one measure without its names and numbers.
func (col column) plot() *plot.Plot {
	p := newPlot()
	lo, hi := col.span()
	p.X.Label.Text = col.unit
	if col.unit == "%" {
		percentAxis(&p.X, lo, hi, niceStep((hi-lo)/4))
		p.X.Label.Text = "mean over seeds"
	} else {
		valueAxis(&p.X, lo, hi, 4)
	}
	for _, e := range col.list {
		if e.half() > 0 {
			p.X.Label.Text += ", 95 % interval"
			break
		}
	}
	p.Y.Min, p.Y.Max = -0.5, float64(len(col.list))-0.5
	p.HideY()
	p.Add(&dots{col})
	return p
}

// dots is the plotter of one measure, the first policy on top.
type dots struct{ column }

func (d *dots) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	base := x(d.list[0].Mean)
	c.StrokeLine2(draw.LineStyle{Color: faintColor, Width: 0.8, Dashes: dashes(2, 2)}, base, c.Min.Y, base, c.Max.Y)
	for i, e := range d.list {
		mid := y(float64(len(d.list) - 1 - i))
		c.StrokeLine2(line(gridColor, 0.5), c.Min.X, mid, c.Max.X, mid)
		ink := d.ink(i)
		if h := e.half(); h > 0 {
			lo, hi := x(e.Mean-h), x(e.Mean+h)
			c.StrokeLine2(line(ink, 1.4), lo, mid, hi, mid)
			for _, end := range []vg.Length{lo, hi} {
				c.StrokeLine2(line(ink, 1), end, mid-2.5, end, mid+2.5)
			}
		}
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: ink, Radius: 2.8, Shape: draw.CircleGlyph{}}, vg.Point{X: x(e.Mean), Y: mid})
	}
}

// ink is the colour of an estimate: of its group, or of its own.
func (col column) ink(i int) color.Color {
	for _, e := range col.list {
		if e.Group != 0 {
			return policyStyle(col.list[i].Group).Color
		}
	}
	return policyStyle(i).Color
}
