package exec

// docs/protocol.md against the messages.

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"berth/sim"
	"berth/sim/hardware"
)

const page = "../../docs/protocol.md"

// fields are the keys of a message.
func fields(message any) (keys []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(message)) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, key)
	}
	return keys
}

// The page lists each key of each message, in a table a message, in order.
func TestPageListsEveryField(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string][]string{}
	table := ""
	head, row := regexp.MustCompile(`^\| ([a-z ]+) \| meaning \|$`), regexp.MustCompile("^\\| `([a-z_]+)` \\|")
	for _, line := range strings.Split(string(text), "\n") {
		if m := head.FindStringSubmatch(line); m != nil {
			table = m[1]
		} else if m := row.FindStringSubmatch(line); m != nil {
			documented[table] = append(documented[table], m[1])
		}
	}
	want := map[string][]string{
		"hello": fields(hello{}), "node": fields(node{}), "service": fields(service{}), "answer to hello": fields(welcome{}),
		"instant": fields(instant{}), "started": fields(started{}), "preempted": fields(preempted{}), "ended": fields(ended{}),
		"job": fields(job{}), "holding": fields(holding{}), "answer": fields(answer{}), "decision": fields(decision{}), "feature": features,
	}
	if d := cmp.Diff(want, documented); d != "" {
		t.Errorf("the messages and %s (-messages +page):\n%s", page, d)
	}
}

// The transcript of the page is the record of a run.
func TestPageTranscript(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```jsonl\n")
	transcript, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("the page has no transcript")
	}
	path := filepath.Join(t.TempDir(), "transcript.jsonl")
	if err := os.WriteFile(path, []byte(transcript), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := sim.Run(t.Context(), transcribed(), New(Config{Seed: 1, Gamma: 0.99, Lambda: 100, Replay: path})); err != nil {
		t.Error(err)
	}
}

// transcribed is the workload of the transcript.
func transcribed() *sim.Workload {
	node, _ := hardware.NewTopology(hardware.Pool{GPUs: 4})
	job := func(id int64, at sim.Time, priority float64) sim.Job {
		return sim.Job{ID: id, Kind: sim.Training, Submit: at, Priority: priority, MinGPUs: 2, MaxGPUs: 2, Duration: time.Hour, Estimate: time.Hour}
	}
	return &sim.Workload{
		Topology: node, Horizon: 4 * time.Hour,
		Services: []sim.Service{{Name: "chat", Priority: 5, Max: 2, SwapCap: 1, Demand: sim.Curve{Step: time.Hour, Levels: []int{1, 2, 0, 0}}}},
		Jobs:     &sim.Jobs{List: []sim.Job{job(1, 0, 1), job(2, 0, 1), job(3, 90*time.Minute, 9)}},
	}
}
