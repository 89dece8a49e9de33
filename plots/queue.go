package plots

import (
	"fmt"

	"berth/sim"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// QueueLength draws how many jobs wait over time, one line a run, with the
// means in the legend. Long runs are shown as means over 1/240 of the time.
func QueueLength(series []Course) (*Figure, error) {
	end, err := checkCourses("queue length", series)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for i, s := range series {
		label := fmt.Sprintf("%s (mean %s)", fit(smallText, s.Label, 90), compact(mean(s.slices(), waiting)))
		entries = append(entries, entry{label, lineSample(policyStyle(i))})
	}
	key := newLegend(entries, columnWidth-2*margin)
	return &Figure{
		width:  columnWidth,
		height: 1.9*vg.Inch + key.height(),
		draw: func(c draw.Canvas) {
			key.draw(c, c.Min.X, c.Min.Y+key.height())
			drawQueues(draw.Crop(c, 0, 0, key.height()+4, 0), series, end)
		},
	}, nil
}

func waiting(m slice) float64 { return m.Waiting }

func drawQueues(c draw.Canvas, series []Course, end sim.Time) {
	p := newPlot()
	u := timeAxis(&p.X, 0, end, 7)
	p.Add(lightGrid())
	top := 1.0
	lines := make([]plotter.XYs, len(series))
	for i, s := range series {
		lines[i] = steps(u, s.slices(), waiting)
		for _, q := range lines[i] {
			top = max(top, q.Y)
		}
	}
	addCurves(p, lines)
	valueAxis(&p.Y, 0, top*1.03, 5)
	area := panels(c, [][]*plot.Plot{{p}}, 14, 0, 0)[0][0]
	write(area, plainText, quietColor, vg.Point{X: c.Min.X, Y: area.Max.Y + 6}, text.XLeft, text.YBottom, "jobs waiting")
}
