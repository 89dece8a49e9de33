package hardware

// domainIndex knows the longest free run and the largest aligned free block
// inside each link domain, in two trees of maxima. They name the first domain
// that holds a block; the runIndex says where in it. It follows changes once it
// has been asked: scattered jobs never do.
type domainIndex struct {
	domains []Range
	asked   bool
	of      []int32 // GPU → domain
	runs    maxTree
	buddies maxTree
}

func newDomainIndex(domains []Range, gpus int) domainIndex {
	x := domainIndex{
		domains: domains,
		of:      make([]int32, gpus),
		runs:    newMaxTree(len(domains)),
		buddies: newMaxTree(len(domains)),
	}
	for d, r := range domains {
		for g := r.First; g < r.End(); g++ {
			x.of[g] = int32(d)
		}
	}
	return x
}

// update follows a change of the bits in r, which all has followed already.
func (x *domainIndex) update(b bitmap, all *runIndex, r Range) {
	if !x.asked {
		return
	}
	for d := x.of[r.First]; d <= x.of[r.End()-1]; d++ {
		longest, buddy := all.within(b, x.domains[d])
		x.runs.set(int(d), longest)
		x.buddies.set(int(d), buddy)
	}
}

// first is the first start at from or later of a free block of n inside one
// domain, or −1.
func (x *domainIndex) first(b bitmap, all *runIndex, from, n int, buddy bool) int {
	if !x.asked {
		x.asked = true
		x.update(b, all, Range{0, b.n})
	}
	tree, find := &x.runs, all.firstRun
	if buddy {
		tree, find = &x.buddies, all.firstBuddy
	}
	// The first block in the cluster that starts in a domain or later lies
	// inside that domain if any does: another would start after it.
	d := int(x.of[from])
	if tree.at(d) >= int32(n) {
		if first := find(b, from, n); first >= 0 && first+n <= x.domains[d].End() {
			return first
		}
	}
	if d = tree.firstAfter(d, int32(n)); d < 0 {
		return -1
	}
	return find(b, x.domains[d].First, n)
}

func (x *domainIndex) copyFrom(o *domainIndex) {
	x.domains, x.of, x.asked = o.domains, o.of, o.asked // the first two never change
	x.runs.copyFrom(&o.runs)
	x.buddies.copyFrom(&o.buddies)
}

// maxTree is a segment tree of maxima, numbered as the nodes of a runIndex.
type maxTree struct {
	leaves int // a power of two
	nodes  []int32
}

func newMaxTree(n int) maxTree {
	leaves := powerOfTwo(n)
	return maxTree{leaves, make([]int32, 2*leaves)}
}

func (t *maxTree) at(i int) int32 { return t.nodes[t.leaves+i] }

// set changes leaf i and the maxima above it, up to where nothing changes.
func (t *maxTree) set(i int, v int32) {
	i += t.leaves
	for t.nodes[i] != v {
		t.nodes[i] = v
		if i /= 2; i == 0 {
			return
		}
		v = max(t.nodes[2*i], t.nodes[2*i+1])
	}
}

// firstAfter is the first leaf after leaf i whose value is at least v, or −1.
func (t *maxTree) firstAfter(i int, v int32) int {
	for i = rightOf(t.leaves + i); i > 0 && t.nodes[i] < v; {
		i = rightOf(i)
	}
	if i == 0 {
		return -1
	}
	for i < t.leaves {
		if i *= 2; t.nodes[i] < v {
			i++
		}
	}
	return i - t.leaves
}

func (t *maxTree) copyFrom(o *maxTree) {
	t.leaves, t.nodes = o.leaves, append(t.nodes[:0], o.nodes...)
}
