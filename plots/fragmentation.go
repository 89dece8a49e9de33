package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// PlacementCurve is what a placement makes of a cluster while jobs arrive and
// stay. Index x is when x percent of its GPUs have been asked for; values are
// in percent of its GPUs. Published are figures to compare with, nil where
// there are none.
type PlacementCurve struct {
	Label                                       string
	Allocation, Fragmentation                   []float64
	PublishedAllocation, PublishedFragmentation []float64
}

// packedFrom is the load from which placements differ in what they allocate.
const packedFrom = 80

// Fragmentation draws fragmentation, GPUs that are left in pieces too small, and
// allocation, GPUs given to jobs, against the load that has arrived: a line a placement, and rings where
// figures are published. Names say both figures at the end.
func Fragmentation(title string, curves []PlacementCurve) (*Figure, error) {
	if len(curves) == 0 || len(curves) > len(placementStyles) {
		return nil, fmt.Errorf("plots: fragmentation: %d curves; 1 to %d can be told apart", len(curves), len(placementStyles))
	}
	n := len(curves[0].Allocation)
	for _, c := range curves {
		for _, values := range [][]float64{c.Allocation, c.Fragmentation, c.PublishedAllocation, c.PublishedFragmentation} {
			if values != nil && len(values) != n || !finite(values...) {
				return nil, fmt.Errorf("plots: fragmentation: %s: %d finite values, from 0 percent on, are needed", c.Label, n)
			}
		}
		if c.Allocation == nil || c.Fragmentation == nil || n <= packedFrom+1 {
			return nil, fmt.Errorf("plots: fragmentation: %s: allocation and fragmentation to beyond %d percent are needed", c.Label, packedFrom)
		}
	}
	return &Figure{width: pageWidth, height: 2.5 * vg.Inch, draw: func(c draw.Canvas) { drawFragmentation(c, title, curves, n-1) }}, nil
}

// placementStyles are places in policyStyles, the contender's first.
var placementStyles = []int{1, 0, 3, 2, 4, 5, 6}

func placementStyle(i int) draw.LineStyle { return policyStyle(placementStyles[i]) }

func drawFragmentation(c draw.Canvas, title string, curves []PlacementCurve, end int) {
	fragmentation := func(c *PlacementCurve) (ours, theirs []float64) { return c.Fragmentation, c.PublishedFragmentation }
	allocation := func(c *PlacementCurve) (ours, theirs []float64) { return c.Allocation, c.PublishedAllocation }
	left := placementPanel(curves, 0, end, fragmentation)
	right := placementPanel(curves, packedFrom, end, allocation)
	right.X.Min-- // marks stay off the axis
	cut := breakable(&right.Y)
	key := newLegend([]entry{
		{"ours, a line a placement", lineSample(placementStyle(0))},
		{"published", func(c draw.Canvas, box vg.Rectangle) {
			ring(c, vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}, inkColor)
		}},
		{fmt.Sprintf("at the names: allocation at %d %%%s", end, published(curves)), nil},
	}, pageWidth-2*margin)
	key.draw(c, c.Min.X, c.Min.Y+key.height())
	var names labels
	for _, v := range curves {
		names = append(names, []string{v.Label + "  " + endFigures(&v)})
	}
	areas := panels(draw.Crop(c, 0, -names.width(), key.height()+4, -12), [][]*plot.Plot{{left, right}}, 14, 22, 0)[0]
	write(c, titleText, inkColor, vg.Point{X: c.Min.X, Y: c.Max.Y - 1}, text.XLeft, text.YTop, title)
	caption(areas[0], areas[0].Min.X, []string{"fragmentation: GPUs in pieces too small to use (%)"})
	caption(areas[1], areas[1].Min.X, []string{"allocation: GPUs given to jobs (%, axis not from 0)"})
	_, y := right.Transforms(&areas[1])
	breakAxis(areas[1], y(cut))
	markPublished(areas[0], left, curves, 0, 10, fragmentation)
	markPublished(areas[1], right, curves, packedFrom, 5, allocation)
	ends := make([]ending, len(curves))
	for i, v := range curves {
		lead := line(placementStyle(i).Color, 0.5)
		lead.Dashes = dashes(0.8, 1.2)
		ends[i] = ending{label: names[i], ink: inkColor, from: vg.Point{X: areas[1].Max.X, Y: y(v.Allocation[end])}, lead: lead,
			sample: func(c draw.Canvas, at vg.Point) {
				c.StrokeLine2(placementStyle(i), at.X-6, at.Y, at.X+3, at.Y)
			}}
	}
	nameAll(areas[1], names.gap(), ends)
}

// published says how figures are written where some are published.
func published(curves []PlacementCurve) string {
	if slices.ContainsFunc(curves, func(c PlacementCurve) bool { return c.PublishedAllocation != nil }) {
		return ", ours | published"
	}
	return ""
}

// endFigures is the allocation at the end, ours and published.
func endFigures(c *PlacementCurve) string {
	last := len(c.Allocation) - 1
	s := fmt.Sprintf("%.1f", c.Allocation[last])
	if c.PublishedAllocation != nil {
		s += fmt.Sprintf(" | %.1f", c.PublishedAllocation[last])
	}
	return s
}

// placementPanel has the lines of one measure from a load on.
func placementPanel(curves []PlacementCurve, from, end int, of func(*PlacementCurve) (ours, theirs []float64)) *plot.Plot {
	p := newPlot()
	valueAxis(&p.X, float64(from), float64(end), 6)
	p.X.Label.Text = "load arrived (% of GPUs)"
	lo, hi := math.Inf(1), math.Inf(-1)
	lines := make([]plotter.XYs, len(curves))
	for i := range curves {
		ours, theirs := of(&curves[i])
		for x := from; x <= end; x++ {
			lines[i] = append(lines[i], plotter.XY{X: float64(x), Y: ours[x]})
			lo, hi = min(lo, ours[x]), max(hi, ours[x])
			if theirs != nil {
				lo, hi = min(lo, theirs[x]), max(hi, theirs[x])
			}
		}
	}
	lo, hi = airy(lo, hi)
	valueAxis(&p.Y, lo, hi, 5)
	p.Add(lightGrid())
	for i, pts := range slices.Backward(lines) {
		p.Add(curve{&plotter.Line{XYs: pts, LineStyle: placementStyle(i)}})
	}
	return p
}

// markPublished rings the published figures, every so many percent of load.
func markPublished(area draw.Canvas, p *plot.Plot, curves []PlacementCurve, from, every int, of func(*PlacementCurve) (ours, theirs []float64)) {
	x, y := p.Transforms(&area)
	for i := range curves {
		_, theirs := of(&curves[i])
		for k := from; k < len(theirs); k += every {
			ring(area, vg.Point{X: x(float64(k)), Y: y(theirs[k])}, placementStyle(i).Color)
		}
	}
}
