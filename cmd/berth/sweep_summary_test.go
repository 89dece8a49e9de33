package main

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const gridSweep = `name = "grid"
base = "mixed-control"
policies = ["fifo", "easy", "sjf"]
seeds = 3
[[axis]]
key = "cluster.gpus"
values = [16, 24, 32]
[[axis]]
key = "horizon_hours"
values = [24, 48]
`

// meansOf reduces results.csv by hand: the mean of a column by policy and
// levels.
func meansOf(t *testing.T, table [][]string, column string) map[string]float64 {
	t.Helper()
	sums, n := map[string]float64{}, map[string]float64{}
	for _, row := range table[1:] {
		for i, name := range table[0] {
			if name == column {
				x, err := strconv.ParseFloat(row[i], 64)
				if err != nil {
					t.Fatal(err)
				}
				key := strings.Join([]string{row[1], row[3], row[4]}, " ")
				sums[key] += x
				n[key]++
			}
		}
	}
	for key := range sums {
		sums[key] /= n[key]
	}
	return sums
}

func csvRows(t *testing.T, parts ...string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(read(t, parts...))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// A table that the manifest does not know is named, and its row.
func TestSummaryOfAnotherTable(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "grid.toml", gridSweep)
	if _, stderr, status := berth(t, dir, "sweep", "grid.toml", "-o", "out"); status != 0 {
		t.Fatal(stderr)
	}
	table := read(t, dir, "out", "results.csv")
	for change, want := range map[string]string{
		",fifo,2,24,24,": "row 3: manifest.json has no level 25 of cluster.gpus",
		",easy,1,16,24,": `row 4: manifest.json has no policy "none"`,
	} {
		with := strings.NewReplacer(",fifo,2,24,24,", ",fifo,2,25,24,", ",easy,1,16,24,", ",none,1,16,24,").Replace(change)
		broken := strings.Replace(table, change, with, 1)
		if broken == table {
			t.Fatalf("results.csv has no %q", change)
		}
		write(t, filepath.Join(dir, "out"), "results.csv", broken)
		_, stderr, status := berth(t, dir, "sweep", "summary", "out")
		if _, what, _ := strings.Cut(want, ": "); status != 3 || !strings.Contains(stderr, what) {
			t.Errorf("status %d, %s; want %s", status, stderr, want)
		}
	}
}

// The map's cells are the means of the results, and the front that is written
// is the one that these enumerate.
func TestSweepMapAndFront(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "s.toml", gridSweep)
	berth(t, dir, "sweep", "s.toml", "-o", "o")
	if _, stderr, status := berth(t, dir, "sweep", "summary", "o", "-m", "utilization,wait_mean_seconds"); status != 0 {
		t.Fatal(stderr)
	}
	results := csvRows(t, dir, "o", "results.csv")
	utilization, wait := meansOf(t, results, "utilization"), meansOf(t, results, "wait_mean_seconds")
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

	var s summary
	if err := s.read(filepath.Join(dir, "o"), []string{"utilization", "wait_mean_seconds"}, nil); err != nil {
		t.Fatal(err)
	}
	f, err := s.heatData(s.measures[1], s.rows[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Panels {
		for y, row := range p.Mean {
			for x, v := range row {
				key := strings.Join([]string{p.Title, f.X.Levels[x], f.Y.Levels[y]}, " ")
				if !near(v, wait[key]/3600) {
					t.Errorf("%s: cell %v, mean %v h", key, v, wait[key]/3600)
				}
			}
		}
	}

	for _, row := range csvRows(t, dir, "o", "summary.csv")[1:] { // every seed has its pair
		means := utilization
		if row[0] != "utilization" {
			means = wait
		}
		mean, fifo := means[strings.Join([]string{row[3], row[1], row[2]}, " ")], means[strings.Join([]string{"fifo", row[1], row[2]}, " ")]
		if got, _ := strconv.ParseFloat(row[5], 64); !near(got, mean) {
			t.Errorf("%v: mean %v", row, mean)
		}
		if got, err := strconv.ParseFloat(row[10], 64); (row[3] == "fifo") != (err != nil) || err == nil && math.Abs(got-(mean-fifo)) > 1e-9*fifo {
			t.Errorf("%v: difference %v", row, mean-fifo)
		}
	}

	rows := csvRows(t, dir, "o", "pareto.csv")
	if len(rows) != 1+len(utilization) || len(rows) != 19 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows[1:] {
		key := strings.Join([]string{row[2], row[0], row[1]}, " ")
		front := true
		for other := range utilization {
			u, w := utilization[other]-utilization[key], wait[key]-wait[other]
			front = front && !(u >= 0 && w >= 0 && (u > 0 || w > 0))
		}
		if row[7] != strconv.FormatBool(front) {
			t.Errorf("%s: front is %s", key, row[7])
		}
	}
}

// Figures follow from axes and measures, or are those asked for.
func TestSweepFigureKinds(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "s.toml", smallSweep)
	write(t, dir, "g.toml", gridSweep)
	berth(t, dir, "sweep", "s.toml", "-o", "o")
	berth(t, dir, "sweep", "g.toml", "-o", "g")
	for _, c := range []struct{ args, want string }{
		{"o", "lines-utilization"},
		{"g", "map-utilization"},
		{"g -m value,swaps --figure pareto", "pareto-value-swaps"},
		{"o -m utilization,wait_mean_seconds", "lines-utilization lines-wait_mean_seconds pareto-utilization-wait_mean_seconds"},
		{"g --difference", "map-utilization-difference"},
		{"g --figure lines -p easy,fifo --difference", "lines-utilization-difference"},
		{"g --figure none", ""},
	} {
		folder, _, _ := strings.Cut(c.args, " ")
		if err := os.RemoveAll(filepath.Join(dir, folder, "figures")); err != nil {
			t.Fatal(err)
		}
		if _, stderr, status := berth(t, dir, append([]string{"sweep", "summary"}, strings.Fields(c.args)...)...); status != 0 {
			t.Fatalf("%s: %s", c.args, stderr)
		}
		drawn, _ := filepath.Glob(filepath.Join(dir, folder, "figures", "*.svg"))
		var names []string
		for _, path := range drawn {
			names = append(names, strings.TrimSuffix(filepath.Base(path), ".svg"))
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s draws %s; want %s", c.args, got, c.want)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"o -m nothing", "accepted are submitted"},
		{"o --figure pie", "accepted are lines"},
		{"o --figure pareto", "two measures"},
		{"o -p nobody", "accepted are fifo, easy"},
		{"none", "is no output folder"},
	} {
		if _, stderr, status := berth(t, dir, append([]string{"sweep", "summary"}, strings.Fields(c.args)...)...); status == 0 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %s", c.args, status, stderr)
		}
	}
}

// Warnings name means of few seeds, absent cells and runs without a pair.
func TestSummaryWarnings(t *testing.T) {
	s := summary{results: &results{policies: []string{"a", "b"}, absent: 2, failed: 1}, rows: [][]summaryRow{{
		{policy: "a", n: 12}, {policy: "b", n: 12, pairs: 12}, {policy: "a", n: 3}, {policy: "b", n: 4, pairs: 3},
	}}}
	var b strings.Builder
	s.warn(&b)
	for _, want := range []string{"2 cells were not run and 1 failed", "2 of 4 means are of fewer than 10 seeds, down to 3", "1 runs have no run of a"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %s", want, b.String())
		}
	}
	s = summary{results: &results{policies: []string{"a"}}, rows: [][]summaryRow{{{policy: "a", n: 10}}}}
	b.Reset()
	if s.warn(&b); b.Len() > 0 {
		t.Error(b.String())
	}
}
