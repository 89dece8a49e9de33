package hardware

import "math/bits"

// runIndex is a segment tree over the words of a bitmap. A node knows the free
// run at its left end, at its right end, the longest inside, and the largest
// aligned block, so that the first block of a size is found by one descent.
type runIndex struct {
	leaves int // a power of two
	nodes  []runNode
}

type runNode struct{ size, prefix, suffix, longest, buddy int32 }

func newRunIndex(b bitmap) runIndex {
	leaves := 1
	for leaves < len(b.words) {
		leaves *= 2
	}
	x := runIndex{leaves, make([]runNode, 2*leaves)}
	for i := range leaves {
		x.leaf(b, i)
	}
	for i := leaves - 1; i > 0; i-- {
		x.join(i)
	}
	return x
}

func (x *runIndex) leaf(b bitmap, w int) {
	var m uint64
	if w < len(b.words) {
		m = b.words[w]
	}
	x.nodes[x.leaves+w] = runNode{
		size:    64,
		prefix:  int32(bits.TrailingZeros64(^m)),
		suffix:  int32(bits.LeadingZeros64(^m)),
		longest: int32(longestRunInWord(m)),
		buddy:   int32(largestBuddyInWord(m)),
	}
}

func (x *runIndex) join(i int) {
	l, r, n := &x.nodes[2*i], &x.nodes[2*i+1], &x.nodes[i]
	n.size = l.size + r.size
	n.prefix, n.suffix = l.prefix, r.suffix
	if l.prefix == l.size {
		n.prefix += r.prefix
	}
	if r.suffix == r.size {
		n.suffix += l.suffix
	}
	n.longest = max(l.longest, r.longest, l.suffix+r.prefix)
	n.buddy = max(l.buddy, r.buddy)
	if n.prefix == n.size {
		n.buddy = n.size
	}
}

// update follows a change of the bits in r.
func (x *runIndex) update(b bitmap, r Range) {
	lo, hi := r.First/64, (r.End()-1)/64
	for w := lo; w <= hi; w++ {
		x.leaf(b, w)
	}
	for lo, hi = (lo+x.leaves)/2, (hi+x.leaves)/2; lo > 0; lo, hi = lo/2, hi/2 {
		for i := lo; i <= hi; i++ {
			x.join(i)
		}
	}
}

// firstRun is the first start at from or later of a run of n, or −1.
func (x *runIndex) firstRun(b bitmap, from, n int) int {
	w := from / 64
	if first := b.firstRunIn(from, min(64*(w+1), b.n), n); first >= 0 {
		return first
	}
	run := bits.LeadingZeros64(^(b.words[w] & mask(w, from, 64*(w+1)))) // free bits up to the next word
	return x.search(b, 1, 0, w+1, int32(n), &run)
}

// search looks through the words of a node from word `from` on; run is the
// length of the free run that ends where the search has come to.
func (x *runIndex) search(b bitmap, node, begin, from int, n int32, run *int) int {
	t := &x.nodes[node]
	words := int(t.size / 64)
	if begin+words <= from {
		return -1
	}
	if begin >= from {
		if *run+int(t.prefix) >= int(n) {
			return 64*begin - *run
		}
		if t.longest < n {
			if t.prefix == t.size {
				*run += int(t.size)
			} else {
				*run = int(t.suffix)
			}
			return -1
		}
		if words == 1 {
			return 64*begin + firstRunInWord(b.words[begin], int(n))
		}
	}
	if first := x.search(b, 2*node, begin, from, n, run); first >= 0 {
		return first
	}
	return x.search(b, 2*node+1, begin+words/2, from, n, run)
}

// firstBuddy is the first aligned free block of n that starts at from or
// later, or −1.
func (x *runIndex) firstBuddy(b bitmap, from, n int) int {
	return x.searchBuddy(b, 1, 0, from, n)
}

func (x *runIndex) searchBuddy(b bitmap, node, begin, from, n int) int {
	t := &x.nodes[node]
	size := int(t.size)
	switch {
	case begin+size <= from || int(t.buddy) < n:
		return -1
	case size == n:
		if begin < from {
			return -1
		}
		return begin
	case size == 64:
		m := aligned(b.words[begin/64], n) & mask(begin/64, from, begin+64)
		if m == 0 {
			return -1
		}
		return begin + bits.TrailingZeros64(m)
	}
	if first := x.searchBuddy(b, 2*node, begin, from, n); first >= 0 {
		return first
	}
	return x.searchBuddy(b, 2*node+1, begin+size/2, from, n)
}

func (x *runIndex) copyFrom(o *runIndex) { copy(x.nodes, o.nodes) }
