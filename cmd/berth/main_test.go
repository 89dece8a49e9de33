package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// binary is the program under test, built once.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "berth")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "berth")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// berth runs the program in a folder and returns what it said and its status.
func berth(t *testing.T, dir string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = dir
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const smallTrace = `; MaxProcs: 4
1 0 0 10 2 -1 -1 2 10 -1 1 1 1 1 1 1 -1 -1
2 1 0 10 4 -1 -1 4 10 -1 1 1 1 1 1 1 -1 -1
3 2 0 10 9 -1 -1 9 10 -1 1 1 1 1 1 1 -1 -1
4 3 0 -1 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1
`

// Every kind of mistake: the status of the contract, and an error that names
// the place and what is accepted.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "unknown.toml", "horizon_hours = 24\n[cluster]\ngpus = 8\nspeed = 3\n")
	write(t, dir, "negative.toml", "horizon_hours = 24\n[cluster]\ngpus = 8\n[[jobs]]\nkind = \"training\"\ncount = 1\ngpus = [1]\nhours = -2\npriority = 1\n")
	write(t, dir, "large.toml", "horizon_hours = 24\n[cluster]\ngpus = 8\n[[jobs]]\nkind = \"training\"\ncount = 1\ngpus = [16]\nhours = 2\npriority = 1\n")
	write(t, dir, "sweep.toml", "base = 'scale'\npolicies = ['fifo']\n")
	write(t, dir, "broken.swf", smallTrace+"5 4 0 ten 1\n")
	write(t, dir, "problem.toml", "gpus = 4\nsteps = 4\n[[job]]\nid = \"a\"\ngpus = 4\nsteps = 2\n")
	write(t, dir, "illegal.json", `{"jobs": [{"id": "a", "start": 3, "gpus": "0-3"}], "services": []}`)
	write(t, dir, "nonsense.json", `{"jobs": [{"id": "b"}]}`)
	for _, c := range []struct {
		args   string
		status int
		says   []string
	}{
		{"fly", exitUsage, []string{"fly", "--help"}},
		{"run", exitUsage, []string{"usage"}},
		{"run mixed-control --fast", exitUsage, []string{"--fast", "--help"}},
		{"run mixed-control --policy magic", exitUsage, []string{"magic", "fifo, fcfs, easy"}},
		{"run mixed-control --set cluster", exitUsage, []string{"key=value"}},
		{"run mixed-control --policy fifo:window=3", exitUsage, []string{"fifo has no option \"window\"", "accepted are reserve"}},
		{"run mixed-control --policy horizon:window=x", exitUsage, []string{"policy.window", "accepted is integer"}},
		{"compare mixed-control --policies easy,easy", exitUsage, []string{"easy twice"}},
		{"compare mixed-control --seeds 2 --policies exec:command=true:record=r.jsonl", exitUsage, []string{"r.jsonl", "{seed}"}},
		{"run mixed-control --set cluster.gpus=x", exitInvalid, []string{"--set cluster.gpus=x: ", "accepted is integer"}},
		{"run mixed-control --set cluster.gpus=-3", exitInvalid, []string{"cluster.gpus = -3", "positive"}},
		{"compare mixed-control --seeds 0", exitUsage, []string{"--seeds 0"}},
		{"compare mixed-control -j 0", exitUsage, []string{"--jobs 0: accepted is a whole number from 1 on"}},
		{"run mixed-control --seed x", exitUsage, []string{"--seed x: accepted is a whole number from 0 on"}},
		{"plan mixed-control --mode guess", exitUsage, []string{"guess", "fifo, fast, full"}},
		{"plan mixed-control --solver abacus", exitUsage, []string{"abacus", "auto, highs, cbc"}},
		{"completion tcsh", exitUsage, []string{"tcsh", "bash, fish"}},
		{"sweep status sweep.toml -o nowhere", exitInvalid, []string{"nowhere is no output folder"}},
		{"plan mixed-control --budget soon", exitUsage, []string{"soon", "2ms"}},
		{"run nowhere", exitInvalid, []string{"nowhere", "mixed-control"}},
		{"run unknown.toml", exitInvalid, []string{"unknown.toml:4", "cluster.speed", "gpus, sku"}},
		{"run negative.toml", exitInvalid, []string{"training", "hours", "positive"}},
		{"run large.toml", exitInvalid, []string{"16", "8 of the cluster"}},
		{"run mixed-control --set cluster.speed=3", exitInvalid, []string{"cluster.speed"}},
		{"run mixed-control --set policy.reserve=some", exitInvalid, []string{"some", "peak, curve"}},
		{"run broken.swf", exitInvalid, []string{"broken.swf:6"}},
		{"trace info broken.swf", exitInvalid, []string{"broken.swf:6"}},
		{"trace info nowhere.swf", exitInvalid, []string{"nowhere.swf"}},
		{"check problem.toml nonsense.json", exitInvalid, []string{"nonsense.json", "b"}},
		{"check problem.toml illegal.json", exitFailed, []string{"horizon"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			stdout, stderr, status := berth(t, dir, strings.Fields(c.args)...)
			if status != c.status {
				t.Errorf("status %d, want %d\n%s%s", status, c.status, stdout, stderr)
			}
			for _, word := range c.says {
				if !strings.Contains(strings.ToLower(stdout+stderr), strings.ToLower(word)) {
					t.Errorf("nothing about %q:\n%s%s", word, stdout, stderr)
				}
			}
			if n := strings.Count(stderr, "\n"); status != exitFailed && n != 1 {
				t.Errorf("%d lines of error, want 1:\n%s", n, stderr)
			}
		})
	}
}

