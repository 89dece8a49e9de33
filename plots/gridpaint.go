package plots

import (
	"image/color"
	"slices"

	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// gridPainter fills the data area of one allocation grid.
type gridPainter struct {
	c      draw.Canvas
	window interval
	gpus   int
}

func newGridPainter(c draw.Canvas, p *Panel) *gridPainter {
	return &gridPainter{c, interval{p.From, p.To}, p.GPUs}
}

func (g *gridPainter) x(t sim.Time) vg.Length {
	return g.c.X(float64(t-g.window.from) / float64(g.window.to-g.window.from))
}

func (g *gridPainter) y(gpu int) vg.Length { return g.c.Y(float64(gpu) / float64(g.gpus)) }

func (g *gridPainter) rect(b block) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: g.x(b.from), Y: g.y(b.first)},
		Max: vg.Point{X: g.x(b.to), Y: g.y(b.first + b.n)},
	}
}

// paint draws areas first, then outlines, then labels.
func (g *gridPainter) paint(p *Panel) {
	holders := services(p.Spans.Services, g.window)
	g.markDomains(p.DomainSize)
	for _, h := range holders {
		g.fill(serviceColor, g.rects(h.all.blocks()))
	}
	for _, h := range holders {
		fillHatched(g.c, g.rects(h.idle.blocks()))
		g.outlineService(h)
	}
	jobs := g.jobBlocks(p.Spans.Jobs)
	for _, k := range sim.Kinds() {
		g.fill(KindColor(k), g.rects(jobs[k]))
	}
	g.outlineJobs(jobs)
	for _, h := range holders {
		g.labelService(h)
	}
	g.labelJobs(p.Spans.Jobs)
	if len(p.Spans.Jobs)+len(p.Spans.Services) == 0 {
		write(g.c, plainText, quietColor, g.c.Center(), text.XCenter, text.YCenter, "nothing was held")
	}
	g.c.SetLineStyle(line(quietColor, 0.5))
	g.c.Stroke(g.c.Rectangle.Path())
}

func (g *gridPainter) fill(ink color.Color, rects []vg.Rectangle) {
	if len(rects) > 0 {
		g.c.SetColor(ink)
		g.c.Fill(paths(rects))
	}
}

func (g *gridPainter) rects(blocks []block) []vg.Rectangle {
	out := make([]vg.Rectangle, len(blocks))
	for i, b := range blocks {
		out[i] = g.rect(b)
	}
	return out
}

// blockOf is a range of a job's GPUs, cut to the window; it may be empty.
func (g *gridPainter) blockOf(s *metrics.JobSpan, r hardware.Range) block {
	return block{r.First, r.N, interval{max(s.Start, g.window.from), min(s.End, g.window.to)}}
}

func (g *gridPainter) jobBlocks(spans []metrics.JobSpan) map[sim.Kind][]block {
	out := map[sim.Kind][]block{}
	for i := range spans {
		for _, r := range spans[i].GPUs {
			if b := g.blockOf(&spans[i], r); b.from < b.to {
				out[spans[i].Kind] = append(out[spans[i].Kind], b)
			}
		}
	}
	return out
}

func (g *gridPainter) outlineService(h held) {
	var border vg.Path
	for _, e := range h.all.outline() {
		border.Move(vg.Point{X: g.x(e.t1), Y: g.y(e.gpu1)})
		border.Line(vg.Point{X: g.x(e.t2), Y: g.y(e.gpu2)})
	}
	g.c.SetLineStyle(line(inkColor, 0.5))
	g.c.Stroke(border)
}

// outlined is the least extent of a rectangle that gets an outline: round
// smaller ones there would be more outline than colour.
const outlined = vg.Length(2.5)

func (g *gridPainter) outlineJobs(jobs map[sim.Kind][]block) {
	var border vg.Path
	for _, k := range sim.Kinds() {
		for _, r := range g.rects(jobs[k]) {
			if min(r.Size().X, r.Size().Y) >= outlined {
				border = append(border, r.Path()...)
			}
		}
	}
	g.c.SetLineStyle(line(inkColor, 0.5))
	g.c.Stroke(border)
}

// markDomains draws the borders of link domains where GPUs are idle, as long as they are not so
// dense that they would hide the data.
func (g *gridPainter) markDomains(size int) {
	if size <= 0 || g.y(size)-g.y(0) < 5 {
		return
	}
	sty := draw.LineStyle{Color: faintColor, Width: 0.5, Dashes: dashes(2, 2)}
	for gpu := size; gpu < g.gpus; gpu += size {
		g.c.StrokeLine2(sty, g.c.Min.X, g.y(gpu), g.c.Max.X, g.y(gpu))
	}
}

// labelService writes a service's name in the longest block it used.
func (g *gridPainter) labelService(h held) {
	used := rows{}
	for gpu, all := range h.all {
		if len(h.idle[gpu]) == 0 {
			used[gpu] = all
		}
	}
	var best block
	for _, b := range used.blocks() {
		if b.to-b.from > best.to-best.from {
			best = b
		}
	}
	if best.n > 0 {
		g.label(best, serviceColor, h.name)
	}
}

// labelJobs writes into each job's largest block what fits.
func (g *gridPainter) labelJobs(spans []metrics.JobSpan) {
	equal := !prioritiesDiffer(spans)
	for i := range spans {
		s := &spans[i]
		var best block
		for _, r := range s.GPUs {
			if b := g.blockOf(s, r); b.from < b.to && b.n > best.n {
				best = b
			}
		}
		if best.n == 0 {
			continue
		}
		p := "p" + compact(s.Priority)
		if equal {
			g.label(best, KindColor(s.Kind), s.Label)
		} else {
			g.label(best, KindColor(s.Kind), s.Label+"·"+p, p)
		}
	}
}

func prioritiesDiffer(spans []metrics.JobSpan) bool {
	return slices.ContainsFunc(spans, func(s metrics.JobSpan) bool { return s.Priority != spans[0].Priority })
}

// label writes the first of the words that fits into a block.
func (g *gridPainter) label(b block, ground color.Color, words ...string) {
	r := g.rect(b)
	if r.Size().Y < smallText+1.5 {
		return
	}
	for _, w := range words {
		if widthOf(smallText, w) <= r.Size().X-3 {
			mid := vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}
			write(g.c, smallText, InkOn(ground), mid, text.XCenter, text.YCenter, w)
			return
		}
	}
}
