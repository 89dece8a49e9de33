package allocator

import (
	"math"
	"slices"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// service is a real-time service and what it holds: bars of one GPU each,
// stacked into levels. A bar of level k lasts as long as the count stays
// above k, so that the swaps are the changes of the count, unless a bar has to
// go on on another GPU.
type service struct {
	*plan.Service
	leaning
	stack
	old struct { // before the trial of a search
		leaning
		stack
	}

	wanted float64 // what all of its demand costs if unmet
	held0  []int   // GPUs held before the plan, the one given up last first
	must   []bar   // what the swap cap does not allow to give up
}

// leaning is how a service is to be laid.
type leaning struct {
	high bool  // from the highest GPU down
	home int   // GPU at which laying starts
	ceil []int // by step: GPUs it is to hold at most, so that it falls short where that pays
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
	s.ceil = slices.Repeat([]int{of.Max}, a.p.Steps)
	demand := 0
	for _, d := range of.Demand {
		demand += d
	}
	s.wanted = a.penalty(of) * float64(demand)
	a.objective -= s.wanted
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

// placeService gives a service the cheapest legal curve over its demand that
// what is free allows. Where the free GPUs do not line up, the curve is
// lowered and tried again; in the end there is always what must be held.
func (a *pass) placeService(s *service) {
	a.freeBars(s.must)
	a.limits(s)
	placed := false
	for range 2 * a.p.Steps {
		a.curve(s)
		if placed = a.lay(s); placed {
			break
		}
	}
	if !placed {
		a.holdLeast(s)
	}
	met := 0
	for t, n := range a.count {
		met += min(n, s.Demand[t])
	}
	s.gain = a.penalty(s.Service) * float64(met)
	a.objective += s.gain
}

// holdLeast leaves a service with what it must hold.
func (a *pass) holdLeast(s *service) {
	s.bars = append(s.bars[:0], s.must...)
	a.flipBars(s.bars)
	clear(a.count)
	for _, b := range s.bars {
		for t := b.from; t < b.to; t++ {
			a.count[t]++
		}
	}
}

// withdrawService leaves only what a service must hold on the grid.
func (a *pass) withdrawService(s *service) {
	a.freeBars(s.bars)
	a.flipBars(s.must)
}

func (a *pass) liftService(s *service) {
	a.objective -= s.gain
	a.withdrawService(s)
	s.stack, s.old.stack = s.old.stack, s.stack
	s.old.high, s.old.home = s.high, s.home
	s.old.ceil = append(s.old.ceil[:0], s.ceil...)
}

func (a *pass) restoreService(s *service) {
	s.stack, s.old.stack = s.old.stack, s.stack
	s.leaning, s.old.leaning = s.old.leaning, s.leaning
	a.freeBars(s.must)
	a.flipBars(s.bars)
}

// limits sets a.upper to the most the service can hold, step by step: what is
// free, its maximum and its ceiling.
func (a *pass) limits(s *service) {
	a.countRows(a.busy)
	for t, taken := range a.sums {
		a.upper[t] = min(a.p.GPUs-taken, s.Max, s.ceil[t])
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

// curve sets a.count to the least curve over the demand, as far as a.upper
// lets it, that never changes by more than the cap (model.md's envelope).
func (a *pass) curve(s *service) {
	c, u, n := s.Cap(), a.upper, a.count
	most := u[0]
	for t := range u {
		most = min(u[t], most+c)
		u[t] = most
	}
	for t := range slices.Backward(u) {
		most = min(u[t], most+c)
		u[t] = most
	}
	least := math.MinInt32
	if !s.Fresh {
		least = len(s.held0) - c
	}
	for t := range n {
		n[t] = max(min(s.Target(t), u[t]), least)
		least = n[t] - c
	}
	for t := range slices.Backward(n) {
		n[t] = max(n[t], least)
		least = n[t] - c
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
