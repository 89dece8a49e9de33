package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// GapSeries is how far the plans of one planner, at one budget of time, stayed
// below a proven bound: one gap an instance, as a fraction of the bound.
type GapSeries struct {
	Label string
	Gaps  []float64 // 0 is optimal
}

// optimalGap is up to where a gap counts as none.
const optimalGap = 1e-4

const gapRow = vg.Length(19) // height

// GapByPlanner draws one row a planner: the share of instances without a gap as
// a bar, and the others on a logarithmic axis, a stroke each, over a box from
// the lower to the upper quartile of all and their median. Mean and worst stand
// beside as numbers.
func GapByPlanner(list []GapSeries) (*Figure, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("plots: gap by planner: no planners to draw")
	}
	rows := make(gapRows, len(list))
	for i, s := range list {
		if len(s.Gaps) == 0 {
			return nil, fmt.Errorf("plots: gap by planner: %q has no gaps", s.Label)
		}
		for _, g := range s.Gaps {
			if !finite(g) || g < -optimalGap {
				return nil, fmt.Errorf("plots: gap by planner: %q has a gap of %v; a plan is not above its bound", s.Label, g)
			}
		}
		rows[i] = summarise(s)
	}
	return &Figure{
		width:  pageWidth,
		height: gapRow*vg.Length(len(list)) + 46 + legendLine + 2*margin,
		draw:   rows.draw,
	}, nil
}

// gapSummary is one row.
type gapSummary struct {
	label                string
	gaps                 []float64 // those above optimalGap
	optimal              float64   // share of the others
	lower, median, upper float64   // quartiles of all
	mean, worst          float64
}

func summarise(s GapSeries) gapSummary {
	all := slices.Clone(s.Gaps)
	slices.Sort(all)
	r := gapSummary{label: s.Label, worst: max(all[len(all)-1], 0)}
	for _, g := range all {
		r.mean += max(g, 0) / float64(len(all))
		if g > optimalGap {
			r.gaps = append(r.gaps, g)
		}
	}
	r.optimal = 1 - float64(len(r.gaps))/float64(len(all))
	r.lower, r.median, r.upper = quantile(all, 0.25), quantile(all, 0.5), quantile(all, 0.75)
	return r
}

// quantile interpolates between the nearest of ascending numbers.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// gapRows are all rows, the first on top.
type gapRows []gapSummary

func (g gapRows) y(i int) float64 { return float64(len(g) - 1 - i) }

func (g gapRows) plot() *plot.Plot {
	p := newPlot()
	p.Y.Min, p.Y.Max = -0.5, float64(len(g))-0.5
	p.HideY()
	return p
}

// numbers are the columns of text right of the data.
func (r gapSummary) numbers() [2]string {
	return [2]string{smallPercent(r.mean), smallPercent(r.worst)}
}

// smallPercent writes a fraction in two digits, and what is not 0 not as 0.
func smallPercent(v float64) string {
	switch v *= 100; {
	case v == 0:
		return "0 %"
	case v < 0.01:
		return "< 0.01 %"
	case v < 1:
		return fmt.Sprintf("%.2f %%", v)
	}
	return fmt.Sprintf("%.1f %%", v)
}

func (g gapRows) draw(c draw.Canvas) {
	const column, apart = 42, 22
	names := vg.Length(0)
	for _, r := range g {
		names = max(names, widthOf(plainText, g.name(r)))
	}
	key := newLegend(g.legend(), c.Size().X-names-8)
	key.draw(c, c.Min.X+names+8, c.Min.Y+key.height())
	body := draw.Crop(c, names+8, -2*column, key.height()+4, 0)
	shareWidth := vg.Length(118)
	share, dist := g.sharePlot(), g.distPlot()
	left := panels(draw.Crop(body, 0, -(body.Size().X-shareWidth), 0, 0), [][]*plot.Plot{{share}}, 15, 0, 0)[0][0]
	right := panels(draw.Crop(body, shareWidth+apart, 0, 0, 0), [][]*plot.Plot{{dist}}, 15, 0, 0)[0][0]
	heads := []struct {
		x    vg.Length
		ax   text.XAlignment
		text string
	}{
		{left.Min.X, text.XLeft, "plans without a gap (up to 0.01 %)"},
		{right.Min.X, text.XLeft, "gap to the proven bound"},
		{right.Max.X + column, text.XRight, "mean"},
		{right.Max.X + 2*column, text.XRight, "worst"},
	}
	for _, h := range heads {
		write(c, plainText, quietColor, vg.Point{X: h.x, Y: right.Max.Y + 4}, h.ax, text.YBottom, h.text)
	}
	_, y := dist.Transforms(&right)
	for i, r := range g {
		mid := y(g.y(i))
		write(c, plainText, inkColor, vg.Point{X: c.Min.X, Y: mid}, text.XLeft, text.YCenter, g.name(r))
		for k, s := range r.numbers() {
			at := vg.Point{X: right.Max.X + vg.Length(k+1)*column, Y: mid}
			write(c, smallText, inkColor, at, text.XRight, text.YCenter, s)
		}
	}
}

