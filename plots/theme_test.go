package plots

import (
	"image/color"
	"math"
	"testing"

	"berth/sim"
	"berth/sim/hardware"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

var nan = math.NaN()

// luma is the grey that printers and video make of a colour, 0 to 255.
func luma(c color.Color) float64 {
	return float64(color.GrayModel.Convert(c).(color.Gray).Y)
}

func TestColoursStayApart(t *testing.T) {
	holders := []color.Color{serviceColor}
	for _, k := range sim.Kinds() {
		holders = append(holders, KindColor(k))
	}
	var lines []color.Color
	for _, s := range policyStyles[:5] {
		lines = append(lines, s.Color)
	}
	areas := []color.Color{serviceColor, workColor, reservedColor}
	for name, set := range map[string][]color.Color{"holders": holders, "policies": lines, "utilization": areas} {
		for i, a := range set {
			for _, b := range set[:i] {
				if d := math.Abs(lightness(a) - lightness(b)); d < 10 {
					t.Errorf("%s: %v and %v differ by %.1f in lightness", name, a, b, d)
				}
				if d := math.Abs(luma(a) - luma(b)); d < 25 {
					t.Errorf("%s: %v and %v differ by %.0f in luma", name, a, b, d)
				}
			}
		}
	}
}

func TestPolicyStylesDiffer(t *testing.T) {
	for i, a := range policyStyles {
		for _, b := range policyStyles[:i] {
			if cmp.Equal(a.Dashes, b.Dashes) && math.Abs(lightness(a.Color)-lightness(b.Color)) < 20 {
				t.Errorf("%v and %v are told apart by hue only", a, b)
			}
		}
	}
}

// TestText holds the promise that no text is smaller than 7 points and every
// label reads on its ground.
func TestText(t *testing.T) {
	if min(smallText, plainText, titleText) < 7 {
		t.Error("text is too small for print")
	}
	for _, k := range sim.Kinds() {
		ground := KindColor(k)
		if d := math.Abs(lightness(ground) - lightness(InkOn(ground))); d < 50 {
			t.Errorf("labels on %v differ by %.0f in lightness", k, d)
		}
	}
}

func TestCells(t *testing.T) {
	r := rows{}
	r.add([]hardware.Range{{First: 0, N: 3}}, interval{0, 5})
	r.add([]hardware.Range{{First: 0, N: 2}}, interval{5, 9}) // continues
	want := []block{{0, 2, interval{0, 9}}, {2, 1, interval{0, 5}}}
	if diff := cmp.Diff(want, r.blocks(), cmp.AllowUnexported(block{}, interval{})); diff != "" {
		t.Error(diff)
	}
	if got := beyond([]hardware.Range{{First: 0, N: 2}, {First: 6, N: 4}}, 3); !cmp.Equal(got, []hardware.Range{{First: 7, N: 3}}) {
		t.Errorf("beyond = %v", got)
	}
}

// TestBlocksCover: blocks are disjoint, cover the region and nothing else, and
// the outline separates inside from outside.
func TestBlocksCover(t *testing.T) {
	const gpus, hours = 6, 8
	rapid.Check(t, func(t *rapid.T) {
		var grid, got [gpus][hours]int
		r := rows{}
		for h := range sim.Time(hours) {
			for g := range gpus {
				if rapid.Bool().Draw(t, "held") {
					grid[g][h] = 1
					r.add([]hardware.Range{{First: g, N: 1}}, interval{h, h + 1})
				}
			}
		}
		for _, b := range r.blocks() {
			for g := b.first; g < b.first+b.n; g++ {
				for h := b.from; h < b.to; h++ {
					got[g][h]++
				}
			}
		}
		if got != grid {
			t.Fatalf("blocks cover %v, want %v", got, grid)
		}
		var borders [gpus + 1][hours]int
		for _, e := range r.outline() {
			for h := e.t1; h < e.t2; h++ {
				borders[e.gpu1][h]++
			}
		}
		for h := range hours {
			inside := 0
			for g := range gpus {
				inside += borders[g][h]
				if inside%2 != grid[g][h] {
					t.Fatalf("outline %v does not enclose %v", borders, grid)
				}
			}
		}
	})
}

func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ys := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 8).Draw(t, "ys")
		in := make([]vg.Length, len(ys))
		for i, y := range ys {
			in[i] = vg.Length(y)
		}
		out := spread(in, 8, 0, 100)
		for i := range out {
			if out[i] < -1e-9 || out[i] > 100+1e-9 {
				t.Fatalf("%v leaves the range", out)
			}
			for k := range i {
				if d := out[i] - out[k]; max(d, -d) < 8-1e-9 || d*(in[i]-in[k]) < 0 {
					t.Fatalf("%v → %v", in, out)
				}
			}
		}
	})
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", -0.001: "0", 0.25: "0.25", -8.5: "−8.5", 99.96: "100", 830.4: "830", 12345: "12.3k", 4e6: "4M", 2.5e9: "2.5G"} {
		if got := compact(v); got != want {
			t.Errorf("compact(%v) = %q, want %q", v, got, want)
		}
	}
	for e, want := range map[Estimate]string{
		{Mean: 0.516, Half: 0.006}: "51.6 ± 0.6 %", {Mean: 0.488, Half: 0.011}: "48.8 ± 1.1 %", {Mean: 0.5, Half: 0}: "50 %", {Mean: 0.5, Half: 0.25}: "50 ± 25 %",
	} {
		col := column{unit: "%", list: []Estimate{e}}
		if got := col.text(e); got != want {
			t.Errorf("text(%v) = %q, want %q", e, got, want)
		}
	}
}

func TestTimeAxis(t *testing.T) {
	for hours, want := range map[int]string{24: "0 4 8 12 16 20 24", 72: "0 12 24 36 48 60 72", 168: "0 1 2 3 4 5 6 7", 1: "0 10 20 30 40 50 60"} {
		p := newPlot()
		timeAxis(&p.X, 0, hour(hours), 7)
		got := ""
		for _, tick := range p.X.Tick.Marker.Ticks(0, 0) {
			got += " " + tick.Label
		}
		if got != " "+want {
			t.Errorf("%d h: ticks%s, want %s", hours, got, want)
		}
	}
	for _, days := range []int{30, 92, 400, 5000, 100000} {
		p := newPlot()
		timeAxis(&p.X, 0, hour(24*days), 7)
		if n := len(p.X.Tick.Marker.Ticks(0, 0)); n < 3 || n > 8 {
			t.Errorf("%d days: %d ticks", days, n)
		}
	}
}
