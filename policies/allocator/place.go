package allocator

import (
	"math/bits"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// spot is a candidate place of a job.
type spot struct {
	start, first int
	contact      int // GPU-steps of neighbours in use along the block's sides
}

// enough is how many blocks with the earliest possible start are compared
// before the best of them is taken.
const enough = 64

// placeShape gives a job a place in one of its shapes: the earliest start,
// and among the blocks that have it the one with the most contact.
func (a *pass) placeShape(j *job, shape int) bool {
	s := j.Shapes[shape]
	from, to := j.Earliest, a.p.Steps-1
	if a.p.Boundary == plan.Closed {
		to = a.p.Steps - s.Steps
	}
	if from > to {
		return false
	}
	setRange(a.allowed, from, to+1)
	if a.p.Alignment == hardware.Scattered {
		return a.placeScattered(j, shape)
	}
	regions := a.domains
	if j.Across {
		regions = a.whole
	}
	best := spot{start: a.p.Steps}
	found := 0
	for _, r := range regions {
		if s.GPUs > r.N {
			continue
		}
		if a.words == 1 {
			found += a.scanWord(r, s, j.high, &best)
		} else {
			found += a.scan(r, s, j.high, &best)
		}
		if best.start == from && found >= enough {
			break
		}
	}
	if best.start == a.p.Steps {
		return false
	}
	j.first = best.first
	a.settle(j, shape, best.start)
	return true
}

// stride is the first offset in a region at which a block of n may start, and
// the distance to the next.
func (a *pass) stride(r hardware.Range, n int) (offset, step int) {
	if a.p.Alignment == hardware.Buddy {
		return (n - r.First%n) % n, n
	}
	return 0, 1
}

// scanWord looks for a better spot in a region, when a row is one word. It
// returns the number of blocks that can be had at the best start.
func (a *pass) scanWord(r hardware.Range, s plan.Shape, high bool, best *spot) (found int) {
	busy := a.busy[r.First:r.End()]
	w := a.window[:r.N]
	copy(w, busy)
	for k := 1; k < s.GPUs; k *= 2 {
		for i := 0; i+k < len(w); i++ {
			w[i] |= w[i+k]
		}
	}
	allowed := a.allowed[0]
	offset, step := a.stride(r, s.GPUs)
	for i := offset; i+s.GPUs <= r.N; i += step {
		free := allowed &^ spreadWord(w[i], s.Steps)
		if free == 0 {
			continue
		}
		t := bits.TrailingZeros64(free)
		if t > best.start {
			continue
		}
		m := wordRange(t, t+s.Steps)
		contact := 2 * s.Steps
		if i > 0 {
			contact -= s.Steps - bits.OnesCount64(busy[i-1]&m)
		}
		if i+s.GPUs < r.N {
			contact -= s.Steps - bits.OnesCount64(busy[i+s.GPUs]&m)
		}
		found++
		if t < best.start || !a.firstFit && best.improves(contact, high) {
			*best = spot{t, r.First + i, contact}
		}
	}
	return found
}

// improves reports whether a spot further on, with as early a start, beats the
// best so far.
func (b *spot) improves(contact int, high bool) bool {
	return contact > b.contact || (high && contact == b.contact)
}

// scan is scanWord for rows of several words.
func (a *pass) scan(r hardware.Range, s plan.Shape, high bool, best *spot) (found int) {
	busy := a.busy[r.First*a.words : r.End()*a.words]
	w := a.window[:len(busy)]
	copy(w, busy)
	for k := a.words; k < s.GPUs*a.words; k *= 2 {
		for i := 0; i+k < len(w); i++ {
			w[i] |= w[i+k]
		}
	}
	neighbour := func(i int) int {
		if i < 0 || i >= r.N {
			return s.Steps
		}
		return common(busy[i*a.words:(i+1)*a.words], a.row)
	}
	offset, step := a.stride(r, s.GPUs)
	for i := offset; i+s.GPUs <= r.N; i += step {
		row := w[i*a.words : (i+1)*a.words]
		spread(row, s.Steps)
		t := firstFree(row, a.allowed)
		if t < 0 || t > best.start {
			continue
		}
		setRange(a.row, t, t+s.Steps)
		contact := neighbour(i-1) + neighbour(i+s.GPUs)
		found++
		if t < best.start || !a.firstFit && best.improves(contact, high) {
			*best = spot{t, r.First + i, contact}
		}
	}
	return found
}

// placeScattered takes the earliest step from which enough GPUs are free for
// the whole duration, and the lowest-numbered (or highest) of these.
func (a *pass) placeScattered(j *job, shape int) bool {
	s := j.Shapes[shape]
	if s.GPUs > a.p.GPUs {
		return false
	}
	w := a.window
	copy(w, a.busy)
	planes := a.planes()
	clear(a.lanes)
	for g := range a.p.GPUs {
		row := w[g*a.words : (g+1)*a.words]
		spread(row, s.Steps)
		for i := range row {
			row[i] = a.allowed[i] &^ row[i]
			a.addLane(i, row[i])
		}
	}
	start := a.firstWith(s.GPUs, planes)
	if start < 0 {
		return false
	}
	j.gpus = a.pick(j.gpus[:0], w, start, s.GPUs, j.high)
	a.settle(j, shape, start)
	return true
}

// firstWith is the first start whose count in the lanes reaches n, or −1.
func (a *pass) firstWith(n, planes int) int {
	for t := range a.p.Steps {
		if a.laneCount(t, planes) >= n {
			return t
		}
	}
	return -1
}

// pick appends n GPUs whose row of possible starts has the start.
func (a *pass) pick(dst []hardware.Range, starts []uint64, start, n int, high bool) []hardware.Range {
	total := 0
	skip := 0
	if high {
		for g := range a.p.GPUs {
			total += int(starts[g*a.words+start/64] >> (start % 64) & 1)
		}
		skip = total - n
	}
	for g := 0; n > 0; g++ {
		if starts[g*a.words+start/64]>>(start%64)&1 == 0 {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		n--
		if k := len(dst); k > 0 && dst[k-1].End() == g {
			dst[k-1].N++
		} else {
			dst = append(dst, hardware.Range{First: g, N: 1})
		}
	}
	return dst
}