// A trace's rows are all accounted for: simulated, or left out with a reason.
func TestRejectsAreCounted(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "log.swf", smallTrace)
	stdout, stderr, status := berth(t, dir, "run", "log.swf", "--policy", "fcfs", "--json", "-o", "o")
	var report struct {
		Jobs        struct{ Submitted, Completed int }
		WaitSeconds struct{ Mean float64 } `json:"wait_seconds"`
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || status != 0 {
		t.Fatalf("status %d, %v:\n%s%s", status, err, stdout, stderr)
	}
	if report.Jobs.Submitted != 2 || report.Jobs.Completed != 2 || report.WaitSeconds.Mean != 4.5 {
		t.Errorf("got %+v, want 2 jobs and a mean wait of (0 + 9) / 2 s", report)
	}
	if !strings.Contains(stderr, "left out 2 of 4 rows") {
		t.Errorf("rejects are not mentioned:\n%s", stderr)
	}
	stdout, _, _ = berth(t, dir, "trace", "validate", "log.swf", "--gpus", "4")
	for _, place := range []string{"log.swf:4", "log.swf:5"} {
		if !strings.Contains(stdout, place) {
			t.Errorf("%s is not listed:\n%s", place, stdout)
		}
	}
}

// Same inputs and seed: the same bytes, on one core or more.
func TestSameBytes(t *testing.T) {
	dir := t.TempDir()
	for _, out := range []string{"a", "b"} {
		cmd := exec.Command(binary, "compare", "batch-burst", "--seeds", "3", "-o", out, "-j", map[string]string{"a": "1", "b": "4"}[out])
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	files := 0
	err := filepath.WalkDir(filepath.Join(dir, "a"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		rel, _ := filepath.Rel(filepath.Join(dir, "a"), path)
		first, _ := os.ReadFile(path)
		second, err := os.ReadFile(filepath.Join(dir, "b", rel))
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s differs between two runs (%v)", rel, err)
		}
		return nil
	})
	if err != nil || files < 18 {
		t.Errorf("%d files compared, %v", files, err)
	}
}

// What is printed on a terminal fits 80 columns.
func TestEightyColumns(t *testing.T) {
	dir := t.TempDir()
	for _, args := range []string{
		"run fragmented -o o", "compare scale --seeds 2 --policies fifo,easy:reserve=curve,horizon -o o",
		"plan scale", "list", "list scenarios", "list policies", "list policies horizon", "list placements", "list placements fgd", "list formats", "list figures", "list settings", "list studies", "list --help", "--help", "run --help", "compare --help", "plan --help", "paper --help",
		"trace --help", "trace info --help", "trace validate --help", "trace convert --help", "check --help", "horizon --help", "sweep --help", "sweep merge --help", "sweep status --help", "sweep submit --help", "sweep summary --help", "man --help", "version --help",
	} {
		stdout, _, status := berth(t, dir, strings.Fields(args)...)
		if status != 0 {
			t.Errorf("berth %s: status %d", args, status)
		}
		for line := range strings.Lines(stdout) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
				t.Errorf("berth %s: %d columns: %s", args, n, line)
			}
		}
	}
}

