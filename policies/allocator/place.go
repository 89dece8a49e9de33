package allocator

import (
	"math/bits"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// spot is the best place of a job that has been seen so far.
type spot struct {
	start, first int
	contact      int // GPU-steps of neighbours in use along the block's sides
	seen         int // blocks with this start that have been compared
}

// enough is how many blocks with the earliest start are compared.
const enough = 64

// placeShape gives a job a place in one of its shapes: the earliest start,
// and of the first blocks that have it the one with the most contact.
func (a *pass) placeShape(j *job, shape int) bool {
	s := j.Shapes[shape]
	from, to := j.Earliest, a.lastStart(s)
	if from > to || a.hopeless(j, s) {
		return false
	}
	setRange(a.allowed, from, to+1)
	if a.p.Alignment == hardware.Scattered {
		return a.placeScattered(j, shape) || a.turnedAway(j, s)
	}
	best := spot{start: a.p.Steps}
	if a.index == nil || !a.index.find(s, j.Across, j.high, &best) {
		a.findSpot(s, j, &best)
	}
	if best.start == a.p.Steps {
		return a.turnedAway(j, s)
	}
	j.first = best.first
	a.settle(j, shape, best.start)
	return true
}

// need is what a job without a place asked for.
type need struct {
	plan.Shape
	earliest int
	across   bool
}

// remembered is how many needs are remembered at most.
const remembered = 16

// turnedAway remembers that there is no place for a shape of a job, until
// something is taken off the plan. It returns false.
func (a *pass) turnedAway(j *job, s plan.Shape) bool {
	if len(a.unmet) < remembered {
		a.unmet = append(a.unmet, need{s, j.Earliest, j.Across})
	}
	return false
}

// hopeless reports whether a shape of a job asks for at least what there was no
// place for. Aligned blocks have smaller ones in them: all sizes are powers of
// two.
func (a *pass) hopeless(j *job, s plan.Shape) bool {
	for i := range a.unmet {
		n := &a.unmet[i]
		if s.GPUs >= n.GPUs && s.Steps >= n.Steps && j.Earliest >= n.earliest && (n.across || !j.Across) {
			return true
		}
	}
	return false
}

// lastStart is the last step at which a job may start in a shape.
func (a *pass) lastStart(s plan.Shape) int {
	if a.p.Boundary == plan.Closed {
		return a.p.Steps - s.Steps
	}
	return a.p.Steps - 1
}

// findSpot looks for the best spot in all regions.
func (a *pass) findSpot(s plan.Shape, j *job, best *spot) {
	for _, r := range a.regions(j.Across) {
		a.scan(r, r.First, r.End(), s, j.high, best)
		if best.start == j.Earliest && best.seen >= a.compared() {
			return
		}
	}
}

// regions are the parts of the cluster inside which a block must lie.
func (a *pass) regions(across bool) []hardware.Range {
	if across {
		return a.whole
	}
	return a.domains
}

// compared is how many blocks with the earliest start are compared.
func (a *pass) compared() int {
	if a.firstFit {
		return 1
	}
	return enough
}

// see considers a block. Of equally good ones it takes the first, or the last
// if high.
func (b *spot) see(start, first, contact int, high bool) {
	if start < b.start {
		*b = spot{start, first, contact, 1}
		return
	}
	b.seen++
	if contact > b.contact || high && contact == b.contact {
		b.first, b.contact = first, contact
	}
}

// blocks is the range of GPUs, as offsets in a region, at which blocks of n
// that begin in [from, to) may begin, and the distance from one to the next.
func (a *pass) blocks(r hardware.Range, from, to, n int) (first, end, step int) {
	first, end, step = from-r.First, min(to-r.First, r.N-n+1), 1
	if a.p.Alignment == hardware.Buddy {
		first, step = first+(n-from%n)%n, n
	}
	return first, end, step
}

// scan considers the blocks of a region that begin at GPUs in [from, to).
func (a *pass) scan(r hardware.Range, from, to int, s plan.Shape, high bool, best *spot) {
	first, end, step := a.blocks(r, from, to, s.GPUs)
	if first >= end {
		return
	}
	if a.words > 1 {
		a.scanRows(r, first, end, step, s, high, best)
		return
	}
	busy := a.busy[r.First:r.End()]
	w := a.merge(busy[first:end+s.GPUs-1], s.GPUs)
	allowed, compared := a.allowed[0], a.compared()
	taken, free := ^uint64(0), uint64(0)
	for i := first; i < end; i += step {
		if m := w[i-first]; m != taken { // neighbours are often alike
			taken, free = m, allowed&^spreadWord(m, s.Steps)
		}
		if free == 0 {
			continue
		}
		t := bits.TrailingZeros64(free)
		if t > best.start || t == best.start && best.seen >= compared {
			continue
		}
		n := min(s.Steps, a.p.Steps-t) // steps inside the horizon
		m := mask(t, t+n)
		contact := 2 * n
		if i > 0 {
			contact -= bits.OnesCount64(m &^ busy[i-1])
		}
		if i+s.GPUs < r.N {
			contact -= bits.OnesCount64(m &^ busy[i+s.GPUs])
		}
		best.see(t, r.First+i, contact, high)
	}
}

// merge is, for rows of one word, the steps in which any GPU of the block of n
// that begins at each is taken.
func (a *pass) merge(busy []uint64, n int) []uint64 {
	if n == 1 {
		return busy
	}
	w := a.window[:len(busy)-1]
	for i := range w {
		w[i] = busy[i] | busy[i+1]
	}
	for k := 2; k < n; k *= 2 {
		w = w[:len(w)-k]
		for i := range w {
			w[i] |= a.window[i+k]
		}
	}
	return w
}

// scanRows is scan for rows of several words.
func (a *pass) scanRows(r hardware.Range, first, end, step int, s plan.Shape, high bool, best *spot) {
	compared := a.compared()
	contact := func(i, steps int) int { // of a neighbour, or of the region's edge
		if i < 0 || i >= r.N {
			return steps
		}
		return common(a.gpu(r.First+i), a.row)
	}
	w := a.mergeRows(r.First+first, end-first, s.GPUs)
	for i := first; i < end; i += step {
		row := w[(i-first)*a.words : (i-first+1)*a.words]
		t := firstStart(row, a.allowed, s.Steps, best.start)
		if t < 0 || t > best.start || t == best.start && best.seen >= compared {
			continue
		}
		n := min(s.Steps, a.p.Steps-t)
		setRange(a.row, t, t+n)
		best.see(t, r.First+i, contact(i-1, n)+contact(i+s.GPUs, n), high)
	}
}

// mergeRows is merge for rows of several words: the first count of them, from
// a GPU on.
func (a *pass) mergeRows(gpu, count, n int) []uint64 {
	w := a.window[:(count+n-1)*a.words]
	copy(w, a.busy[gpu*a.words:])
	for k := a.words; k < n*a.words; k *= 2 {
		for i := range len(w) - k {
			w[i] |= w[i+k]
		}
	}
	return w
}
