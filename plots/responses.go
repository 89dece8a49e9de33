package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Response is one measure at every level of a factor, with the half-widths of
// its 95 % intervals; a Half of 0 or NaN, or no Half at all, draws none.
type Response struct {
	Label      string
	X          []float64 // the levels, ascending, in a figure without Levels
	Mean, Half []float64
}

// Reference is a level to compare with, drawn as a thin line across. Half is
// the half-width of its 95 % interval, drawn as a band; 0 or NaN draws none.
type Reference struct {
	Label       string
	Value, Half float64
}

// ResponseFigure is a measure against a factor. Named Levels stand side by side
// at equal distances, whatever their values; without Levels, each series says
// at which X it was measured.
type ResponseFigure struct {
	Title      string // the measure and its unit
	Factor     string // what the levels are, and their unit
	Levels     []string
	Groups     []int      // levels at which another group begins; lines end before them
	Series     []Response // at most 5
	References []Reference
	Percent    bool // measures are fractions of one
	XLog, YLog bool // logarithmic axes; XLog needs X
	Bands      bool // intervals are bands along the lines; needs X
}

// maxSeries is how many lines can be told apart without colour.
const maxSeries = 5

// Responses draws a line a series, with intervals, and names each at its end.
// Series are moved sideways by a point or two, so that none hides another. The
// measure's axis starts at 0 if the data come near it; otherwise the title says
// that it does not and the axis is broken. A reference so far off that the
// series would be flattened is not drawn: its name says its value and on which
// side of the axis it lies. On a logarithmic axis what is not above 0 stands
// below a break.
func Responses(f ResponseFigure) (*Figure, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	l := f.layout()
	return &Figure{
		width:  columnWidth,
		height: max(2.3*vg.Inch, l.labels.height()+50) + l.below + legendLine*vg.Length(len(l.title)-1),
		draw:   func(c draw.Canvas) { f.draw(c, l) },
	}, nil
}

// check says what makes the figure impossible to draw.
func (f *ResponseFigure) check() error {
	switch n := len(f.Series); {
	case n == 0:
		return fmt.Errorf("plots: %s: no series to draw", f.Title)
	case n > maxSeries:
		return fmt.Errorf("plots: %s: %d series; at most %d can be told apart", f.Title, n, maxSeries)
	case f.Bands && f.Levels != nil:
		return fmt.Errorf("plots: %s: named levels have nothing between them for bands to fill; give each series its X", f.Title)
	case f.XLog && f.Levels != nil:
		return fmt.Errorf("plots: %s: named levels have no logarithms; give each series its X", f.Title)
	}
	for i := range f.Series {
		if err := f.checkSeries(&f.Series[i]); err != nil {
			return fmt.Errorf("plots: %s: series %q %w", f.Title, f.Series[i].Label, err)
		}
	}
	for _, r := range f.References {
		if !finite(r.Value) || r.Half < 0 || math.IsInf(r.Half, 0) {
			return fmt.Errorf("plots: %s: reference %q is %v ± %v", f.Title, r.Label, r.Value, r.Half)
		}
	}
	if f.YLog && !(f.least() < math.Inf(1)) {
		return fmt.Errorf("plots: %s: nothing is above 0, so a logarithmic axis has no range", f.Title)
	}
	return nil
}

func (f *ResponseFigure) checkSeries(s *Response) error {
	n := len(f.Levels)
	switch {
	case n > 0 && s.X != nil:
		return fmt.Errorf("has X though the levels have names")
	case n == 0:
		n = len(s.X)
	}
	if n == 0 {
		return fmt.Errorf("has no levels")
	}
	if len(s.Mean) != n || (s.Half != nil && len(s.Half) != n) || !finite(s.Mean...) {
		return fmt.Errorf("has %d means and %d intervals for %d levels; one finite mean each is needed",
			len(s.Mean), len(s.Half), n)
	}
	for _, h := range s.Half {
		if h < 0 || math.IsInf(h, 0) {
			return fmt.Errorf("has an interval of half-width %v", h)
		}
	}
	for i, x := range s.X {
		if !finite(x) || (f.XLog && x <= 0) || (i > 0 && x <= s.X[i-1]) {
			return fmt.Errorf("has X %v; ascending, and above 0 on a logarithmic axis, is needed", s.X)
		}
	}
	return nil
}

// at is where the k-th level lies on the axis.
func (s *Response) at(k int) float64 {
	if s.X != nil {
		return s.X[k]
	}
	return float64(k)
}

// half is the half-width to draw at the k-th level, 0 for none.
func (s *Response) half(k int) float64 {
	if s.Half == nil {
		return 0
	}
	return halfOf(s.Half[k])
}

func halfOf(h float64) float64 {
	if math.IsNaN(h) {
		return 0
	}
	return h
}

// each visits every measure and reference with its half-width.
func (f *ResponseFigure) each(visit func(value, half float64)) {
	for i := range f.Series {
		for k, m := range f.Series[i].Mean {
			visit(m, f.Series[i].half(k))
		}
	}
	for _, r := range f.References {
		visit(r.Value, halfOf(r.Half))
	}
}

// span is the range of the measure that a linear axis shows.
func (f *ResponseFigure) span() (lo, hi float64) {
	lo, hi = f.seriesSpan()
	for i, r := range f.References {
		if f.side(i) == 0 {
			h := halfOf(r.Half)
			lo, hi = min(lo, r.Value-h), max(hi, r.Value+h)
		}
	}
	return airy(lo, hi)
}

func (f *ResponseFigure) seriesSpan() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := range f.Series {
		for k, m := range f.Series[i].Mean {
			h := f.Series[i].half(k)
			lo, hi = min(lo, m-h), max(hi, m+h)
		}
	}
	return lo, hi
}

// side says whether a reference is off the axis: −1 below, 1 above, 0 not. It
// is when it lies further from the series than one and a half of their range.
func (f *ResponseFigure) side(i int) int {
	lo, hi := f.seriesSpan()
	room, v := 1.5*(hi-lo), f.References[i].Value
	switch {
	case f.YLog || room == 0:
		return 0
	case v < lo-room && lo > 0 && lo > hi/2: // otherwise the axis starts at 0
		return -1
	case v > hi+room:
		return 1
	}
	return 0
}

// airy widens a range a little, or down to 0 when that is near.
func airy(lo, hi float64) (float64, float64) {
	if air := hi - lo; air <= 1e-9*max(math.Abs(lo), math.Abs(hi)) { // all alike
		air = 0.1 * math.Abs(hi)
		if hi == 0 {
			air = 1
		}
		return lo - min(air, max(lo, 0)), hi + air
	}
	if lo >= 0 && lo < hi/2 {
		return 0, 1.05 * hi
	}
	pad := 0.05 * (hi - lo)
	return lo - pad, hi + pad
}

// least is the least positive measure: what a logarithmic axis starts from. An
// interval may reach below it, to a tenth of its measure at most.
func (f *ResponseFigure) least() float64 {
	least := math.Inf(1)
	f.each(func(v, h float64) {
		if v > 0 {
			least = min(least, max(v-h, v/10))
		}
	})
	return least
}
