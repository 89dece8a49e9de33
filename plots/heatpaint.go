package plots

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Grounds of cells, from low to high. Lightness falls evenly from the first to
// the last; for differences it falls from the middle to both ends.
var (
	heatColors       = []color.NRGBA{rgb(0xF4F8FC), rgb(0x9CCBEB), rgb(0x4A90C8), rgb(0x004488)}
	differenceColors = []color.NRGBA{rgb(0xD9730D), rgb(0xF6C99B), rgb(0xFFFFFF), rgb(0x9CCBEB), rgb(0x1F62A5)}
)

// heatColor is the ground at a share 0 … 1 of the scale.
func heatColor(colors []color.NRGBA, share float64) color.NRGBA {
	at := min(max(share, 0), 1) * float64(len(colors)-1)
	i := min(int(at), len(colors)-2)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (at-float64(i))*(float64(b)-float64(a)))) }
	a, b := colors[i], colors[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

func (f *HeatMap) ground(v float64) color.NRGBA {
	lo, hi := f.scale()
	colors := heatColors
	if f.Difference {
		colors = differenceColors
	}
	return heatColor(colors, (v-lo)/(hi-lo))
}

// number writes a measure in as many digits as tell cells apart.
func (f *HeatMap) number(v float64) string {
	lo, hi := f.span()
	unit := 1.0
	if f.Percent {
		unit = 100
	}
	decimals := decimalsOf(max((hi-lo)*unit/50, 1e-6))
	s := strconv.FormatFloat(math.Abs(unit*v), 'f', decimals, 64)
	zero := strings.Trim(s, "0.") == ""
	if v < 0 && !zero {
		s = "−" + s
	}
	if most := unit * max(math.Abs(lo), math.Abs(hi)); most >= 1e4 {
		s = compact(unit * v)
	}
	if f.Difference && !zero && v > 0 {
		s = "+" + s
	}
	return s
}

func (f *HeatMap) draw(c draw.Canvas, l heatLayout) {
	for i, s := range l.title {
		at := vg.Point{X: c.Min.X, Y: c.Max.Y - 8 - legendLine*vg.Length(i)}
		write(c, plainText, quietColor, at, text.XLeft, text.YBottom, s)
	}
	top := c.Max.Y - captionRoom(l.title)
	size := vg.Point{X: l.cell.X * vg.Length(len(f.X.Levels)), Y: l.cell.Y * vg.Length(len(f.Y.Levels))}
	left := c.Min.X + 12 + l.rowWidth
	for i, p := range f.Panels {
		row, column := vg.Length(i/l.columns), vg.Length(i%l.columns)
		corner := vg.Point{X: left + column*(size.X+heatGap), Y: top - heatHead - size.Y - row*(heatHead+heatFoot+size.Y)}
		area := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: corner, Max: corner.Add(size)}}
		f.panel(area, p, l, column == 0)
		if column == 0 {
			sty := textStyle(plainText, quietColor)
			sty.Rotation, sty.XAlign, sty.YAlign = math.Pi/2, text.XCenter, text.YTop
			c.FillText(sty, vg.Point{X: c.Min.X, Y: (area.Min.Y + area.Max.Y) / 2}, fit(plainText, f.Y.Label, size.Y+heatHead+heatFoot))
		}
	}
	f.bar(draw.Crop(c, 12+l.rowWidth, 0, 0, 0))
}

