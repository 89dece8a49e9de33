package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"

	"berth/policies"
	"berth/sim/config"
	"berth/workloads"
)

// A manifest's configuration, written as TOML, is the scenario again.
func TestManifestIsTOML(t *testing.T) {
	for _, name := range workloads.Names() {
		in, err := load(name, []string{"policy.window=12", "trace.unit=60", "cluster.alignment=buddy"})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(config.Tree(in.file))
		if err != nil {
			t.Fatal(err)
		}
		var tree map[string]any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&tree); err != nil {
			t.Fatal(err)
		}
		var written bytes.Buffer
		if err := toml.NewEncoder(&written).Encode(tree); err != nil {
			t.Fatal(err)
		}
		var again file
		if err := config.DecodeStrict(written.Bytes(), name, &again); err != nil {
			t.Fatalf("%v\n%s", err, written.Bytes())
		}
		if d := cmp.Diff(in.file, again, cmp.Comparer(func(a, b policies.Config) bool { return a.Window == b.Window })); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// A cell's address does not depend on where the files are that it reads, and
// does on what is in them.
func TestCellAddressIsByContent(t *testing.T) {
	const scenario = `base = "log.swf"
policies = ["fcfs"]
set = ["cluster.gpus=8"]
`
	const log = "1 0 -1 60 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1\n"
	address := func(dir, content string) string {
		write(t, dir, "log.swf", content)
		s, err := loadSweep(write(t, dir, "s.toml", scenario))
		if err != nil {
			t.Fatal(err)
		}
		return s.cells[0].ID
	}
	one := address(t.TempDir(), log)
	deep := filepath.Join(t.TempDir(), "deep")
	if err := os.Mkdir(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if other := address(deep, log); other != one {
		t.Errorf("%s there, %s here", other, one)
	}
	if other := address(deep, log+log); other == one {
		t.Error("another trace has the same address")
	}
}

// A folder holds one result, the last: its manifest is true of every file.
func TestAFolderHoldsOneResult(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args     string
		has, not []string
	}{
		{"run scale --policy horizon", []string{"summary.json", "jobs.csv", "outlook.csv", "figures/value.svg"}, nil},
		{"compare scale --seeds 2 -p fifo,easy", []string{"comparison.json", "runs.csv", "figures/policies.svg"}, []string{"summary.json", "jobs.csv", "services.csv", "timeline.csv", "outlook.csv"}},
		{"run scale --policy fifo --figures=false", []string{"summary.json", "jobs.csv", "kept.txt"}, []string{"comparison.json", "runs.csv", "outlook.csv", "figures/policies.svg", "figures/value.svg"}},
	} {
		if _, stderr, status := berth(t, dir, append(strings.Fields(c.args), "-o", "o")...); status != 0 {
			t.Fatalf("%s: %s", c.args, stderr)
		}
		write(t, dir, "o/kept.txt", "not berth's")
		files := contents(t, filepath.Join(dir, "o"))
		for _, name := range c.has {
			if files[name] == nil {
				t.Errorf("%s: %s is not there", c.args, name)
			}
		}
		for _, name := range c.not {
			if files[name] != nil {
				t.Errorf("%s: %s of an earlier result is still there", c.args, name)
			}
		}
	}
}
