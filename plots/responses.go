package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Response is one measure at every level of a factor, with the half-widths of
// its 95 % intervals; a Half of 0 or NaN draws none.
type Response struct {
	Label      string
	Mean, Half []float64
}

// Reference is a level to compare with, drawn as a thin line across.
type Reference struct {
	Label string
	Value float64
}

// ResponseFigure is a measure against a factor. Levels stand side by side at
// equal distances, whatever their values.
type ResponseFigure struct {
	Title      string // the measure and its unit
	Factor     string // what the levels are, and their unit
	Levels     []string
	Series     []Response
	References []Reference
	Percent    bool // measures are fractions of one
}

// check says what makes the figure impossible to draw.
func (f *ResponseFigure) check() error {
	if len(f.Levels) == 0 || len(f.Series) == 0 {
		return fmt.Errorf("plots: %s: no levels or no series to draw", f.Title)
	}
	for _, s := range f.Series {
		if len(s.Mean) != len(f.Levels) || len(s.Half) != len(f.Levels) || !finite(s.Mean...) {
			return fmt.Errorf("plots: %s: series %q has %d means and %d intervals for %d levels; one finite mean each is needed",
				f.Title, s.Label, len(s.Mean), len(s.Half), len(f.Levels))
		}
	}
	for _, r := range f.References {
		if !finite(r.Value) {
			return fmt.Errorf("plots: %s: reference %q is %v", f.Title, r.Label, r.Value)
		}
	}
	return nil
}

// Responses draws a line a series, with intervals, and names each at its end.
// The measure's axis does not start at 0 unless the data come near it.
func Responses(f ResponseFigure) (*Figure, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	var right vg.Length
	for _, label := range f.ends() {
		right = max(right, widthOf(smallText, label))
	}
	return &Figure{
		width:  columnWidth,
		height: 2.3 * vg.Inch,
		draw:   func(c draw.Canvas) { f.draw(draw.Crop(c, 0, -right-13, 0, 0)) },
	}, nil
}

// ends are the labels right of the data: series first, then references.
func (f *ResponseFigure) ends() []string {
	var out []string
	for _, s := range f.Series {
		out = append(out, fit(smallText, s.Label, 70))
	}
	for _, r := range f.References {
		out = append(out, fit(smallText, r.Label, 70))
	}
	return out
}

// span is the range of the measure that the axis shows.
func (f *ResponseFigure) span() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	take := func(v float64) { lo, hi = min(lo, v), max(hi, v) }
	for _, s := range f.Series {
		for i, m := range s.Mean {
			h := halfOf(s.Half[i])
			take(m - h)
			take(m + h)
		}
	}
	for _, r := range f.References {
		take(r.Value)
	}
	if lo >= 0 && lo < hi/2 {
		lo = 0
	}
	pad := max((hi-lo)*0.05, 1e-9)
	if lo != 0 {
		lo -= pad
	}
	return lo, hi + pad
}

func halfOf(h float64) float64 {
	if math.IsNaN(h) {
		return 0
	}
	return h
}

func (f *ResponseFigure) draw(c draw.Canvas) {
	p := newPlot()
	lo, hi := f.span()
	if f.Percent {
		percentAxis(&p.Y, lo, hi, niceStep((hi-lo)/5))
	} else {
		valueAxis(&p.Y, lo, hi, 5)
	}
	p.X.Min, p.X.Max = -0.3, float64(len(f.Levels))-0.7
	p.X.Label.Text = f.Factor
	p.X.Tick.Marker = f.ticks()
	p.Add(lightGrid())
	lines := make([]plotter.XYs, len(f.Series))
	for i, s := range f.Series {
		for k, m := range s.Mean {
			lines[i] = append(lines[i], plotter.XY{X: float64(k), Y: m})
		}
	}
	addCurves(p, lines)
	area := panels(c, [][]*plot.Plot{{p}}, 14, 0, 0)[0][0]
	write(area, plainText, quietColor, vg.Point{X: c.Min.X, Y: area.Max.Y + 6}, text.XLeft, text.YBottom, f.Title)
	f.mark(area, p)
}

// ticks label every level, or every second or third of many.
func (f *ResponseFigure) ticks() plot.ConstantTicks {
	every := (len(f.Levels) + 11) / 12
	ticks := plot.ConstantTicks{}
	for i, label := range f.Levels {
		if i%every == 0 {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: label})
		}
	}
	return ticks
}

// mark adds intervals, reference lines, and the names at the ends.
func (f *ResponseFigure) mark(area draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&area)
	var ends []vg.Length
	for i, s := range f.Series {
		sty := line(policyStyle(i).Color, 1)
		for k, m := range s.Mean {
			h := halfOf(s.Half[k])
			at := x(float64(k)) + vg.Length(i-len(f.Series)/2)*1.5 // side by side where they coincide
			if h > 0 {
				area.StrokeLine2(sty, at, y(m-h), at, y(m+h))
			}
		}
		ends = append(ends, y(s.Mean[len(s.Mean)-1]))
	}
	for _, r := range f.References {
		sty := line(quietColor, 0.7)
		area.StrokeLine2(sty, area.Min.X, y(r.Value), area.Max.X, y(r.Value))
		ends = append(ends, y(r.Value))
	}
	last := x(float64(len(f.Levels) - 1))
	for i, at := range spread(ends, 8.5, area.Min.Y+3, area.Max.Y+6) {
		sty, from := line(quietColor, 0.5), area.Max.X
		if i < len(f.Series) {
			sty, from = line(policyStyle(i).Color, 0.5), last
		}
		to := vg.Point{X: area.Max.X + 12, Y: at}
		area.StrokeLines(sty, []vg.Point{{X: from, Y: ends[i]}, {X: area.Max.X + 2, Y: ends[i]}, {X: to.X - 2, Y: to.Y}})
		write(area, smallText, inkColor, to, text.XLeft, text.YCenter, f.ends()[i])
	}
}
