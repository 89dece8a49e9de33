package plantest

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"berth/policies/plan"
)

// Bounds of Optimum: the grid must fit a machine word, and so many ways to
// share the GPUs among the services in one step are tried.
const (
	maxCells  = 64
	maxShares = 1 << 10
)

// Optimum is a best plan and its objective, found by trying every placement
// of every job and, for each, every set of GPUs for every service in every
// step. A branch is left only when the jobs still to be placed, each at its
// best, and the services with no further job in their way cannot beat the plan
// at hand. The problem must be valid and tiny: GPUs × steps at most 64, and
// (services + 1) to the power of GPUs at most 1024; otherwise, or if the plan
// found fails Check, it returns nil and NaN.
func Optimum(p *plan.Problem) (*plan.Plan, float64) {
	if p.Validate() != nil || p.GPUs > maxCells/p.Steps ||
		math.Pow(float64(len(p.Services)+1), float64(p.GPUs)) > maxShares {
		return nil, math.NaN()
	}
	s := newSearch(p)
	s.visit(0, 0, 0, s.serve.best(0))
	if s.found == nil {
		return nil, math.NaN()
	}
	pl := s.plan()
	if len(p.Check(pl)) > 0 {
		return nil, math.NaN()
	}
	return pl, s.value
}

// grid is a set of cells: bit t·GPUs + g is GPU g in step t.
type grid = uint64

// option is one way to treat a job.
type option struct {
	start, shape int
	gpus         uint64 // bit g is GPU g
	cells        grid
	value        float64
}

type search struct {
	p       *plan.Problem
	order   []int      // jobs, those worth most first
	options [][]option // of order[k], those worth most first
	serve   *server

	now   []option // choice for order[k] on the current path
	value float64  // of the best plan so far
	found []option
	cells grid // of found
}

func newSearch(p *plan.Problem) *search {
	s := &search{p: p, serve: newServer(p), value: math.Inf(-1), now: make([]option, len(p.Jobs))}
	all := make([][]option, len(p.Jobs))
	for i := range p.Jobs {
		s.order = append(s.order, i)
		all[i] = optionsOf(p, i)
		slices.SortStableFunc(all[i], func(a, b option) int { return cmp.Compare(b.value, a.value) })
	}
	// Inherited jobs have no choice; placing them first makes bounds tight.
	slices.SortStableFunc(s.order, func(a, b int) int {
		if ia, ib := len(p.Jobs[a].Held) > 0, len(p.Jobs[b].Held) > 0; ia != ib {
			return map[bool]int{true: -1, false: 1}[ia]
		}
		return cmp.Compare(all[b][0].value, all[a][0].value)
	})
	for _, i := range s.order {
		s.options = append(s.options, all[i])
	}
	return s
}

// visit tries everything for the jobs order[k:]. Those before k hold the
// cells and are worth value; served is what services earn at best beside them.
func (s *search) visit(k int, cells grid, value, served float64) {
	if value+served+s.rest(k, cells) <= s.value {
		return
	}
	if k == len(s.order) {
		s.value, s.cells = value+served, cells
		s.found = append([]option{}, s.now...)
		return
	}
	for _, o := range s.options[k] {
		if o.cells&cells != 0 {
			continue
		}
		next, worth := cells|o.cells, value+o.value
		if worth+served+s.rest(k+1, next) <= s.value {
			continue
		}
		s.now[k] = o
		s.visit(k+1, next, worth, s.serve.best(next))
	}
}

// rest is more than the jobs order[k:] can be worth beside the cells, or as
// much.
func (s *search) rest(k int, cells grid) float64 {
	sum := 0.0
	for _, options := range s.options[k:] {
		for _, o := range options {
			if o.cells&cells == 0 {
				sum += o.value
				break
			}
		}
	}
	return sum
}

func (s *search) plan() *plan.Plan {
	pl := &plan.Plan{Jobs: make([]plan.Placement, len(s.p.Jobs)), Services: s.serve.plan(s.cells)}
	for k, o := range s.found {
		at := plan.Placement{Start: o.start}
		if o.start != plan.Unscheduled {
			at.Shape, at.GPUs = o.shape, rangesOf(gpusOf(o.gpus, s.p.GPUs))
		}
		pl.Jobs[s.order[k]] = at
	}
	return pl
}

func gpusOf(mask uint64, n int) []bool {
	set := make([]bool, n)
	for g := range set {
		set[g] = mask>>g&1 == 1
	}
	return set
}

// optionsOf lists every way to treat job i.
func optionsOf(p *plan.Problem, i int) []option {
	j := &p.Jobs[i]
	if len(j.Held) > 0 {
		var gpus uint64
		for _, r := range j.Held {
			for g := r.First; g < r.First+r.N; g++ {
				gpus |= 1 << g
			}
		}
		return []option{placed(p, j, 0, 0, gpus)}
	}
	options := []option{{start: plan.Unscheduled}}
	for k, shape := range j.Shapes {
		for gpus := uint64(1); gpus < 1<<p.GPUs; gpus++ {
			if !mayHold(p, j, gpus, shape.GPUs) {
				continue
			}
			for start := j.Earliest; start < p.Steps; start++ {
				if p.Boundary != plan.Closed || start+shape.Steps <= p.Steps {
					options = append(options, placed(p, j, start, k, gpus))
				}
			}
		}
	}
	return options
}

// mayHold reports whether the GPUs are a legal block of n.
func mayHold(p *plan.Problem, j *plan.Job, gpus uint64, n int) bool {
	if bits.OnesCount64(gpus) != n {
		return false
	}
	if p.Alignment.String() == "scattered" {
		return true
	}
	first := bits.TrailingZeros64(gpus)
	return gpus>>first == 1<<n-1 && allowedBlock(p, j, first, n)
}

func placed(p *plan.Problem, j *plan.Job, start, shape int, gpus uint64) option {
	o := option{start: start, shape: shape, gpus: gpus}
	rate := j.Priority * float64(bits.OnesCount64(gpus)) * p.StepHours
	for t := start; t < start+j.Shapes[shape].Steps; t++ {
		w := math.Pow(p.Gamma, float64(t)*p.StepHours)
		switch {
		case t < p.Steps:
			o.cells |= gpus << (t * p.GPUs)
			o.value += rate * w
		case p.Boundary == plan.Salvage:
			o.value += rate * w * p.Sigma
		}
	}
	return o
}
