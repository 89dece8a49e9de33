package hardware

import "math/bits"

// runIndex is a segment tree over the words of a bitmap. The root is node 1,
// the children of node i are 2i and 2i+1, and the words are the last nodes. It
// finds the first block of a size in two walks: up and to the right, from where
// the search starts to a node that holds such a block, then down to the block.
type runIndex struct {
	leaves int // a power of two, at least the number of words
	nodes  []runs
}

// runs sums up the free GPUs of an interval. All fields count GPUs.
type runs struct {
	size    int32 // length of the interval
	prefix  int32 // free run at its left end
	suffix  int32 // free run at its right end
	longest int32 // longest free run
	buddy   int32 // largest aligned free block
}

func runsOfWord(m uint64) runs {
	return runs{
		size:    64,
		prefix:  int32(trailingOnes(m)),
		suffix:  int32(leadingOnes(m)),
		longest: int32(longestRun(m)),
		buddy:   int32(largestBuddy(m)),
	}
}

// join makes n the sum of two neighbouring intervals, of which it may be one. An
// aligned block that needs both of them is left to the caller, who knows whether
// they are siblings in the tree.
func (n *runs) join(l, r *runs) {
	size, prefix, suffix := l.size+r.size, l.prefix, r.suffix
	if l.prefix == l.size {
		prefix += r.prefix
	}
	if r.suffix == r.size {
		suffix += l.suffix
	}
	n.longest = max(l.longest, r.longest, l.suffix+r.prefix)
	n.buddy = max(l.buddy, r.buddy)
	n.size, n.prefix, n.suffix = size, prefix, suffix
}

// after is the free run at the right end once n follows a free run.
func (n *runs) after(run int) int {
	if n.prefix == n.size {
		return run + int(n.size)
	}
	return int(n.suffix)
}

func newRunIndex(b bitmap) runIndex {
	leaves := powerOfTwo(len(b.words))
	x := runIndex{leaves, make([]runs, 2*leaves)}
	for i := range leaves {
		x.nodes[leaves+i] = runs{size: 64}
	}
	for i := leaves - 1; i > 0; i-- {
		x.nodes[i].size = 2 * x.nodes[2*i].size
	}
	x.update(b, Range{0, b.n})
	return x
}

// powerOfTwo is the least power of two that is at least n.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }

// update follows a change of the bits in r.
func (x *runIndex) update(b bitmap, r Range) {
	lo, hi := x.leaves+r.First/64, x.leaves+(r.End()-1)/64
	for i := lo; i <= hi; i++ {
		x.nodes[i] = runsOfWord(b.words[i-x.leaves])
	}
	for lo > 1 {
		lo, hi = lo/2, hi/2
		for i := lo; i <= hi; i++ {
			n := &x.nodes[i]
			if n.join(&x.nodes[2*i], &x.nodes[2*i+1]); n.prefix == n.size {
				n.buddy = n.size
			}
		}
	}
}

// within is the longest free run and the largest aligned free block inside r.
func (x *runIndex) within(b bitmap, r Range) (longest, buddy int32) {
	if w := r.First / 64; w == (r.End()-1)/64 {
		m := b.in(w, r)
		return int32(longestRun(m)), int32(largestBuddy(m))
	}
	var sum runs // of the GPUs of r before g
	for g := r.First; g < r.End(); {
		w, words := g/64, (r.End()-g)/64
		if g%64 != 0 || words == 0 { // part of a word
			part := runsOfWord(b.in(w, r))
			sum.join(&sum, &part)
			g = 64 * (w + 1)
			continue
		}
		words = 1 << min(bits.TrailingZeros(uint(w)), bits.Len(uint(words))-1) // of the largest node that starts at g
		sum.join(&sum, &x.nodes[(x.leaves+w)/words])
		g += 64 * words
	}
	return sum.longest, sum.buddy
}

// rightOf is a node that begins where node i ends: the right sibling of i or of
// its nearest ancestor that has one. It is 0 at the right edge of the tree.
func rightOf(i int) int {
	if i >>= bits.TrailingZeros(^uint(i)); i == 0 {
		return 0
	}
	return i + 1
}

// firstRun is the first start at from or later of n free GPUs in a row, or −1.
func (x *runIndex) firstRun(b bitmap, from, n int) int {
	w := from / 64
	m := b.words[w] & (^uint64(0) << (from % 64))
	if at := firstRun(m, n); at >= 0 {
		return 64*w + at
	}
	run := leadingOnes(m) // the free run that ends where node i begins
	i := rightOf(x.leaves + w)
	for ; i > 0; i = rightOf(i) {
		t := &x.nodes[i]
		if run+int(t.prefix) >= n || int(t.longest) >= n {
			return x.descend(b, i, run, n)
		}
		run = t.after(run)
	}
	return -1
}

// descend is the first start of n free GPUs in a row that end in node i, of
// which there are some; run is the length of the free run before the node.
func (x *runIndex) descend(b bitmap, i, run, n int) int {
	for run+int(x.nodes[i].prefix) < n && i < x.leaves {
		i *= 2
		if l := &x.nodes[i]; run+int(l.prefix) < n && int(l.longest) < n {
			run = l.after(run)
			i++
		}
	}
	begin := x.begin(i)
	if run+int(x.nodes[i].prefix) >= n {
		return begin - run
	}
	return begin + firstRun(b.words[begin/64], n)
}

// begin is the first GPU of node i.
func (x *runIndex) begin(i int) int {
	level := bits.Len(uint(x.leaves)) - bits.Len(uint(i)) // above the words
	return 64 * (i<<level - x.leaves)
}

// firstBuddy is the first multiple of n, a power of two, at from or later at
// which n free GPUs start, or −1. from+n must not pass the last GPU.
func (x *runIndex) firstBuddy(b bitmap, from, n int) int {
	from = (from + n - 1) &^ (n - 1)
	i := (x.leaves + from/64) / max(n/64, 1)
	if n >= 64 {
		if int(x.nodes[i].buddy) == n {
			return from
		}
	} else if at := firstBuddy(b.words[from/64]&(^uint64(0)<<(from%64)), n); at >= 0 {
		return from&^63 + at
	}
	for i = rightOf(i); i > 0 && int(x.nodes[i].buddy) < n; {
		i = rightOf(i)
	}
	if i == 0 {
		return -1
	}
	for int(x.nodes[i].size) > max(n, 64) {
		if i *= 2; int(x.nodes[i].buddy) < n {
			i++
		}
	}
	begin := x.begin(i)
	if n >= 64 {
		return begin
	}
	return begin + firstBuddy(b.words[begin/64], n)
}

func (x *runIndex) copyFrom(o *runIndex) {
	x.leaves, x.nodes = o.leaves, append(x.nodes[:0], o.nodes...)
}
