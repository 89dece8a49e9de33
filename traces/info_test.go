package traces

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"berth/sim"
)

func TestSummarize(t *testing.T) {
	const h = time.Hour
	jobs := []sim.Job{
		swfJob(1, 1*h, 2*h, 2*h, 4, "a", ""),
		swfJob(2, 2*h, 1*h, 1*h, 2, "b", ""),
		swfJob(3, 3*h, 3*h, 3*h, 1, "a", ""), // after both have ended
		swfJob(4, 30*h, 4*h, 4*h, 4, "", ""),
	}
	got, err := Summarize(&sim.Jobs{List: jobs})
	if err != nil {
		t.Fatal(err)
	}
	want := &Summary{
		Jobs: 4, Tenants: 2, FirstSubmission: 3600, LastSubmission: 108000, LastEnd: 34 * 3600, SpanDays: 29.0 / 24,
		GPUHours: 8 + 2 + 3 + 16, MeanLoad: 29.0 / 33, PeakLoad: 6, LargestJob: 4,
		Sizes:    []SizeCount{{1, 1, 3}, {2, 1, 2}, {4, 2, 24}},
		Duration: Quantiles{Min: 3600, Mean: 9000, P50: 7200, P90: 14400, P95: 14400, P99: 14400, Max: 14400}, Interarrival: 34800, FullestHour: 1,
		ByDay: []int{3, 1},
	}
	for _, hour := range []int{1, 2, 3, 30} {
		want.ByHour[hour] = 1
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestSummarizeWeek(t *testing.T) {
	// 4 October 2017 was a Wednesday.
	tr := read(t, "timestamp,duration,num_gpus,cluster\n2017-10-04 05:59:00,1,1,a\n2017-10-09 00:00:00,1,1,a\n", Options{})
	defer tr.Close()
	got, err := Summarize(tr)
	if err != nil {
		t.Fatal(err)
	}
	if got.ByHour[2*24+5] != 1 || got.ByHour[0] != 1 || got.Epoch != "2017-10-04T05:59:00Z" {
		t.Errorf("%v from %s", got.ByHour, got.Epoch)
	}
}

func TestSummarizeRefuses(t *testing.T) {
	for _, list := range [][]sim.Job{{{Submit: -1}}, {{Submit: 2}, {Submit: 1}}} {
		if _, err := Summarize(&sim.Jobs{List: list}); err == nil {
			t.Errorf("no error for %v", list)
		}
	}
	if s, err := Summarize(&sim.Jobs{}); err != nil || s.Jobs != 0 {
		t.Errorf("an empty source: %+v, %v", s, err)
	}
}

func TestTextFits(t *testing.T) {
	texts := map[string]string{}
	empty, _ := Summarize(&sim.Jobs{})
	far, _ := Summarize(&sim.Jobs{List: []sim.Job{{Submit: 1, Duration: 1, MinGPUs: 1}, {Submit: math.MaxInt64 / 2, MinGPUs: 1 << 30, Duration: 1 << 60}}})
	for name, s := range map[string]*Summary{"empty": empty, "far": far} {
		var b strings.Builder
		s.WriteTo(&b)
		texts[name] = b.String()
	}
	for _, file := range []string{"testdata/quirks.swf", "testdata/philly.csv"} {
		tr := open(t, file, Options{MaxGPUs: 16})
		s, err := Summarize(tr)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		tr.Report().WriteTo(&b)
		s.WriteTo(&b)
		if _, err := json.Marshal(s); err != nil {
			t.Error(err)
		}
		tr.Close()
		texts[file] = b.String()
	}
	for name, text := range texts {
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
	}
}
