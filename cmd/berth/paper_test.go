package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"berth/plots"
	"berth/plots/report"
	"berth/policies/forecast"
	"berth/sim/experiment"
	"berth/workloads"
)

// contents are the files below a folder.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		out[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The paper is made twice, with different numbers of runs at a time, and set
// against the kept figures with one number changed. Then: the bytes are the
// same, the files are those that the registry names, and the check names the
// changed number and no other, so it notices what moves, and the rest is as it
// is kept.
func TestPaper(t *testing.T) {
	text, err := kept.ReadFile("expected/scenarios.csv")
	if err != nil {
		t.Fatal(err)
	}
	const before, after = "scale,100,64,0.4417708333,", "scale,100,64,0.4517708333,"
	if !bytes.Contains(text, []byte(before)) {
		t.Fatalf("the kept figures have no %s; the test needs another number to change", before)
	}
	dir := t.TempDir()
	write(t, dir, "scenarios.csv", strings.Replace(string(text), before, after, 1))
	for _, run := range []string{"-o a -j 1", "-o b -j 4"} {
		stdout, stderr, status := berth(t, dir, strings.Fields("paper --only scenarios --check --expected . "+run)...)
		if status != exitFailed || !strings.Contains(stderr, "1 figure moved") {
			t.Fatalf("status %d, %s; want 1, and that one figure moved", status, stderr)
		}
		if want := "moved: scenarios: scale, fifo_utilization: 0.4417708333, expected 0.4517708333 ± 0.002 (moved by -0.01)\n"; !strings.Contains(stdout, want) {
			t.Errorf("it says\n%s\nwant\n%s", stdout, want)
		}
	}
	madeTwice(t, dir, "scenarios")
	for _, name := range []string{"training-heavy", "scale"} { // the same files as from berth compare
		compareJSON(t, dir, name, "100", "fifo,horizon")
		for _, file := range []string{"comparison.json", "runs.csv", "manifest.json"} {
			ours, err := os.ReadFile(filepath.Join(dir, "a", "scenarios", name, file))
			theirs, err2 := os.ReadFile(filepath.Join(dir, "out", name, file))
			if err != nil || err2 != nil || !bytes.Equal(ours, theirs) {
				t.Errorf("%s of %s differs from that of berth compare (%v, %v)", file, name, err, err2)
			}
		}
	}
}

func TestAblation(t *testing.T) {
	dir := t.TempDir()
	for _, run := range []string{"-o a -j 1", "-o b -j 4"} {
		if _, stderr, status := berth(t, dir, strings.Fields("paper --only ablation --seeds 3 "+run)...); status != 0 {
			t.Fatalf("status %d: %s", status, stderr)
		}
	}
	madeTwice(t, dir, "ablation")
	gains := table(t, filepath.Join(dir, "a", "ablation", "ablation-by-scenario.csv"))
	policies := make([]string, len(variants))
	for i, v := range variants {
		policies[i] = v.policy
	}
	for _, name := range workloads.Names() {
		for i, c := range compareJSON(t, dir, name, "3", strings.Join(policies, ",")) {
			if i == 0 {
				continue
			}
			got := gains[variants[i].label][name]
			if want := strconv.FormatFloat(*c.DecayedValue.Gain, 'g', 10, 64); got != want {
				t.Errorf("%s under %s: the ablation's gain is %s, that of berth compare %s", name, c.Policy, got, want)
			}
		}
	}
}

// madeTwice holds that the folders a and b have the same bytes, and what the
// registry says of the study.
func madeTwice(t *testing.T, dir, name string) {
	t.Helper()
	a, b := contents(t, filepath.Join(dir, "a")), contents(t, filepath.Join(dir, "b"))
	names := slices.Sorted(maps.Keys(a))
	if !slices.Equal(names, slices.Sorted(maps.Keys(b))) {
		t.Fatalf("different files: %v", names)
	}
	for _, name := range names {
		if !bytes.Equal(a[name], b[name]) {
			t.Errorf("%s differs between two runs", name)
		}
	}
	want := []string{filepath.Join(name, "report.html")}
	c := chapters[slices.IndexFunc(chapters, func(c chapter) bool { return c.name == name })]
	for _, table := range c.tables {
		want = append(want, filepath.Join(name, table+".csv"), filepath.Join(name, table+".tex"))
	}
	for _, figure := range c.figures {
		for _, format := range plots.Formats() {
			want = append(want, filepath.Join(name, figure+"."+format))
		}
	}
	for _, file := range want {
		if len(a[file]) == 0 {
			t.Errorf("there is no %s", file)
		}
	}
}

