package traces

import (
	"fmt"
	"io"
	"math"

	"berth/sim/hardware"
)

// Node is a machine of a cluster, as a node list records it.
type Node struct {
	Name      string
	Model     string // of its GPUs
	GPUs      int
	CPUMilli  int // CPUs, in thousandths of one
	MemoryMiB int // 0 where the list does not say
}

// Cluster is what a node list describes. Nodes and Topology have the nodes in
// the order of the file; nodes without GPUs, which a topology cannot hold, are
// rejects of the report.
type Cluster struct {
	Topology *hardware.Topology
	Nodes    []Node
	Report   *Report
}

// What a node list may hold at most, so that a damaged one does not take all
// memory.
const (
	maxNodes    = 1 << 20
	maxNodeGPUs = 1 << 10
)

var (
	rejectNoNodeGPUs = cause{what: "node without GPUs", hint: "a cluster is made of nodes with GPUs; nothing admits it"}
	quirkNoMemory    = cause{quirk: true, what: "nodes without a size of memory", hint: "memory is not counted on them"}
)

// clusterFormat is a kind of node list: the names of its columns.
type clusterFormat struct {
	name                           string
	node, model, gpus, cpu, memory string
	cpuMilli                       int64 // thousandths of a CPU in one unit of the cpu column
}

// clusterFormats are the node lists that can be read:
//
//   - openb-nodes: Alibaba cluster-trace-gpu-v2023.
//   - spot-nodes: Alibaba cluster-trace-v2026-spot-gpu, whose CPUs are whole
//     and which records no memory.
var clusterFormats = []clusterFormat{
	{"openb-nodes", "sn", "model", "gpu", "cpu_milli", "memory_mib", 1},
	{"spot-nodes", "node_name", "gpu_model", "gpu_capacity_num", "cpu_num", "", 1000},
}

func (f *clusterFormat) columns() []string {
	list := []string{f.node, f.model, f.gpus, f.cpu}
	if f.memory != "" {
		list = append(list, f.memory)
	}
	return list
}

// OpenCluster reads the node list at a path; "-" is standard input. Of the
// options, Format (a name of ClusterFormats), KeepGoing, OnReject and Stdin
// count.
func OpenCluster(path string, opts Options) (*Cluster, error) {
	f, name, err := openFile(path, opts)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadCluster(f, name, opts)
}

// ReadCluster reads a node list; name stands for it in errors and reports.
func ReadCluster(r io.Reader, name string, opts Options) (*Cluster, error) {
	opts, err := opts.check()
	if err != nil {
		return nil, err
	}
	text, head, err := openText(r, name)
	if err != nil {
		return nil, err
	}
	format, err := chooseCluster(opts.Format, name, head)
	if err != nil {
		return nil, err
	}
	l := nodeList{format: format, in: newInput(text, name, format.name, opts)}
	c := &Cluster{}
	if c.Nodes, err = l.read(); err != nil {
		return nil, err
	}
	if len(c.Nodes) == 0 {
		return nil, &InputError{File: name, Line: l.in.line, Msg: "has no node with GPUs; accepted are at least one"}
	}
	if c.Topology, err = TopologyOf(c.Nodes); err != nil {
		return nil, &InputError{File: name, Msg: err.Error(), Err: err}
	}
	l.in.delivered = l.in.accepted
	c.Report = l.in.report()
	return c, nil
}

func chooseCluster(name, file string, head []byte) (*clusterFormat, error) {
	accepted := ""
	for i := range clusterFormats {
		f := &clusterFormats[i]
		if name == f.name || name == "" && hasColumns(head, f.columns()...) {
			return f, nil
		}
		accepted += ", " + f.name
	}
	accepted = accepted[2:]
	if name != "" {
		return nil, fmt.Errorf("traces: format %q of nodes is unknown; accepted are %s", name, accepted)
	}
	return nil, &InputError{File: file, Line: 1, Msg: fmt.Sprintf(
		"is no node list that is known, by %s; accepted are %s", quote(headLine(head)), accepted)}
}

// TopologyOf makes a topology of nodes with GPUs, in their order: neighbours
// that are alike form a pool. A node is a link domain of its own, as node
// lists record no links between nodes.
func TopologyOf(nodes []Node) (*hardware.Topology, error) {
	var pools []hardware.Pool
	for i, n := range nodes {
		if i > 0 {
			if before := nodes[i-1]; n.Model == before.Model && n.GPUs == before.GPUs &&
				n.CPUMilli == before.CPUMilli && n.MemoryMiB == before.MemoryMiB {
				pools[len(pools)-1].GPUs += n.GPUs
				continue
			}
		}
		pools = append(pools, hardware.Pool{
			SKU: hardware.SKU{Name: n.Model}, GPUs: n.GPUs, GPUsPerNode: n.GPUs,
			CPUMilli: n.CPUMilli, MemoryMiB: n.MemoryMiB,
		})
	}
	return hardware.NewTopology(pools...)
}

// nodeList reads nodes row by row.
type nodeList struct {
	format                         *clusterFormat
	in                             *input
	t                              *table
	ids                            names64
	node, model, gpus, cpu, memory int
}

func (l *nodeList) read() ([]Node, error) {
	f := l.format
	cols := map[string]*int{f.node: &l.node, f.model: &l.model, f.gpus: &l.gpus, f.cpu: &l.cpu}
	if f.memory != "" {
		cols[f.memory] = &l.memory
	}
	t, err := openTable(l.in, cols)
	if err != nil {
		return nil, err
	}
	l.t = t
	var nodes []Node
	for {
		ok, err := t.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return nodes, nil
		}
		n, err := l.parse()
		switch {
		case err != nil:
			if err := l.in.malformed("%s", err); err != nil {
				return nil, err
			}
			continue
		case n.GPUs == 0:
			l.in.reject(&rejectNoNodeGPUs, int64(len(nodes)), n.Name)
			continue
		case len(nodes) == maxNodes:
			return nil, &InputError{File: l.in.name, Line: l.in.line, Msg: fmt.Sprintf("more than %d nodes; accepted are up to that", maxNodes)}
		}
		l.in.accepted++
		nodes = append(nodes, n)
	}
}

// parse makes a node of the current row.
func (l *nodeList) parse() (n Node, err error) {
	f, fields, v := l.format, l.t.fields, reading{in: l.in}
	if l.ids.add(fields[l.node]) {
		v.fail(fmt.Errorf("%s %s is there twice; accepted is once", f.node, quote(fields[l.node])))
	}
	n = Node{
		Name: l.in.tenants.get(fields[l.node]), Model: l.in.tenants.get(fields[l.model]),
		GPUs:     v.count(f.gpus, fields[l.gpus], maxNodeGPUs),
		CPUMilli: v.count(f.cpu, fields[l.cpu], math.MaxInt32/f.cpuMilli) * int(f.cpuMilli),
	}
	if f.memory == "" || blank(fields[l.memory]) {
		l.in.quirk(&quirkNoMemory)
	} else {
		n.MemoryMiB = v.count(f.memory, fields[l.memory], math.MaxInt32)
	}
	return n, v.err
}
