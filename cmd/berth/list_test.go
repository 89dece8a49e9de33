package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"berth/policies"
	"berth/workloads"
)

// Everything that a command draws is named by berth list figures.
func TestFiguresAreListed(t *testing.T) {
	named := map[string]bool{}
	for _, f := range figureNames {
		named[f[0]] = true
	}
	for _, c := range chapters {
		for _, f := range c.figures {
			if !named[path.Base(f)] {
				t.Errorf("%s of paper --only %s is not listed", f, c.name)
			}
		}
	}
	for _, f := range studyFigures {
		if !named[f.name] {
			t.Errorf("%s of horizon is not listed", f.name)
		}
	}
	dir := t.TempDir()
	if _, errs, status := berth(t, dir, "compare", "fragmented", "--seeds", "2", "-o", "o"); status != 0 {
		t.Fatal(errs)
	}
	drawn, err := filepath.Glob(filepath.Join(dir, "o/figures/*.svg"))
	if err != nil || len(drawn) == 0 {
		t.Fatal(drawn, err)
	}
	for _, f := range drawn {
		if !named[strings.TrimSuffix(filepath.Base(f), ".svg")] {
			t.Errorf("%s of compare is not listed", f)
		}
	}
}

// A listed scenario is a file that makes the same run; what is listed of
// policies can be set; unknown names are errors that say what is accepted.
func TestList(t *testing.T) {
	dir := t.TempDir()
	text, _, _ := berth(t, dir, "list", "scenarios", "fragmented")
	write(t, dir, "mine.toml", text)
	a, _, _ := berth(t, dir, "run", "fragmented", "--json", "--figures=false", "-o", "a")
	b, errs, status := berth(t, dir, "run", "mine.toml", "--json", "--figures=false", "-o", "b")
	if a == "" || a != b || status != 0 {
		t.Errorf("fragmented and its own text: %s\n%s\n%s", a, b, errs)
	}

	out, _, _ := berth(t, dir, "list", "--json")
	var all map[string][]listed
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds() {
		if len(all[k.name]) == 0 {
			t.Errorf("list --json has no %s", k.name)
		}
		for _, entry := range all[k.name] {
			var one strings.Builder
			root := newRoot()
			root.SetOut(&one)
			root.SetArgs([]string{"list", k.name, entry.Name})
			if err := root.Execute(); err != nil || !strings.Contains(one.String(), entry.Name) {
				t.Errorf("list %s %s: %v", k.name, entry.Name, err)
			}
		}
	}
	if got := len(all["policies"]); got != len(policies.All()) {
		t.Errorf("%d policies are listed", got)
	}
	in := input{}
	for _, setting := range all["settings"] {
		if _, meaning, _ := strings.Cut(setting.Summary, ": "); meaning == "" {
			t.Errorf("nothing is said of the setting %s", setting.Name)
		}
		ok := false
		for _, value := range []string{"0", "0.0", "true", `""`, `"x"`, "[]", `"contiguous"`, `"closed"`, `"1h"`, `"UTC"`} {
			ok = ok || in.set(setting.Name+"="+value) == nil
		}
		if !ok {
			t.Errorf("the setting %s (%s) takes no value", setting.Name, setting.Summary)
		}
	}
	for _, c := range [][]string{{"list", "magic"}, {"list", "policies", "magic"}} {
		if _, errs, status := berth(t, dir, c...); status != exitUsage || !strings.Contains(errs, "magic") || !strings.Contains(errs, "accepted are ") {
			t.Errorf("%v: status %d, %s", c, status, errs)
		}
	}
}

