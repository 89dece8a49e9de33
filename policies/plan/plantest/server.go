package plantest

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// share is which GPUs each service holds in one step: a set a service, no GPU
// in two of them.
type share []uint64

// server finds what services hold at best beside given jobs, by dynamic
// programming over the steps with every share as a state.
type server struct {
	p      *plan.Problem
	shares []share
	used   []uint64    // GPUs of each share
	before [][]int     // shares that may come a step before each share
	first  []bool      // shares that may be the first
	earn   [][]float64 // [step][share]: minus the penalty
	known  []map[grid][]float64
}

func newServer(p *plan.Problem) *server {
	s := &server{p: p}
	s.list(nil, 0)
	for _, now := range s.shares {
		var before []int
		for k, last := range s.shares {
			if s.mayFollow(last, now) {
				before = append(before, k)
			}
		}
		s.before = append(s.before, before)
		s.first = append(s.first, s.mayBegin(now))
	}
	for t := range p.Steps {
		s.known = append(s.known, map[grid][]float64{})
		earn := make([]float64, len(s.shares))
		for k, now := range s.shares {
			for i := range p.Services {
				r := &p.Services[i]
				if short := r.Demand[t] - bits.OnesCount64(now[i]); short > 0 {
					earn[k] -= p.Lambda * r.Priority * float64(short) * p.StepHours
				}
			}
		}
		s.earn = append(s.earn, earn)
	}
	return s
}

// list appends every share that begins with the sets of head.
func (s *server) list(head share, used uint64) {
	i := len(head)
	if i == len(s.p.Services) {
		s.shares = append(s.shares, slices.Clone(head))
		s.used = append(s.used, used)
		return
	}
	for set := uint64(0); set < 1<<s.p.GPUs; set++ {
		if set&used == 0 && bits.OnesCount64(set) <= s.p.Services[i].Max {
			s.list(append(slices.Clone(head), set), used|set)
		}
	}
}

func (s *server) mayFollow(last, now share) bool {
	for i := range now {
		if !withinCap(s.p.Services[i].SwapCap, last[i], now[i]) {
			return false
		}
	}
	return true
}

func (s *server) mayBegin(now share) bool {
	for i := range now {
		r := &s.p.Services[i]
		if r.Fresh {
			continue
		}
		var held uint64
		for _, h := range r.Held {
			for g := h.First; g < h.First+h.N; g++ {
				held |= 1 << g
			}
		}
		if !withinCap(r.SwapCap, held, now[i]) {
			return false
		}
	}
	return true
}

func withinCap(swapCap int, last, now uint64) bool {
	return swapCap == 0 || bits.OnesCount64(now&^last) <= swapCap && bits.OnesCount64(last&^now) <= swapCap
}

// best is the most that services earn when jobs hold the cells: 0 or less,
// −Inf when the swap caps leave no way.
func (s *server) best(jobs grid) float64 { return slices.Max(s.sums(s.p.Steps-1, jobs)) }

// sums has, for each share, the most that services earn in steps 0 … t when
// they end in it; −Inf when they cannot. It is worked out once for all jobs
// that hold the same cells up to t.
func (s *server) sums(t int, jobs grid) []float64 {
	if past := 64 - (t+1)*s.p.GPUs; past > 0 {
		jobs = jobs << past >> past
	}
	if row, ok := s.known[t][jobs]; ok {
		return row
	}
	var last []float64
	if t > 0 {
		last = s.sums(t-1, jobs)
	}
	row := make([]float64, len(s.shares))
	taken := jobs >> (t * s.p.GPUs)
	for k, used := range s.used {
		top := math.Inf(-1)
		switch {
		case used&taken != 0:
		case t > 0:
			for _, b := range s.before[k] {
				if last[b] > top {
					top = last[b]
				}
			}
		case s.first[k]:
			top = 0
		}
		row[k] = top + s.earn[t][k]
	}
	s.known[t][jobs] = row
	return row
}

// plan is what services hold at best beside the jobs' cells.
func (s *server) plan(jobs grid) [][][]hardware.Range {
	held := make([][][]hardware.Range, len(s.p.Services))
	for i := range held {
		held[i] = make([][]hardware.Range, s.p.Steps)
	}
	k := -1 // share of the step after
	for t := s.p.Steps - 1; t >= 0; t-- {
		if sums := s.sums(t, jobs); k < 0 {
			k = slices.Index(sums, slices.Max(sums))
		} else {
			k = slices.MaxFunc(s.before[k], func(a, b int) int { return cmp.Compare(sums[a], sums[b]) })
		}
		for i, set := range s.shares[k] {
			held[i][t] = rangesOf(gpusOf(set, s.p.GPUs))
		}
	}
	return held
}
