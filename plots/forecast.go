package plots

import (
	"fmt"
	"math"

	"berth/sim"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Track is one service over time, in GPUs by step: what its traffic asked for,
// what the forecast had said, and what it held.
type Track struct {
	Service      string
	From         sim.Time // start of the first step, since the run's start
	Step         sim.Time // length of every step
	Demand, Held []float64
	Forecast     []float64 // NaN where there was none
	Low, High    []float64 // a band of quantiles, NaN where there was none; nil for no band
	Band         string    // what the band is, such as "10 to 90 % quantiles"
}

// Colours of a track: GPUs held, their border, and unmet demand, dark enough to
// stand out in greyscale.
var (
	heldColor     = rgb(0xDDF0E9)
	heldEdgeColor = rgb(0x35B38A)
	shortColor    = rgb(0x8C1040)
)

// ForecastTrack draws the GPUs held as an area, the demand and its forecast as
// lines, and unmet demand as a dark area, repeated as a mark above the data
// where it would be easy to miss. The heading counts unmet demand and GPUs held
// beyond it in GPU-hours.
func ForecastTrack(t Track) (*Figure, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	key := newLegend(t.legend(), pageWidth-2*margin)
	return &Figure{
		width:  pageWidth,
		height: 2.1*vg.Inch + key.height(),
		draw: func(c draw.Canvas) {
			key.draw(c, c.Min.X, c.Min.Y+key.height())
			t.draw(draw.Crop(c, 0, 0, key.height()+4, 0))
		},
	}, nil
}

func (t *Track) check() error {
	n := len(t.Demand)
	switch {
	case n == 0:
		return fmt.Errorf("plots: forecast of %q: no steps to draw", t.Service)
	case t.Step <= 0:
		return fmt.Errorf("plots: forecast of %q: steps of length %v", t.Service, t.Step)
	case len(t.Held) != n || len(t.Forecast) != n:
		return fmt.Errorf("plots: forecast of %q: %d steps of demand, %d of GPUs held and %d of forecast; equally many are needed",
			t.Service, n, len(t.Held), len(t.Forecast))
	case len(t.Low) != len(t.High) || (t.Low != nil && len(t.Low) != n):
		return fmt.Errorf("plots: forecast of %q: a band of %d and %d steps for %d", t.Service, len(t.Low), len(t.High), n)
	case !finite(t.Demand...) || !finite(t.Held...):
		return fmt.Errorf("plots: forecast of %q: demand and GPUs held are needed in every step", t.Service)
	}
	return nil
}

func (t *Track) legend() []entry {
	demand, forecast := t.styles()
	out := []entry{
		{"demand", lineSample(demand)},
		{"forecast", lineSample(forecast)},
	}
	if t.Low != nil {
		label := "forecast band"
		if t.Band != "" {
			label = t.Band
		}
		out = append(out, entry{label, fillSample(faded(forecast.Color), faded(forecast.Color))})
	}
	return append(out,
		entry{"GPUs held", fillSample(heldColor, heldEdgeColor)},
		entry{"demand not met", fillSample(shortColor, shortColor)})
}

// styles are those of the demand and of its forecast.
func (*Track) styles() (demand, forecast draw.LineStyle) {
	return line(inkColor, 0.9), draw.LineStyle{Color: trainingColor, Width: 1.2, Dashes: dashes(3.5, 1.2)}
}

// totals are demand, unmet demand and GPUs held beyond demand, in GPU-hours.
func (t *Track) totals() (demand, short, idle float64) {
	for i, d := range t.Demand {
		demand += d * t.Step.Hours()
		short += max(d-t.Held[i], 0) * t.Step.Hours()
		idle += max(t.Held[i]-d, 0) * t.Step.Hours()
	}
	return demand, short, idle
}

// headline is the totals in words.
func (t *Track) headline() string {
	demand, short, idle := t.totals()
	s := fmt.Sprintf("%s of %s GPU-hours not met", compact(short), compact(demand))
	if short == 0 {
		s = fmt.Sprintf("all of %s GPU-hours met", compact(demand))
	} else if demand > 0 {
		s += fmt.Sprintf(" (%s %%)", trimFloat(100*short/demand, 1))
	}
	return s + fmt.Sprintf(", %s held beyond demand", compact(idle))
}

func (t *Track) draw(c draw.Canvas) {
	p := newPlot()
	span := sim.Time(len(t.Demand)) * t.Step
	ticks := 8
	if days := int(math.Ceil(span.Hours() / 24)); days > 3 {
		ticks = min(days, 7) // one a day
	}
	u := timeAxis(&p.X, t.From, t.From+span, ticks)
	top := 1.0
	for _, list := range [][]float64{t.Demand, t.Held, t.Forecast, t.High} {
		for _, v := range list {
			if finite(v) {
				top = max(top, v)
			}
		}
	}
	valueAxis(&p.Y, 0, 1.03*top, 4)
	area := panels(c, [][]*plot.Plot{{p}}, 20, 0, 0)[0][0]
	s := &trackPainter{t, area, p, u}
	s.paint()
	at := vg.Point{X: c.Min.X, Y: area.Max.Y + 10}
	numbers := t.headline()
	write(area, plainText, quietColor, vg.Point{X: area.Max.X, Y: at.Y}, text.XRight, text.YBottom, numbers)
	room := area.Max.X - c.Min.X - widthOf(plainText, numbers) - 50
	name := fit(titleText, t.Service, room)
	write(area, titleText, inkColor, at, text.XLeft, text.YBottom, name)
	at.X += widthOf(titleText, name) + 6
	write(area, plainText, quietColor, at, text.XLeft, text.YBottom, "GPUs")
}

// trackPainter draws into the data area.
type trackPainter struct {
	*Track
	area draw.Canvas
	p    *plot.Plot
	u    timeUnit
}

// rect is the area of the i-th step between two heights.
func (s *trackPainter) rect(i int, lo, hi float64) vg.Rectangle {
	x, y := s.p.Transforms(&s.area)
	at := func(k int) vg.Length { return x(s.u.of(s.From + sim.Time(k)*s.Step)) }
	return vg.Rectangle{
		Min: vg.Point{X: at(i), Y: y(max(lo, 0))},
		Max: vg.Point{X: at(i + 1), Y: y(max(hi, 0))},
	}
}

// stairs are the corners of a number in every step.
func (s *trackPainter) stairs(list []float64) (pts []vg.Point) {
	for i, v := range list {
		r := s.rect(i, 0, v)
		pts = append(pts, vg.Point{X: r.Min.X, Y: r.Max.Y}, r.Max)
	}
	return pts
}

// middles are the midst of each run of steps that have a number.
func (s *trackPainter) middles(list []float64) (runs [][]vg.Point) {
	open := false
	for i, v := range list {
		if !finite(v) {
			open = false
			continue
		}
		if !open {
			runs, open = append(runs, nil), true
		}
		r, last := s.rect(i, 0, v), len(runs)-1
		runs[last] = append(runs[last], vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: r.Max.Y})
	}
	return runs
}