// panel draws the cells of one map, its names, and its title.
func (f *HeatMap) panel(c draw.Canvas, p HeatPanel, l heatLayout, rows bool) {
	cell := func(x, y int) vg.Rectangle {
		low := vg.Point{X: c.Min.X + l.cell.X*vg.Length(x), Y: c.Min.Y + l.cell.Y*vg.Length(y)}
		return vg.Rectangle{Min: low, Max: low.Add(l.cell)}
	}
	for y, row := range p.Mean {
		for x, v := range row {
			f.cell(c, cell(x, y), v, l.numbers)
		}
	}
	c.SetLineStyle(line(quietColor, 0.5))
	c.Stroke(c.Rectangle.Path())
	for _, at := range f.best(p) {
		c.SetLineStyle(line(inkColor, 1.6))
		c.Stroke(cell(at[0], at[1]).Path())
	}
	for x := 0; x < len(f.X.Levels); x += l.everyX {
		at := vg.Point{X: (cell(x, 0).Min.X + cell(x, 0).Max.X) / 2, Y: c.Min.Y - 3}
		write(c, smallText, inkColor, at, text.XCenter, text.YTop, fit(smallText, f.X.Levels[x], l.cell.X*vg.Length(l.everyX)))
	}
	for y := 0; rows && y < len(f.Y.Levels); y += l.everyY {
		at := vg.Point{X: c.Min.X - 4, Y: (cell(0, y).Min.Y + cell(0, y).Max.Y) / 2}
		write(c, smallText, inkColor, at, text.XRight, text.YCenter, fit(smallText, f.Y.Levels[y], 48))
	}
	mid := (c.Min.X + c.Max.X) / 2
	write(c, plainText, quietColor, vg.Point{X: mid, Y: c.Min.Y - 13}, text.XCenter, text.YTop, fit(plainText, f.X.Label, c.Size().X))
	write(c, plainText, inkColor, vg.Point{X: c.Min.X, Y: c.Max.Y + 4}, text.XLeft, text.YBottom, fit(plainText, p.Title, c.Size().X))
}

// cell draws one cell; one without a value is crossed out.
func (f *HeatMap) cell(c draw.Canvas, at vg.Rectangle, v float64, number bool) {
	if math.IsNaN(v) {
		c.StrokeLine2(line(faintColor, 0.5), at.Min.X, at.Min.Y, at.Max.X, at.Max.Y)
		c.StrokeLine2(line(faintColor, 0.5), at.Min.X, at.Max.Y, at.Max.X, at.Min.Y)
		return
	}
	ground := f.ground(v)
	c.SetColor(ground)
	c.Fill(at.Path())
	if f.Difference && v < 0 {
		c.SetLineStyle(line(through(rgb(0x8A4300), 0x60), 0.35))
		c.Stroke(hatch([]vg.Rectangle{at}))
	}
	if number {
		write(c, smallText, InkOn(ground), centre(at), text.XCenter, text.YCenter, f.number(v))
	}
}

// bar draws the scale, from its low end to its high one.
func (f *HeatMap) bar(c draw.Canvas) {
	lo, hi := f.scale()
	const steps, height = 60, 6
	width := min(c.Size().X, 150)
	low := vg.Point{X: c.Min.X, Y: c.Min.Y + 10}
	for i := range steps {
		x := low.X + width*vg.Length(i)/steps
		v := lo + (hi-lo)*(float64(i)+0.5)/steps
		c.SetColor(f.ground(v))
		c.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: low.Y}, Max: vg.Point{X: x + width/steps + 0.2, Y: low.Y + height}}.Path())
	}
	frame := vg.Rectangle{Min: low, Max: vg.Point{X: low.X + width, Y: low.Y + height}}
	if f.Difference {
		half := frame
		half.Max.X = low.X + width/2
		c.SetLineStyle(line(through(rgb(0x8A4300), 0x60), 0.35))
		c.Stroke(hatch([]vg.Rectangle{half}))
	}
	c.SetLineStyle(line(quietColor, 0.5))
	c.Stroke(frame.Path())
	var a plot.Axis
	if f.Percent {
		percentAxis(&a, lo, hi, niceStep((hi-lo)/5))
	} else {
		valueAxis(&a, lo, hi, 5)
	}
	for _, t := range a.Tick.Marker.Ticks(lo, hi) {
		x := low.X + width*vg.Length((t.Value-lo)/(hi-lo))
		c.StrokeLine2(line(quietColor, 0.5), x, low.Y, x, low.Y-2)
		write(c, smallText, inkColor, vg.Point{X: x, Y: low.Y - 3.5}, text.XCenter, text.YTop, t.Label)
	}
	if f.Better != 0 {
		x := frame.Max.X + 14
		box := vg.Rectangle{Min: vg.Point{X: x, Y: low.Y - 0.5}, Max: vg.Point{X: x + 10, Y: low.Y + height + 0.5}}
		c.SetLineStyle(line(inkColor, 1.6))
		c.Stroke(box.Path())
		write(c, smallText, inkColor, vg.Point{X: x + 14, Y: low.Y + height/2}, text.XLeft, text.YCenter, "best")
	}
}
