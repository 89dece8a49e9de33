package plots

import (
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	endGap   = vg.Length(15) // from the data to the names
	endWidth = vg.Length(72) // of a name
	endLine  = vg.Length(8.2)
)

// ending is a name right of the data, led to where its line ends.
type ending struct {
	label  []string // lines
	ink    color.Color
	from   vg.Point
	lead   draw.LineStyle
	sample func(c draw.Canvas, at vg.Point) // a mark beside the name, if any
}

// labels are names of one or two lines each, as they stand above one another.
type labels [][]string

// name adds a name, broken to fit.
func (l *labels) name(s string) { *l = append(*l, wrap(smallText, s, endWidth, 2)) }

// gap is the distance of one name from the next.
func (l labels) gap() vg.Length {
	lines := 1
	for _, name := range l {
		lines = max(lines, len(name))
	}
	return endLine*vg.Length(lines) + 0.6
}

func (l labels) height() vg.Length { return l.gap() * vg.Length(len(l)) }

// width is the room that names take right of the data.
func (l labels) width() (right vg.Length) {
	for _, name := range l {
		for _, s := range name {
			right = max(right, widthOf(smallText, s))
		}
	}
	return right + endGap
}

// nameAll writes the names as near to their lines' ends as they can be without
// touching.
func nameAll(area draw.Canvas, gap vg.Length, list []ending) {
	ys := make([]vg.Length, len(list))
	for i, e := range list {
		ys[i] = e.from.Y
	}
	for i, y := range spread(ys, gap, area.Min.Y+gap/2-endLine/2, area.Max.Y+1) {
		e := list[i]
		end := area.Max.X + endGap - 2
		if e.sample != nil {
			end -= 6
		}
		area.StrokeLines(e.lead, []vg.Point{e.from, {X: area.Max.X + 1, Y: e.from.Y}, {X: end, Y: y}})
		if e.sample != nil {
			e.sample(area, vg.Point{X: area.Max.X + endGap - 6, Y: y})
		}
		for k, s := range e.label {
			at := vg.Point{X: area.Max.X + endGap, Y: y + (vg.Length(len(e.label)-1)/2-vg.Length(k))*endLine}
			write(area, smallText, e.ink, at, text.XLeft, text.YCenter, s)
		}
	}
}

// wrap breaks a text at spaces into at most n lines of a width; what does not
// fit is cut.
func wrap(size vg.Length, s string, width vg.Length, n int) (lines []string) {
	words := strings.Fields(s)
	for len(words) > 0 && len(lines) < n-1 {
		k := 1
		for k < len(words) && widthOf(size, strings.Join(words[:k+1], " ")) <= width {
			k++
		}
		lines = append(lines, fit(size, strings.Join(words[:k], " "), width))
		words = words[k:]
	}
	if len(words) > 0 {
		lines = append(lines, fit(size, strings.Join(words, " "), width))
	}
	return lines
}

// captionRoom is the heading that a caption needs.
func captionRoom(lines []string) vg.Length { return 16 + legendLine*vg.Length(len(lines)-1) }

// caption writes lines of text above the data, from the left.
func caption(area draw.Canvas, left vg.Length, lines []string) {
	for i, s := range lines {
		at := vg.Point{X: left, Y: area.Max.Y + 8 + legendLine*vg.Length(len(lines)-1-i)}
		write(area, plainText, quietColor, at, text.XLeft, text.YBottom, s)
	}
}

// breakable takes the ticks off an axis where it is to be broken, and reports
// where that is.
func breakable(a *plot.Axis) (cut float64) {
	span := a.Max - a.Min
	ticks := plot.ConstantTicks{}
	for _, t := range a.Tick.Marker.Ticks(0, 0) {
		if t.Value >= a.Min+0.07*span {
			ticks = append(ticks, t)
		}
	}
	a.Tick.Marker = ticks
	return a.Min + 0.035*span
}

// breakAxis cuts the vertical axis a little above the data's lower edge, to say
// that it does not go on like this down to 0.
func breakAxis(area draw.Canvas, y vg.Length) {
	x := area.Min.X
	area.StrokeLine2(line(color.White, 2.5), x, y-1.1, x, y+1.1)
	for _, mid := range []vg.Length{y - 1.3, y + 1.3} {
		area.StrokeLine2(line(quietColor, 0.6), x-2.6, mid-1, x+2.6, mid+1)
	}
}
