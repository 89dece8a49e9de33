package plots

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"
	"time"
)

func commitFigure() ResponseFigure {
	return ResponseFigure{
		Title: "value", Factor: "window (steps)", Levels: []string{"2", "4", "8"},
		Series: []Response{
			{"commit 1", nil, []float64{11880, 12290, 12160}, []float64{300, 280, nan}},
			{"commit 24", nil, []float64{11880, 12100, 11467}, []float64{0, 300, 310}},
		},
		References: []Reference{{"clairvoyant plan of the week", 13010, 200}, {"fifo", 4727, 0}},
	}
}

// gapFigure has zeros on a logarithmic axis.
func gapFigure() ResponseFigure {
	x := []float64{0.1, 1, 10, 15}
	return ResponseFigure{
		Title: "mean gap to the proven bound", Factor: "planning time (ms)", Percent: true, XLog: true, YLog: true,
		Series: []Response{
			{"8 GPUs", x, []float64{0.012, 0.0008, 0, 0}, []float64{0.003, 0.0009, 0, 0}},
			{"64 GPUs", x[:3], []float64{0.06, 0.022, 0.014}, nil},
		},
		References: []Reference{{"greedy", 0.09, 0}},
	}
}

func hourSeries(hours int, dip float64) HourSeries {
	s := HourSeries{Label: "commit 24"}
	for h := range hours {
		u := 0.9 + 0.01*float64(h%3)
		if h >= hours-2 {
			u -= dip
		}
		s.Mean, s.Half = append(s.Mean, u), append(s.Half, 0.02)
	}
	return s
}

func byHour() (*Figure, error) {
	steady := hourSeries(24, 0)
	steady.Label = "commit 1"
	return ByHour("utilization", "hour within the window", []HourSeries{steady, hourSeries(24, 0.15)})
}

// chatTrack has no forecast on its first day, and a peak that is missed.
func chatTrack() Track {
	t := Track{Service: "chat", Step: 2 * time.Hour, Band: "10 to 90 % quantiles"}
	for i := range 48 {
		d := float64(demand(16, 2*i))
		f := d
		switch {
		case i < 12:
			f = nan
		case i == 30:
			d += 3
		}
		held := f + 1
		if i < 12 {
			held = 4
		}
		t.Demand, t.Held, t.Forecast = append(t.Demand, d), append(t.Held, held), append(t.Forecast, f)
		t.Low, t.High = append(t.Low, f-1.5), append(t.High, f+1.5)
	}
	return t
}

func plannerGaps() []GapSeries {
	list := []GapSeries{{Label: "fifo"}, {Label: "search, 1 ms"}, {Label: "full"}}
	for i := range 24 {
		g := math.Exp(float64(i%12)/3 - 6)
		list[0].Gaps = append(list[0].Gaps, 10*g)
		list[1].Gaps = append(list[1].Gaps, g*float64(i%2))
		list[2].Gaps = append(list[2].Gaps, 0)
	}
	return list
}

// study has the figures of the studies, small.
func study() map[string]makeFigure {
	return map[string]makeFigure{
		"responses": func() (*Figure, error) { return Responses(commitFigure()) },
		"gap-time":  func() (*Figure, error) { return Responses(gapFigure()) },
		"by-hour":   byHour,
		"forecast":  func() (*Figure, error) { return ForecastTrack(chatTrack()) },
		"gap":       func() (*Figure, error) { return GapByPlanner(plannerGaps()) },
	}
}

