package plots

import (
	"bytes"
	"math"
	"testing"
)

// Cells are written in one number of decimals, differences with a sign, and the
// best of a panel are outlined.
func TestHeatCells(t *testing.T) {
	f := HeatMap{
		X: HeatAxis{"GPUs", []string{"8", "16"}}, Y: HeatAxis{"window", []string{"6", "12"}},
		Panels: []HeatPanel{{"a", [][]float64{{0.39, 0.195}, {0.39, math.NaN()}}}}, Percent: true, Better: 1,
	}
	if got := f.number(0.39); got != "39.0" {
		t.Error(got)
	}
	if got := f.best(f.Panels[0]); len(got) != 2 || got[0] != [2]int{0, 0} || got[1] != [2]int{0, 1} {
		t.Errorf("%v are best", got)
	}
	f.Better = -1
	if got := f.best(f.Panels[0]); len(got) != 1 || got[0] != [2]int{1, 0} {
		t.Errorf("%v is best", got)
	}
	f.Difference = true
	for want, v := range map[string]float64{"+1.2": 0.012, "−1.2": -0.012, "0.0": -1e-9} {
		if got := f.number(v); got != want {
			t.Errorf("%v: %s; want %s", v, got, want)
		}
	}
}

// Grounds fall in lightness all along the scale, so that a map reads in grey.
func TestHeatGrounds(t *testing.T) {
	falls := func(share func(float64) float64, f *HeatMap) {
		last := math.Inf(1)
		for i := range 50 {
			l := lightness(f.ground(share(float64(i) / 49)))
			if l >= last {
				t.Errorf("the ground at %d of 49 has lightness %.1f after %.1f", i, l, last)
			}
			last = l
		}
	}
	f := &HeatMap{Panels: []HeatPanel{{"a", [][]float64{{-1, 1}}}}}
	falls(func(s float64) float64 { return 2*s - 1 }, f)
	f.Difference = true
	falls(func(s float64) float64 { return s }, f)
	falls(func(s float64) float64 { return -s }, f)
}

// What cannot be drawn is refused; what can gives the same bytes twice.
func TestSweepFigures(t *testing.T) {
	heat := HeatMap{X: HeatAxis{"x", []string{"1"}}, Y: HeatAxis{"y", []string{"1"}}, Panels: []HeatPanel{{"a", [][]float64{{1}}}}}
	pareto := ParetoFigure{Series: []ParetoSeries{{"a", []ParetoPoint{{Label: "1", X: 1, Y: 2, Front: true}, {X: 0, Y: 1, XHalf: math.NaN()}}}}}
	bands := ResponseFigure{Bands: true, Series: []Response{{Label: "a", X: []float64{1, 2}, Mean: []float64{1, 2}, Half: []float64{0.1, math.NaN()}}}}
	for i, draw := range []func() (*Figure, error){
		func() (*Figure, error) { return Heat(heat) },
		func() (*Figure, error) { return Pareto(pareto) },
		func() (*Figure, error) { return Responses(bands) },
	} {
		var out [2]bytes.Buffer
		for k := range out {
			f, err := draw()
			if err != nil {
				t.Fatal(i, err)
			}
			if err := f.Encode(&out[k], "svg"); err != nil {
				t.Fatal(i, err)
			}
		}
		if !bytes.Equal(out[0].Bytes(), out[1].Bytes()) {
			t.Errorf("figure %d differs from itself", i)
		}
	}
	heat.Panels[0].Mean[0][0] = math.NaN()
	pareto.Series[0].Points[0].X = math.Inf(1)
	bands.Series[0].X, bands.Levels = nil, []string{"a", "b"}
	for i, err := range []error{second(Heat(heat)), second(Pareto(pareto)), second(Responses(bands))} {
		if err == nil {
			t.Errorf("figure %d is drawn", i)
		}
	}
}

func second(_ *Figure, err error) error { return err }
