package policies_test

// A policy of one's own, as the README shows it.

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"
)

// ShortestFirst starts whatever fits, the shortest estimate first. It holds no
// GPUs for services.
type ShortestFirst struct{}

// Name is how tables and errors call the policy.
func (ShortestFirst) Name() string { return "shortest-first" }

// Decide is called once for every instant at which something changed.
func (ShortestFirst) Decide(r *sim.Round) error {
	queue := slices.Clone(r.Waiting())
	slices.SortStableFunc(queue, func(a, b *sim.ActiveJob) int {
		return cmp.Compare(a.Estimate, b.Estimate)
	})
	for _, job := range queue {
		if !r.StartFirst(job) { // the lowest-numbered free GPUs that suit it
			r.Explain(job, "not enough free GPUs")
		}
	}
	return nil
}

// Three jobs on a node of four GPUs: the long one waits for the short ones.
func Example_ownPolicy() {
	node, _ := hardware.NewTopology(hardware.Pool{GPUs: 4})
	job := func(id int64, gpus int, seconds sim.Time) sim.Job {
		d := seconds * 1e9
		return sim.Job{ID: id, Priority: 1, MinGPUs: gpus, MaxGPUs: gpus, Duration: d, Estimate: d}
	}
	w := &sim.Workload{Topology: node, Jobs: &sim.Jobs{List: []sim.Job{job(1, 4, 100), job(2, 2, 10), job(3, 2, 20)}}}
	spans := &metrics.Spans{}
	if err := sim.Run(context.Background(), w, ShortestFirst{}, spans); err != nil {
		fmt.Println(err)
	}
	for _, s := range spans.Jobs {
		fmt.Println("job", s.Label, "on GPUs", hardware.FormatRanges(s.GPUs), "from", s.Start, "to", s.End)
	}
	// Output:
	// job 2 on GPUs 0-1 from 0s to 10s
	// job 3 on GPUs 2-3 from 0s to 20s
	// job 1 on GPUs 0-3 from 20s to 2m0s
}

func TestREADMEShowsThisPolicy(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(readme), "```go\n")
	shown, _, _ = strings.Cut(shown, "```")
	if shown == "" || !strings.Contains(string(source), shown) {
		t.Error("the policy in README.md is not the one in policies/example_test.go")
	}
}
