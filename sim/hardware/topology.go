// Package hardware models the machine: which GPUs exist and where they sit,
// who holds each of them, and where a free block can be found.
//
// GPUs are numbered 0 … G−1 in physical order, so neighbours share a node,
// then a link domain, then a rack. Sizes are counts of GPUs; the package knows
// no time.
package hardware

import (
	"fmt"
	"math"
	"sort"
)

// SKU is a model of accelerator.
type SKU struct {
	Name       string
	MemoryGiB  float64 // device memory, 0 when unknown
	PeakTFLOPS float64 // dense BF16 peak, 0 when unknown
}

// Pool is a run of equal nodes. GPUs of a pool are numbered after those of the
// pools before it.
type Pool struct {
	SKU            SKU
	GPUs           int // total; the last node may be partly filled
	GPUsPerNode    int // 0 means 8
	NodesPerLink   int // nodes in one link domain (NVLink or the like); 0 means 1
	DomainsPerRack int // link domains in one rack; 0 means 4
	CPUMilli       int // CPUs of one node, in thousandths of one; 0 means not counted
	MemoryMiB      int // memory of one node; 0 means not counted
}

// Topology is the immutable shape of a cluster.
type Topology struct {
	pools   []Pool
	gpus    int
	nodes   []Range
	domains []Range
	racks   []Range
	nodeOf  []int32 // GPU → node
	poolOf  []int32 // node → pool
}

// NewTopology numbers the GPUs of the pools. A rack, a link domain and a node
// never span two pools. It fails when there is no pool, a pool is empty or has a
// negative size, or there are more than 2³¹−1 GPUs.
func NewTopology(pools ...Pool) (*Topology, error) {
	t := &Topology{}
	for i, p := range pools {
		if p.GPUs <= 0 {
			return nil, fmt.Errorf("hardware: pool %d (%s) has %d GPUs; at least 1 is needed", i+1, p.SKU.Name, p.GPUs)
		}
		if p.GPUsPerNode < 0 || p.NodesPerLink < 0 || p.DomainsPerRack < 0 {
			return nil, fmt.Errorf("hardware: pool %d (%s): sizes of nodes, link domains and racks must not be negative", i+1, p.SKU.Name)
		}
		if p.CPUMilli < 0 || p.MemoryMiB < 0 {
			return nil, fmt.Errorf("hardware: pool %d (%s): CPUs and memory of a node must not be negative", i+1, p.SKU.Name)
		}
		if p.GPUs > math.MaxInt32-t.gpus {
			return nil, fmt.Errorf("hardware: pool %d (%s) brings the cluster to more than %d GPUs", i+1, p.SKU.Name, math.MaxInt32)
		}
		p = p.withDefaults()
		first, end := t.gpus, t.gpus+p.GPUs
		perNode := min(p.GPUsPerNode, p.GPUs)
		perDomain := perNode * min(p.NodesPerLink, p.GPUs) // below 2^62
		perDomain = min(perDomain, p.GPUs)
		perRack := perDomain * min(p.DomainsPerRack, p.GPUs)
		t.nodes = appendRanges(t.nodes, first, end, perNode)
		for len(t.poolOf) < len(t.nodes) {
			t.poolOf = append(t.poolOf, int32(i))
		}
		t.domains = appendRanges(t.domains, first, end, perDomain)
		t.racks = appendRanges(t.racks, first, end, perRack)
		t.gpus = end
		t.pools = append(t.pools, p)
	}
	if t.gpus == 0 {
		return nil, fmt.Errorf("hardware: a cluster needs at least one pool")
	}
	t.nodeOf = make([]int32, t.gpus)
	for i, n := range t.nodes {
		for g := n.First; g < n.End(); g++ {
			t.nodeOf[g] = int32(i)
		}
	}
	return t, nil
}

func (p Pool) withDefaults() Pool {
	if p.GPUsPerNode == 0 {
		p.GPUsPerNode = 8
	}
	if p.NodesPerLink == 0 {
		p.NodesPerLink = 1
	}
	if p.DomainsPerRack == 0 {
		p.DomainsPerRack = 4
	}
	return p
}

func appendRanges(dst []Range, first, end, size int) []Range {
	for g := first; g < end; g += size {
		dst = append(dst, Range{First: g, N: min(size, end-g)})
	}
	return dst
}

// GPUs is the number of GPUs.
func (t *Topology) GPUs() int { return t.gpus }

// Pools are the pools, in the order of their GPUs.
func (t *Topology) Pools() []Pool { return t.pools }

// Nodes lists the GPUs of each node, in physical order. The caller must not
// change it.
func (t *Topology) Nodes() []Range { return t.nodes }

// Domains lists the GPUs of each link domain, as Nodes does.
func (t *Topology) Domains() []Range { return t.domains }

// Racks lists the GPUs of each rack, as Nodes does.
func (t *Topology) Racks() []Range { return t.racks }

// Domain is the index in Domains of GPU g's link domain. g must exist.
func (t *Topology) Domain(g int) int { return indexOf(t.domains, g) }

// Node is the index in Nodes of GPU g's node. g must exist.
func (t *Topology) Node(g int) int { return int(t.nodeOf[g]) }

// PoolOf is the pool of node n, one of Nodes.
func (t *Topology) PoolOf(n int) *Pool { return &t.pools[t.poolOf[n]] }

// Rack is the index in Racks of GPU g's rack. g must exist.
func (t *Topology) Rack(g int) int { return indexOf(t.racks, g) }

func indexOf(rs []Range, g int) int {
	return sort.Search(len(rs), func(i int) bool { return rs[i].End() > g })
}
