package allocator

import (
	"math"
	"math/bits"
	"slices"

	"berth/sim/hardware"
)

func (a *pass) flipBars(bars []bar) {
	for _, b := range bars {
		a.flipRange(hardware.Range{First: b.gpu, N: 1}, b.from, b.to)
	}
}

// freeBars takes bars off the grid.
func (a *pass) freeBars(bars []bar) {
	a.flipBars(bars)
	if a.index != nil {
		for _, b := range bars {
			a.index.freed(hardware.Range{First: b.gpu, N: 1})
		}
	}
}

// level is where the bars of a level of a curve go.
type level struct {
	next int // place of the next bar among all
	from int // where the open bar begins
}

// cut sets a.pieces to the bars of the curve a.count, lower levels first and,
// in a level, the earlier first.
func (a *pass) cut() {
	levels, before := a.levels[:0], 0
	for _, n := range a.count { // how many bars begin on each level
		if n == before {
			continue
		}
		for k := before; k < n; k++ {
			if k == len(levels) {
				levels = append(levels, level{})
			}
			levels[k].next++
		}
		before = n
	}
	bars := 0
	for k := range levels {
		bars, levels[k].next = bars+levels[k].next, bars
	}
	a.pieces = slices.Grow(a.pieces[:0], bars)[:bars]
	before = 0
	for t := range len(a.count) + 1 {
		n := 0
		if t < len(a.count) {
			n = a.count[t]
		}
		if n == before {
			continue
		}
		for k := before; k < n; k++ {
			levels[k].from = t
		}
		for k := n; k < before; k++ {
			l := &levels[k]
			a.pieces[l.next] = bar{level: k, from: l.from, to: t}
			l.next++
		}
		before = n
	}
	a.levels = levels
}

// lay gives every bar of the curve a GPU. A bar for which no GPU is free
// throughout goes on on another one, where the swap cap has room for the
// exchange. When some do not fit, lay lowers a.upper where the best GPUs for
// them are taken, takes all away again and reports false.
func (a *pass) lay(s *service) bool {
	a.exchanges(s)
	clear(a.cursor)
	a.cut()
	s.bars = s.bars[:0]
	fits := true
	for _, b := range a.pieces {
		if left := a.layBar(s, b); left.from < left.to {
			a.lower(left)
			fits = false
		}
	}
	if !s.Fresh && fits {
		kept, begun := s.atStart()
		if fits = len(s.held0)-kept <= s.Cap() && begun-kept <= s.Cap(); !fits {
			a.upper[0] = min(a.upper[0], kept) // fewer exchanges
		}
	}
	if !fits {
		a.flipBars(s.bars)
	}
	return fits
}

// layBar gives a bar a GPU, or one after another, and returns what is left of
// it when that does not do.
func (a *pass) layBar(s *service, b bar) (left bar) {
	for b.from < b.to {
		gpu, until := a.findGPU(s, b)
		if until < b.to {
			until = a.exchangeBy(b.from, until)
		}
		if until == b.from || until < s.least(b) {
			break
		}
		s.bars = append(s.bars, bar{gpu, b.level, b.from, until})
		a.flipBars(s.bars[len(s.bars)-1:])
		b.from = until
	}
	return b
}

// atStart counts the GPUs that the service is to hold in step 0, and those of
// them that it holds already.
func (s *service) atStart() (kept, begun int) {
	for _, b := range s.bars {
		if b.from == 0 {
			begun++
			if slices.Contains(s.held0, b.gpu) {
				kept++
			}
		}
	}
	return kept, begun
}

// least is the step until which a bar must stay on the GPU it begins on.
func (s *service) least(b bar) int {
	if b.from == 0 && b.level < len(s.must) {
		return s.must[b.level].to
	}
	return 0
}

// exchanges sets a.spare to how many GPUs can be exchanged before each step
// besides the changes of the count.
func (a *pass) exchanges(s *service) {
	for t := 1; t < len(a.count); t++ {
		d := a.count[t] - a.count[t-1]
		a.spare[t] = s.Cap() - max(d, -d)
	}
}

// exchangeBy is the last step in (from, until] before which there is an
// exchange to spare, and uses it up; from when there is none.
func (a *pass) exchangeBy(from, until int) int {
	for t := until; t > from; t-- {
		if a.spare[t] > 0 {
			a.spare[t]--
			return t
		}
	}
	return from
}

// findGPU is the GPU that is free longest from the beginning of a bar on,
// and until when (the bar's beginning if there is none). A bar that begins at step 0 stays on a GPU that the
// service holds, if possible on the one of its level, and certainly there if
// the swap cap does not allow to give it up.
func (a *pass) findGPU(s *service, b bar) (gpu, until int) {
	if b.from > 0 {
		return a.longestFree(s, b)
	}
	if b.level < len(s.held0) {
		gpu = s.held0[b.level]
		until = a.freeUntil(gpu, 0, b.to)
		if until == b.to || b.level < len(s.must) {
			return gpu, until
		}
	}
	for _, g := range s.held0 {
		if u := a.freeUntil(g, 0, b.to); u > until {
			gpu, until = g, u
		}
	}
	if until > 0 {
		return gpu, until
	}
	return a.longestFree(s, b)
}

// longestFree is the first GPU from the service's home on that is free for
// the whole bar or, without one, for longest.
func (a *pass) longestFree(s *service, b bar) (gpu, until int) {
	if a.cursor == nil {
		gpu, until, _ = a.freeFrom(s, b, 0)
		return gpu, until
	}
	// While bars are being laid GPUs only fill up: those that were taken for a
	// bar of the same steps are so still.
	steps := [2]int{b.from, b.to}
	gpu, until, at := a.freeFrom(s, b, a.cursor[steps])
	if until < b.to {
		gpu, until, at = a.freeFrom(s, b, 0)
	}
	a.cursor[steps] = at
	return gpu, until
}

// freeFrom is longestFree from the nth GPU on, and which the GPU is.
func (a *pass) freeFrom(s *service, b bar, n int) (gpu, until, at int) {
	until = b.from
	g, step := s.home+n, 1
	if s.high {
		g, step = s.home-n-1, -1
	}
	for i := n; i < a.p.GPUs; i++ {
		if g < 0 {
			g += a.p.GPUs
		} else if g >= a.p.GPUs {
			g -= a.p.GPUs
		}
		if u := a.freeUntil(g, b.from, b.to); u > until {
			gpu, until, at = g, u, i
			if u == b.to {
				break
			}
		}
		g += step
	}
	return gpu, until, at
}

// freeUntil is the first step in [from, to) in which a GPU is taken, or to.
func (a *pass) freeUntil(g, from, to int) int {
	for i := from / 64; 64*i < to; i++ {
		t, end := max(from, 64*i), 64*(i+1)
		if u := t + bits.TrailingZeros64(a.busy[g*a.words+i]>>(t%64)); u < end {
			return min(to, u)
		}
	}
	return to
}

// lower cuts a.upper down to the bar's level where the GPU that has most room
// for it is taken.
func (a *pass) lower(b bar) {
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