func (gapRows) name(r gapSummary) string { return fit(plainText, r.label, 110) }

func (g gapRows) legend() []entry {
	return []entry{
		{"one instance", func(c draw.Canvas, box vg.Rectangle) { g.stroke(c, centre(box)) }},
		{"median", func(c draw.Canvas, box vg.Rectangle) { g.medianMark(c, centre(box)) }},
		{"middle half of all instances", fillSample(gridColor, gridColor)},
	}
}

func (g gapRows) sharePlot() *plot.Plot {
	p := g.plot()
	percentAxis(&p.X, 0, 1, 0.5)
	p.Add(gapShares{g})
	return p
}

// distPlot has the gaps above optimalGap; no axis is shorter than two decades.
func (g gapRows) distPlot() *plot.Plot {
	p := g.plot()
	worst := 1e-2
	for _, r := range g {
		worst = max(worst, r.worst)
	}
	logAxis(&p.X, optimalGap, math.Pow(10, math.Log10(worst)+0.05), 100)
	p.Add(gapStrips{g})
	return p
}

// share is the share without a gap; neither 0 nor 100 % unless it is.
func (r gapSummary) share() string {
	whole := math.Round(100 * r.optimal)
	if (whole == 0 || whole == 100) && r.optimal != whole/100 {
		return trimFloat(100*r.optimal, 1) + " %"
	}
	return trimFloat(whole, 0) + " %"
}

// gapShares draws bars of the share without a gap.
type gapShares struct{ gapRows }

func (g gapShares) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	upright(c, p)
	for i, r := range g.gapRows {
		mid, end := y(g.y(i)), x(r.optimal)
		separate(c, i, y(g.y(i)+0.5))
		c.SetColor(gainColor)
		c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: mid - 4.5}, Max: vg.Point{X: end, Y: mid + 4.5}}.Path())
		c.StrokeLine2(line(allocatorColor, 1.6), end, mid-4.5, end, mid+4.5)
		label := r.share()
		at, side := vg.Point{X: end + 4, Y: mid}, text.XLeft
		if r.optimal > 0.75 {
			at.X, side = end-4, text.XRight
		}
		write(c, smallText, inkColor, at, side, text.YCenter, label)
	}
	c.StrokeLine2(line(quietColor, 0.7), c.Min.X, c.Min.Y, c.Min.X, c.Max.Y)
}

// gapStrips draws boxes, strokes and medians.
type gapStrips struct{ gapRows }

func (g gapStrips) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(v float64) vg.Length { return x(max(v, optimalGap)) }
	for _, t := range p.X.Tick.Marker.Ticks(0, 0) {
		if t.Label != "" {
			c.StrokeLine2(line(gridColor, 0.5), x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
		}
	}
	for i, r := range g.gapRows {
		mid := y(g.y(i))
		separate(c, i, y(g.y(i)+0.5))
		c.SetColor(gridColor)
		c.Fill(vg.Rectangle{
			Min: vg.Point{X: at(r.lower), Y: mid - 5.5}, Max: vg.Point{X: at(r.upper), Y: mid + 5.5},
		}.Path())
		for _, v := range r.gaps {
			g.stroke(c, vg.Point{X: x(v), Y: mid})
		}
		if len(r.gaps) == 0 {
			write(c, smallText, quietColor, vg.Point{X: c.Min.X + 6, Y: mid}, text.XLeft, text.YCenter, "none above 0.01 %")
		}
		if r.median > optimalGap {
			g.medianMark(c, vg.Point{X: x(r.median), Y: mid})
		}
	}
	c.StrokeLine2(line(quietColor, 0.7), c.Min.X, c.Min.Y, c.Min.X, c.Max.Y)
}

// stroke is one instance.
func (gapRows) stroke(c draw.Canvas, at vg.Point) {
	c.StrokeLine2(line(through(allocatorColor, 0x80), 0.7), at.X, at.Y-3.2, at.X, at.Y+3.2)
}

func (gapRows) medianMark(c draw.Canvas, at vg.Point) {
	c.StrokeLine2(line(inkColor, 1.8), at.X, at.Y-6.5, at.X, at.Y+6.5)
}
