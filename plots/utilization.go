package plots

import (
	"fmt"
	"image/color"

	"berth/sim"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// UtilizationOverTime draws what share of the GPUs was working, and what share
// was held by services beyond their demand, over time: one strip a run, with
// the means beside its name. Long runs are shown as means over 1/240 of the
// time.
func UtilizationOverTime(series []Course) (*Figure, error) {
	end, err := checkCourses("utilization over time", series)
	if err != nil {
		return nil, err
	}
	const heading, gap = 13, 3
	strip := vg.Length(66)
	if len(series) > 3 {
		strip = 50
	}
	key := newLegend([]entry{
		{"serving demand", fillSample(serviceColor, inkColor)},
		{"running jobs", fillSample(workColor, inkColor)},
		{"held, idle", reservedSample},
		{"idle", fillSample(color.White, quietColor)},
	}, columnWidth-2*margin)
	return &Figure{
		width:  columnWidth,
		height: vg.Length(len(series))*(strip+heading+gap) + 24 + key.height() + 2*margin,
		draw: func(c draw.Canvas) {
			key.draw(c, c.Min.X, c.Min.Y+key.height())
			drawStrips(draw.Crop(c, 0, 0, key.height()+4, 0), series, end, heading, gap)
		},
	}, nil
}

func drawStrips(c draw.Canvas, series []Course, end sim.Time, heading, gap vg.Length) {
	grid := make([][]*plot.Plot, len(series))
	for i, s := range series {
		p := newPlot()
		u := timeAxis(&p.X, 0, end, 7)
		percentAxis(&p.Y, 0, 1, 0.5)
		if i < len(series)-1 { // the last strip's axis serves all
			p.X.Label.Text = ""
			p.X.Tick.Marker = unlabelled(p.X.Tick.Marker)
		}
		p.Add(&shares{s, u})
		grid[i] = []*plot.Plot{p}
	}
	areas := panels(c, grid, heading, 0, gap)
	for i, s := range series {
		area, all := areas[i][0], s.slices()
		at := vg.Point{X: area.Min.X, Y: area.Max.Y + 4}
		numbers := fmt.Sprintf("%s working, %s held idle",
			percent(mean(all, s.working)), percent(mean(all, s.heldIdle)))
		write(area, plainText, quietColor, vg.Point{X: area.Max.X, Y: at.Y}, text.XRight, text.YBottom, numbers)
		room := area.Size().X - widthOf(plainText, numbers) - 6
		write(area, titleText, inkColor, at, text.XLeft, text.YBottom, fit(titleText, s.Label, room))
	}
}

// unlabelled keeps the ticks and drops their labels.
func unlabelled(t plot.Ticker) plot.ConstantTicks {
	out := plot.ConstantTicks{}
	for _, tick := range t.Ticks(0, 0) {
		out = append(out, plot.Tick{Value: tick.Value})
	}
	return out
}

// working and heldIdle are shares of the GPUs.
func (s Course) working(m slice) float64  { return (m.Served + m.Batch) / float64(s.GPUs) }
func (s Course) heldIdle(m slice) float64 { return m.ReservedIdle / float64(s.GPUs) }
func (s Course) serving(m slice) float64  { return m.Served / float64(s.GPUs) }

// shares is a plotter of stacked areas: serving, jobs, held idle.
type shares struct {
	Course
	u timeUnit
}

func (s *shares) Plot(c draw.Canvas, p *plot.Plot) {
	all := s.slices()
	x, y := p.Transforms(&c)
	area := func(m slice, lo, hi float64) vg.Rectangle {
		return vg.Rectangle{
			Min: vg.Point{X: x(s.u.of(m.from)), Y: y(min(lo, 1))},
			Max: vg.Point{X: x(s.u.of(m.to)), Y: y(min(hi, 1))},
		}
	}
	var serving, working, idle []vg.Rectangle
	for _, m := range all {
		serving = append(serving, area(m, 0, s.serving(m)))
		working = append(working, area(m, 0, s.working(m)))
		idle = append(idle, area(m, s.working(m), s.working(m)+s.heldIdle(m)))
	}
	fillHatched(c, idle)
	c.SetColor(workColor)
	c.Fill(paths(working))
	c.SetColor(serviceColor) // over the part of work that it is
	c.Fill(paths(serving))
	s.stroke(c, p, all)
}

// stroke draws the upper border of what works.
func (s *shares) stroke(c draw.Canvas, p *plot.Plot, all []slice) {
	x, y := p.Transforms(&c)
	var pts []vg.Point
	for _, q := range steps(s.u, all, s.working) {
		pts = append(pts, vg.Point{X: x(q.X), Y: y(min(q.Y, 1))})
	}
	c.StrokeLines(line(inkColor, 0.8), pts)
}
