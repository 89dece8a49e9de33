package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ParetoPoint is one setting under one policy: its two measures, and the
// half-widths of their 95 % intervals; 0 or NaN draws none.
type ParetoPoint struct {
	Label        string // of the setting; "" for none
	X, Y         float64
	XHalf, YHalf float64
	Front        bool // no other point is better in one measure and as good in the other
}

// ParetoSeries is the points of one policy.
type ParetoSeries struct {
	Label  string
	Points []ParetoPoint
}

// ParetoAxis is one measure.
type ParetoAxis struct {
	Label   string // with its unit
	Percent bool   // fractions of one
	More    bool   // more is better; otherwise less is
}

// ParetoFigure is two measures of many settings.
type ParetoFigure struct {
	Title  string
	X, Y   ParetoAxis
	Series []ParetoSeries // at most 5
}

// Pareto draws every point and the Pareto front: what is on the front is
// full, ringed and named, what another point dominates is faint, and a stair
// parts what can be had from what cannot.
func Pareto(f ParetoFigure) (*Figure, error) {
	n := 0
	for _, s := range f.Series {
		for _, p := range s.Points {
			if !finite(p.X, p.Y) || p.XHalf < 0 || p.YHalf < 0 || math.IsInf(p.XHalf, 0) || math.IsInf(p.YHalf, 0) {
				return nil, fmt.Errorf("plots: %s: %s has a point %+v", f.Title, s.Label, p)
			}
			n++
		}
	}
	switch k := len(f.Series); {
	case n == 0:
		return nil, fmt.Errorf("plots: %s: no points to draw", f.Title)
	case k > maxSeries:
		return nil, fmt.Errorf("plots: %s: %d series; at most %d can be told apart", f.Title, k, maxSeries)
	}
	const width = columnWidth - 2*margin
	title := append(wrap(plainText, f.Title, width, 2), fit(plainText, f.Y.text(), width)) // above its axis
	key := newLegend(f.legend(), width)
	return &Figure{
		width:  columnWidth,
		height: 2.4*vg.Inch + key.height() + legendLine*vg.Length(len(title)-1),
		draw:   func(c draw.Canvas) { f.draw(c, title, key) },
	}, nil
}

func (f *ParetoFigure) legend() []entry {
	var list []entry
	for i, s := range f.Series {
		list = append(list, entry{s.Label, func(c draw.Canvas, box vg.Rectangle) { seriesMark(c, centre(box), i) }})
	}
	return append(list, entry{"Pareto front", lineSample(frontStyle)})
}

var frontStyle = line(inkColor, 0.8)

func (f *ParetoFigure) draw(c draw.Canvas, title []string, key legend) {
	p := newPlot()
	f.axis(&p.X, f.X, func(p ParetoPoint) (float64, float64) { return p.X, halfOf(p.XHalf) })
	f.axis(&p.Y, f.Y, func(p ParetoPoint) (float64, float64) { return p.Y, halfOf(p.YHalf) })
	p.X.Label.Text = f.X.text()
	p.Add(lightGrid())
	key.draw(c, c.Min.X, c.Min.Y+key.height())
	area := panels(draw.Crop(c, 0, -8, key.height()+3, 0), [][]*plot.Plot{{p}}, captionRoom(title), 0, 0)[0][0]
	caption(area, c.Min.X, title)
	x, y := p.Transforms(&area)
	at := func(p ParetoPoint) vg.Point { return vg.Point{X: x(p.X), Y: y(p.Y)} }
	f.stair(area, at)
	for _, front := range []bool{false, true} { // the front on top
		for i, s := range slices.Backward(f.Series) {
			for _, p := range s.Points {
				if p.Front == front {
					f.point(area, i, p, at(p), x, y)
				}
			}
		}
	}
	f.names(area, at)
}

// text is the label of an axis, with what is better.
func (a ParetoAxis) text() string {
	if a.More {
		return a.Label + ": more is better"
	}
	return a.Label + ": less is better"
}

