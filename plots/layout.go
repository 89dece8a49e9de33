package plots

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// write draws a line of text in place: the alignments say which part of it lies
// on the point. Up and down, what counts is the height of a capital.
func write(c draw.Canvas, size vg.Length, ink color.Color, at vg.Point, ax text.XAlignment, ay text.YAlignment, s string) {
	sty := textStyle(size, ink)
	sty.XAlign = ax
	const capital = 0.69
	ascent := sty.FontExtents().Ascent // the handler puts the baseline at size − ascent
	at.Y += vg.Length(ay)*capital*size - (size - ascent)
	c.FillText(sty, at, s)
}

// widthOf is the width of a line of text.
func widthOf(size vg.Length, s string) vg.Length { return textStyle(size, nil).Width(s) }

// fit shortens a text to a width, with an ellipsis.
func fit(size vg.Length, s string, width vg.Length) string {
	if widthOf(size, s) <= width {
		return s
	}
	letters := []rune(s)
	for n := len(letters) - 1; n > 0; n-- {
		if short := string(letters[:n]) + "…"; widthOf(size, short) <= width {
			return short
		}
	}
	return ""
}

// entry is one item of a legend: a sample drawn into a box, if any, and a word.
type entry struct {
	label  string
	sample func(c draw.Canvas, box vg.Rectangle)
}

const (
	legendLine   = vg.Length(11) // height
	legendSample = vg.Length(14) // width
	legendGap    = vg.Length(10) // between entries
)

// legend is entries laid out in lines.
type legend struct {
	lines [][]entry
	width vg.Length // of a column; 0 when there is but one line
}

// newLegend breaks entries into lines that fit a width: one line if possible,
// otherwise columns.
func newLegend(entries []entry, width vg.Length) legend {
	total, widest := -legendGap, vg.Length(0)
	for _, e := range entries {
		total += e.width() + legendGap
		widest = max(widest, e.width())
	}
	if total <= width {
		return legend{lines: [][]entry{entries}}
	}
	columns := max(int((width+legendGap)/(widest+legendGap)), 1)
	return legend{slices.Collect(slices.Chunk(entries, columns)), widest + legendGap}
}

func (e entry) width() vg.Length {
	w := widthOf(smallText, e.label)
	if e.sample != nil {
		w += legendSample + 3
	}
	return w
}

func (l legend) height() vg.Length { return legendLine * vg.Length(len(l.lines)) }

// draw draws the lines from a top left corner downwards.
func (l legend) draw(c draw.Canvas, x, top vg.Length) {
	for i, row := range l.lines {
		mid := top - (vg.Length(i)+0.5)*legendLine
		at := x
		for _, e := range row {
			word := vg.Point{X: at + e.width() - widthOf(smallText, e.label), Y: mid}
			if e.sample != nil {
				e.sample(c, vg.Rectangle{
					Min: vg.Point{X: at, Y: mid - 3.5}, Max: vg.Point{X: at + legendSample, Y: mid + 3.5},
				})
			}
			write(c, smallText, inkColor, word, text.XLeft, text.YCenter, e.label)
			at += cmp.Or(l.width, e.width()+legendGap)
		}
	}
}

// spread moves label positions apart until they are at least gap from one
// another, as little as possible and keeping their order, and then into
// [lo, hi]. The result is in the order of ys.
func spread(ys []vg.Length, gap, lo, hi vg.Length) []vg.Length {
	order := make([]int, len(ys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(ys[a], ys[b]), b-a) // of equals, the first ends on top
	})
	// With i·gap taken off, "apart" becomes "not descending": pool what is.
	type pool struct {
		sum vg.Length
		n   int
	}
	mean := func(p pool) vg.Length { return p.sum / vg.Length(p.n) }
	var pools []pool
	for i, k := range order {
		p := pool{ys[k] - vg.Length(i)*gap, 1}
		for n := len(pools); n > 0 && mean(pools[n-1]) > mean(p); n-- {
			p = pool{p.sum + pools[n-1].sum, p.n + pools[n-1].n}
			pools = pools[:n-1]
		}
		pools = append(pools, p)
	}
	out := make([]vg.Length, len(ys))
	i := 0
	for _, p := range pools {
		at := min(max(mean(p), lo), hi-vg.Length(len(ys)-1)*gap)
		for range p.n {
			out[order[i]] = at + vg.Length(i)*gap
			i++
		}
	}
	return out
}

// panels lays plots out in rows and columns with aligned data areas, draws
// them, and returns the data area of each. Entries may be nil. Headings get
// the given room above every plot.
func panels(c draw.Canvas, grid [][]*plot.Plot, heading, gapX, gapY vg.Length) [][]draw.Canvas {
	tiles := draw.Tiles{
		Rows: len(grid), Cols: len(grid[0]),
		PadTop: heading, PadX: gapX, PadY: heading + gapY,
	}
	areas := plot.Align(grid, tiles, c)
	for j, row := range grid {
		for i, p := range row {
			if p == nil {
				continue
			}
			p.Draw(areas[j][i])
			areas[j][i] = p.DataCanvas(areas[j][i])
		}
	}
	return areas
}
