package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"berth/plots/report"
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

// Two runs of the paper make the same bytes, whatever runs at a time, and what
// the registry says that they make.
func TestPaper(t *testing.T) {
	dir := t.TempDir()
	for _, run := range []string{"-o a -j 1", "-o b -j 4"} {
		if _, stderr, status := berth(t, dir, strings.Fields("paper --only scenarios --only ablation --seeds 3 "+run)...); status != 0 {
			t.Fatalf("status %d: %s", status, stderr)
		}
	}
	a, b := contents(t, filepath.Join(dir, "a")), contents(t, filepath.Join(dir, "b"))
	if names := slices.Sorted(maps.Keys(a)); !slices.Equal(names, slices.Sorted(maps.Keys(b))) {
		t.Fatalf("different files: %v", names)
	}
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			t.Errorf("%s differs between two runs", name)
		}
	}
	for _, c := range chapters[:2] {
		for _, table := range c.tables {
			for _, ending := range []string{".csv", ".tex"} {
				if a[filepath.Join(c.name, table+ending)] == nil {
					t.Errorf("%s has no %s", c.name, table+ending)
				}
			}
		}
		for _, figure := range c.figures {
			for _, ending := range []string{".svg", ".pdf", ".png"} {
				if a[filepath.Join(c.name, figure+ending)] == nil {
					t.Errorf("%s has no %s", c.name, figure+ending)
				}
			}
		}
	}
	if a["report.html"] == nil {
		t.Error("there is no report")
	}
	agreesWithCompare(t, dir, "a")
}

// agreesWithCompare holds that the paper's figures are those of berth compare:
// the same runs, the same files.
func agreesWithCompare(t *testing.T, dir, paper string) {
	policies := make([]string, len(variants))
	for i, v := range variants {
		policies[i] = v.policy
	}
	gains := table(t, filepath.Join(dir, paper, "ablation", "ablation-by-scenario.csv"))
	for _, name := range workloads.Names() {
		if _, stderr, status := berth(t, dir, "compare", name, "--seeds", "3", "--figures=false", "-o", name); status != 0 {
			t.Fatalf("%s: status %d: %s", name, status, stderr)
		}
		for _, file := range []string{"comparison.json", "runs.csv", "manifest.json"} {
			ours, err := os.ReadFile(filepath.Join(dir, paper, "scenarios", name, file))
			theirs, err2 := os.ReadFile(filepath.Join(dir, name, file))
			if err != nil || err2 != nil || !bytes.Equal(ours, theirs) {
				t.Errorf("%s of %s differs from that of berth compare (%v, %v)", file, name, err, err2)
			}
		}
		stdout, stderr, status := berth(t, dir, "compare", name, "--seeds", "3", "--json", "--figures=false", "-o", name, "-p", strings.Join(policies, ","))
		var list []experiment.Comparison
		if status != 0 || json.Unmarshal([]byte(stdout), &list) != nil {
			t.Fatalf("%s: status %d: %s", name, status, stderr)
		}
		for i, c := range list[1:] {
			got := gains[variants[i+1].label][name]
			if want := strconv.FormatFloat(*c.DecayedValue.Gain, 'g', 10, 64); got != want {
				t.Errorf("%s under %s: the ablation's gain is %s, that of berth compare %s", name, c.Policy, got, want)
			}
		}
	}
}

// table reads a CSV: row → column → cell.
func table(t *testing.T, path string) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]string{}
	for _, row := range rows[1:] {
		out[row[0]] = map[string]string{}
		for i, cell := range row {
			out[row[0]][rows[0][i]] = cell
		}
	}
	return out
}

// Against the kept figures with one number changed, the check names this
// number and no other: so it notices, and the others are as they are kept.
func TestPaperCheckNamesWhatMoved(t *testing.T) {
	text, err := kept.ReadFile("expected/scenarios.csv")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const before = "scale,100,64,0.4417708333,"
	if !bytes.Contains(text, []byte(before)) {
		t.Fatalf("the kept figures have no %s; the test needs another number to change", before)
	}
	write(t, dir, "scenarios.csv", strings.Replace(string(text), before, "scale,100,64,0.4517708333,", 1))
	stdout, stderr, status := berth(t, dir, strings.Fields("paper --only scenarios --check --expected . -o out")...)
	if status != exitFailed || !strings.Contains(stderr, "1 figure moved") {
		t.Errorf("status %d, %s; want 1, and that one figure moved", status, stderr)
	}
	if want := "moved: scenarios: scale, fifo_utilization: 0.4417708333, expected 0.4517708333 ± 0.002 (moved by -0.01)\n"; !strings.Contains(stdout, want) {
		t.Errorf("it says\n%s\nwant\n%s", stdout, want)
	}
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
