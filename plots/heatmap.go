package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// HeatAxis is one of the two settings of a heat map.
type HeatAxis struct {
	Label  string   // in words, with its unit
	Levels []string // by name, in order: from the left, or from below
}

// HeatPanel is one map.
type HeatPanel struct {
	Title string
	Mean  [][]float64 // [y][x]; NaN where there is none
}

// HeatMap is a measure over two settings, a map a policy, all of one scale.
type HeatMap struct {
	Title      string // the measure and its unit
	X, Y       HeatAxis
	Panels     []HeatPanel
	Percent    bool // measures are fractions of one
	Difference bool // measures are differences: 0 is white, and what is below it is hatched
	Better     int  // 1: the most of a panel is outlined; −1: the least; 0: neither
}

// maxPanels is how many maps a page has room for.
const maxPanels = 6

// Heat draws a map a panel: cells from light to dark as the measure grows, with
// their numbers where these have room.
func Heat(f HeatMap) (*Figure, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	l := f.layout()
	return &Figure{width: l.width, height: l.height, draw: func(c draw.Canvas) { f.draw(c, l) }}, nil
}

func (f *HeatMap) check() error {
	switch n := len(f.Panels); {
	case n == 0 || len(f.X.Levels) == 0 || len(f.Y.Levels) == 0:
		return fmt.Errorf("plots: %s: a heat map of %d panels, %d × %d levels", f.Title, n, len(f.X.Levels), len(f.Y.Levels))
	case n > maxPanels:
		return fmt.Errorf("plots: %s: %d maps; at most %d find room", f.Title, n, maxPanels)
	}
	for _, p := range f.Panels {
		if len(p.Mean) != len(f.Y.Levels) {
			return fmt.Errorf("plots: %s: %q has %d rows for %d levels", f.Title, p.Title, len(p.Mean), len(f.Y.Levels))
		}
		for _, row := range p.Mean {
			if len(row) != len(f.X.Levels) {
				return fmt.Errorf("plots: %s: %q has %d cells for %d levels", f.Title, p.Title, len(row), len(f.X.Levels))
			}
			for _, v := range row {
				if math.IsInf(v, 0) {
					return fmt.Errorf("plots: %s: %q has a cell of %v", f.Title, p.Title, v)
				}
			}
		}
	}
	if lo, hi := f.span(); lo > hi {
		return fmt.Errorf("plots: %s: no cell has a value", f.Title)
	}
	return nil
}

// span is the range of all panels.
func (f *HeatMap) span() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, p := range f.Panels {
		for _, row := range p.Mean {
			for _, v := range row {
				if !math.IsNaN(v) {
					lo, hi = min(lo, v), max(hi, v)
				}
			}
		}
	}
	return lo, hi
}

// scale is the range of the colours: around 0 for differences.
func (f *HeatMap) scale() (lo, hi float64) {
	lo, hi = f.span()
	if f.Difference {
		most := max(math.Abs(lo), math.Abs(hi))
		lo, hi = -most, most
	}
	if lo == hi {
		pad := max(0.1*math.Abs(lo), 1e-9)
		lo, hi = lo-pad, hi+pad
	}
	return lo, hi
}

// best are the cells (x, y) of a panel to outline: those with its best mean.
func (f *HeatMap) best(p HeatPanel) (cells [][2]int) {
	best := math.Inf(-1)
	for y, row := range p.Mean {
		for x, v := range row {
			switch s := float64(f.Better) * v; {
			case f.Better == 0 || math.IsNaN(v) || s < best:
			case s > best:
				best, cells = s, [][2]int{{x, y}}
			default:
				cells = append(cells, [2]int{x, y})
			}
		}
	}
	return cells
}

// heatLayout is sizes, and which labels there is room for.
type heatLayout struct {
	width, height vg.Length
	columns       int
	title         []string
	rowWidth      vg.Length // of the names of rows
	cell          vg.Point
	numbers       bool
	everyX        int // how many columns a tick label stands for
	everyY        int
}

const (
	heatGap  = vg.Length(14) // between maps
	heatHead = vg.Length(13) // title of a map
	heatFoot = vg.Length(22) // names and label of the columns
	heatBar  = vg.Length(26) // the scale below
)

func (f *HeatMap) layout() (l heatLayout) {
	l.columns, l.width = 1, columnWidth
	if n := len(f.Panels); n > 1 {
		l.columns, l.width = min(n, 3), pageWidth
		if n == 4 {
			l.columns = 2
		}
	}
	rows := vg.Length((len(f.Panels) + l.columns - 1) / l.columns)
	title := f.Title
	if f.Percent {
		title += ", in per cent"
		if f.Difference {
			title = f.Title + ", in points of per cent"
		}
	}
	l.title = wrap(plainText, title, l.width-2*margin, 2)
	for _, name := range f.Y.Levels {
		l.rowWidth = max(l.rowWidth, widthOf(smallText, fit(smallText, name, 48)))
	}
	l.rowWidth += 4
	room := l.width - 2*margin - 12 - l.rowWidth - heatGap*vg.Length(l.columns-1) // 12: the label of the rows
	l.cell.X = room / vg.Length(l.columns*len(f.X.Levels))
	l.cell.Y = min(max(l.cell.X*0.62, 8), 26, 170/vg.Length(len(f.Y.Levels)))
	widest := vg.Length(0)
	for _, p := range f.Panels {
		for _, row := range p.Mean {
			for _, v := range row {
				widest = max(widest, widthOf(smallText, f.number(v)))
			}
		}
	}
	l.numbers = widest+3 <= l.cell.X && l.cell.Y >= 9
	longest := vg.Length(0)
	for _, name := range f.X.Levels {
		longest = max(longest, widthOf(smallText, name))
	}
	l.everyX = max(1, int(math.Ceil(float64((longest+3)/l.cell.X))))
	l.everyY = max(1, int(math.Ceil(float64(8.5/l.cell.Y))))
	l.height = captionRoom(l.title) + rows*(heatHead+heatFoot+l.cell.Y*vg.Length(len(f.Y.Levels))) + heatBar + 2*margin
	return l
}
