package plots

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// seriesStyle is the style of the i-th series: the contender's first, then the
// baseline's.
func seriesStyle(i int) draw.LineStyle { return policyStyle([]int{1, 0, 3, 2, 4}[i%maxSeries]) }

// seriesMark draws the mark of the i-th series.
func seriesMark(c draw.Canvas, at vg.Point, i int) {
	ink := seriesStyle(i).Color
	glyph := draw.GlyphStyle{Color: ink, Radius: 2.4, Shape: draw.CircleGlyph{}}
	switch i % maxSeries {
	case 1:
		c.SetColor(ink)
		c.Fill(box(at, 2.1))
		return
	case 2:
		glyph.Radius, glyph.Shape = 2.9, draw.PyramidGlyph{}
	case 3:
		ring(c, at, ink)
		return
	case 4:
		hollow(c, at, ink)
		return
	}
	c.DrawGlyphNoClip(glyph, at)
}

// referenceStyle is the line of the i-th reference.
func referenceStyle(i int) draw.LineStyle {
	sty := line(quietColor, 0.8)
	sty.Dashes = [][]vg.Length{nil, dashes(5, 2), dashes(1, 1.6)}[i%3]
	return sty
}

// responseLayout is what a figure of responses needs around its data.
type responseLayout struct {
	labels labels // series first, then references
	title  []string
	room   vg.Length // width of the data, about
	shift  vg.Length // sideways, from one series to the next
	every  int       // how many levels a tick label stands for
	tilted bool      // level names
	below  vg.Length // room for tilted names
	left   vg.Length // the same, left of the axis
}

func (f *ResponseFigure) layout() (l responseLayout) {
	const width = columnWidth - 2*margin
	title := f.Title
	if lo, hi := f.span(); !f.YLog && (lo > 0 || hi < 0) {
		title += " (axis not from 0)"
	}
	l.title = wrap(plainText, title, width, 2)
	for _, s := range f.Series {
		l.labels.name(s.Label)
	}
	for i, r := range f.References {
		l.labels.name(f.referenceName(i, r))
	}
	numbers, longest := true, vg.Length(0)
	for _, name := range f.Levels {
		_, err := strconv.ParseFloat(name, 64)
		numbers = numbers && err == nil
		longest = max(longest, widthOf(smallText, name))
	}
	l.room = width - l.labels.width() - 28 // for tick labels of the measure
	apart := l.room / vg.Length(max(len(f.Levels), 1))
	l.shift = 1.8
	if f.Levels != nil {
		l.shift = min(max(l.shift, apart/vg.Length(2*len(f.Series)+2)), 3.2)
	}
	l.every = 1
	if longest+3 > apart {
		if numbers {
			l.every = int(math.Ceil(float64((longest + 3) / apart)))
		} else {
			l.tilted, l.below = true, min(longest, maxTilted)*0.7
			l.left = f.overhang(apart)
			l.room -= l.left
		}
	}
	return l
}

// overhang is how far tilted names reach left of the room for the measure's tick
// labels, when levels are so far apart.
func (f *ResponseFigure) overhang(apart vg.Length) (left vg.Length) {
	const tickLabels = 12 // at least
	for i, name := range f.Levels {
		reach := (widthOf(smallText, fit(smallText, name, maxTilted)) + smallText) * math.Sqrt2 / 2
		left = max(left, reach-vg.Length(i)*apart-tickLabels)
	}
	return left
}

// referenceName says where a reference is that the axis does not show.
func (f *ResponseFigure) referenceName(i int, r Reference) string {
	value := compact(r.Value)
	if f.Percent {
		value = trimFloat(100*r.Value, 1) + " %"
	}
	return r.Label + map[int]string{-1: " (" + value + ", below)", 1: " (" + value + ", above)"}[f.side(i)]
}

// maxTilted is the length of a tilted name.
const maxTilted = vg.Length(60)

// draw draws axes, references, series and names.
func (f *ResponseFigure) draw(c draw.Canvas, l responseLayout) {
	left := c.Min.X
	p := newPlot()
	f.xAxis(&p.X, l)
	cut := f.yAxis(&p.Y)
	p.Add(lightGrid())
	area := panels(draw.Crop(c, l.left, -l.labels.width(), 0, 0), [][]*plot.Plot{{p}}, captionRoom(l.title), 0, 0)[0][0]
	caption(area, left, l.title)
	_, y := p.Transforms(&area)
	if !math.IsNaN(cut) {
		breakAxis(area, y(cut))
	}
	s := &responsePainter{f, area, p, l.shift}
	ends := s.references(l.labels[len(f.Series):])
	for i := range slices.Backward(f.Series) {
		if f.Bands {
			s.band(i)
		}
	}
	for i := range slices.Backward(f.Series) {
		s.series(i)
	}
	names := make([]ending, len(f.Series))
	for i := range f.Series {
		n := len(f.Series[i].Mean) - 1
		lead := line(seriesStyle(i).Color, 0.5)
		lead.Dashes = dashes(0.8, 1.2)
		names[i] = ending{
			l.labels[i], inkColor, s.point(i, n), lead,
			func(c draw.Canvas, at vg.Point) { seriesMark(c, at, i) },
		}
	}
	nameAll(area, l.labels.gap(), append(names, ends...))
}

