package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/sim/experiment"
)

// No factor of the project's study is inert: for each, some level answers
// otherwise than the first, in what horizon.csv says.
func TestNoFactorIsInert(t *testing.T) {
	s := &study{seeds: 1}
	if err := s.load(nil); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Factors {
		cells, err := experiment.Cells([]experiment.Factor{f}, nil)
		if err != nil {
			t.Fatal(err)
		}
		points, runs, err := s.points([]experiment.Cell{cells[0], cells[len(cells)-1]})
		if err != nil {
			t.Fatal(err)
		}
		answers := map[string]string{}
		for _, r := range runs {
			if err := r.run(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		for _, r := range points {
			level := r.cell.Level
			r.cell.Factor, r.cell.Level = "", ""
			answers[level] += string(studyCSV([]studyPoint{r}))
		}
		if answers[cells[0].Level] == answers[cells[len(cells)-1].Level] {
			t.Errorf("factor %s: %s and %s answer the same", f.Name, cells[0].Level, cells[len(cells)-1].Level)
		}
	}
}

// Points share a run where their settings come to the same, and only there.
func TestStudySharesRuns(t *testing.T) {
	s := &study{seeds: 2}
	if err := s.load(nil); err != nil {
		t.Fatal(err)
	}
	cells, err := s.cells()
	if err != nil {
		t.Fatal(err)
	}
	points, runs, err := s.points(cells)
	if err != nil {
		t.Fatal(err)
	}
	run := map[string]*studyRun{}
	for _, p := range points {
		run[fmt.Sprint(p.cell.Factor, " ", p.cell.Level, " ", p.setup.Seed)] = p.studyRun
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"default horizon 1", "window 24 1", true},
		{"default horizon 1", "boundary open 1", true}, // σ is of salvage only
		{"default horizon 1", "missed_peaks 0 1", true},
		{"default horizon 1", "default horizon 2", false},
		{"default horizon 1", "reference clairvoyant 1", false},
		{"reference bound 1", "reference clairvoyant 1", false},
		{"default horizon 1", "boundary salvage 1", false},
		{"commit 24 2", "boundary@24 open 2", true},
		{"forecast learned 2", "quantile 0.9 2", true},
		{"forecast learned 1", "quantile 0.9 1", false}, // which is listened to
	} {
		if run[c.a] == nil || run[c.b] == nil || (run[c.a] == run[c.b]) != c.same {
			t.Errorf("%s and %s: shared %v, want %v", c.a, c.b, run[c.a] == run[c.b], c.same)
		}
	}
	if len(points) != s.seeds*len(cells) || len(runs) >= len(points) {
		t.Errorf("%d points of %d cells, %d runs", len(points), len(cells), len(runs))
	}
}

// A small study: same bytes twice, on one core and two; no run above its
// bound; references, track and manifest are there.
func TestStudy(t *testing.T) {
	dir := t.TempDir()
	study := write(t, dir, "study.toml", `name = "small"
seeds = 2
horizon_hours = 48
boundary = "open"
[cluster]
gpus = 8
[[service]]
name = "chat"
priority = 2
base = 1
peak = 4
peak_hour = 14
history_weeks = 2
[[jobs]]
kind = "training"
count = 20
gpus = [1, 2, 4]
hours = [2, 9]
priority = [1, 9]
submit = [0, 30]
[policy]
budget = "20"
[[factor]]
name = "forecast"
key = "policy.forecast"
levels = ["perfect", "learned"]
`)
	var first map[string][]byte
	for _, jobs := range []string{"1", "2"} {
		out := filepath.Join(dir, jobs)
		if _, stderr, status := berth(t, dir, "horizon", study, "-j", jobs, "-o", out); status != 0 {
			t.Fatalf("exit %d: %s", status, stderr)
		}
		files := map[string][]byte{}
		for _, name := range []string{"horizon.csv", "manifest.json", "figures/forecast.svg"} {
			content, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = content
		}
		if first == nil {
			first = files
			continue
		}
		for name, content := range files {
			if !bytes.Equal(content, first[name]) {
				t.Errorf("%s differs between -j 1 and -j 2", name)
			}
		}
	}
	for _, row := range []string{"\nreference,clairvoyant,1,", "\nreference,bound,2,", "\nforecast,learned,2,"} {
		if !strings.Contains(string(first["horizon.csv"]), row) {
			t.Errorf("horizon.csv has no row %q", strings.TrimSpace(row))
		}
	}
}

// No run of a study is worth more than its bound, in whole or in the interior.
func TestStudyStaysBelowItsBound(t *testing.T) {
	s := &study{seeds: 2}
	if err := s.load(nil); err != nil {
		t.Fatal(err)
	}
	cells := []experiment.Cell{{Factor: "reference", Level: bound}, {Factor: "default", Level: "horizon"}, {Factor: "reference", Level: "fifo"}}
	points, runs, err := s.points(cells)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if err := r.run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range points[s.seeds:] {
		b := points[i%s.seeds]
		if r.report.Value-r.penalty > b.report.Value || r.value-r.interiorPenalty > b.value {
			t.Errorf("%s, seed %d: %v and %v, above the bounds %v and %v", r.cell.Level, r.setup.Seed, r.report.Value-r.penalty, r.value-r.interiorPenalty, b.report.Value, b.value)
		}
		if r.interior != 144*time.Hour {
			t.Errorf("the interior ends at %v", r.interior)
		}
	}
}
