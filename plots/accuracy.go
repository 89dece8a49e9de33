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

// AccuracyRow is how well one thing was forecast, by one or several methods.
// All figures are fractions of one.
type AccuracyRow struct {
	Name   string
	Errors []MethodError // the forecast's own first

	// Coverage is the share of truths at or below the forecast of a quantile;
	// NaN when none is forecast. Low and High are where it lies with a
	// probability of 95 % if the quantile is right.
	Coverage, Low, High float64
}

// MethodError is the mean absolute relative error of one method.
type MethodError struct {
	Method string // the same name has the same mark in every row
	Error  float64
}

const (
	accuracyRow = vg.Length(17) // height
	maxMethods  = 5
)

// Accuracy draws one row a forecast: the errors of the forecast and of what it
// is compared with, on a logarithmic axis, and how often the truth stayed below
// the forecast of a quantile, beside that quantile and the range in which the
// share lies by chance.
func Accuracy(quantile float64, list []AccuracyRow) (*Figure, error) {
	a := accuracy{rows: list, quantile: quantile}
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("plots: accuracy: %w", err)
	}
	return &Figure{
		width:  pageWidth,
		height: accuracyRow*vg.Length(len(list)) + 42 + 2*legendLine + 2*margin,
		draw:   a.draw,
	}, nil
}

// accuracy is the figure; methods are in the order of their marks.
type accuracy struct {
	rows     []AccuracyRow
	methods  []string
	quantile float64
}

func (a *accuracy) check() error {
	if len(a.rows) == 0 {
		return fmt.Errorf("no forecasts to draw")
	}
	if !(a.quantile > 0 && a.quantile < 1) {
		return fmt.Errorf("quantile %v; above 0 and below 1 is needed", a.quantile)
	}
	for _, r := range a.rows {
		if len(r.Errors) == 0 {
			return fmt.Errorf("%q has no errors", r.Name)
		}
		for _, e := range r.Errors {
			if !finite(e.Error) || e.Error <= 0 {
				return fmt.Errorf("%q, %s: an error of %v; above 0 is needed on a logarithmic axis", r.Name, e.Method, e.Error)
			}
			if !slices.Contains(a.methods, e.Method) {
				a.methods = append(a.methods, e.Method)
			}
		}
		if finite(r.Coverage) && !finite(r.Low, r.High) {
			return fmt.Errorf("%q has a coverage of %v and a range from %v to %v", r.Name, r.Coverage, r.Low, r.High)
		}
	}
	if len(a.methods) > maxMethods {
		return fmt.Errorf("%d methods; at most %d can be told apart", len(a.methods), maxMethods)
	}
	return nil
}

func (a *accuracy) draw(c draw.Canvas) {
	names := vg.Length(0)
	for _, r := range a.rows {
		names = max(names, widthOf(plainText, a.name(r)))
	}
	key := newLegend(a.legend(), c.Size().X)
	key.draw(c, c.Min.X, c.Min.Y+key.height())
	body := draw.Crop(c, names+8, 0, key.height()+5, 0)
	errors, coverage := a.errorPlot(), a.coveragePlot()
	areas := panels(body, [][]*plot.Plot{{errors, coverage}}, 15, 15, 0)[0]
	for i, title := range []string{"mean absolute error relative to the truth (log axis)", fmt.Sprintf("truths at or below the %v quantile", a.quantile)} {
		at := vg.Point{X: areas[i].Min.X, Y: areas[i].Max.Y + 4}
		write(c, plainText, quietColor, at, text.XLeft, text.YBottom, title)
	}
	_, y := errors.Transforms(&areas[0])
	for i, r := range a.rows {
		write(c, plainText, inkColor, vg.Point{X: c.Min.X, Y: y(a.y(i))}, text.XLeft, text.YCenter, a.name(r))
	}
}

// y is the height of the i-th row on the axis, the first on top.
func (a *accuracy) y(i int) float64 { return float64(len(a.rows) - 1 - i) }

func (accuracy) name(r AccuracyRow) string { return fit(plainText, r.Name, 130) }

func (a *accuracy) legend() (out []entry) {
	for i, m := range a.methods {
		out = append(out, entry{m, func(c draw.Canvas, box vg.Rectangle) { methodMark(c, i, centre(box)) }})
	}
	return append(out,
		entry{"quantile", func(c draw.Canvas, box vg.Rectangle) {
			mid := centre(box)
			c.StrokeLine2(line(inkColor, 0.9), mid.X, box.Min.Y, mid.X, box.Max.Y)
		}},
		entry{"95 % if it is right", fillSample(gridColor, gridColor)},
	)
}

