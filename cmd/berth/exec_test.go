package main

// Policy exec through the command line: the example of docs/protocol.md.

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pythonPolicy is the example's command, or skips the test.
func pythonPolicy(t *testing.T) string {
	t.Helper()
	need(t, "python3", "the example in Python is not tested")
	script, err := filepath.Abs("../../docs/examples/shortest_first.py")
	if err != nil {
		t.Fatal(err)
	}
	return `"python3 '` + script + `'"`
}

// column are the values of a column of a CSV file without quotes.
func column(t *testing.T, path string, keep func(cells []string) bool, names ...string) (rows []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	head := strings.Split(lines[0], ",")
	for _, line := range lines[1:] {
		cells := strings.Split(line, ",")
		if !keep(cells) {
			continue
		}
		var row []string
		for i, name := range head {
			for _, n := range names {
				if n == name {
					row = append(row, cells[len(cells)-len(head)+i])
				}
			}
		}
		rows = append(rows, strings.Join(row, " "))
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no such rows", path)
	}
	return rows
}

// The example in Python is sjf in run, compare and sweep, on the command line
// and from a file; the manifest names its command.
func TestPythonExample(t *testing.T) {
	command, dir := pythonPolicy(t), t.TempDir()
	read := func(path string) string {
		text, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	ok := func(args ...string) string {
		t.Helper()
		out, errs, status := berth(t, dir, args...)
		if status != 0 {
			t.Fatalf("%v: status %d: %s", args, status, errs)
		}
		for _, line := range strings.Split(out, "\n") {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("%v: a line of %d letters: %s", args, n, line)
			}
		}
		return out
	}
	ok("run", "fragmented", "--policy", "sjf", "--figures=false", "-o", "sjf")
	ok("run", "fragmented", "--policy", "exec:record=run.jsonl.zst:command="+command, "--figures=false", "-o", "exec")
	ok("run", "fragmented", "--policy", "exec:replay=run.jsonl.zst", "--figures=false", "-o", "replay")
	for _, other := range []string{"exec", "replay"} {
		for _, file := range []string{"jobs.csv", "services.csv", "timeline.csv"} {
			if read("sjf/"+file) != read(other+"/"+file) {
				t.Errorf("%s: %s is not that of sjf", other, file)
			}
		}
	}
	if !strings.Contains(read("exec/manifest.json"), "shortest_first.py") {
		t.Error("the manifest does not name the command")
	}
	if _, errs, status := berth(t, dir, "run", "fragmented", "--seed", "2", "--policy", "exec:replay=run.jsonl.zst", "-o", "other"); status != exitFailed || !strings.Contains(errs, "run.jsonl.zst:1:") {
		t.Errorf("another seed: status %d, %s", status, errs)
	}

	ok("compare", "fragmented", "--policies", "sjf,exec:command="+command, "--seeds", "2", "--figures=false", "-o", "both")
	named := func(policy string) func([]string) bool {
		return func(cells []string) bool { return strings.Contains(strings.Join(cells, ","), policy) }
	}
	measures := []string{"utilization", "value", "wait_mean_seconds"}
	if a, b := column(t, filepath.Join(dir, "both/runs.csv"), named("sjf"), measures...), column(t, filepath.Join(dir, "both/runs.csv"), named("exec"), measures...); strings.Join(a, "\n") != strings.Join(b, "\n") {
		t.Errorf("sjf:\n%q\nthe program:\n%q", a, b)
	}

	write(t, dir, "mine.toml", "horizon_hours = 24\n[cluster]\ngpus = 8\n[[jobs]]\nkind = \"training\"\ncount = 9\ngpus = [1, 4]\nhours = [1, 5]\npriority = 1\n[policy]\ncommand = "+command+"\n")
	write(t, dir, "sweep.toml", "base = \"mine.toml\"\npolicies = [\"sjf\", \"exec\"]\nseeds = 2\n[[axis]]\nkey = \"cluster.gpus\"\nvalues = [4, 8]\n")
	ok("sweep", "sweep.toml", "-o", "swept")
	if a, b := column(t, filepath.Join(dir, "swept/results.csv"), named("sjf"), measures...), column(t, filepath.Join(dir, "swept/results.csv"), named("exec"), measures...); strings.Join(a, "\n") != strings.Join(b, "\n") {
		t.Errorf("the sweep: sjf:\n%q\nthe program:\n%q", a, b)
	}
}

// What can go wrong with a program: the status, and an error that names it.
func TestExecMistakes(t *testing.T) {
	dir := t.TempDir()
	says := func(line string) string {
		return `exec:command="sh -c 'read h; echo \"{\\\"protocol\\\":1}\"; read r; ` + line + `'"`
	}
	for _, c := range []struct {
		policy string
		status int
		says   []string
	}{
		{"exec", exitInvalid, []string{"policy.command", "python3"}},
		{"exec:command=nowhere-to-be-found", exitFailed, []string{"nowhere-to-be-found", "does not start"}},
		{"exec:replay=nowhere.jsonl", exitFailed, []string{"nowhere.jsonl"}},
		{"exec:command=cat:timeout=soon", exitInvalid, []string{"policy.timeout", "10s"}},
		{"exec:command=cat", exitFailed, []string{"answer to hello", `/type`, "the program answered"}},
		{says("echo oh dear >&2; exit 9"), exitFailed, []string{"round 1", "exit status 9", "oh dear"}},
		{says("echo nonsense"), exitFailed, []string{"round 1", "nonsense", "decisions"}},
		{says(`echo \"{\\\"round\\\":1,\\\"decisions\\\":[{\\\"start\\\":77777}]}\"`), exitRule, []string{"job 77777", "existence"}},
	} {
		_, errs, status := berth(t, dir, "run", "fragmented", "--figures=false", "--policy", c.policy, "-o", "o")
		if status != c.status {
			t.Errorf("%s: status %d, want %d: %s", c.policy, status, c.status, errs)
		}
		for _, word := range c.says {
			if !strings.Contains(errs, word) {
				t.Errorf("%s: nothing about %q: %s", c.policy, word, errs)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "o", "summary.json")); err == nil {
			t.Errorf("%s: a summary was written", c.policy)
		}
	}
}
