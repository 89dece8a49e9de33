package milp

import (
	"math/rand/v2"
	"slices"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// filler gives services the GPUs that jobs leave: one service after the other,
// each by a cheapest flow, which is the best that it can get beside what is
// placed already.
//
// The flow is of tokens, as many as the service ever wants GPUs. A token that
// holds a GPU moves along the GPU's row of free cells; the others pass each
// step through a reservoir. The arcs between the two have the swap cap as
// their capacity, and the reservoir costs the penalty for every token beyond
// those that the demand leaves idle.
type filler struct {
	p     *plan.Problem
	net   network
	cells []int // by GPU × step: arc inside the cell, or −1
	order []int // of the services
	tried int
}

// Costs of the flow: a missing GPU outweighs all swaps, and a swap outweighs
// all preferences among GPUs.
const (
	missingCost = 1 << 32
	swapCost    = 1 << 12
)

// fill fills the plan's services into the steps in which rows are not taken,
// and takes them. It reports whether every one of them found a legal way.
func (f *filler) fill(rows []uint64, rng *rand.Rand, pl *plan.Plan) bool {
	f.order = f.order[:0]
	for r := range f.p.Services {
		f.order = append(f.order, r)
	}
	rng.Shuffle(len(f.order), func(a, b int) { f.order[a], f.order[b] = f.order[b], f.order[a] })
	for _, r := range f.order {
		w := flowWindow{to: f.p.Steps, taste: rng}
		if !f.flow(r, rows, w) {
			return false
		}
		f.read(r, rows, pl)
	}
	return true
}

// possible reports whether each service, as if it were alone, can be given all
// that it asks for in a window.
func (f *filler) possible(rows []uint64, from, to int) bool {
	// What was refused last is asked first: it is likely refused again.
	for i := range f.p.Services {
		r := (f.tried + i) % len(f.p.Services)
		if !f.flow(r, rows, flowWindow{from: from, to: to, whole: true}) {
			f.tried = r
			return false
		}
	}
	return true
}

// flowWindow is what a flow is asked for: the steps [from, to), whether all of
// the demand has to be met, and the source of preferences among GPUs. A window
// that begins after step 0 leaves open what is held before it.
type flowWindow struct {
	from, to int
	whole    bool
	taste    *rand.Rand // nil for none
}

// flow finds the flow of one service in a window, or reports that there is
// none. Columns of cells are the steps, after one for what is held before.
func (f *filler) flow(r int, rows []uint64, w flowWindow) bool {
	p, s := f.p, &f.p.Services[r]
	fresh := s.Fresh || w.from > 0
	var held []float64
	holds := 0
	if !fresh {
		held, holds = cellsOf(s.Held, p.GPUs), hardware.Size(s.Held)
	}
	n := w.to - w.from
	tokens := min(max(holds, slices.Max(s.Demand[w.from:w.to])), s.Max)
	const source, sink = 0, 1
	reservoir := func(t int) int { return 2 + 3*t }
	gains := func(t int) int { return reservoir(t) + 1 }
	losses := func(t int) int { return reservoir(t) + 2 }
	cell := func(g, column int) int { return 2 + 3*(n+1) + 2*(g*(n+1)+column) }
	taken := func(g, column int) bool {
		if column == 0 {
			return fresh || held[g] == 0
		}
		return rows[g]>>(w.from+column-1)&1 == 1
	}
	f.net.reset(cell(p.GPUs, 0))
	f.cells = resized(f.cells, p.GPUs*n)
	for t := range n {
		limit := min(s.Cap(), tokens)
		if t == 0 && fresh {
			limit = tokens
		}
		f.net.add(reservoir(t), gains(t), limit, swapCost)
		f.net.add(losses(t), reservoir(t), limit, swapCost)
		need := min(s.Demand[w.from+t], tokens)
		f.net.add(reservoir(t), reservoir(t+1), tokens-need, 0)
		if !w.whole {
			f.net.add(reservoir(t), reservoir(t+1), need, missingCost)
		}
	}
	f.net.add(reservoir(n), sink, tokens, 0)
	for g := range p.GPUs {
		taste := int64(0)
		if w.taste != nil {
			taste = w.taste.Int64N(4)
		}
		for column := range n + 1 {
			in := cell(g, column)
			if column > 0 {
				f.cells[g*n+column-1] = -1
			}
			if taken(g, column) {
				continue
			}
			inside := f.net.add(in, in+1, 1, taste)
			if column == 0 {
				f.net.add(source, in, 1, 0)
			} else {
				f.cells[g*n+column-1] = inside
				f.net.add(gains(column-1), in, 1, 0)
			}
			if column == n {
				f.net.add(in+1, sink, 1, 0)
				continue
			}
			if !taken(g, column+1) {
				f.net.add(in+1, cell(g, column+1), 1, 0)
			}
			f.net.add(in+1, losses(column), 1, 0)
		}
	}
	f.net.add(source, reservoir(0), tokens-holds, 0)
	return f.net.send(source, sink, tokens) == tokens
}

// read takes the cells of a service's flow over all steps.
func (f *filler) read(r int, rows []uint64, pl *plan.Plan) {
	set := make([]bool, f.p.GPUs)
	for t := range f.p.Steps {
		for g := range set {
			i := f.cells[g*f.p.Steps+t]
			set[g] = i >= 0 && f.net.flow(i) == 1
			if set[g] {
				rows[g] |= 1 << t
			}
		}
		pl.Services[r][t] = ranges(set)
	}
}
