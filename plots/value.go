package plots

import (
	"berth/sim"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// CumulativeValue draws the value gained since the start, in priority ×
// GPU-hours, against time: one line a run, named at its end.
func CumulativeValue(series []Course) (*Figure, error) {
	end, err := checkCourses("cumulative value", series)
	if err != nil {
		return nil, err
	}
	var right vg.Length
	labels := make([]string, len(series))
	for i, s := range series {
		labels[i] = fit(smallText, s.Label, 62) + " " + compact(totalValue(s))
		right = max(right, widthOf(smallText, labels[i]))
	}
	return &Figure{
		width:  columnWidth,
		height: 2.3 * vg.Inch,
		draw: func(c draw.Canvas) {
			drawValues(draw.Crop(c, 0, -right-13, 0, 0), series, labels, end)
		},
	}, nil
}

func totalValue(s Course) (total float64) {
	for _, b := range s.Timeline.Bins {
		total += b.Value
	}
	return total
}

func drawValues(c draw.Canvas, series []Course, labels []string, end sim.Time) {
	p := newPlot()
	u := timeAxis(&p.X, 0, end, 7)
	top := 0.0
	for _, s := range series {
		top = max(top, totalValue(s))
	}
	if top == 0 {
		top = 1
	}
	valueAxis(&p.Y, 0, top*1.03, 5)
	p.Add(lightGrid())
	lines := make([]plotter.XYs, len(series))
	for i, s := range series {
		lines[i] = accumulated(u, s)
	}
	addCurves(p, lines)
	area := panels(c, [][]*plot.Plot{{p}}, 14, 0, 0)[0][0]
	write(area, plainText, quietColor, vg.Point{X: c.Min.X, Y: area.Max.Y + 6}, text.XLeft, text.YBottom,
		"value so far (priority × GPU-hours)")
	nameEnds(area, p, series, labels, u)
}

// accumulated is the running sum of the value at the end of each slice.
func accumulated(u timeUnit, s Course) plotter.XYs {
	pts := plotter.XYs{{}}
	sum := 0.0
	for _, m := range s.slices() {
		sum += m.Value
		pts = append(pts, plotter.XY{X: u.of(m.to), Y: sum})
	}
	return pts
}

// nameEnds writes each label right of the data, level with its line's end or
// led to it.
func nameEnds(area draw.Canvas, p *plot.Plot, series []Course, labels []string, u timeUnit) {
	x, y := p.Transforms(&area)
	ends := make([]vg.Length, len(series))
	for i, s := range series {
		ends[i] = y(totalValue(s))
	}
	places := spread(ends, 8.5, area.Min.Y+3, area.Max.Y+6)
	for i, s := range series {
		sty := policyStyle(i)
		at := vg.Point{X: area.Max.X + 12, Y: places[i]}
		area.StrokeLines(line(sty.Color, 0.5), []vg.Point{
			{X: x(u.of(s.Timeline.End)), Y: ends[i]}, {X: area.Max.X + 2, Y: ends[i]}, {X: at.X - 2, Y: at.Y},
		})
		write(area, smallText, inkColor, at, text.XLeft, text.YCenter, labels[i])
	}
}
