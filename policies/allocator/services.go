package allocator

import (
	"math"
	"slices"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// service is a real-time service and what it holds: bars of one GPU each,
// stacked into levels. A bar of level k lasts as long as the count stays
// above k, so the swaps are exactly the changes of the count.
type service struct {
	*plan.Service
	high bool // laid from the highest GPU down
	home int  // GPU at which laying starts

	held0 []int // GPUs held before the plan, the one given up last first
	must  []bar // what the swap cap does not allow to give up
	stack
	old stack // before the trial of a search
}

// stack is what a service holds: the bars of must until it is placed.
type stack struct {
	bars []bar
	gain float64 // of the objective over holding nothing
}

// bar is one GPU in steps [from, to).
type bar struct{ gpu, level, from, to int }

func (a *pass) newService(s *service, of *plan.Service) {
	s.Service = of
	for _, d := range of.Demand {
		a.objective -= a.penalty(of) * float64(d)
	}
	if of.Fresh {
		return
	}
	for _, r := range of.Held {
		for g := r.First; g < r.End(); g++ {
			s.held0 = append(s.held0, g)
		}
	}
	h := len(s.held0)
	if h > 0 && s.held0[0]+s.held0[h-1] > a.p.GPUs {
		slices.Reverse(s.held0)
		s.high = true
	}
	for k, g := range s.held0 {
		if to := min((h-k-1)/of.Cap(), a.p.Steps); to > 0 {
			s.must = append(s.must, bar{gpu: g, level: k, to: to})
		}
	}
	a.flipBars(s.must)
}

// penalty is what one missing GPU costs in one step.
func (a *pass) penalty(s *plan.Service) float64 {
	return a.p.Lambda * s.Priority * a.p.StepHours
}

func (a *pass) flipBars(bars []bar) {
	for _, b := range bars {
		a.flipRange(hardware.Range{First: b.gpu, N: 1}, b.from, b.to)
	}
}

// placeService gives a service the cheapest legal curve over its demand that
// what is free allows. Where the free GPUs do not line up, the curve is
// lowered and tried again; in the end there is always what must be held.
func (a *pass) placeService(s *service) {
	a.flipBars(s.must)
	a.limits(s)
	placed := false
	for range 2 * a.p.Steps {
		a.curve(s)
		s.bars = appendBars(s.bars[:0], a.count)
		if placed = a.lay(s); placed {
			break
		}
	}
	if !placed {
		s.bars = append(s.bars[:0], s.must...)
		a.flipBars(s.bars)
		clear(a.count)
		for _, b := range s.bars {
			for t := b.from; t < b.to; t++ {
				a.count[t]++
			}
		}
	}
	met := 0
	for t, n := range a.count {
		met += min(n, s.Demand[t])
	}
	s.gain = a.penalty(s.Service) * float64(met)
	a.objective += s.gain
}

// removeService leaves a service with what it must hold.
func (a *pass) removeService(s *service) {
	a.flipBars(s.bars)
	a.flipBars(s.must)
}

// limits sets a.upper to the most the service can hold, step by step: what is
// free, and its maximum.
func (a *pass) limits(s *service) {
	a.countFree()
	for t, n := range a.avail {
		a.upper[t] = min(n, s.Max)
	}
	if s.Fresh {
		return
	}
	keep := 0
	for _, g := range s.held0 {
		if a.gpu(g)[0]&1 == 0 {
			keep++
		}
	}
	a.upper[0] = min(a.upper[0], keep+s.Cap())
}

// countFree sets a.avail to the number of GPUs free in each step, adding up
// 64 steps at once.
func (a *pass) countFree() {
	planes := a.planes()
	clear(a.lanes)
	for g := range a.p.GPUs {
		for i, m := range a.gpu(g) {
			a.addLane(i, m)
		}
	}
	for t := range a.avail {
		a.avail[t] = a.p.GPUs - a.laneCount(t, planes)
	}
}

// curve sets a.count to the least curve over the demand, as far as a.upper
// lets it, that never changes by more than the cap (model.md's envelope).
func (a *pass) curve(s *service) {
	c, u, n := s.Cap(), a.upper, a.count
	last := len(u) - 1
	for t := 1; t <= last; t++ {
		u[t] = min(u[t], u[t-1]+c)
	}
	for t := last - 1; t >= 0; t-- {
		u[t] = min(u[t], u[t+1]+c)
	}
	before := math.MinInt32
	if !s.Fresh {
		before = len(s.held0)
	}
	for t := range n {
		n[t] = max(min(s.Target(t), u[t]), before-c)
		before = n[t]
	}
	for t := last - 1; t >= 0; t-- {
		n[t] = max(n[t], n[t+1]-c)
	}
}

// appendBars cuts a curve into bars, lower levels first.
func appendBars(dst []bar, count []int) []bar {
	top := slices.Max(count)
	for k := range top {
		from := -1
		for t := 0; t <= len(count); t++ {
			above := t < len(count) && count[t] > k
			if above && from < 0 {
				from = t
			} else if !above && from >= 0 {
				dst = append(dst, bar{level: k, from: from, to: t})
				from = -1
			}
		}
	}
	return dst
}

// lay gives every bar a GPU. When one does not fit, it takes all away again,
// lowers a.upper where the best GPU for it is taken, and reports false.
func (a *pass) lay(s *service) bool {
	kept, starting := 0, 0
	for i := range s.bars {
		b := &s.bars[i]
		held := false
		b.gpu, held = a.findGPU(s, b)
		if b.gpu < 0 {
			a.flipBars(s.bars[:i])
			a.lower(b)
			return false
		}
		if b.from == 0 {
			starting++
			if held {
				kept++
			}
		}
		a.flipBars(s.bars[i : i+1])
	}
	if !s.Fresh && (len(s.held0)-kept > s.Cap() || starting-kept > s.Cap()) {
		a.flipBars(s.bars)
		a.upper[0] = min(a.upper[0], kept) // fewer exchanges
		return false
	}
	return true
}

// findGPU is a GPU that is free for the whole bar, and whether the service
// holds it already; −1 when there is none. A bar that starts at step 0 stays
// on a GPU that the service holds, if possible on the one of its level.
func (a *pass) findGPU(s *service, b *bar) (g int, held bool) {
	setRange(a.row, b.from, b.to)
	if b.from == 0 && len(s.held0) > 0 {
		if b.level < len(s.held0) && !overlaps(a.gpu(s.held0[b.level]), a.row) {
			return s.held0[b.level], true
		}
		for _, g := range s.held0 {
			if !overlaps(a.gpu(g), a.row) {
				return g, true
			}
		}
	}
	for i := range a.p.GPUs {
		g := s.home + i
		if s.high {
			g = s.home - i - 1
		}
		g = (g + a.p.GPUs) % a.p.GPUs
		if !overlaps(a.gpu(g), a.row) {
			return g, false
		}
	}
	return -1, false
}

// lower cuts a.upper down to the bar's level where the GPU that has most room
// for it is taken.
func (a *pass) lower(b *bar) {
	setRange(a.row, b.from, b.to)
	best, least := 0, math.MaxInt
	for g := range a.p.GPUs {
		if n := common(a.gpu(g), a.row); n < least {
			best, least = g, n
		}
	}
	row := a.gpu(best)
	for t := b.from; t < b.to; t++ {
		if row[t/64]>>(t%64)&1 == 1 {
			a.upper[t] = min(a.upper[t], b.level)
		}
	}
}

// held lists the GPUs of the bars, step by step.
func (s *service) held(steps int) [][]hardware.Range {
	out := make([][]hardware.Range, steps)
	bars := slices.Clone(s.bars)
	slices.SortFunc(bars, func(x, y bar) int { return x.gpu - y.gpu })
	for _, b := range bars {
		for t := b.from; t < b.to; t++ {
			if n := len(out[t]); n > 0 && out[t][n-1].End() == b.gpu {
				out[t][n-1].N++
			} else {
				out[t] = append(out[t], hardware.Range{First: b.gpu, N: 1})
			}
		}
	}
	return out
}
