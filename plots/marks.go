package plots

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// lineSample is a legend's sample of a line.
func lineSample(sty draw.LineStyle) func(draw.Canvas, vg.Rectangle) {
	return func(c draw.Canvas, box vg.Rectangle) {
		y := (box.Min.Y + box.Max.Y) / 2
		c.StrokeLine2(sty, box.Min.X, y, box.Max.X, y)
	}
}

// fillSample is a legend's sample of a filled, outlined area.
func fillSample(fill, outline color.Color) func(draw.Canvas, vg.Rectangle) {
	return func(c draw.Canvas, box vg.Rectangle) {
		c.SetColor(fill)
		c.Fill(box.Path())
		c.SetLineStyle(line(outline, 0.4))
		c.Stroke(box.Path())
	}
}

// curve is a line without the glyph boxes that would push it off the axes.
type curve struct{ line *plotter.Line }

func (l curve) Plot(c draw.Canvas, p *plot.Plot) { l.line.Plot(c, p) }

// addCurves adds the lines of runs to a plot, the first on top.
func addCurves(p *plot.Plot, lines []plotter.XYs) {
	for i, pts := range slices.Backward(lines) {
		if len(pts) > 0 {
			p.Add(curve{&plotter.Line{XYs: pts, LineStyle: policyStyle(i)}})
		}
	}
}

// lightGrid draws horizontal lines only.
func lightGrid() *plotter.Grid {
	return &plotter.Grid{Horizontal: line(gridColor, 0.5)}
}

// hatchGap is the distance between the lines of a hatching, measured sideways.
const hatchGap = vg.Length(3.6)

// hatch is rising diagonals that fill rectangles. Their phase is that of the
// page and touching pieces are joined, so they run on from one rectangle to
// the next.
func hatch(rects []vg.Rectangle) (path vg.Path) {
	type piece struct{ low, high vg.Length }
	lines := map[int][]piece{} // k → pieces of the line x = y + k·hatchGap, by y
	for _, r := range rects {
		for k := int((r.Min.X-r.Max.Y)/hatchGap) - 1; vg.Length(k)*hatchGap < r.Max.X-r.Min.Y; k++ {
			offset := vg.Length(k) * hatchGap
			low, high := max(r.Min.Y, r.Min.X-offset), min(r.Max.Y, r.Max.X-offset)
			if low < high {
				lines[k] = append(lines[k], piece{low, high})
			}
		}
	}
	for _, k := range sortedKeys(lines) {
		pieces := lines[k]
		slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.low, b.low) })
		offset := vg.Length(k) * hatchGap
		for i := 0; i < len(pieces); {
			p := pieces[i]
			for i++; i < len(pieces) && pieces[i].low <= p.high+0.01; i++ {
				p.high = max(p.high, pieces[i].high)
			}
			path.Move(vg.Point{X: p.low + offset, Y: p.low})
			path.Line(vg.Point{X: p.high + offset, Y: p.high})
		}
	}
	return path
}

// fillHatched draws rectangles of idle reservation.
func fillHatched(c draw.Canvas, rects []vg.Rectangle) {
	c.SetColor(reservedColor)
	c.Fill(paths(rects))
	c.SetLineStyle(line(hatchColor, 0.5))
	c.Stroke(hatch(rects))
}

// reservedSample is a legend's sample of idle reservation.
func reservedSample(c draw.Canvas, box vg.Rectangle) {
	fillHatched(c, []vg.Rectangle{box})
	c.Stroke(box.Path())
}

// paths is one path around all rectangles: filled at once, no seams show.
func paths(rects []vg.Rectangle) (all vg.Path) {
	for _, r := range rects {
		all = append(all, r.Path()...)
	}
	return all
}