// responsePainter draws into the data area.
type responsePainter struct {
	*ResponseFigure
	area  draw.Canvas
	p     *plot.Plot
	apart vg.Length // sideways, from one series to the next
}

// height is where a measure lies; what an axis cannot show lies on its floor.
func (s *responsePainter) height(v float64) vg.Length {
	_, y := s.p.Transforms(&s.area)
	return y(max(v, s.p.Y.Min))
}

// point is where the k-th level of the i-th series lies.
func (s *responsePainter) point(i, k int) vg.Point {
	x, _ := s.p.Transforms(&s.area)
	shift := (vg.Length(i) - vg.Length(len(s.Series)-1)/2) * s.apart
	series := &s.Series[i]
	return vg.Point{X: x(series.at(k)) + shift, Y: s.height(series.Mean[k])}
}

// references draws bands and lines across, and returns their names.
func (s *responsePainter) references(names labels) (ends []ending) {
	for i, r := range s.References {
		if h := halfOf(r.Half); h > 0 && s.side(i) == 0 {
			s.area.SetColor(faded(quietColor))
			s.area.Fill(vg.Rectangle{
				Min: vg.Point{X: s.area.Min.X, Y: s.height(r.Value - h)},
				Max: vg.Point{X: s.area.Max.X, Y: s.height(r.Value + h)},
			}.Path())
		}
	}
	for i, r := range s.References {
		end := ending{label: names[i], ink: quietColor, lead: line(quietColor, 0.5)}
		y := s.height(r.Value)
		switch s.side(i) {
		case 0:
			s.area.StrokeLine2(referenceStyle(i), s.area.Min.X, y, s.area.Max.X, y)
		case 1:
			y = s.area.Max.Y - 4
			end.lead = draw.LineStyle{}
		case -1:
			y = s.area.Min.Y + 4
			end.lead = draw.LineStyle{}
		}
		end.from = vg.Point{X: s.area.Max.X, Y: y}
		ends = append(ends, end)
	}
	return ends
}

// series draws one line, its intervals and marks. Steps to and from what lies
// below the break of a logarithmic axis have no slope to show and are faint.
func (s *responsePainter) series(i int) {
	sty, r := seriesStyle(i), &s.Series[i]
	below := func(k int) bool { return s.YLog && r.Mean[k] <= 0 }
	var run []vg.Point
	for k := range r.Mean {
		switch {
		case slices.Contains(s.Groups, k):
			s.area.StrokeLines(sty, run)
			run = nil
		case k > 0 && below(k) != below(k-1):
			s.area.StrokeLines(sty, run)
			s.area.StrokeLines(line(faintColor, 0.8), []vg.Point{s.point(i, k-1), s.point(i, k)})
			run = nil
		}
		run = append(run, s.point(i, k))
	}
	s.area.StrokeLines(sty, run)
	for k := range r.Mean {
		at := s.point(i, k)
		if h := r.half(k); h > 0 && !s.Bands {
			s.interval(at.X, r.Mean[k]-h, r.Mean[k]+h, sty.Color)
		}
		seriesMark(s.area, at, i)
	}
}

// band fills what lies between the ends of the intervals, with an edge that
// shows in grey too.
func (s *responsePainter) band(i int) {
	r := &s.Series[i]
	var upper, lower []vg.Point
	for k, m := range r.Mean {
		x := s.point(i, k).X
		upper = append(upper, vg.Point{X: x, Y: s.height(m + r.half(k))})
		lower = append(lower, vg.Point{X: x, Y: s.height(m - r.half(k))})
	}
	ink := seriesStyle(i).Color
	edge := line(through(ink, 0x90), 0.4)
	s.area.StrokeLines(edge, upper, lower)
	slices.Reverse(lower)
	s.area.FillPolygon(faded(ink), append(upper, lower...))
}

// interval draws a bar with ends; an end that the axis cannot show has none.
func (s *responsePainter) interval(x vg.Length, lo, hi float64, ink color.Color) {
	if hi <= s.p.Y.Min {
		return
	}
	s.area.StrokeLine2(line(ink, 0.9), x, s.height(lo), x, s.height(hi))
	const half = 1.5
	for _, end := range []float64{lo, hi} {
		if end >= s.p.Y.Min {
			s.area.StrokeLine2(line(ink, 0.9), x-half, s.height(end), x+half, s.height(end))
		}
	}
}
