package requests

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSummarize(t *testing.T) {
	for file, want := range map[string]*Summary{
		"testdata/burstgpt.csv": {
			Format: "burstgpt-csv", Requests: 4, Span: 125.0 / 3600, Rate: 4.0 / 125, Fullest: 3.0 / 60,
			Context: (472 + 1087 + 417 + 10) / 4.0, Generated: (18 + 230 + 20) / 4.0, MostContext: 1087, MostGenerated: 230, Unanswered: 1,
			ByMinute: []float64{3.0 / 60, 0, 1.0 / 60},
		},
		"testdata/qps.csv": { // each sample holds for a minute
			Format: "rates", Requests: 27, Span: 228.5 / 3600, Rate: 27 / 228.5, Fullest: 0.36, Containers: 2,
			Types:    []TypedShare{{"API Requests", 5.4}, {"Generative Requests", 21.6}},
			ByMinute: []float64{0.36, 0, 0, 0.09},
		},
	} {
		got, err := Summarize(file, Sampling{})
		if err != nil {
			t.Fatal(err)
		}
		want.Name = file
		if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); d != "" {
			t.Error(d)
		}
		if !IsTraffic(file) || IsTraffic("doc.go") {
			t.Errorf("%s is traffic: %v, doc.go: %v", file, IsTraffic(file), IsTraffic("doc.go"))
		}
		got.ByMinute = append(got.ByMinute, make([]float64, 100_000)...)
		got.ByMinute[70_000] = math.Pi
		var b strings.Builder
		if _, err := got.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	}
}