func compareJSON(t *testing.T, dir, scenario, seeds, policies string) (list []experiment.Comparison) {
	t.Helper()
	stdout, stderr, status := berth(t, dir, "compare", scenario, "--seeds", seeds, "--json", "--figures=false", "-p", policies)
	if status != 0 {
		t.Fatalf("%s: status %d: %s", scenario, status, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// table reads a CSV: row → column → cell.
func table(t *testing.T, path string) map[string]map[string]string {
	t.Helper()
	rows := csvRows(t, path)
	out := map[string]map[string]string{}
	for _, row := range rows[1:] {
		out[row[0]] = map[string]string{}
		for i, cell := range row {
			out[row[0]][rows[0][i]] = cell
		}
	}
	return out
}

func TestExpectedCompare(t *testing.T) {
	tab := &report.Table{
		Name:    "t",
		Columns: []report.Column{{Key: "name", Text: true}, {Key: "x", Tolerance: 0.1}, {Key: "n"}},
		Rows:    [][]report.Cell{{report.Words("a"), report.Number(1), report.Number(7)}, {report.Words("b"), report.Missing(), report.Number(8)}},
	}
	text := string(expectedText(tab))
	for _, c := range []struct{ name, from, to, says string }{
		{"nothing", "", "", ""},
		{"within tolerance", "a,1,7", "a,1.09,7", ""},
		{"beyond tolerance", "a,1,7", "a,1.2,7", "a, x: 1, expected 1.2 ± 0.1 (moved by -0.2)"},
		{"a count, without tolerance", "a,1,7", "a,1,7.001", "a, n: 7, expected 7.001 ± 0 (moved by -0.001)"},
		{"a word", "b,,8", "c,,8", `b, name: "b", expected "c"`},
		{"a number that is gone", "b,,8", "b,2,8", `b, x: "", expected "2"`},
		{"a row", "b,,8\n", "", "it has 2 rows, expected 1"},
		{"a column", "name,x,n", "name,y,n", "its columns are name,x,n, expected name,y,n"},
	} {
		e, err := parseExpected([]byte(strings.Replace(text, c.from, c.to, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(e.compare(tab), "; "); got != c.says {
			t.Errorf("%s: %q, want %q", c.name, got, c.says)
		}
	}
	for _, broken := range []string{"", "name\n", "name,x\nexact,-1\n", "name,x\nexact,some\n"} {
		if _, err := parseExpected([]byte(broken)); err == nil {
			t.Errorf("%q is taken for expected figures", broken)
		}
	}
}

// Every table of the registry has its expected figures, and every one of these
// a table.
func TestEveryTableIsExpected(t *testing.T) {
	files, err := fs.Glob(kept, "expected/*.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, f := range files {
		want[strings.TrimSuffix(filepath.Base(f), ".csv")] = true
	}
	for _, c := range chapters {
		for _, name := range c.tables {
			if !want[name] {
				t.Errorf("table %s of %s has no expected figures; berth paper --only %s --accept cmd/berth/expected", name, c.name, c.name)
			}
			delete(want, name)
		}
	}
	for name := range want {
		t.Errorf("expected figures of %s, which no study makes", name)
	}
}

// One study leaves the page of the whole paper as it is, and has its own, which
// names the data beside it.
func TestOneStudyHasItsOwnPage(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "o"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "o/report.html", "the whole paper")
	if _, stderr, status := berth(t, dir, "paper", "--only", "forecast", "-o", "o"); status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	got := contents(t, filepath.Join(dir, "o"))
	if string(got["report.html"]) != "the whole paper" {
		t.Error("the page of the whole paper was written over")
	}
	if page := got["forecast/report.html"]; !bytes.Contains(page, []byte("<code>forecast.csv</code>")) || got["forecast/forecast.csv"] == nil {
		t.Error("the study's page does not name the data beside it")
	}
}

// A forecast without a quantile has no coverage, in the table, the CSV and the
// LaTeX: 0 would say that no truth lies below it.
func TestForecastTableWithoutQuantile(t *testing.T) {
	with := forecast.Scored{Name: "with", Accuracy: forecast.Accuracy{N: 2, Quantile: 0.9, Coverage: 0}}
	table := forecastTable([]forecast.Scored{with, {Name: "without", Accuracy: forecast.Accuracy{N: 2}}})
	if got := string(table.CSV()); !strings.Contains(got, "\nwith,2,0,0,0,0,0.9,0\n") || !strings.Contains(got, "\nwithout,2,0,0,0,0,,\n") {
		t.Errorf("the table is\n%s", got)
	}
}
