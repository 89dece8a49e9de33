// Package placement decides where a job goes on a cluster of nodes, whatever
// the order in which jobs come: a score for every node with room for the job,
// the highest wins. A policy of any queue order can use it.
//
// Scores are integers, 0 to 100. Ties go to the node that stands first in an
// order that is drawn once a run. CPUs and shares of GPUs are counted in
// thousandths, memory in MiB. The scores are those compared by Weng et al.,
// "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation
// Gradient Descent", USENIX ATC 2023.
package placement

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"berth/sim"
	"berth/sim/hardware"
)

// Shape is what a job asks of a node.
type Shape struct {
	GPUs int // 0 for a job on CPUs alone
	hardware.Request
}

// Scorer says how good a node is for a job that it has room for, from 0 to
// 100. The score may depend on nothing but its arguments.
type Scorer interface {
	Score(n *hardware.Node, s *Shape) int
}

// gpuChooser is a Scorer that also says on which GPU of the node a share goes,
// as a place in n.Left. Without it a share goes to the GPU with the least left
// that suffices.
type gpuChooser interface {
	GPU(n *hardware.Node, s *Shape) int
}

// learner is a Scorer that learns from the jobs that arrive. It reports whether
// scores given before are void.
type learner interface {
	Learn(s *Shape) bool
}

// Options are what scores depend on beside node and job.
type Options struct {
	Seed uint64 // of the order of ties, and of the choices of random
	// Typical are the jobs that fgd keeps room for; nil means those that have
	// arrived so far.
	Typical []Typical
}

// Entry describes a placement that can be named.
type Entry struct {
	Name    string
	Summary string
	make    func(t *hardware.Topology, p *Placement, o Options) Scorer
}

var entries = []Entry{
	{"random", "any node with room, and any GPU of it for a share", newRandom},
	{"firstfit", "the first node with room", newFirstFit},
	{"bestfit", "the node with the least CPUs and GPUs left", newBestFit},
	{"dotproduct", "the node whose free CPUs and GPUs are least like the request", newDotProduct},
	{"packing", "GPUs in part use before free ones, nodes in use before free ones", newPacking},
	{"clustering", "nodes that hold jobs of the same size", newClustering},
	{"fgd", "the node whose fragmentation grows least: fragmentation gradient descent", newFGD},
}

// All lists the placements in the order in which they are documented.
func All() []Entry { return append([]Entry(nil), entries...) }

// Check reports a name that stands for no placement.
func Check(name string) error {
	names := make([]string, len(entries))
	for i, e := range entries {
		if names[i] = e.Name; e.Name == name {
			return nil
		}
	}
	return fmt.Errorf("placement %q is unknown; accepted are %s", name, strings.Join(names, ", "))
}

// Placement places the jobs of one run.
type Placement struct {
	name string
	o    Options

	scorer  Scorer
	chooser gpuChooser // the scorer, if it chooses GPUs
	learner learner    // the scorer, if it learns
	uniform bool       // ties are drawn anew each time
	random  *rand.Rand

	order   []int32 // of nodes, for ties
	memo    memo
	node    hardware.Node
	sizes   []int
	scratch []hardware.Range
}

// New makes a placement by name, for one run.
func New(name string, o Options) (*Placement, error) {
	if err := Check(name); err != nil {
		return nil, err
	}
	return &Placement{name: name, o: o}, nil
}

// open gets to know the cluster.
func (p *Placement) open(t *hardware.Topology) {
	p.random = sim.Stream(p.o.Seed, "placement")
	p.order = make([]int32, len(t.Nodes()))
	for i, n := range p.random.Perm(len(p.order)) {
		p.order[i] = int32(n)
	}
	for _, e := range entries {
		if e.Name == p.name {
			p.scorer = e.make(t, p, p.o)
		}
	}
	p.chooser, _ = p.scorer.(gpuChooser)
	p.learner, _ = p.scorer.(learner)
	p.memo.reset()
}