func TestResponsesRefused(t *testing.T) {
	for want, spoil := range map[string]func(*ResponseFigure){
		"has no levels":     func(f *ResponseFigure) { f.Levels = nil },
		"no series":         func(f *ResponseFigure) { f.Series = nil },
		"at most 5":         func(f *ResponseFigure) { f.Series = make([]Response, 6) },
		"2 means and 2":     func(f *ResponseFigure) { f.Series = []Response{{"a", nil, []float64{1, 2}, []float64{0, 0}}} },
		"3 means and 1":     func(f *ResponseFigure) { f.Series = []Response{{"a", nil, []float64{1, 2, 3}, []float64{0}}} },
		"half-width -1":     func(f *ResponseFigure) { f.Series[0].Half[1] = -1 },
		"one finite mean":   func(f *ResponseFigure) { f.Series[1].Mean[0] = nan },
		`"b" is NaN`:        func(f *ResponseFigure) { f.References = []Reference{{"b", nan, 0}} },
		"no logarithms":     func(f *ResponseFigure) { f.XLog = true },
		"levels have names": func(f *ResponseFigure) { f.Series[0].X = []float64{1, 2, 3} },
		"above 0 on a log":  func(f *ResponseFigure) { *f = gapFigure(); f.Series[0].X = []float64{0, 1, 2, 3} },
		"ascending":         func(f *ResponseFigure) { *f = gapFigure(); f.Series[0].X = []float64{1, 1, 2, 3} },
		"nothing is above 0,": func(f *ResponseFigure) {
			*f = gapFigure()
			f.References = nil
			f.Series = f.Series[:1]
			clear(f.Series[0].Mean)
		},
	} {
		f := commitFigure()
		spoil(&f)
		if drawn, err := Responses(f); drawn != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func TestStudyFiguresRefused(t *testing.T) {
	track := func(spoil func(*Track)) makeFigure {
		return func() (*Figure, error) {
			c := chatTrack()
			spoil(&c)
			return ForecastTrack(c)
		}
	}
	hours := func(list ...HourSeries) makeFigure {
		return func() (*Figure, error) { return ByHour("u", "hour", list) }
	}
	gaps := func(list ...GapSeries) makeFigure {
		return func() (*Figure, error) { return GapByPlanner(list) }
	}
	for want, make := range map[string]makeFigure{
		"no series":           hours(),
		"at most 5":           hours(make([]HourSeries, 6)...),
		"has no hours":        hours(HourSeries{}),
		"12 means":            hours(hourSeries(24, 0), hourSeries(12, 0)),
		"half-width +Inf":     hours(HourSeries{"a", []float64{1}, []float64{math.Inf(1)}}),
		"no steps":            func() (*Figure, error) { return ForecastTrack(Track{}) },
		"steps of length 0s":  track(func(t *Track) { t.Step = 0 }),
		"47 of GPUs held":     track(func(t *Track) { t.Held = t.Held[1:] }),
		"a band of 48 and 0":  track(func(t *Track) { t.High = nil }),
		"needed in every ste": track(func(t *Track) { t.Demand[3] = nan }),
		"no planners":         gaps(),
		"has no gaps":         gaps(GapSeries{Label: "fifo"}),
		"not above its bound": gaps(GapSeries{"fifo", []float64{-0.1}}),
		"a gap of NaN":        gaps(GapSeries{"fifo", []float64{nan}}),
	} {
		if f, err := make(); f != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// TestOddShapes draws what is legal but unusual.
func TestOddShapes(t *testing.T) {
	zeros := make([]float64, 30)
	words := strings.Fields(strings.Repeat("continued-pretraining ", 30))
	for name, make := range map[string]makeFigure{
		"one level of 0": func() (*Figure, error) {
			return Responses(ResponseFigure{Levels: []string{"a"}, Series: []Response{{Mean: []float64{0}}}})
		},
		"one X": func() (*Figure, error) {
			return Responses(ResponseFigure{XLog: true, YLog: true, Series: []Response{{X: []float64{3}, Mean: []float64{7}}}})
		},
		"many long levels": func() (*Figure, error) {
			return Responses(ResponseFigure{Levels: words, Series: []Response{{Mean: zeros}}})
		},
		"below 0": func() (*Figure, error) {
			return Responses(ResponseFigure{Levels: []string{"a"}, Series: []Response{{Mean: []float64{-7}, Half: []float64{1}}}})
		},
		"40 decades": func() (*Figure, error) {
			return Responses(ResponseFigure{YLog: true, Levels: []string{"a", "b"}, Series: []Response{{Mean: []float64{1e-20, 1e20}}}})
		},
		"one hour": func() (*Figure, error) { return ByHour("", "", []HourSeries{{"a", zeros[:1], nil}}) },
		"no demand": func() (*Figure, error) {
			return ForecastTrack(Track{Step: 1, Demand: zeros, Held: zeros, Forecast: zeros})
		},
		"all optimal": func() (*Figure, error) {
			return GapByPlanner([]GapSeries{{"full", zeros}})
		},
	} {
		f, err := make()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, format := range Formats() {
			encode(t, f, format)
		}
	}
}

// TestReferenceOffAxis: FIFO is too far off to share an axis with the series,
// and the figure says where it is.
func TestReferenceOffAxis(t *testing.T) {
	f := commitFigure()
	if lo, hi := f.span(); lo < 11000 || hi < 13210 {
		t.Errorf("the axis shows %v to %v", lo, hi)
	}
	if got := f.referenceName(1, f.References[1]); got != "fifo (4727, below)" {
		t.Errorf("fifo is called %q", got)
	}
	f.References[1].Value = 10500
	if lo, _ := f.span(); lo > 10500 {
		t.Errorf("the axis starts at %v, above a near reference", lo)
	}
}

func TestStudyWords(t *testing.T) {
	dip := hourSeries(24, 0.15)
	if got := dip.tail(); got != "last 3 h −10 pts" {
		t.Errorf("tail = %q", got)
	}
	track := chatTrack()
	if got := track.headline(); got != "16 of 278 GPU-hours not met (5.8 %), 110 held beyond demand" {
		t.Errorf("headline = %q", got)
	}
	nearly := gapSummary{optimal: 209.0 / 210}
	if got := nearly.share(); got != "99.5 %" {
		t.Errorf("209 of 210 is %q", got)
	}
	r := summarise(GapSeries{"a", []float64{0.04, 0, 0.02, 1e-5, 0.01}})
	if r.optimal != 0.4 || r.median != 0.01 || r.worst != 0.04 || len(r.gaps) != 3 {
		t.Errorf("summary %+v", r)
	}
	if got := wrap(smallText, "a reference with a name for two lines", endWidth, 2); len(got) != 2 || widthOf(smallText, got[1]) > endWidth {
		t.Errorf("wrap = %q", got)
	}
}

func TestLogAxis(t *testing.T) {
	for v, want := range map[float64][2]float64{0.7: {0.5, 1}, 1: {1, 1}, 1.5: {1, 2}, 4: {2, 5}, 0.0003: {0.0002, 0.0005}} {
		if lo, hi := roundLog(v, false), roundLog(v, true); math.Abs(lo/want[0]-1)+math.Abs(hi/want[1]-1) > 1e-9 {
			t.Errorf("%v lies between %v and %v, want %v", v, lo, hi, want)
		}
	}
	p := newPlot()
	logAxis(&p.Y, 1e-4, 0.2, 100)
	var got []string
	for _, tick := range p.Y.Tick.Marker.Ticks(0, 0) {
		if tick.Label != "" {
			got = append(got, tick.Label)
		}
	}
	if s := strings.Join(got, ", "); s != "0.01 %, 0.1 %, 1 %, 10 %" {
		t.Errorf("labels %s", s)
	}
}

// TestTicksTellApart: neighbouring ticks of a narrow range have labels of their
// own.
func TestTicksTellApart(t *testing.T) {
	p := newPlot()
	valueAxis(&p.Y, 12300, 12340, 5)
	seen := map[string]bool{}
	for _, tick := range p.Y.Tick.Marker.Ticks(0, 0) {
		if seen[tick.Label] {
			t.Errorf("two ticks %q", tick.Label)
		}
		seen[tick.Label] = true
	}
	var names labels
	names.name("short")
	names.name("a name that takes two lines of text")
	if names.gap() < 2*endLine || names.width() > endWidth+endGap || names.height() != 2*names.gap() {
		t.Errorf("gap %v, width %v", names.gap(), names.width())
	}
	if got := (column{list: []Estimate{{Mean: 75, Half: 2}, {Mean: 52.8, Half: 1.6}}}); got.text(got.list[0]) != "75.0 ± 2.0" {
		t.Errorf("decimals differ within a column: %q", got.text(got.list[0]))
	}
}

// pixels decodes a figure's PNG.
func pixels(t *testing.T, f ResponseFigure) image.Image {
	t.Helper()
	figure, err := Responses(f)
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(encode(t, figure, "png")))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Tilted names of any length stay on the page: its left edge is white.
func TestTiltedNamesStayOnThePage(t *testing.T) {
	for _, name := range []string{"16, 0.9, 1", "training-heavy, contiguous", "closed"} {
		m := pixels(t, ResponseFigure{
			Title: "x", Levels: []string{name, name + "b", name + "c", name + "d", name + "e", name + "f"},
			Series: []Response{{Label: "fifo", Mean: []float64{1, 2, 3, 4, 5, 6}}},
		})
		for y := range m.Bounds().Dy() {
			if r, g, b, _ := m.At(1, y).RGBA(); r+g+b != 3*0xffff {
				t.Fatalf("%s: ink at the left edge, %d dots from the top", name, y)
			}
		}
	}
}

// No line joins two groups.
func TestLinesEndAtGroups(t *testing.T) {
	ink := func(groups []int) (n int) {
		m := pixels(t, ResponseFigure{Title: "x", Levels: []string{"a", "b"}, Groups: groups, Series: []Response{{Label: "fifo", Mean: []float64{2, 2}}}})
		want := color.NRGBAModel.Convert(seriesStyle(0).Color)
		for y := range m.Bounds().Dy() {
			for x := range m.Bounds().Dx() {
				if color.NRGBAModel.Convert(m.At(x, y)) == want {
					n++
				}
			}
		}
		return n
	}
	if joined, apart := ink(nil), ink([]int{1}); apart == 0 || joined < 2*apart {
		t.Errorf("%d dots of the line's colour in one group, %d in two", joined, apart)
	}
}