// The shell completes names.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		typed     []string
		want      string // first words of the offers
		directive string
	}{
		{[]string{"run", "mixed"}, "mixed-control", ":0"},
		{[]string{"compare", "s"}, "scale", ":0"},
		{[]string{"plan", ""}, strings.Join(workloads.Names(), " "), ":0"},
		{[]string{"run", "mine"}, "", ":0"}, // files
		{[]string{"run", "scale", ""}, "", ":4"},
		{[]string{"run", "scale", "--policy", "f"}, "fifo fcfs fairshare", ":4"},
		{[]string{"run", "scale", "-p", "ea"}, "easy", ":4"},
		{[]string{"run", "scale", "-p", "las:pro"}, "las:promote=", ":6"},
		{[]string{"run", "scale", "-p", "las:promote=1:reserve="}, "las:promote=1:reserve=peak las:promote=1:reserve=curve", ":4"},
		{[]string{"compare", "scale", "--policies", "fifo,easy:pl"}, "fifo,easy:placement=", ":6"},
		{[]string{"compare", "--policies=fifo,con"}, "fifo,conservative", ":4"},
		{[]string{"plan", "scale", "--mode", ""}, "fifo fast full", ":4"},
		{[]string{"plan", "scale", "--solver", ""}, "auto highs cbc", ":4"},
		{[]string{"run", "scale", "--set", "cluster.gpus"}, "cluster.gpus= cluster.gpus_per_node=", ":6"},
		{[]string{"trace", "info", "log", "--as", "s"}, "spot-jobs swf", ":4"},
		{[]string{"trace", "convert", "log", "--to", ""}, "batsim berth swf", ":4"},
		{[]string{"trace", "info", "log", "--to", ""}, "", ":4"},
		{[]string{"paper", "--only", "g"}, "gap", ":4"},
		{[]string{"paper", "--only", "gap,h"}, "gap,horizon", ":4"},
		{[]string{"sweep", "submit", "s.toml", "--engine", ""}, "slurm k8s", ":4"},
		{[]string{"list", "p"}, "policies placements", ":4"},
		{[]string{"sweep", "summary", "o", "--figure", "map,"}, "map,lines map,map map,pareto map,none", ":4"},
		{[]string{"list", "placements", "f"}, "firstfit fgd", ":4"},
	} {
		out, errs, status := berth(t, dir, append([]string{"__complete"}, c.typed...)...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		var offers []string
		for _, line := range lines[:len(lines)-1] {
			word, _, _ := strings.Cut(line, "\t")
			offers = append(offers, word)
		}
		if got := strings.Join(offers, " "); status != 0 || got != c.want || lines[len(lines)-1] != c.directive {
			t.Errorf("%q: %q %s, want %q %s (%s)", c.typed, got, lines[len(lines)-1], c.want, c.directive, errs)
		}
	}
}

// There is a page for each command, which man accepts without a warning, and
// the first has the exit statuses.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	if _, errs, status := berth(t, dir, "man", "-o", "man1"); status != 0 {
		t.Fatal(errs)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "man1/*.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"berth", "berth-run", "berth-trace-convert", "berth-sweep-submit"} {
		if _, err := os.Stat(filepath.Join(dir, "man1", want+".1")); err != nil {
			t.Error(err)
		}
	}
	top, err := os.ReadFile(filepath.Join(dir, "man1/berth.1"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(top), ".SH EXIT STATUS")
	for _, meaning := range statuses {
		if !ok || !strings.Contains(section, meaning) {
			t.Errorf("berth.1 does not tell of the status %q", meaning)
		}
	}
	need(t, "man", "the pages are not read")
	for _, page := range pages {
		cmd := exec.Command("man", "--warnings", "-E", "UTF-8", "-l", page)
		cmd.Env = append(os.Environ(), "MANWIDTH=80", "MANPAGER=cat", "LC_ALL=C.UTF-8")
		var errs strings.Builder
		cmd.Stderr = &errs
		text, err := cmd.Output()
		if err != nil || errs.Len() > 0 {
			t.Errorf("%s: %v %s", page, err, errs.String())
		}
		for line := range strings.Lines(string(text)) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 100 {
				t.Errorf("%s: %d columns: %s", page, n, line)
			}
		}
	}
}
