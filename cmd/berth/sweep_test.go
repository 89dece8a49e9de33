package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

const smallSweep = `name = "small"
base = "mixed-control"
policies = ["fifo", "easy"]
seeds = 3
[[axis]]
key = "cluster.gpus"
values = [16, 32]
`

func read(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The results are the same bytes on one core, on four, and from shards run
// apart and merged in any order.
func TestSweepSameBytes(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "s.toml", smallSweep)
	for _, args := range [][]string{
		{"s.toml", "-j1", "-o", "one"}, {"s.toml", "-j4", "-o", "four"},
		{"s.toml", "--shard", "3/3", "-o", "c"}, {"s.toml", "--shard", "1/3", "-o", "a"}, {"s.toml", "--shard", "2/3", "-o", "b"},
		{"merge", "s.toml", "b", "c", "a", "-o", "merged"},
	} {
		if _, stderr, status := berth(t, dir, append([]string{"sweep"}, args...)...); status != 0 {
			t.Fatalf("%v: status %d: %s", args, status, stderr)
		}
	}
	for _, name := range []string{"results.csv", "results.parquet", "manifest.json"} {
		one := read(t, dir, "one", name)
		for _, other := range []string{"four", "merged"} {
			if read(t, dir, other, name) != one {
				t.Errorf("%s/%s differs", other, name)
			}
		}
	}
}

// Both tables hold the same numbers, which are those of berth run.
func TestSweepTables(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "s.toml", smallSweep)
	berth(t, dir, "sweep", "s.toml", "-o", "o")
	table, err := csv.NewReader(strings.NewReader(read(t, dir, "o", "results.csv"))).ReadAll()
	if err != nil || len(table) != 13 {
		t.Fatalf("%d rows, %v", len(table), err)
	}
	binary, err := parquet.ReadFile[struct {
		Policy      string  `parquet:"policy"`
		Seed        uint64  `parquet:"seed"`
		GPUs        float64 `parquet:"cluster.gpus"`
		Utilization float64 `parquet:"utilization,optional"`
	}](filepath.Join(dir, "o", "results.parquet"))
	if err != nil || len(binary) != 12 {
		t.Fatalf("%d rows, %v", len(binary), err)
	}
	for i, row := range table[1:] {
		gpus, _ := strconv.ParseFloat(row[3], 64)
		u, _ := strconv.ParseFloat(row[10], 64)
		b := binary[i]
		if row[1] != b.Policy || row[2] != strconv.FormatUint(b.Seed, 10) || gpus != b.GPUs || u != b.Utilization {
			t.Errorf("row %d: %v beside %+v", i, row, b)
		}
	}
	stdout, _, _ := berth(t, dir, "run", "mixed-control", "--policy", "easy", "--seed", "2", "--set", "cluster.gpus=32", "--json", "--figures=false")
	var run struct{ Utilization float64 }
	if err := json.Unmarshal([]byte(stdout), &run); err != nil {
		t.Fatal(err)
	}
	if b := binary[10]; b.Policy != "easy" || b.Seed != 2 || b.GPUs != 32 || math.Abs(b.Utilization-run.Utilization) > 1e-12 {
		t.Errorf("%+v; berth run has %v", b, run.Utilization)
	}
}

// A changed axis runs only what is new; a failing cell is recorded and the
// rest goes on.
func TestSweepRunsWhatIsNew(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "s.toml", smallSweep)
	sweep := func(want string, wantStatus int) {
		t.Helper()
		_, stderr, status := berth(t, dir, "sweep", "s.toml", "-o", "o")
		if status != wantStatus || !strings.Contains(stderr, want) {
			t.Errorf("status %d, %s; want %d, %s", status, stderr, wantStatus, want)
		}
	}
	sweep("12 cells: 12 run, 0 kept", 0)
	sweep("12 cells: 0 run, 12 kept", 0)
	write(t, dir, "s.toml", strings.Replace(smallSweep, "[16, 32]", "[32, 64, 16]", 1))
	sweep("18 cells: 6 run, 12 kept", 0)
	write(t, dir, "s.toml", strings.Replace(smallSweep, "[16, 32]", "[16, -1]", 1))
	sweep("12 cells: 0 run, 6 kept from before, 6 failed", 1)
	if !strings.Contains(read(t, dir, "o", "manifest.json"), `"error": `) {
		t.Error("the manifest names no failure")
	}
	if _, stderr, status := berth(t, dir, "sweep", "summary", "o"); status != 0 || !strings.Contains(stderr, "fewer than 10 seeds, down to 3") {
		t.Errorf("summary: %d %s", status, stderr)
	}
}

func TestSweepMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		status     int
	}{
		"unknown key":     {"base = 'scale'\npolicy = 1", "s.toml:2: unknown key", 3},
		"no policies":     {"base = 'scale'", "policies is needed", 3},
		"unknown policy":  {"base = 'scale'\npolicies = ['none']", "none", 3},
		"unknown setting": {"base = 'scale'\npolicies = ['fifo']\n[[axis]]\nkey = 'cluster.cpu'\nvalues = [1]", "unknown key", 3},
		"no seeds":        {"base = 'scale'\npolicies = ['fifo']\nseeds = 0", "seeds = 0", 3},
		"an empty list":   {"base = 'scale'\npolicies = ['fifo']\nseed_list = []", "seed_list is empty", 3},
		"a seed twice":    {"base = 'scale'\npolicies = ['fifo']\nseed_list = [4, 4]", "4 twice", 3},
		"a policy twice":  {"base = 'scale'\npolicies = ['fifo', 'easy', 'fifo']", "fifo twice", 3},
		"a level twice":   {"base = 'scale'\npolicies = ['fifo']\n[[axis]]\nkey = 'gamma'\nvalues = [0.9, 0.9]", "0.9 twice", 3},
		"unread option":   {"base = 'scale'\npolicies = ['fifo:window=3']", "no option", 3},
		"one record":      {"base = 'scale'\npolicies = ['exec:command=true:record=r.jsonl']\nseeds = 2", "{seed}", 3},
		"a record a seed": {"base = 'scale'\npolicies = ['exec:command=true:record=r{seed}.jsonl']\nseeds = 2\n[[axis]]\nkey = 'gamma'\nvalues = [0.9, 0.99]", "r1.jsonl", 3},
		"too many cells":  {"base = 'scale'\npolicies = ['fifo']\nseeds = 2\n[[axis]]\nkey = 'gamma'\nfrom = 0.5\nto = 1\ncount = 1000\n[[axis]]\nkey = 'lambda'\nfrom = 1\nto = 9\ncount = 1000", "1000 × 1000 levels, each point run 2 times, make 2e+06 cells; at most 1000000 are accepted", 3},
		"no values":       {"base = 'scale'\npolicies = ['fifo']\n[[axis]]\nkey = 'cluster.gpus'", "are needed", 3},
	} {
		dir := t.TempDir()
		write(t, dir, "s.toml", c.text)
		if _, stderr, status := berth(t, dir, "sweep", "s.toml"); status != c.status || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %s", name, status, stderr)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Errorf("%s: something was written", name)
		}
	}
}

// An address is that of the configuration, however it came about.
func TestSweepAddressesConfigurations(t *testing.T) {
	dir := t.TempDir()
	ids := func(text string) (ids []string) {
		t.Helper()
		s, err := loadSweep(write(t, dir, "s.toml", "base = 'scale'\npolicies = ['easy']\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.cells {
			ids = append(ids, c.ID)
		}
		return ids
	}
	axis := ids("[[axis]]\nkey = 'cluster.gpus'\nvalues = [32, 128]")
	if set := ids("set = ['cluster.gpus=128']"); set[0] != axis[1] || axis[0] == axis[1] {
		t.Errorf("set %v, axis %v", set, axis)
	}
}

// A changed program of exec is run anew, with its arguments and the record that
// answers in its place; nothing else in the folder counts.
func TestSweepAddressesPrograms(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "s.toml", `base = "scale"
policies = ["fifo", "exec:command=\"sh decide.sh rules.txt\"", "exec:replay=r{seed}.jsonl"]
seeds = 2
`)
	for _, name := range []string{"decide.sh", "rules.txt", "r1.jsonl", "r2.jsonl", "other"} {
		write(t, dir, name, "1")
	}
	addresses := func() (ids []string) {
		t.Helper()
		s, err := loadSweep("s.toml")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.cells {
			ids = append(ids, c.ID)
		}
		return ids
	}
	before := addresses()
	for _, c := range []struct {
		file    string
		changed []int // of the cells: policies, and their seeds
	}{{"other", nil}, {"decide.sh", []int{2, 3}}, {"rules.txt", []int{2, 3}}, {"r2.jsonl", []int{5}}} {
		write(t, dir, c.file, "2")
		after := addresses()
		var changed []int
		for i := range after {
			if after[i] != before[i] {
				changed = append(changed, i)
			}
		}
		if !slices.Equal(changed, c.changed) {
			t.Errorf("%s changed the addresses of cells %v, want %v", c.file, changed, c.changed)
		}
		before = after
	}
}

// A folder that no sweep wrote to has nothing to merge.
func TestMergeOfNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "s.toml", "base = 'scale'\npolicies = ['fifo']\n")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, stderr, status := berth(t, dir, "sweep", "merge", "s.toml", "empty"); status == 0 || !strings.Contains(stderr, "empty is no output folder of a sweep") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// An interrupted sweep says so, keeps what is finished, and goes on from there.
func TestSweepInterrupt(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "s.toml", strings.Replace(smallSweep, "seeds = 3", "seeds = 4000", 1))
	c := exec.Command(binary, "sweep", "s.toml", "-j1", "-o", "o")
	c.Dir = dir
	var stderr strings.Builder
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, 20*time.Second, "first cell", func() bool {
		kept, _ := filepath.Glob(filepath.Join(dir, "o", "cells", "*.json"))
		return len(kept) > 0
	})
	_ = c.Process.Signal(os.Interrupt)
	_ = c.Wait()
	if c.ProcessState.ExitCode() != exitInterrupted || !strings.Contains(stderr.String(), filepath.Join("o", "cells")) {
		t.Errorf("status %d: %s", c.ProcessState.ExitCode(), stderr.String())
	}
	if half, _ := filepath.Glob(filepath.Join(dir, "o", "cells", ".*")); len(half) > 0 {
		t.Errorf("left behind: %v", half)
	}
}