// Planning, writing, reading and checking agree on the score.
func TestPlanAndCheck(t *testing.T) {
	dir := t.TempDir()
	planned, stderr, _ := berth(t, dir, "plan", "training-heavy", "--budget", "200", "-o", "p", "--json")
	checked, _, status := berth(t, dir, "check", "p/problem.toml", "p/plan.json", "--json")
	var a struct{ Objective float64 }
	var b struct{ Score struct{ Objective float64 } }
	if err := errors.Join(json.Unmarshal([]byte(planned), &a), json.Unmarshal([]byte(checked), &b)); err != nil {
		t.Fatal(err)
	}
	if status != 0 || a.Objective != b.Score.Objective || a.Objective == 0 {
		t.Errorf("planned %v, checked %v, status %d", a, b, status)
	}
	if !strings.HasPrefix(stderr, "planned in ") || !strings.Contains(stderr, "200 evaluations") {
		t.Errorf("stderr: %s", stderr)
	}
	again, _, _ := berth(t, dir, "plan", "p/problem.toml", "--budget", "200", "--json")
	if !strings.Contains(again, `"legal": true`) {
		t.Errorf("the written problem does not plan:\n%s", again)
	}
}

// A full disk is an error, and leaves no half-written file behind.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", "ulimit -f 1; exec "+binary+" run scale --figures=false -o o")
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != exitFailed {
		t.Errorf("%v: %s", err, text)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// What fails leaves no folder of its own, and those that were there.
func TestFailuresLeaveNothing(t *testing.T) {
	for _, call := range [][]string{
		{"run", "scale", "--policy", "exec:command=false"},
		{"compare", "scale", "--policies", "fifo,exec:command=false", "--seeds", "2"},
		{"run", "scale", "--policy", "exec:command=false", "-o", "there/new/o"},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "there"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, stderr, status := berth(t, dir, call...); status != exitFailed {
			t.Errorf("%v: status %d, %s", call, status, stderr)
		}
		left, _ := filepath.Glob(filepath.Join(dir, "*"))
		within, _ := filepath.Glob(filepath.Join(dir, "there", "*"))
		if len(left) != 1 || len(within) != 0 {
			t.Errorf("%v leaves %v %v", call, left, within)
		}
	}
}

// Ctrl-C in the middle keeps what was done, whole, and says where.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(binary, "run", "slow.toml", "--figures=false", "-o", "o")
	write(t, dir, "slow.toml", `name = "slow"
horizon_hours = 240000
boundary = "open"
[cluster]
gpus = 64
[[service]]
name = "chat"
priority = 1
base = 1
peak = 60
noise = 0.5
[policy]
budget = "2000"
`)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	cmd.Process.Signal(syscall.SIGINT)
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != exitInterrupted || !strings.Contains(stderr.String(), "partial results are kept in o") {
		t.Fatalf("status %d: %s", cmd.ProcessState.ExitCode(), stderr.String())
	}
	text, err := os.ReadFile(filepath.Join(dir, "o", "summary.json"))
	if err != nil || !strings.Contains(string(text), `"partial": true`) {
		t.Errorf("%v: %s", err, text)
	}
	table, _ := os.ReadFile(filepath.Join(dir, "o", "services.csv"))
	if !bytes.HasSuffix(table, []byte("\n")) || bytes.Count(table, []byte("\n")) < 10 {
		t.Errorf("services.csv is not whole: %d bytes", len(table))
	}
}

// The scenario that the README shows runs as it stands.
func TestREADMEScenario(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, scenario, _ := strings.Cut(string(readme), "```toml\n")
	scenario, _, _ = strings.Cut(scenario, "```")
	dir := t.TempDir()
	write(t, dir, "mine.toml", scenario)
	stdout, stderr, status := berth(t, dir, "compare", "mine.toml", "--seeds", "2")
	if status != 0 || !strings.Contains(stdout, "mine, 2 seeds") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
}
