package policies_test

// Programs that decide, beside the policies that decide the same in process.

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"berth/policies"
)

const example = "../docs/examples/shortest_first.py"

// TestMain makes the test binary a program that decides when it is told to.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "decide-shortest-first" {
		shortestFirst()
		return
	}
	os.Exit(m.Run())
}

// shortestFirst is the policy sjf as a program.
func shortestFirst() {
	type job struct{ ID, Estimate int64 }
	type change struct{ Job int64 }
	estimate := map[int64]int64{}
	line := []int64{}
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	out := json.NewEncoder(os.Stdout)
	for {
		var m struct {
			Type           string
			Round          int
			Arrived        []job
			Eligible       []int64
			Started, Ended []change
		}
		if in.Decode(&m) != nil {
			return
		}
		if m.Type == "hello" {
			_ = out.Encode(map[string]any{"protocol": 1})
			continue
		}
		gone := append(m.Started, m.Ended...)
		line = slices.DeleteFunc(line, func(id int64) bool { return slices.Contains(gone, change{id}) })
		for _, j := range m.Arrived {
			estimate[j.ID] = j.Estimate
		}
		line = append(line, m.Eligible...)
		slices.SortStableFunc(line, func(a, b int64) int { return cmp.Compare(estimate[a], estimate[b]) })
		_ = out.Encode(map[string]any{"round": m.Round, "decisions": []any{map[string]any{"line": line}}})
	}
}

// sameAsSJF runs a world under sjf, under a program, and from the program's
// record, and compares all that the runs wrote.
func sameAsSJF(t *rapid.T, w *world, command string, reserve, place string, record string) {
	c := policies.Config{Gamma: worldGamma, Lambda: worldLambda, Seed: 7, Reserve: reserve, Placement: place}
	want := run(t, w, "sjf", c)
	c.Command, c.Record = command, record
	program := run(t, w, "exec", c)
	c.Command, c.Record, c.Replay = "", "", record
	replayed := run(t, w, "exec", c)
	for who, got := range map[string]*outcome{"the program": program, "its record": replayed} {
		if d := gocmp.Diff(want.jobs.String()+want.services.String()+want.timeline.String(), got.jobs.String()+got.services.String()+got.timeline.String()); d != "" {
			t.Fatalf("sjf and %s (-sjf +program):\n%s\n%v", who, d, w)
		}
	}
}

func TestProgramDecidesAsSJF(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		reserve := rapid.SampledFrom([]string{"", "curve"}).Draw(t, "reserve")
		place := rapid.SampledFrom([]string{"", "bestfit"}).Draw(t, "placement")
		sameAsSJF(t, w, fmt.Sprintf("'%s' decide-shortest-first", self), reserve, place, record)
	})
}

// The example of the documentation decides as sjf. Python starts slowly, so it
// sees fewer worlds.
func TestPythonExampleDecidesAsSJF(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("BERTH_REQUIRE_TOOLS") != "" {
			t.Fatal("BERTH_REQUIRE_TOOLS is set and python3 is not installed")
		}
		t.Skip("python3 is not there: the example in Python is not tested")
	}
	record := filepath.Join(t.TempDir(), "record")
	worlds, failing := 0, false
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		if worlds++; worlds > 8 && !failing {
			return
		}
		failing = true // until it is known not to: then a smaller world is looked for
		sameAsSJF(t, w, "python3 "+example, "", "", record)
		failing = false
	})
}
