package plots

import (
	"bytes"
	"encoding/base64"
	"flag"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"berth/sim/metrics"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var update = flag.Bool("update", false, "rewrite the golden figures in testdata")

type makeFigure func() (*Figure, error)

// gallery has every figure, small.
func gallery() map[string]makeFigure {
	all := study()
	maps.Copy(all, overview())
	return all
}

// overview has the figures of runs and their comparison.
func overview() map[string]makeFigure {
	runs := func(n int) []testRun { return policies(n, 8, 24, 12) }
	return map[string]makeFigure{
		"grids":         func() (*Figure, error) { return AllocationGrids(gridPanels(runs(2))) },
		"utilization":   func() (*Figure, error) { return UtilizationOverTime(courses(runs(2))) },
		"value":         func() (*Figure, error) { return CumulativeValue(courses(runs(5))) },
		"queue":         func() (*Figure, error) { return QueueLength(courses(runs(3))) },
		"delays":        func() (*Figure, error) { return WaitsAndSlowdowns(delayRuns(4)) },
		"policies":      func() (*Figure, error) { return ValueAndUtilization(estimates()) },
		"scenarios":     func() (*Figure, error) { return Scenarios(scenarioRows()) },
		"fragmentation": func() (*Figure, error) { return Fragmentation("openb, default", placementCurves(6, true)) },
		"accuracy":      func() (*Figure, error) { return Accuracy(0.9, accuracyRows()) },
	}
}

func encode(t *testing.T, f *Figure, format string) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := f.Encode(&buf, format); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

var fontData = regexp.MustCompile(`base64,([A-Za-z0-9+/=]+)`)

// Goldens are SVG without the font: to be looked at in a browser.
func TestGolden(t *testing.T) {
	for name, make := range gallery() {
		f, err := make()
		if err != nil {
			t.Fatal(err)
		}
		got := fontData.ReplaceAll(encode(t, f, "svg"), []byte("base64,"))
		path := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(path, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from %s; run with -update, look at it, and keep it if it is right", name, path)
		}
	}
}

func TestSameBytes(t *testing.T) {
	for name, make := range gallery() {
		for _, format := range Formats() {
			var runs [2][]byte
			for i := range runs {
				f, err := make()
				if err != nil {
					t.Fatal(err)
				}
				runs[i] = encode(t, f, format)
			}
			if !bytes.Equal(runs[0], runs[1]) {
				t.Errorf("%s as %s: two runs differ", name, format)
			}
		}
	}
}

func TestFormats(t *testing.T) {
	f, err := Scenarios(scenarioRows())
	if err != nil {
		t.Fatal(err)
	}
	pdf := string(encode(t, f, "pdf"))
	if !strings.Contains(pdf, "/CreationDate (D:20000101000000") || !strings.Contains(pdf, "/ModDate (D:20000101000000") || !strings.Contains(pdf, "/FontFile2") {
		t.Error("the PDF has dates of its own, or no font")
	}
	img, err := png.DecodeConfig(bytes.NewReader(encode(t, f, "png")))
	if err != nil || img.Width != 7*pngDPI {
		t.Errorf("the PNG is %d dots wide (%v), want %d", img.Width, err, 7*pngDPI)
	}
	if err := f.Encode(&bytes.Buffer{}, "gif"); err == nil || !strings.Contains(err.Error(), "svg, pdf, png") {
		t.Errorf("gif: %v", err)
	}
}

// TestEmbeddedFont checks that the cut font draws what the whole one would.
func TestEmbeddedFont(t *testing.T) {
	const words = "Ærøskøbing ½ − “quoted” 0123456789"
	f := &Figure{width: 200, height: 50, draw: func(c draw.Canvas) { write(c, 7, inkColor, vg.Point{}, 0, 0, words) }}
	data := fontData.FindSubmatch(encode(t, f, "svg"))
	if data == nil {
		t.Fatal("no @font-face")
	}
	if len(data[1]) > 60_000 {
		t.Errorf("the font takes %d bytes", len(data[1]))
	}
	raw, err := base64.StdEncoding.DecodeString(string(data[1]))
	if err != nil {
		t.Fatal(err)
	}
	cut, err := sfnt.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	sty := textStyle(7, inkColor)
	whole := sty.Handler.Cache().Lookup(sty.Font, 7).Face
	for _, r := range words + "Z" {
		a, b := outline(t, whole, r), outline(t, cut, r)
		if same := a == b; same != (r != 'Z') {
			t.Errorf("%q: same outline is %v", r, same)
		}
	}
}

func outline(t *testing.T, f *sfnt.Font, r rune) (path string) {
	t.Helper()
	var buf sfnt.Buffer
	i, err := f.GlyphIndex(&buf, r)
	if err != nil || i == 0 {
		t.Fatalf("%q: glyph %d, %v", r, i, err)
	}
	segments, err := f.LoadGlyph(&buf, i, fixed.I(1000), nil)
	if err != nil {
		t.Fatal(err)
	}
	var s strings.Builder
	for _, g := range segments {
		s.WriteByte(byte(g.Op))
		for _, p := range g.Args {
			s.WriteString(p.X.String() + p.Y.String())
		}
	}
	return s.String()
}

func TestWindows1252(t *testing.T) {
	for in, want := range map[string]string{
		"j1·p4":  "j1\xb7p4",
		"−8 ± 1": "\x968 \xb1 1",
		"日本…":    "??\x85",
		"σ ≤ 1":  "sigma <= 1",
	} {
		if got := windows1252(in); got != want {
			t.Errorf("windows1252(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "figures")
	f, err := Scenarios(scenarioRows())
	if err != nil {
		t.Fatal(err)
	}
	paths, err := f.Save(dir, "all", "svg", "gif")
	if err == nil || len(paths) != 1 {
		t.Errorf("Save = %v, %v; want one path and an error", paths, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "taken.svg"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Save(dir, "taken", "svg"); err == nil {
		t.Error("no error for a file that cannot be replaced")
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*.part"))
	if len(left) > 0 {
		t.Errorf("half files stay: %v", left)
	}
}

func TestRefused(t *testing.T) {
	timeline := &metrics.Timeline{}
	for want, make := range map[string]makeFigure{
		"no panels":    func() (*Figure, error) { return AllocationGrids(nil) },
		"has no spans": func() (*Figure, error) { return AllocationGrids([]Panel{{Title: "x", GPUs: 8}}) },
		"has 0 GPUs":   func() (*Figure, error) { return AllocationGrids([]Panel{{Title: "x", Spans: &metrics.Spans{}}}) },
		"must be later": func() (*Figure, error) {
			return AllocationGrids([]Panel{{GPUs: 8, Spans: &metrics.Spans{}, From: 5, To: 4}})
		},
		"but job j1 held": func() (*Figure, error) {
			p := policies(1, 16, 24, 20)[0].panel()
			p.GPUs = 6
			return AllocationGrids([]Panel{p})
		},
		"no runs":           func() (*Figure, error) { return QueueLength(nil) },
		"has no timeline":   func() (*Figure, error) { return CumulativeValue([]Course{{Label: "x", GPUs: 8}}) },
		"at least 1":        func() (*Figure, error) { return UtilizationOverTime([]Course{{Label: "x", Timeline: timeline}}) },
		"no runs to draw":   func() (*Figure, error) { return WaitsAndSlowdowns(nil) },
		"has no delays":     func() (*Figure, error) { return WaitsAndSlowdowns([]DelayRun{{Label: "x"}}) },
		"no policies":       func() (*Figure, error) { return ValueAndUtilization(nil) },
		"is NaN":            func() (*Figure, error) { return ByPolicy("value", "", []Estimate{{Mean: nan}}) },
		"no scenarios":      func() (*Figure, error) { return Scenarios(nil) },
		"no forecasts":      func() (*Figure, error) { return Accuracy(0.9, nil) },
		"above 0 is needed": func() (*Figure, error) { return Accuracy(0.9, []AccuracyRow{{Errors: []MethodError{{"x", 0}}}}) },
		"all three are ne":  func() (*Figure, error) { return Scenarios([]ScenarioRow{{Fifo: nan}}) },
	} {
		if f, err := make(); f != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// TestNothingHappened draws runs of no length and without jobs.
func TestNothingHappened(t *testing.T) {
	idle := Course{"idle", 8, &metrics.Timeline{Width: 60e9}}
	for name, make := range map[string]makeFigure{
		"grids":       func() (*Figure, error) { return AllocationGrids([]Panel{{GPUs: 8, Spans: &metrics.Spans{}}}) },
		"utilization": func() (*Figure, error) { return UtilizationOverTime([]Course{idle}) },
		"value":       func() (*Figure, error) { return CumulativeValue([]Course{idle, idle}) },
		"queue":       func() (*Figure, error) { return QueueLength([]Course{idle}) },
		"delays":      func() (*Figure, error) { return WaitsAndSlowdowns([]DelayRun{{"idle", &metrics.Delays{}}}) },
		"policies":    func() (*Figure, error) { return ByPolicy("value", "", []Estimate{{Label: "idle", Half: nan}}) },
		"scenarios":   func() (*Figure, error) { return Scenarios([]ScenarioRow{{ValueGainHalf: nan}}) },
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
