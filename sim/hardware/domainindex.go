package hardware

// domainIndex knows the longest free run and the largest aligned block inside
// each link domain, in two trees of maxima.
type domainIndex struct {
	domains []Range
	of      []int32 // GPU → domain
	runs    maxTree
	buddies maxTree
}

func newDomainIndex(domains []Range, b bitmap) domainIndex {
	x := domainIndex{domains: domains, of: make([]int32, b.n), runs: newMaxTree(len(domains)), buddies: newMaxTree(len(domains))}
	for d, r := range domains {
		for g := r.First; g < r.End(); g++ {
			x.of[g] = int32(d)
		}
		x.measure(b, d)
	}
	return x
}

// measure looks at one domain anew.
func (x *domainIndex) measure(b bitmap, d int) {
	r := x.domains[d]
	run, longest, buddy := 0, 0, 0
	for w := r.First / 64; w <= (r.End()-1)/64; w++ {
		m := b.words[w] & mask(w, r.First, r.End())
		if m == ^uint64(0) {
			run += 64
		} else {
			longest = max(longest, run+trailingOnes(m), longestRunInWord(m))
			run = leadingOnes(m)
		}
		buddy = max(buddy, largestBuddyInWord(m))
	}
	longest = max(longest, run)
	for n := 2 * 64; n <= longest && x.buddyIn(b, d, 0, n) >= 0; n *= 2 {
		buddy = n
	}
	x.runs.set(d, int32(longest))
	x.buddies.set(d, int32(buddy))
}

// update follows a change of the bits in r.
func (x *domainIndex) update(b bitmap, r Range) {
	for d := x.of[r.First]; d <= x.of[r.End()-1]; d++ {
		x.measure(b, int(d))
	}
}

// first is the first free block of n inside a domain that starts at from or
// later, or −1.
func (x *domainIndex) first(b bitmap, from, n int, buddy bool) int {
	tree, in := &x.runs, x.runIn
	if buddy {
		tree, in = &x.buddies, x.buddyIn
	}
	d := int(x.of[from])
	if tree.at(d) >= int32(n) {
		if first := in(b, d, from, n); first >= 0 {
			return first
		}
	}
	if d = tree.first(d+1, int32(n)); d < 0 {
		return -1
	}
	return in(b, d, 0, n)
}

func (x *domainIndex) runIn(b bitmap, d, from, n int) int {
	r := x.domains[d]
	if from = max(from, r.First); from+n > r.End() {
		return -1
	}
	return b.firstRunIn(from, r.End(), n)
}

func (x *domainIndex) buddyIn(b bitmap, d, from, n int) int {
	r := x.domains[d]
	for g := (max(from, r.First) + n - 1) / n * n; g+n <= r.End(); g += n {
		if b.firstRunIn(g, g+n, n) == g {
			return g
		}
	}
	return -1
}

func (x *domainIndex) copyFrom(o *domainIndex) {
	copy(x.runs.nodes, o.runs.nodes)
	copy(x.buddies.nodes, o.buddies.nodes)
}

// maxTree is a segment tree of maxima.
type maxTree struct {
	leaves int // a power of two
	nodes  []int32
}

func newMaxTree(n int) maxTree {
	leaves := 1
	for leaves < n {
		leaves *= 2
	}
	return maxTree{leaves, make([]int32, 2*leaves)}
}

func (t *maxTree) at(i int) int32 { return t.nodes[t.leaves+i] }

func (t *maxTree) set(i int, v int32) {
	i += t.leaves
	t.nodes[i] = v
	for i /= 2; i > 0; i /= 2 {
		m := max(t.nodes[2*i], t.nodes[2*i+1])
		if t.nodes[i] == m {
			return
		}
		t.nodes[i] = m
	}
}

// first is the first leaf at from or later whose value is at least v, or −1.
func (t *maxTree) first(from int, v int32) int {
	if from >= t.leaves {
		return -1
	}
	i := from + t.leaves
	for t.nodes[i] < v {
		// Up to the next subtree on the right; past the last there is none.
		for i&1 == 1 {
			if i /= 2; i == 0 {
				return -1
			}
		}
		if i == 0 {
			return -1
		}
		i++
	}
	for i < t.leaves {
		if i *= 2; t.nodes[i] < v {
			i++
		}
	}
	return i - t.leaves
}
