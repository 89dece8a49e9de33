package plots

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"time"

	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panel is one allocation grid.
type Panel struct {
	Title      string // the policy's name
	Subtitle   string // a few numbers, such as the utilization; may be empty
	GPUs       int    // of the cluster
	DomainSize int    // GPUs in a link domain, whose borders are marked; 0 marks none
	Spans      *metrics.Spans
	From, To   sim.Time // the window shown; To = 0 means the end of the last span
}

// AllocationGrids draws who held which GPU when, one grid a panel, two side by
// side, with colours and a legend in common: GPUs upwards in physical order,
// time to the right. A job is one outlined rectangle for each contiguous range
// of its GPUs, labelled "name·p4" (p is the priority, left out when all are
// equal) or "p4"; on large clusters, outlines and labels are left out where
// they would not fit. GPUs that a service holds beyond its
// demand are hatched; GPUs that nobody holds are white.
func AllocationGrids(in []Panel) (*Figure, error) {
	list := slices.Clone(in)
	for i := range list {
		if err := list[i].complete(); err != nil {
			return nil, fmt.Errorf("plots: allocation grids: panel %q %w", list[i].Title, err)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("plots: allocation grids: no panels to draw")
	}
	columns := min(len(list), 2)
	lines := (len(list) + columns - 1) / columns
	heading := vg.Length(13)
	gpus := 0
	for _, p := range list {
		gpus = max(gpus, p.GPUs)
		if p.Subtitle != "" {
			heading = 23
		}
	}
	key := newLegend(gridLegend(list), pageWidth-2*margin-legendIndent)
	data := min(max(vg.Length(gpus)*11, 120), 240)
	return &Figure{
		width:  pageWidth,
		height: vg.Length(lines)*(heading+data+34) + key.height() + 2*margin,
		draw: func(c draw.Canvas) {
			key.draw(c, c.Min.X+legendIndent, c.Min.Y+key.height())
			drawGrids(draw.Crop(c, 0, 0, key.height()+5, 0), list, columns, heading)
		},
	}, nil
}

// complete checks a panel and fills in its window.
func (p *Panel) complete() error {
	switch {
	case p.GPUs <= 0:
		return fmt.Errorf("has %d GPUs; at least 1 is needed", p.GPUs)
	case p.Spans == nil:
		return fmt.Errorf("has no spans")
	}
	end := sim.Time(0)
	for i := range p.Spans.Jobs {
		s := &p.Spans.Jobs[i]
		if !within(s.GPUs, p.GPUs) {
			return fmt.Errorf("has %d GPUs, but job %s held %s", p.GPUs, s.Label, hardware.FormatRanges(s.GPUs))
		}
		end = max(end, s.End)
	}
	for i := range p.Spans.Services {
		s := &p.Spans.Services[i]
		if !within(s.GPUs, p.GPUs) {
			return fmt.Errorf("has %d GPUs, but service %s held %s", p.GPUs, s.Service, hardware.FormatRanges(s.GPUs))
		}
		end = max(end, s.End)
	}
	if p.To == 0 {
		if p.To = end; end <= p.From {
			p.To = p.From + time.Hour // nothing ran
		}
	}
	if p.To <= p.From {
		return fmt.Errorf("shows the time from %v to %v; the end must be later", p.From, p.To)
	}
	if p.Spans.Truncated {
		p.Subtitle += fmt.Sprintf(" (the first %d spans only)", len(p.Spans.Jobs)+len(p.Spans.Services))
	}
	return nil
}

// within reports whether all ranges lie on a cluster.
func within(ranges []hardware.Range, gpus int) bool {
	for _, r := range ranges {
		if r.First < 0 || r.N < 0 || r.End() > gpus {
			return false
		}
	}
	return true
}

// legendIndent sets the legend of the grids below the data.
const legendIndent = vg.Length(18)

// gridLegend lists what occurs in any of the panels.
func gridLegend(list []Panel) (out []entry) {
	kinds := map[sim.Kind]bool{}
	service, reserved := false, false
	for _, p := range list {
		for _, s := range p.Spans.Jobs {
			kinds[s.Kind] = true
		}
		for _, s := range p.Spans.Services {
			service = service || len(s.GPUs) > 0
			reserved = reserved || len(beyond(s.GPUs, s.Wanted)) > 0
		}
	}
	for _, k := range sim.Kinds() {
		if kinds[k] {
			out = append(out, entry{kindLabel(k), fillSample(KindColor(k), inkColor)})
		}
	}
	if service {
		out = append(out, entry{"real-time service", fillSample(serviceColor, inkColor)})
	}
	if reserved {
		out = append(out, entry{"reserved, idle", reservedSample})
	}
	out = append(out, entry{"idle", fillSample(color.White, quietColor)})
	if slices.ContainsFunc(list, func(p Panel) bool { return prioritiesDiffer(p.Spans.Jobs) }) {
		out = append(out, entry{"p: priority", nil})
	}
	return out
}

func drawGrids(c draw.Canvas, list []Panel, columns int, heading vg.Length) {
	grid := make([][]*plot.Plot, (len(list)+columns-1)/columns)
	for i := range grid {
		grid[i] = make([]*plot.Plot, columns)
	}
	for i := range list {
		grid[i/columns][i%columns] = list[i].axes(i%columns > 0 && list[i].GPUs == list[i-1].GPUs)
	}
	areas := panels(c, grid, heading, 10, 6)
	for i := range list {
		p, area := &list[i], areas[i/columns][i%columns]
		top := area.Max.Y + 4
		if p.Subtitle != "" {
			write(area, plainText, quietColor, vg.Point{X: area.Min.X, Y: top}, text.XLeft, text.YBottom,
				fit(plainText, p.Subtitle, area.Size().X))
			top += 10
		}
		write(area, titleText, inkColor, vg.Point{X: area.Min.X, Y: top}, text.XLeft, text.YBottom,
			fit(titleText, p.Title, area.Size().X))
		newGridPainter(area, p).paint(p)
	}
}

// axes are those of a panel; a panel whose neighbour to the left has the same
// GPUs shares its labels.
func (p *Panel) axes(shared bool) *plot.Plot {
	a := newPlot()
	a.X.Width, a.Y.Width = 0, 0 // the painter draws a frame
	timeAxis(&a.X, p.From, p.To, 7)
	a.Y.Min, a.Y.Max = 0, float64(p.GPUs)
	step := 1
	for p.GPUs/step > 8 {
		step *= 2
	}
	ticks := plot.ConstantTicks{}
	for g := 0; g < p.GPUs; g += step {
		t := plot.Tick{Value: float64(g) + 0.5, Label: strconv.Itoa(g)}
		if shared {
			t.Label = ""
		}
		ticks = append(ticks, t)
	}
	a.Y.Tick.Marker = ticks
	if !shared {
		a.Y.Label.Text = "GPU"
	}
	return a
}
