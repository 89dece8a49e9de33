package hardware

import "fmt"

// Holder is who holds a GPU: a number that the caller chose. 0 is nobody.
type Holder int32

// Nobody is the Holder of a free GPU.
const Nobody Holder = 0

// Cluster is who holds which GPU, with an index of the free blocks: finding
// one takes time logarithmic in the size of the cluster.
type Cluster struct {
	topology *Topology
	holder   []Holder
	free     int
	bits     bitmap      // set where free
	runs     runIndex    // free runs over the whole cluster
	domains  domainIndex // free runs inside link domains
}

// NewCluster makes a cluster in which all GPUs are free.
func NewCluster(t *Topology) *Cluster {
	c := &Cluster{topology: t, holder: make([]Holder, t.GPUs()), free: t.GPUs(), bits: newBitmap(t.GPUs())}
	c.runs = newRunIndex(c.bits)
	c.domains = newDomainIndex(t.Domains(), c.bits)
	return c
}

// Topology is the shape of the cluster.
func (c *Cluster) Topology() *Topology { return c.topology }

// GPUs is the number of GPUs, Free the number that nobody holds.
func (c *Cluster) GPUs() int { return len(c.holder) }

// Free is the number of GPUs that nobody holds.
func (c *Cluster) Free() int { return c.free }

// Holder is who holds GPU g.
func (c *Cluster) Holder(g int) Holder { return c.holder[g] }

// IsFree reports whether all GPUs of r exist and are free. An empty range is
// not.
func (c *Cluster) IsFree(r Range) bool { return c.heldBy(r, Nobody) }

func (c *Cluster) heldBy(r Range, h Holder) bool {
	if r.N <= 0 || r.First < 0 || r.N > len(c.holder)-r.First {
		return false
	}
	for _, o := range c.holder[r.First:r.End()] {
		if o != h {
			return false
		}
	}
	return true
}

// Take gives the free GPUs of r to h. It fails, and changes nothing, when one
// of them does not exist or is held.
func (c *Cluster) Take(h Holder, r Range) error {
	if h == Nobody || !c.IsFree(r) {
		return fmt.Errorf("hardware: GPUs %d-%d cannot be taken: they must exist and be free", r.First, r.End()-1)
	}
	c.set(h, r)
	c.free -= r.N
	return nil
}

// Release makes the GPUs of r, all held by h, free again. It fails, and changes
// nothing, when h does not hold one of them.
func (c *Cluster) Release(h Holder, r Range) error {
	if h == Nobody || !c.heldBy(r, h) {
		return fmt.Errorf("hardware: GPUs %d-%d cannot be released: holder %d does not hold them all", r.First, r.End()-1, h)
	}
	c.set(Nobody, r)
	c.free += r.N
	return nil
}

func (c *Cluster) set(h Holder, r Range) {
	for g := r.First; g < r.End(); g++ {
		c.holder[g] = h
	}
	c.bits.set(r, h == Nobody)
	c.runs.update(c.bits, r)
	c.domains.update(c.bits, r)
}

// FindBlock is the lowest-numbered free block of n GPUs. A buddy block starts
// at a multiple of n, which must be a power of two. Unless across, the block
// lies inside one link domain. Scattered GPUs are no block: see AppendFree.
func (c *Cluster) FindBlock(n int, a Alignment, across bool) (first int, ok bool) {
	return c.FindBlockFrom(0, n, a, across)
}

// FindBlockFrom is FindBlock among the blocks that start at from or later.
func (c *Cluster) FindBlockFrom(from, n int, a Alignment, across bool) (first int, ok bool) {
	from = max(from, 0)
	if n <= 0 || n > c.free || from > len(c.holder)-n || a == Scattered || (a == Buddy && n&(n-1) != 0) {
		return 0, false
	}
	switch {
	case across && a == Buddy:
		first = c.runs.firstBuddy(c.bits, from, n)
	case across:
		first = c.runs.firstRun(c.bits, from, n)
	default:
		first = c.domains.first(c.bits, from, n, a == Buddy)
	}
	return max(first, 0), first >= 0
}

// AppendFree appends the n lowest-numbered free GPUs as ascending ranges, each
// as long as can be. When fewer are free it appends nothing and reports false.
func (c *Cluster) AppendFree(dst []Range, n int) ([]Range, bool) {
	if n > c.free {
		return dst, false
	}
	for g := 0; n > 0; {
		first := c.runs.firstRun(c.bits, g, 1)
		run := min(n, c.bits.runFrom(first))
		dst = append(dst, Range{First: first, N: run})
		n -= run
		g = first + run
	}
	return dst, true
}

// Clone is a copy that shares nothing but the topology.
func (c *Cluster) Clone() *Cluster {
	o := NewCluster(c.topology)
	o.CopyFrom(c)
	return o
}

// CopyFrom makes c equal to a cluster of the same topology, in its own storage.
func (c *Cluster) CopyFrom(o *Cluster) {
	copy(c.holder, o.holder)
	c.free = o.free
	copy(c.bits.words, o.bits.words)
	c.runs.copyFrom(&o.runs)
	c.domains.copyFrom(&o.domains)
}