// axis shows what the points and their intervals span.
func (f *ParetoFigure) axis(a *plot.Axis, of ParetoAxis, value func(ParetoPoint) (v, half float64)) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range f.Series {
		for _, p := range s.Points {
			v, h := value(p)
			lo, hi = min(lo, v-h), max(hi, v+h)
		}
	}
	pad := 0.08 * (hi - lo)
	if pad == 0 {
		pad = max(0.1*math.Abs(hi), 1e-9)
	}
	if lo -= pad; lo < 0 && lo+pad >= 0 {
		lo = 0
	}
	hi += pad
	if of.Percent {
		percentAxis(a, lo, hi, niceStep((hi-lo)/5))
	} else {
		valueAxis(a, lo, hi, 5)
	}
}

// front is the points on the front, in the order of X.
func (f *ParetoFigure) front() (list []ParetoPoint) {
	for _, s := range f.Series {
		for _, p := range s.Points {
			if p.Front {
				list = append(list, p)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b ParetoPoint) int { return cmp.Compare(a.X, b.X) })
	return list
}

// stair goes from one point of the front to the next through what is reached
// by both: a setting in the corner is dominated by neither.
func (f *ParetoFigure) stair(c draw.Canvas, at func(ParetoPoint) vg.Point) {
	list := f.front()
	if len(list) == 0 {
		return
	}
	worstY, worstX := c.Min.Y, c.Min.X
	if !f.Y.More {
		worstY = c.Max.Y
	}
	if !f.X.More {
		worstX = c.Max.X
	}
	if !f.X.More {
		slices.Reverse(list)
	}
	// From the worst X on, to the worst Y at the end.
	first, last := at(list[0]), at(list[len(list)-1])
	path := []vg.Point{{X: worstX, Y: first.Y}}
	for i, p := range list {
		here := at(p)
		if i > 0 {
			path = append(path, vg.Point{X: at(list[i-1]).X, Y: here.Y})
		}
		path = append(path, here)
	}
	path = append(path, vg.Point{X: last.X, Y: worstY})
	ground := append(slices.Clone(path), vg.Point{X: worstX, Y: worstY})
	c.FillPolygon(through(gridColor, 0x50), ground)
	c.StrokeLines(frontStyle, path)
}

// point draws one point and its intervals.
func (f *ParetoFigure) point(c draw.Canvas, i int, p ParetoPoint, at vg.Point, x, y func(float64) vg.Length) {
	sty := line(through(seriesStyle(i).Color, 0x60), 0.6)
	if h := halfOf(p.XHalf); h > 0 {
		c.StrokeLine2(sty, x(p.X-h), at.Y, x(p.X+h), at.Y)
	}
	if h := halfOf(p.YHalf); h > 0 {
		c.StrokeLine2(sty, at.X, y(p.Y-h), at.X, y(p.Y+h))
	}
	if p.Front {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: inkColor, Radius: 4.4, Shape: draw.CircleGlyph{}}, at)
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: rgb(0xFFFFFF), Radius: 3.7, Shape: draw.CircleGlyph{}}, at)
	}
	seriesMark(c, at, i)
	if !p.Front { // fainter
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: through(rgb(0xFFFFFF), 0x90), Radius: 3.4, Shape: draw.CircleGlyph{}}, at)
	}
}

// names writes the settings of the front beside their points, on the side that
// nothing can be on, as far as they do not touch one another.
func (f *ParetoFigure) names(c draw.Canvas, at func(ParetoPoint) vg.Point) {
	var taken []vg.Rectangle
	for _, p := range f.front() {
		if p.Label == "" {
			continue
		}
		s := fit(smallText, p.Label, 90)
		width := widthOf(smallText, s)
		point := at(p)
		corner := vg.Point{X: point.X + 5, Y: point.Y + 3}
		if !f.X.More {
			corner.X = point.X - 5 - width
		}
		if !f.Y.More {
			corner.Y = point.Y - 3 - smallText
		}
		corner.X = min(max(corner.X, c.Min.X+2), c.Max.X+6-width)
		box := vg.Rectangle{Min: corner, Max: corner.Add(vg.Point{X: width, Y: smallText})}
		if slices.ContainsFunc(taken, func(r vg.Rectangle) bool { return overlap(r, box) }) {
			continue
		}
		taken = append(taken, box)
		write(c, smallText, inkColor, vg.Point{X: corner.X, Y: corner.Y + smallText/2}, text.XLeft, text.YCenter, s)
	}
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}
