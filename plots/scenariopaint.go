package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	fifoColor      = policyStyles[0].Color
	allocatorColor = policyStyles[1].Color
	gainColor      = rgb(0x8FAACB) // the allocator's, lighter
)

// lane is how far measured marks sit above, and published ones below, the
// middle of a row.
const lane = vg.Length(3.8)

func scenarioLegend(list []ScenarioRow) []entry {
	published, intervals := false, false
	for _, r := range list {
		intervals = intervals || r.half() > 0
		published = published || finite(r.PublishedFifo) || finite(r.PublishedAllocator) || finite(r.PublishedGain)
	}
	out := []entry{
		{"FIFO", func(c draw.Canvas, box vg.Rectangle) { disc(c, centre(box), fifoColor) }},
		{"allocator", func(c draw.Canvas, box vg.Rectangle) { square(c, centre(box), allocatorColor) }},
	}
	if intervals {
		out = append(out, entry{"95 % interval of the gain", lineSample(line(allocatorColor, 1))})
	}
	if published {
		out = append(out, entry{"published", func(c draw.Canvas, box vg.Rectangle) {
			at := centre(box)
			ring(c, vg.Point{X: at.X - 4, Y: at.Y}, fifoColor)
			hollow(c, vg.Point{X: at.X + 4, Y: at.Y}, allocatorColor)
		}})
	}
	return out
}

func centre(box vg.Rectangle) vg.Point {
	return vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
}

func disc(c draw.Canvas, at vg.Point, ink color.Color) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: ink, Radius: dotRadius, Shape: draw.CircleGlyph{}}, at)
}

func box(at vg.Point, half vg.Length) vg.Path {
	return vg.Rectangle{
		Min: vg.Point{X: at.X - half, Y: at.Y - half}, Max: vg.Point{X: at.X + half, Y: at.Y + half},
	}.Path()
}

func square(c draw.Canvas, at vg.Point, ink color.Color) {
	c.SetColor(ink)
	c.Fill(box(at, 2.5))
}

func ring(c draw.Canvas, at vg.Point, ink color.Color) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: 2.8, Shape: draw.CircleGlyph{}}, at)
	var p vg.Path
	p.Move(vg.Point{X: at.X + 2.8, Y: at.Y})
	p.Arc(at, 2.8, 0, 2*math.Pi)
	p.Close()
	c.SetLineStyle(line(ink, 0.9))
	c.Stroke(p)
}

func hollow(c draw.Canvas, at vg.Point, ink color.Color) {
	c.SetColor(color.White)
	c.Fill(box(at, 1.9))
	c.SetLineStyle(line(ink, 0.9))
	c.Stroke(box(at, 1.9))
}

// dumbbells draws utilization: FIFO and the allocator, joined.
type dumbbells []ScenarioRow

func (d dumbbells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	upright(c, p)
	for i, r := range d {
		mid := y(rowOf(d, i))
		separate(c, i, y(rowOf(d, i)+0.5))
		up, down := mid+lane, mid-lane-1
		fifo, alloc := vg.Point{X: x(r.Fifo), Y: up}, vg.Point{X: x(r.Allocator), Y: up}
		c.StrokeLine2(line(faintColor, 2.2), fifo.X, up, alloc.X, up)
		disc(c, fifo, fifoColor)
		square(c, alloc, allocatorColor)
		d.label(c, fifo, alloc, r)
		if finite(r.PublishedFifo, r.PublishedAllocator) {
			c.StrokeLine2(line(faintColor, 0.8), x(r.PublishedFifo), down, x(r.PublishedAllocator), down)
		}
		if finite(r.PublishedFifo) {
			ring(c, vg.Point{X: x(r.PublishedFifo), Y: down}, fifoColor)
		}
		if finite(r.PublishedAllocator) {
			hollow(c, vg.Point{X: x(r.PublishedAllocator), Y: down}, allocatorColor)
		}
	}
}

// label writes both numbers outside of the pair.
func (dumbbells) label(c draw.Canvas, fifo, alloc vg.Point, r ScenarioRow) {
	left, right := text.XRight, text.XLeft
	const off = 6
	fifo.X, alloc.X = fifo.X-off, alloc.X+off
	if r.Allocator < r.Fifo {
		left, right = right, left
		fifo.X, alloc.X = fifo.X+2*off, alloc.X-2*off
	}
	write(c, smallText, inkColor, fifo, left, text.YCenter, inDecimals(100*r.Fifo, 1))
	write(c, smallText, inkColor, alloc, right, text.YCenter, inDecimals(100*r.Allocator, 1))
}

// upright draws a grid of vertical lines at the ticks.
func upright(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(line(gridColor, 0.5), x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
	}
}

// gains draws the gain in value: a bar from zero, its interval, the number.
type gains []ScenarioRow

func (g gains) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	upright(c, p)
	zero := x(0)
	for i, r := range g {
		mid := y(rowOf(g, i))
		separate(c, i, y(rowOf(g, i)+0.5))
		up, down := mid+lane, mid-lane-1
		end := x(r.ValueGain)
		bar := vg.Rectangle{Min: vg.Point{X: min(zero, end), Y: up - 3.5}, Max: vg.Point{X: max(zero, end), Y: up + 3.5}}
		c.SetColor(gainColor)
		c.Fill(bar.Path())
		c.StrokeLine2(line(allocatorColor, 1.6), end, up-3.5, end, up+3.5)
		half := r.half()
		lo, hi := x(r.ValueGain-half), x(r.ValueGain+half)
		c.StrokeLine2(line(allocatorColor, 1), lo, up, hi, up)
		at, side := vg.Point{X: max(hi, zero) + 5, Y: up}, text.XLeft
		if r.ValueGain < 0 {
			at.X, side = min(lo, zero)-5, text.XRight
		}
		write(c, smallText, inkColor, at, side, text.YCenter, signed(r.ValueGain))
		if finite(r.PublishedGain) {
			c.StrokeLine2(line(faintColor, 0.8), zero, down, x(r.PublishedGain), down)
			hollow(c, vg.Point{X: x(r.PublishedGain), Y: down}, allocatorColor)
			at := vg.Point{X: max(x(r.PublishedGain), zero) + 5, Y: down}
			write(c, smallText, quietColor, at, text.XLeft, text.YCenter, signed(r.PublishedGain))
		}
	}
	c.StrokeLine2(line(quietColor, 0.7), zero, c.Min.Y, zero, c.Max.Y)
}

// separate draws the line above a row, except the first.
func separate(c draw.Canvas, row int, top vg.Length) {
	if row > 0 {
		c.StrokeLine2(line(gridColor, 0.5), c.Min.X, top, c.Max.X, top)
	}
}