// Observe takes notice of the jobs that arrive; it is called once a round.
func (p *Placement) Observe(r *sim.Round) {
	if p.scorer == nil {
		p.open(r.Cluster().Topology())
	}
	if p.learner == nil {
		return
	}
	for _, j := range r.Arrivals() {
		if s := shapeOf(j, j.MinGPUs); p.learner.Learn(&s) {
			p.memo.reset()
		}
	}
}

func shapeOf(j *sim.ActiveJob, gpus int) Shape {
	s := Shape{gpus, j.Request}
	s.GPUMilli = s.Share()
	return s
}

// Mask is what a job must leave alone. A nil function leaves nothing alone.
type Mask struct {
	GPU  func(g, size int) bool // for a job on so many GPUs
	Node func(n int) bool
}

// Start starts a job at the smallest size it accepts and for which some node
// has room that is not masked. A job too large for any node goes where
// sim.Round.StartFirst puts it, if nothing is masked. It reports whether there
// was room.
func (p *Placement) Start(r *sim.Round, j *sim.ActiveJob, m Mask) bool {
	if p.scorer == nil {
		p.open(r.Cluster().Topology())
	}
	if j.MaxGPUs == 0 {
		return p.startOn(r, j, 0, m)
	}
	p.sizes = j.Sizes(p.sizes[:0], r.Alignment())
	for _, n := range p.sizes {
		if r.Closed() && r.Now()+j.EstimateOn(n) > r.Horizon() {
			continue
		}
		if !r.FitsNode(j, n) {
			return m.GPU == nil && m.Node == nil && r.StartFirst(j)
		}
		if p.startOn(r, j, n, m) {
			return true
		}
	}
	return false
}

// startOn starts a job on n GPUs of the best node.
func (p *Placement) startOn(r *sim.Round, j *sim.ActiveJob, n int, m Mask) bool {
	if n == 0 && r.Closed() && r.Now()+j.Estimate > r.Horizon() {
		return false
	}
	s := shapeOf(j, n)
	var node int
	if m.GPU == nil || n == 0 {
		node = p.best(r, &s, m.Node)
	} else {
		node = p.bestMasked(r, &s, m)
	}
	if node < 0 {
		return false
	}
	if n == 0 {
		return r.StartOn(j, node)
	}
	p.look(r, node, n, m)
	p.scratch = p.gpus(&s, r.Alignment())
	return r.Start(j, p.scratch...)
}

// look fills p.node in, with masked GPUs as if they were in use.
func (p *Placement) look(r *sim.Round, node, size int, m Mask) {
	n := &p.node
	r.Cluster().Look(node, n)
	if m.GPU == nil {
		return
	}
	for i, left := range n.Left {
		if left == 0 || !m.GPU(n.GPUs.First+i, size) {
			continue
		}
		if left == hardware.Whole {
			n.Free--
		}
		n.Milli -= left
		n.Left[i] = 0
	}
}

// gpus are the GPUs of p.node for a job that fits on it.
func (p *Placement) gpus(s *Shape, a hardware.Alignment) []hardware.Range {
	n, at := &p.node, -1
	switch {
	case s.Share() < hardware.Whole && p.chooser != nil:
		at = p.chooser.GPU(n, s)
	case s.Share() < hardware.Whole:
		at = n.BestGPU(s.Share())
	case a == hardware.Scattered:
		return n.AppendFree(p.scratch[:0], s.GPUs)
	default:
		at = blockIn(n, s.GPUs, a)
	}
	return append(p.scratch[:0], hardware.Range{First: n.GPUs.First + at, N: s.GPUs})
}

// blockIn is the first free block of a node, as a place in n.Left, or −1.
func blockIn(n *hardware.Node, size int, a hardware.Alignment) int {
	run := 0
	for i, left := range n.Left {
		if left < hardware.Whole {
			run = 0
			continue
		}
		if run++; run < size {
			continue
		}
		if first := i + 1 - size; a != hardware.Buddy || (n.GPUs.First+first)%size == 0 {
			return first
		}
	}
	return -1
}

// fits reports whether p.node has room for a job.
func (p *Placement) fits(s *Shape, a hardware.Alignment) bool {
	return p.node.Fits(s.GPUs, &s.Request) && (a == hardware.Scattered || s.GPUs < 2 || blockIn(&p.node, s.GPUs, a) >= 0)
}