func (s *trackPainter) paint() {
	var held, band, short []vg.Rectangle
	for i, d := range s.Demand {
		held = append(held, s.rect(i, 0, s.Held[i]))
		if d > s.Held[i] {
			short = append(short, s.rect(i, s.Held[i], d))
		}
		if s.Low != nil && finite(s.Low[i], s.High[i]) {
			band = append(band, s.rect(i, s.Low[i], s.High[i]))
		}
	}
	s.area.SetColor(heldColor)
	s.area.Fill(paths(held))
	s.grid()
	demand, forecast := s.styles()
	s.area.SetColor(faded(forecast.Color))
	s.area.Fill(paths(band))
	s.area.SetColor(shortColor)
	s.area.Fill(paths(short))
	for i, r := range short { // again above the data, at least a point wide
		mid := (r.Min.X + r.Max.X) / 2
		half := max(r.Size().X, 1) / 2
		short[i] = vg.Rectangle{
			Min: vg.Point{X: mid - half, Y: s.area.Max.Y + 2}, Max: vg.Point{X: mid + half, Y: s.area.Max.Y + 6},
		}
	}
	s.area.Fill(paths(short))
	s.area.StrokeLines(line(heldEdgeColor, 0.7), s.stairs(s.Held))
	s.area.StrokeLines(demand, s.stairs(s.Demand))
	s.area.StrokeLines(forecast, s.middles(s.Forecast)...)
}

// grid draws levels, and the days of a long track.
func (s *trackPainter) grid() {
	_, y := s.p.Transforms(&s.area)
	for _, t := range s.p.Y.Tick.Marker.Ticks(0, 0) {
		s.area.StrokeLine2(line(gridColor, 0.5), s.area.Min.X, y(t.Value), s.area.Max.X, y(t.Value))
	}
	upright(s.area, s.p)
}