// methodMark is the mark of the i-th method: the forecast's filled, the others'
// hollow or crossed.
func methodMark(c draw.Canvas, i int, at vg.Point) {
	switch i {
	case 0:
		disc(c, at, allocatorColor)
	case 1:
		ring(c, at, fifoColor)
	case 2:
		hollow(c, at, policyStyles[3].Color)
	default:
		shapes := []draw.GlyphDrawer{draw.CrossGlyph{}, draw.PlusGlyph{}}
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: inkColor, Radius: 2.6, Shape: shapes[(i-3)%len(shapes)]}, at)
	}
}

func (a *accuracy) plot() *plot.Plot {
	p := newPlot()
	p.Y.Min, p.Y.Max = -0.5, float64(len(a.rows))-0.5
	p.HideY()
	return p
}

// errorPlot has room for the numbers left of the marks.
func (a *accuracy) errorPlot() *plot.Plot {
	p := a.plot()
	lo, hi := math.Inf(1), 0.0
	for _, r := range a.rows {
		for _, e := range r.Errors {
			lo, hi = min(lo, e.Error), max(hi, e.Error)
		}
	}
	logAxis(&p.X, roundLog(lo/1.2, false), roundLog(hi*1.2, true), 100)
	p.Add(accuracyErrors{a})
	return p
}

func (a *accuracy) coveragePlot() *plot.Plot {
	p := a.plot()
	lo, hi := a.quantile, a.quantile
	for _, r := range a.rows {
		if finite(r.Coverage) {
			lo, hi = min(lo, r.Coverage, r.Low), max(hi, r.Coverage, r.High)
		}
	}
	const step = 0.05
	percentAxis(&p.X, max(math.Floor(lo/step-0.3)*step, 0), min(math.Ceil(hi/step+0.3)*step, 1), step)
	p.Add(accuracyCoverage{a})
	return p
}

// accuracyErrors draws the errors, from the forecast's to the worst a thin line.
type accuracyErrors struct{ *accuracy }

func (a accuracyErrors) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, t := range p.X.Tick.Marker.Ticks(0, 0) {
		if t.Label != "" {
			c.StrokeLine2(line(gridColor, 0.5), x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
		}
	}
	for i, r := range a.rows {
		mid := y(a.y(i))
		separate(c, i, y(a.y(i)+0.5))
		lo, hi := r.Errors[0].Error, r.Errors[0].Error
		for _, e := range r.Errors {
			lo, hi = min(lo, e.Error), max(hi, e.Error)
		}
		c.StrokeLine2(line(faintColor, 0.8), x(lo), mid, x(hi), mid)
		for k := range r.Errors {
			e := r.Errors[len(r.Errors)-1-k] // the forecast's on top
			methodMark(c, slices.Index(a.methods, e.Method), vg.Point{X: x(e.Error), Y: mid})
		}
		label := inDecimals(100*r.Errors[0].Error, 1)
		write(c, smallText, inkColor, vg.Point{X: x(lo) - 6, Y: mid}, text.XRight, text.YCenter, label)
	}
}

// accuracyCoverage draws the share below the quantile's forecast.
type accuracyCoverage struct{ *accuracy }

func (a accuracyCoverage) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	upright(c, p)
	for i, r := range a.rows {
		mid := y(a.y(i))
		separate(c, i, y(a.y(i)+0.5))
		if !finite(r.Coverage) {
			write(c, smallText, quietColor, vg.Point{X: c.Min.X + 5, Y: mid}, text.XLeft, text.YCenter, "no quantile forecast")
			continue
		}
		c.SetColor(gridColor)
		c.Fill(vg.Rectangle{Min: vg.Point{X: x(r.Low), Y: mid - 4}, Max: vg.Point{X: x(r.High), Y: mid + 4}}.Path())
		c.StrokeLine2(line(inkColor, 0.9), x(a.quantile), mid-5, x(a.quantile), mid+5)
		disc(c, vg.Point{X: x(r.Coverage), Y: mid}, allocatorColor)
		at := vg.Point{X: max(x(r.Coverage)+5, x(r.High)+4), Y: mid}
		write(c, smallText, inkColor, at, text.XLeft, text.YCenter, inDecimals(100*r.Coverage, 1))
	}
}
