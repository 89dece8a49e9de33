package main

import (
	"errors"
	"go/parser"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The tour of the README works as it stands there: its commands, its scenario
// and its change of the example in Python. The trace and the policy in Go are
// the reader's own.
func TestTour(t *testing.T) {
	need(t, "python3", "the tour is not made")
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tour, _ := strings.Cut(string(text), "\n## A tour\n")
	tour, _, _ = strings.Cut(tour, "\n## ")
	_, scenario, _ := strings.Cut(tour, "```toml\n")
	scenario, _, ok := strings.Cut(scenario, "```")
	if !ok {
		t.Fatal("the tour has no scenario")
	}

	dir := t.TempDir()
	write(t, dir, "mine.toml", scenario)
	if err := errors.Join(os.CopyFS(filepath.Join(dir, "docs"), os.DirFS("../../docs")), os.Mkdir(filepath.Join(dir, "bin"), 0o755), os.Symlink(binary, filepath.Join(dir, "bin", "berth"))); err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^    ((?:bin/berth|cp|sed) .*)$`).FindAllStringSubmatch(tour, -1)
	if len(commands) < 10 {
		t.Fatalf("the tour has %d commands", len(commands))
	}
	for _, m := range commands {
		if strings.Contains(m[1], "log.swf.gz") || strings.Contains(m[1], "shortest-first") {
			continue
		}
		cmd := exec.Command("sh", "-c", m[1])
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", m[1], err, out)
		}
		if strings.Contains(m[1], "mine.py\"'") && strings.Count(string(out), "(+0.0 ± 0.0") < 4 {
			t.Errorf("the changed example does not decide as priority:\n%s", out)
		}
	}

	line := regexp.MustCompile(`(?m)^    (\{"shortest-first".*\}),$`).FindStringSubmatch(tour)
	if line == nil {
		t.Fatal("the tour has no line of the registry")
	}
	if _, err := parser.ParseExpr("Entry" + line[1]); err != nil {
		t.Errorf("%s: %v", line[1], err)
	}
}
