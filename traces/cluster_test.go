package traces

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"berth/sim"
	"berth/sim/hardware"
)

func TestCluster(t *testing.T) {
	c, err := OpenCluster("testdata/openb_nodes.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	p100 := hardware.Pool{SKU: hardware.SKU{Name: "P100"}, GPUs: 4, GPUsPerNode: 2, NodesPerLink: 1, DomainsPerRack: 4, CPUMilli: 64000, MemoryMiB: 262144}
	v100 := hardware.Pool{SKU: hardware.SKU{Name: "V100M32"}, GPUs: 8, GPUsPerNode: 8, NodesPerLink: 1, DomainsPerRack: 4, CPUMilli: 96000, MemoryMiB: 524288}
	last := p100
	last.GPUs = 2
	if d := cmp.Diff([]hardware.Pool{p100, v100, last}, c.Topology.Pools()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]hardware.Range{{First: 0, N: 2}, {First: 2, N: 2}, {First: 4, N: 8}, {First: 12, N: 2}}, c.Topology.Nodes()); d != "" {
		t.Error(d)
	}
	if len(c.Nodes) != 4 || c.Nodes[3].Name != "node-4" || c.Report.Format != "openb-nodes" {
		t.Errorf("nodes %+v, report %+v", c.Nodes, c.Report)
	}
	if d := cmp.Diff([]Tally{{rejectNoNodeGPUs.what, 1, []int64{5}, rejectNoNodeGPUs.hint}}, c.Report.Rejects); d != "" {
		t.Error(d)
	}

	c, err = OpenCluster("testdata/spot_nodes.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	a10 := hardware.Pool{SKU: hardware.SKU{Name: "A10"}, GPUs: 2, GPUsPerNode: 1, NodesPerLink: 1, DomainsPerRack: 4, CPUMilli: 128000}
	h800 := hardware.Pool{SKU: hardware.SKU{Name: "H800"}, GPUs: 8, GPUsPerNode: 8, NodesPerLink: 1, DomainsPerRack: 4, CPUMilli: 192000}
	if d := cmp.Diff([]hardware.Pool{a10, h800}, c.Topology.Pools()); d != "" {
		t.Error(d)
	}
}

// TestRecordedClusters holds the published sizes of the two clusters.
func TestRecordedClusters(t *testing.T) {
	for _, c := range []struct {
		file        string
		nodes, gpus int
	}{
		{"openb/openb_node_list_gpu_node.csv.gz", 1213, 6212},
		{"spot/node_info_df.csv.gz", 4278, 10412},
	} {
		got, err := OpenCluster(data(t, c.file), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Nodes) != c.nodes || len(got.Topology.Nodes()) != c.nodes || got.Topology.GPUs() != c.gpus {
			t.Errorf("%s: %d nodes, %d in the topology, %d GPUs", c.file, len(got.Nodes), len(got.Topology.Nodes()), got.Topology.GPUs())
		}
		gpu := 0
		for i, n := range got.Nodes {
			if r := got.Topology.Nodes()[i]; r.First != gpu || r.N != n.GPUs {
				t.Fatalf("%s: node %d is %+v, in the topology %+v", c.file, i, n, r)
			}
			gpu += n.GPUs
		}
	}
}

func TestBadClusters(t *testing.T) {
	const head = "sn,cpu_milli,memory_mib,gpu,model\n"
	for text, want := range map[string]string{
		"":                                "x: is empty",
		"a,b\n":                           "x:1: is no node list that is known",
		head:                              "x:1: has no node with GPUs",
		head + "n,1,1,0,\n":               "x:2: has no node with GPUs",
		head + "n,1,1,-1,A\n":             `x:2: gpu is "-1"; accepted is an integer from 0 to 1024`,
		head + "n,1,1,1,A\nn,1,1,1,A\n":   `x:3: sn "n" is there twice`,
		head + "n,1,1\n":                  "x:2: 3 fields; accepted are 5",
		head + "n,99999999999999,1,1,A\n": `x:2: cpu_milli is "99999999999999"`,
	} {
		_, err := ReadCluster(strings.NewReader(text), "x", Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func TestOpenb(t *testing.T) {
	jobs, r := readAll(t, "testdata/openb_pods.csv", Options{CPUOnly: true})
	want := []sim.Job{
		{ID: 2, Name: "pod-1", Tenant: "BE", Submit: 50 * time.Second, Duration: 90 * time.Second, MinGPUs: 1,
			Request: hardware.Request{GPUMilli: 460, CPUMilli: 6000, MemoryMiB: 12288, Models: "V100M16|V100M32"}},
		{ID: 3, Name: "pod-2", Tenant: "LS", Submit: 60 * time.Second, Duration: 29 * time.Second,
			Request: hardware.Request{CPUMilli: 8000, MemoryMiB: 1024}},
		{ID: 4, Name: "pod-3", Tenant: "Guaranteed", Submit: 70 * time.Second, Duration: 25 * time.Second, MinGPUs: 8,
			Request: hardware.Request{CPUMilli: 8000, MemoryMiB: 1024, Models: "T4"}},
		{ID: 1, Name: "pod-0", Tenant: "LS", Submit: 100 * time.Second, Duration: 300 * time.Second, MinGPUs: 1,
			Request: hardware.Request{CPUMilli: 12000, MemoryMiB: 16384}},
		{ID: 10, Name: "pod-1@11", Tenant: "BE", Submit: 200 * time.Second, Duration: time.Second, MinGPUs: 1,
			Request: hardware.Request{GPUMilli: 250, CPUMilli: 6000, MemoryMiB: 12288}},
	}
	for i := range want {
		want[i].MaxGPUs, want[i].Estimate, want[i].Priority, want[i].Across = want[i].MinGPUs, want[i].Duration, 1, true
	}
	if d := cmp.Diff(want, jobs); d != "" {
		t.Error(d)
	}
	lines := map[string][]int64{}
	for _, e := range append(r.Rejects, r.Quirks...) {
		lines[e.What] = e.Lines
	}
	if d := cmp.Diff(map[string][]int64{
		rejectNoSubmit.what: {7}, rejectUnknown.what: {6}, rejectBefore.what: {8}, rejectNoRun.what: {9}, rejectShares.what: {10},
		quirkUnsorted.what: {3}, quirkNoEstimate.what: {2, 3, 4, 5, 11}, quirkRunning.what: {2}, quirkFailed.what: {5}, quirkDuplicate.what: {11},
	}, lines); d != "" {
		t.Error(d)
	}

	jobs, r = readAll(t, "testdata/openb_pods.csv", Options{})
	if len(jobs) != 4 || !slicesHas(r.Rejects, rejectCPUOnly.what) {
		t.Errorf("%d jobs, rejects %+v", len(jobs), r.Rejects)
	}
}

func slicesHas(list []Tally, what string) bool {
	for _, t := range list {
		if t.What == what {
			return true
		}
	}
	return false
}

// TestPods: all pods come in the order of the file, those that never ran and
// those of lists without times too.
func TestPods(t *testing.T) {
	pods, err := ReadPods("testdata/openb_pods.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(pods) != 10 || pods[9].Name != "pod-1" {
		t.Fatalf("pods %+v", pods)
	}
	if d := cmp.Diff(Pod{Name: "pod-4", GPUs: 1, Request: hardware.Request{CPUMilli: 8000, MemoryMiB: 1024}, QoS: "LS", Phase: "Pending",
		Created: 70 * time.Second, Deleted: 95 * time.Second, Scheduled: Unrecorded}, pods[4]); d != "" {
		t.Error(d)
	}
	for _, c := range []struct {
		file        string
		pods, noGPU int
	}{
		{"openb/openb_pod_list_default.csv.gz", 8152, 1088},
		{"openb/openb_pod_list_multigpu50.csv.gz", 9061, 1088},
	} {
		pods, err := ReadPods(data(t, c.file), Options{})
		if err != nil {
			t.Fatal(err)
		}
		noGPU := 0
		for _, p := range pods {
			if p.GPUs == 0 {
				noGPU++
			}
		}
		if len(pods) != c.pods || noGPU != c.noGPU {
			t.Errorf("%s: %d pods, %d without GPU", c.file, len(pods), noGPU)
		}
	}
}

func FuzzCluster(f *testing.F) {
	seed(f, "testdata/openb_nodes.csv")
	seed(f, "testdata/spot_nodes.csv")
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, o := range []Options{{}, {KeepGoing: true}, {Format: "spot-nodes", KeepGoing: true}} {
			c, err := ReadCluster(bytes.NewReader(text), "x", o)
			if bad := new(InputError); err != nil && !errors.As(err, &bad) {
				t.Fatalf("%v is not an InputError", err)
			}
			if err == nil && len(c.Topology.Nodes()) != len(c.Nodes) {
				t.Fatalf("%d nodes, %d in the topology", len(c.Nodes), len(c.Topology.Nodes()))
			}
		}
	})
}

func FuzzOpenb(f *testing.F) {
	seed(f, "testdata/openb_pods.csv")
	f.Fuzz(func(t *testing.T, text []byte) { check(t, "openb-pods", text) })
}
