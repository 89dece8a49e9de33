package report

import (
	"bytes"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"berth/plots"
	"berth/sim"
)

func TestPageIsWellFormed(t *testing.T) {
	text, err := samplePage(t).HTML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := samplePage(t).HTML()
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("a second page of the same differs (%v)", err)
	}
	ids := map[string]bool{}
	var anchors []string
	for _, m := range regexp.MustCompile(` (id|href|src|aria-labelledby)="([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
		switch key, value := m[1], m[2]; {
		case key == "id" && ids[value]:
			t.Errorf("the id %q is there twice", value)
		case key == "id":
			ids[value] = true
		case key == "aria-labelledby" || strings.HasPrefix(value, "#"):
			anchors = append(anchors, strings.TrimPrefix(value, "#"))
		default:
			t.Errorf("the page refers to %s", value)
		}
	}
	for _, a := range anchors {
		if !ids[a] {
			t.Errorf("nothing has the id %q", a)
		}
	}
	for _, wrong := range []string{"ZgotmplZ", "&amp;amp;"} {
		if bytes.Contains(text, []byte(wrong)) {
			t.Errorf("%q is in the page", wrong)
		}
	}
	if !bytes.Contains(text, []byte("What is a &lt;sample&gt;?")) {
		t.Error("words are not escaped")
	}
}

func TestCheckNames(t *testing.T) {
	p := samplePage(t)
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	p.Sections = append(p.Sections, &Section{Name: "second", Tables: []*Table{sampleTable()}})
	if err := p.Check(); err == nil || !strings.Contains(err.Error(), "sample") {
		t.Errorf("two tables of one name: %v", err)
	}
}

// Blocks cover the same share of the grid as the spans of the run.
func TestGridBlocksCoverTheSpans(t *testing.T) {
	g := sampleGrid()
	place := regexp.MustCompile(`^left:([0-9.]+)%;width:([0-9.]+)%;top:([0-9.]+)%;height:([0-9.]+)%$`)
	area := map[string]float64{}
	for _, b := range g.Blocks() {
		m := place.FindStringSubmatch(string(b.Style))
		if m == nil {
			t.Fatalf("style %q", b.Style)
		}
		area[b.Class] += number(t, m[2]) / 100 * number(t, m[4]) / 100
	}
	whole := g.End.Hours() * 8
	for class, gpuHours := range map[string]float64{"training": 13, "batch-inference": 8, "quantization": 32, "service": 24, "reserved": 24} {
		if got := area[class] * whole; got < gpuHours-0.01 || got > gpuHours+0.01 {
			t.Errorf("%s covers %.3f GPU-hours, want %g", class, got, gpuHours)
		}
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestClock(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0:00", 90 * time.Minute: "1:30", 26*time.Hour + 5*time.Second: "26:00:05"} {
		if got := clock(d); got != want {
			t.Errorf("clock(%v) = %q, want %q", d, got, want)
		}
	}
}

// The dark theme turns lightness over: what is lighter becomes darker, and
// text keeps its contrast to the ground.
func TestDarkColors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) color.NRGBA {
			v := rapid.Uint32Range(0, 0xFFFFFF).Draw(t, name)
			return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
		}
		a, b := draw("a"), draw("b")
		la, _, _ := oklab(a)
		lb, _, _ := oklab(b)
		da, _, _ := oklab(onDark(a))
		db, _, _ := oklab(onDark(b))
		if la > lb+0.02 && da >= db {
			t.Errorf("%s is lighter than %s; on dark, %s is not darker than %s", hex(a), hex(b), hex(onDark(a)), hex(onDark(b)))
		}
	})
	for _, k := range sim.Kinds() {
		ground := color.NRGBAModel.Convert(plots.KindColor(k)).(color.NRGBA)
		ink := color.NRGBAModel.Convert(plots.InkOn(ground)).(color.NRGBA)
		if c := contrast(onDark(ground), onDark(ink)); c < 4.5 {
			t.Errorf("labels of %s on dark have a contrast of %.1f, less than 4.5", k, c)
		}
	}
}

// contrast is WCAG's ratio.
func contrast(a, b color.NRGBA) float64 {
	light := func(c color.NRGBA) float64 {
		l := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			s := float64([]uint8{c.R, c.G, c.B}[i]) / 255
			if s <= 0.04045 {
				l += weight * s / 12.92
			} else {
				l += weight * math.Pow((s+0.055)/1.055, 2.4)
			}
		}
		return l
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// On a dark page the ground of figures is that of the page.
func TestDarkGround(t *testing.T) {
	ground := strings.ToLower(hex(onDark(color.NRGBA{255, 255, 255, 255})))
	if strings.Count(pageCSS, "--ground: "+ground+";") != 2 {
		t.Errorf("figures stand on %s", ground)
	}
}

// The page brings the letters of its figures: one font, for all of them.
func TestPageFont(t *testing.T) {
	html, err := samplePage(t).HTML()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(html), "@font-face"); n != 1 {
		t.Errorf("%d fonts", n)
	}
	if len(html) > 400_000 {
		t.Errorf("the page has %d bytes", len(html))
	}
}
