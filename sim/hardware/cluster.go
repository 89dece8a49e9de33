package hardware

import (
	"fmt"
	"math"
)

// Holder is who holds a GPU: a number that the caller chose, for a job, a
// service or a fault. 0 is nobody.
type Holder int32

// Nobody is the Holder of a free GPU, Shared that of a GPU in part use, whose
// thousandths have holders of their own: see TakeShare.
const (
	Nobody Holder = 0
	Shared Holder = math.MinInt32
)

// Cluster is who holds which GPU or share of one, and what CPUs and memory are
// left on each node, with an index of the free blocks. A GPU in part use is not
// free. Finding a block takes time logarithmic in the number of GPUs. Taking or releasing takes
// that for each link domain touched, plus time proportional to the number of
// GPUs. Neither allocates; shares do until there have been as many at once.
//
// A Cluster must not be used by two goroutines at once.
type Cluster struct {
	topology *Topology
	holder   []Holder
	free     int
	bits     bitmap      // set where free
	runs     runIndex    // free runs over the whole cluster
	domains  domainIndex // free runs inside link domains, kept up from the first question on
	shares   shares
	rooms    rooms
}

// NewCluster makes a cluster in which all GPUs are free.
func NewCluster(t *Topology) *Cluster {
	c := &Cluster{topology: t, holder: make([]Holder, t.GPUs()), free: t.GPUs(), bits: newBitmap(t.GPUs())}
	c.runs = newRunIndex(c.bits)
	c.domains = newDomainIndex(t.Domains(), t.GPUs())
	c.rooms = newRooms(t)
	return c
}

// Topology is the shape of the cluster.
func (c *Cluster) Topology() *Topology { return c.topology }

// GPUs is the number of GPUs, held or free.
func (c *Cluster) GPUs() int { return len(c.holder) }

// Free is the number of GPUs that nobody holds.
func (c *Cluster) Free() int { return c.free }

// Holder is who holds GPU g, one of 0 … GPUs()−1.
func (c *Cluster) Holder(g int) Holder { return c.holder[g] }

// IsFree reports whether all GPUs of r exist and are free. An empty range is
// not.
func (c *Cluster) IsFree(r Range) bool { return c.heldBy(r, Nobody) }

func (c *Cluster) exists(r Range) bool {
	return r.N > 0 && r.First >= 0 && r.First < len(c.holder) && r.N <= len(c.holder)-r.First
}

func (c *Cluster) heldBy(r Range, h Holder) bool {
	if !c.exists(r) {
		return false
	}
	for _, o := range c.holder[r.First:r.End()] {
		if o != h {
			return false
		}
	}
	return true
}

// Take gives the free GPUs of r to h, who is not Nobody. It fails, and changes
// nothing, when r is empty or one of its GPUs does not exist or is held.
func (c *Cluster) Take(h Holder, r Range) error {
	if h == Nobody || h == Shared || !c.heldBy(r, Nobody) {
		return c.refusal("take", h, r, Nobody)
	}
	c.set(h, r)
	c.free -= r.N
	return nil
}

// Release makes the GPUs of r, all held by h, free again. It fails, and changes
// nothing, when r is empty or h does not hold one of its GPUs.
func (c *Cluster) Release(h Holder, r Range) error {
	if h == Nobody || h == Shared || !c.heldBy(r, h) {
		return c.refusal("release", h, r, h)
	}
	c.set(Nobody, r)
	c.free += r.N
	return nil
}

// refusal says why h cannot take or release r, whose GPUs the holder want
// should hold.
func (c *Cluster) refusal(verb string, h Holder, r Range, want Holder) error {
	why := ""
	switch {
	case h == Nobody:
		why = "holder 0 is nobody; any other number is accepted"
	case h == Shared:
		why = "this number stands for holders of shares; any other is accepted"
	case !c.exists(r):
		why = fmt.Sprintf("a range of at least one of the GPUs 0 to %d is accepted", len(c.holder)-1)
	default:
		g := r.First
		for c.holder[g] == want {
			g++
		}
		switch why = fmt.Sprintf("GPU %d is held by %d", g, c.holder[g]); c.holder[g] {
		case Nobody:
			why = fmt.Sprintf("GPU %d is free", g)
		case Shared:
			why = fmt.Sprintf("GPU %d is shared", g)
		}
	}
	return fmt.Errorf("hardware: holder %d cannot %s %d GPUs from GPU %d: %s", h, verb, r.N, r.First, why)
}

func (c *Cluster) set(h Holder, r Range) {
	for g := r.First; g < r.End(); g++ {
		c.holder[g] = h
	}
	c.bits.set(r, h == Nobody)
	c.runs.update(c.bits, r)
	c.domains.update(c.bits, &c.runs, r)
	c.rooms.touch(c.topology, r)
}

// FindBlock is the lowest-numbered free block of n GPUs. A Contiguous block
// starts anywhere, a Buddy block at a multiple of n, which must be a power of
// two. Unless across, the block lies inside one link domain. Scattered GPUs are
// no block, so none is found: see AppendFree.
func (c *Cluster) FindBlock(n int, a Alignment, across bool) (first int, ok bool) {
	return c.FindBlockFrom(0, n, a, across)
}

// FindBlockFrom is FindBlock among the blocks that start at from or later.
func (c *Cluster) FindBlockFrom(from, n int, a Alignment, across bool) (first int, ok bool) {
	from = max(from, 0)
	buddy := a == Buddy && n&(n-1) == 0
	if n <= 0 || n > c.free || from > len(c.holder)-n || !(buddy || a == Contiguous) {
		return 0, false
	}
	switch {
	case !across:
		first = c.domains.first(c.bits, &c.runs, from, n, buddy)
	case buddy:
		first = c.runs.firstBuddy(c.bits, from, n)
	default:
		first = c.runs.firstRun(c.bits, from, n)
	}
	return max(first, 0), first >= 0
}

// AppendFree appends the n lowest-numbered free GPUs as ascending ranges, each
// as long as can be. When fewer are free, or n is negative, it appends nothing
// and reports false.
func (c *Cluster) AppendFree(dst []Range, n int) ([]Range, bool) {
	if n < 0 || n > c.free {
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
	o := &Cluster{}
	o.CopyFrom(c)
	return o
}

// CopyFrom makes c equal to o, in the storage of c where that is large enough.
func (c *Cluster) CopyFrom(o *Cluster) {
	c.topology, c.free = o.topology, o.free
	c.holder = append(c.holder[:0], o.holder...)
	c.bits.copyFrom(o.bits)
	c.runs.copyFrom(&o.runs)
	c.domains.copyFrom(&o.domains)
	c.shares.copyFrom(&o.shares)
	c.rooms.copyFrom(&o.rooms)
}
