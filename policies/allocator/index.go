package allocator

import (
	"math/bits"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// index tells, in a large cluster, where a block may be free, so that a job
// does not look at every GPU. The cluster is cut into chunks. For each class
// of jobs that need the same block for the same time, a tree over the chunks
// has the steps at which one may start: a node has those of its children
// together.
//
// The trees are upper bounds. Placing only takes starts away, so nothing is
// noted then: a chunk is looked at anew when a tree points to it, and what it
// has lost is struck off. Only what is freed has to be noted, and each tree
// catches up before it is asked.
type index struct {
	a      *pass
	chunks [2][]chunk // inside domains, and across them
	trees  map[class]*tree
	words  int // in all trees

	log  []hardware.Range // freed, from entry base on
	base int
}

// chunk is some GPUs at which a block may begin.
type chunk struct {
	from, to int
	region   hardware.Range // inside which the block must lie
}

// class is what jobs have in common whose possible starts are the same.
type class struct {
	plan.Shape
	across bool
}

// tree is a class's possible starts: a heap whose leaves are the chunks.
type tree struct {
	nodes  []uint64 // words each; the root is node 1
	leaves int      // a power of two
	synced int      // entry of the log up to which it has caught up
}

const (
	indexFrom  = 512     // GPUs from which on an index pays
	chunkSize  = 64      // GPUs in a chunk at most
	logged     = 4096    // entries of the log at most
	indexWords = 1 << 24 // in all trees, at most: 128 MB
)

func newIndex(a *pass) *index {
	x := &index{a: a, trees: map[class]*tree{}}
	for i, regions := range [][]hardware.Range{a.domains, a.whole} {
		for _, r := range regions {
			for g := r.First; g < r.End(); g += chunkSize {
				x.chunks[i] = append(x.chunks[i], chunk{g, min(g+chunkSize, r.End()), r})
			}
		}
	}
	return x
}

func (x *index) chunksOf(across bool) []chunk {
	if across {
		return x.chunks[1]
	}
	return x.chunks[0]
}

// find sets best to the spot that findSpot would find. It reports false when
// there is no room for another tree.
func (x *index) find(s plan.Shape, across, high bool, best *spot) bool {
	t := x.tree(class{s, across})
	if t == nil {
		return false
	}
	chunks, w := x.chunksOf(across), x.a.words
	for {
		start := firstCommon(t.nodes[w:2*w], x.a.allowed)
		if start < 0 {
			return true
		}
		*best = spot{start: start, contact: -1}
		for k := t.next(0, start, w); k >= 0 && best.seen < x.a.compared(); k = t.next(k+1, start, w) {
			c := chunks[k]
			x.refresh(t, k, c, s)
			if t.has(t.leaves+k, start, w) {
				x.a.scan(c.region, c.from, c.to, s, high, best)
			}
		}
		if best.seen > 0 {
			return true
		}
		best.start = x.a.p.Steps
	}
}

// tree is the tree of a class, caught up with what has been freed.
func (x *index) tree(c class) *tree {
	chunks := x.chunksOf(c.across)
	t := x.trees[c]
	if t == nil {
		leaves := 1 << bits.Len(uint(len(chunks)-1))
		n := 2 * leaves * x.a.words
		if x.words+n > indexWords {
			return nil
		}
		x.words += n
		t = &tree{nodes: make([]uint64, n), leaves: leaves, synced: -1}
		x.trees[c] = t
	}
	if t.synced < x.base { // new, or too far behind
		x.fill(t, len(chunks))
	}
	for _, r := range x.log[max(0, t.synced-x.base):] {
		x.loosen(t, r, c, chunks)
	}
	t.synced = x.base + len(x.log)
	return t
}

// freed notes that GPUs have become free.
func (x *index) freed(r hardware.Range) {
	if len(x.log) >= logged {
		x.base += len(x.log)
		x.log = x.log[:0]
	}
	x.log = append(x.log, r)
}

// fill makes every start of the chunks possible.
func (x *index) fill(t *tree, chunks int) {
	w := x.a.words
	clear(t.nodes)
	leaves := t.nodes[t.leaves*w : (t.leaves+chunks)*w]
	for i := range leaves {
		leaves[i] = ^uint64(0)
	}
	for n := t.leaves - 1; n > 0; n-- {
		t.join(n, w)
	}
	t.synced = x.base + len(x.log)
}

// loosen makes every start possible of the chunks whose blocks may have GPUs
// of a range.
func (x *index) loosen(t *tree, r hardware.Range, c class, chunks []chunk) {
	for k := x.chunkAt(r.First-c.GPUs+1, chunks); k < len(chunks) && chunks[k].from < r.End(); k++ {
		w := x.a.words
		for n := t.leaves + k; n > 0; n /= 2 {
			node := t.nodes[n*w : (n+1)*w]
			for i := range node {
				node[i] = ^uint64(0)
			}
		}
	}
}

// chunkAt is the chunk that has a GPU.
func (x *index) chunkAt(gpu int, chunks []chunk) int {
	low, high := 0, len(chunks)-1
	for low < high {
		if mid := (low + high) / 2; chunks[mid].to <= gpu {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// refresh sets a chunk's possible starts to what they are now.
func (x *index) refresh(t *tree, k int, c chunk, s plan.Shape) {
	a, w := x.a, x.a.words
	n := t.leaves + k
	leaf := t.nodes[n*w : (n+1)*w]
	clear(leaf)
	if first, end, step := a.blocks(c.region, c.from, c.to, s.GPUs); first < end {
		gpu := c.region.First + first
		if w == 1 {
			for i, taken := range a.merge(a.busy[gpu:gpu+end-first+s.GPUs-1], s.GPUs) {
				if i%step == 0 {
					leaf[0] |= ^spreadWord(taken, s.Steps)
				}
			}
		} else {
			rows := a.mergeRows(gpu, end-first, s.GPUs)
			for i := 0; i < end-first; i += step {
				row := rows[i*w : (i+1)*w]
				spread(row, s.Steps)
				for k := range leaf {
					leaf[k] |= ^row[k]
				}
			}
		}
	}
	for n /= 2; n > 0 && t.join(n, w); n /= 2 {
	}
}

// join sets a node to what its children have together, and reports whether
// that changed it.
func (t *tree) join(n, w int) (changed bool) {
	for i := range w {
		v := t.nodes[2*n*w+i] | t.nodes[(2*n+1)*w+i]
		changed = changed || v != t.nodes[n*w+i]
		t.nodes[n*w+i] = v
	}
	return changed
}

func (t *tree) has(n, step, w int) bool { return t.nodes[n*w+step/64]>>(step%64)&1 == 1 }

// next is the first chunk from one on that has a start, or −1.
func (t *tree) next(chunk, start, w int) int {
	if chunk >= t.leaves {
		return -1
	}
	n := t.leaves + chunk
	for !t.has(n, start, w) {
		for n&1 == 1 { // up, as long as it is a right child
			n /= 2
		}
		if n == 0 {
			return -1
		}
		n++
	}
	for n < t.leaves {
		n *= 2
		if !t.has(n, start, w) {
			n++
		}
	}
	return n - t.leaves
}
