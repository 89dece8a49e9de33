package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// HourSeries is the mean utilization in every hour of a window, as fractions of
// GPU-time, and the half-widths of the 95 % intervals; a Half of 0 or NaN, or
// no Half at all, draws none.
type HourSeries struct {
	Label      string
	Mean, Half []float64 // equally many hours in every series
}

// tailHours is how many hours count as the end of a window.
const tailHours = 3

// ByHour draws utilization by hour as a staircase a series, with bands for the
// intervals. Beside each name stands what its last three hours have more or
// less than the hours before, in points of per cent; a line marks where they
// begin. The axis says which hours these are.
func ByHour(title, axis string, series []HourSeries) (*Figure, error) {
	if err := checkHours(title, series); err != nil {
		return nil, err
	}
	f := newHourFigure(title, axis, series)
	return &Figure{
		width:  columnWidth,
		height: max(2.3*vg.Inch, f.names.height()+50) + legendLine*vg.Length(len(f.title)-1),
		draw:   f.draw,
	}, nil
}

// hourFigure is series with what their drawing needs.
type hourFigure struct {
	title  []string // lines
	axis   string
	series []HourSeries
	names  labels
	lo, hi float64 // of the axis
	most   float64 // that an interval may reach
}

func newHourFigure(title, axis string, series []HourSeries) *hourFigure {
	f := &hourFigure{axis: axis, series: series, most: 1}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range series {
		s := &series[i]
		for h, m := range s.Mean {
			f.most = max(f.most, m)
			lo, hi = min(lo, m-s.half(h)), max(hi, m+s.half(h))
		}
		f.names.name(s.Label)
		if tail := s.tail(); tail != "" {
			f.names[i] = append(f.names[i], tail)
		}
	}
	f.lo, f.hi = airy(lo, hi)
	f.hi = min(f.hi, f.most+0.02*(f.most-f.lo))
	if f.lo > 0 {
		title += " (axis not from 0)"
	}
	f.title = wrap(plainText, title, columnWidth-2*margin, 2)
	return f
}

func checkHours(title string, series []HourSeries) error {
	switch n := len(series); {
	case n == 0:
		return fmt.Errorf("plots: %s: no series to draw", title)
	case n > maxSeries:
		return fmt.Errorf("plots: %s: %d series; at most %d can be told apart", title, n, maxSeries)
	}
	hours := len(series[0].Mean)
	if hours == 0 {
		return fmt.Errorf("plots: %s: series %q has no hours", title, series[0].Label)
	}
	for _, s := range series {
		if len(s.Mean) != hours || (s.Half != nil && len(s.Half) != hours) || !finite(s.Mean...) {
			return fmt.Errorf("plots: %s: series %q has %d means and %d intervals for %d hours; one finite mean each is needed",
				title, s.Label, len(s.Mean), len(s.Half), hours)
		}
		for _, h := range s.Half {
			if h < 0 || math.IsInf(h, 0) {
				return fmt.Errorf("plots: %s: series %q has an interval of half-width %v", title, s.Label, h)
			}
		}
	}
	return nil
}

// half is the half-width to draw in an hour, 0 for none.
func (s *HourSeries) half(hour int) float64 {
	if s.Half == nil {
		return 0
	}
	return halfOf(s.Half[hour])
}

// tail compares the last hours with those before, if there are enough.
func (s *HourSeries) tail() string {
	start := len(s.Mean) - tailHours
	if start < tailHours {
		return ""
	}
	mean := func(list []float64) (m float64) {
		for _, v := range list {
			m += v / float64(len(list))
		}
		return m
	}
	points := trimFloat(100*(mean(s.Mean[start:])-mean(s.Mean[:start])), 1)
	if points[0] >= '1' && points[0] <= '9' || points[0] == '0' && len(points) > 1 {
		points = "+" + points
	}
	return fmt.Sprintf("last %d h %s pts", tailHours, points)
}

func (f *hourFigure) draw(c draw.Canvas) {
	p, cut := f.plot()
	area := panels(draw.Crop(c, 0, -f.names.width(), 0, 0), [][]*plot.Plot{{p}}, captionRoom(f.title), 0, 0)[0][0]
	caption(area, c.Min.X, f.title)
	x, y := p.Transforms(&area)
	if f.lo > 0 {
		breakAxis(area, y(cut))
	}
	if hours := len(f.series[0].Mean); hours >= 2*tailHours {
		at := x(float64(hours - tailHours))
		area.StrokeLine2(draw.LineStyle{Color: quietColor, Width: 0.6, Dashes: dashes(1, 2)}, at, area.Min.Y, at, area.Max.Y)
	}
	top := func(v float64) vg.Length { return y(min(v, f.most)) }
	for i := range slices.Backward(f.series) {
		area.SetColor(faded(seriesStyle(i).Color))
		area.Fill(f.series[i].band(x, top))
	}
	ends := make([]ending, len(f.series))
	for i := range slices.Backward(f.series) {
		sty, stairs := seriesStyle(i), f.series[i].stairs(x, y, 0)
		area.StrokeLines(sty, stairs)
		ends[i] = ending{f.names[i], inkColor, stairs[len(stairs)-1], line(sty.Color, 0.5), strokeSample(sty)}
	}
	nameAll(area, f.names.gap(), ends)
}

// plot has the axes, and reports where the vertical one is to be broken.
func (f *hourFigure) plot() (p *plot.Plot, cut float64) {
	p = newPlot()
	hours := float64(len(f.series[0].Mean))
	p.X.Label.Text = f.axis
	p.X.Min, p.X.Max = 0, hours
	step := 1.0
	for _, s := range []float64{1, 2, 3, 6, 12, 24, 48} {
		if step = s; hours <= 8*s {
			break
		}
	}
	p.X.Tick.Marker = ticksEvery(0, hours, step, compact)
	percentAxis(&p.Y, f.lo, f.hi, niceStep((f.hi-f.lo)/6))
	if f.lo > 0 {
		cut = breakable(&p.Y)
	}
	p.Add(lightGrid())
	return p, cut
}

// strokeSample is a piece of a line beside a name.
func strokeSample(sty draw.LineStyle) func(draw.Canvas, vg.Point) {
	return func(c draw.Canvas, at vg.Point) { c.StrokeLine2(sty, at.X-3, at.Y, at.X+3, at.Y) }
}

// stairs are the corners of the means plus a multiple of their half-widths.
func (s *HourSeries) stairs(x, y func(float64) vg.Length, halves float64) (pts []vg.Point) {
	for h, m := range s.Mean {
		v := y(m + halves*s.half(h))
		pts = append(pts, vg.Point{X: x(float64(h)), Y: v}, vg.Point{X: x(float64(h + 1)), Y: v})
	}
	return pts
}

// band is the area within the intervals.
func (s *HourSeries) band(x, y func(float64) vg.Length) (path vg.Path) {
	upper, lower := s.stairs(x, y, 1), s.stairs(x, y, -1)
	slices.Reverse(lower)
	for i, at := range append(upper, lower...) {
		if i == 0 {
			path.Move(at)
		} else {
			path.Line(at)
		}
	}
	path.Close()
	return path
}
