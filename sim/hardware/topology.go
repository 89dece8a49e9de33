// Package hardware models the machine: which GPUs exist and where they sit,
// who holds each of them, and where a free block can be found.
//
// GPUs are numbered 0 … G−1 in physical order, so neighbours share a node,
// then a link domain, then a rack. Sizes are counts of GPUs; the package knows
// no time.
package hardware

import (
	"fmt"
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
}

// Topology is the immutable shape of a cluster.
type Topology struct {
	pools   []Pool
	gpus    int
	nodes   []Range
	domains []Range
	racks   []Range
}

// NewTopology numbers the GPUs of the pools. A rack, a link domain and a node
// never span two pools.
func NewTopology(pools ...Pool) (*Topology, error) {
	t := &Topology{}
	for i, p := range pools {
		if p.GPUs <= 0 {
			return nil, fmt.Errorf("hardware: pool %d (%s) has %d GPUs; at least 1 is needed", i+1, p.SKU.Name, p.GPUs)
		}
		if p.GPUsPerNode < 0 || p.NodesPerLink < 0 || p.DomainsPerRack < 0 {
			return nil, fmt.Errorf("hardware: pool %d (%s): sizes of nodes, link domains and racks must not be negative", i+1, p.SKU.Name)
		}
		p = p.withDefaults()
		first, end := t.gpus, t.gpus+p.GPUs
		perDomain := p.GPUsPerNode * p.NodesPerLink
		t.nodes = appendRanges(t.nodes, first, end, p.GPUsPerNode)
		t.domains = appendRanges(t.domains, first, end, perDomain)
		t.racks = appendRanges(t.racks, first, end, perDomain*p.DomainsPerRack)
		t.gpus = end
		t.pools = append(t.pools, p)
	}
	if t.gpus == 0 {
		return nil, fmt.Errorf("hardware: a cluster needs at least one pool")
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

// Nodes, Domains and Racks list the GPUs of each, in physical order.
func (t *Topology) Nodes() []Range   { return t.nodes }
func (t *Topology) Domains() []Range { return t.domains }
func (t *Topology) Racks() []Range   { return t.racks }

// Domain is the index of GPU g's link domain.
func (t *Topology) Domain(g int) int { return indexOf(t.domains, g) }

// Node is the index of GPU g's node.
func (t *Topology) Node(g int) int { return indexOf(t.nodes, g) }

// Rack is the index of GPU g's rack.
func (t *Topology) Rack(g int) int { return indexOf(t.racks, g) }

func indexOf(rs []Range, g int) int {
	return sort.Search(len(rs), func(i int) bool { return rs[i].End() > g })
}
