package allocator

import (
	"cmp"
	"slices"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// pass is a partial plan: what has been placed so far, on which rows. Items
// are numbered: jobs first, then services.
type pass struct {
	p       *plan.Problem
	words   int      // of a row
	busy    []uint64 // GPUs × words
	domains []hardware.Range
	whole   []hardware.Range // the cluster as a single region
	cum     []float64        // cum[t]: what one GPU at priority 1 earns in steps 0 … t−1
	jobs    []job
	svcs    []service

	firstFit  bool // of equally early blocks take the lowest, whatever lies beside it
	objective float64

	window, row, allowed []uint64 // scratch
	lanes                []uint64
	avail, upper, count  []int
}

// job is a job and its place.
type job struct {
	*plan.Job
	shape int  // tried first
	high  bool // laid on the highest of equally good blocks, not the lowest
	seat
	old seat // before the trial of a search
}

// seat is a job's place.
type seat struct {
	start  int              // plan.Unscheduled when it has none
	placed int              // shape it has
	first  int              // of the block
	gpus   []hardware.Range // instead of first, when scattered
	steps  int              // inside the horizon
	worth  float64
}

func newPass(p *plan.Problem) *pass {
	words := (p.Steps + 63) / 64
	a := &pass{
		p: p, words: words,
		busy:    make([]uint64, p.GPUs*words),
		domains: p.Domains,
		whole:   []hardware.Range{{First: 0, N: p.GPUs}},
		window:  make([]uint64, p.GPUs*words),
		row:     make([]uint64, words),
		allowed: make([]uint64, words),
		avail:   make([]int, p.Steps),
		upper:   make([]int, p.Steps),
		count:   make([]int, p.Steps),
	}
	if a.domains == nil {
		a.domains = a.whole
	}
	a.jobs = make([]job, len(p.Jobs))
	for i := range p.Jobs {
		j := &a.jobs[i]
		j.Job, j.start, j.old.start = &p.Jobs[i], plan.Unscheduled, plan.Unscheduled
		for k, s := range j.Shapes {
			if s.GPUs*s.Steps < j.Shapes[j.shape].GPUs*j.Shapes[j.shape].Steps {
				j.shape = k
			}
		}
	}
	a.weigh()
	for i := range a.jobs {
		if a.jobs[i].Inherited() {
			a.inherit(&a.jobs[i])
		}
	}
	a.svcs = make([]service, len(p.Services))
	for i := range p.Services {
		a.newService(&a.svcs[i], &p.Services[i])
	}
	return a
}

// weigh tabulates what a step earns.
func (a *pass) weigh() {
	a.cum = make([]float64, a.p.Steps+1)
	for t := range a.p.Steps {
		a.cum[t+1] = a.cum[t] + a.p.Weight(t)*a.p.StepHours
	}
}

// value is what a job earns in a shape from a start on, past the horizon as
// the boundary says.
func (a *pass) value(j *job, shape, start int) float64 {
	s := j.Shapes[shape]
	end := start + s.Steps
	hours := a.cum[min(end, a.p.Steps)] - a.cum[start]
	if end > a.p.Steps && a.p.Boundary == plan.Salvage {
		hours += a.p.Sigma * a.p.StepHours * a.p.WeightSum(a.p.Steps, end)
	}
	return j.Priority * float64(s.GPUs) * hours
}

// inherit fixes a job that runs already.
func (a *pass) inherit(j *job) {
	j.gpus = j.Held
	a.settle(j, 0, 0)
}

// settle marks a job's place as taken; first or gpus must be set.
func (a *pass) settle(j *job, shape, start int) {
	j.start, j.placed = start, shape
	j.steps = min(j.Shapes[shape].Steps, a.p.Steps-start)
	j.worth = a.value(j, shape, start)
	a.objective += j.worth
	a.flip(j)
}

// flip marks a job's place as taken, or as free again.
func (a *pass) flip(j *job) {
	if j.gpus == nil {
		a.flipRange(hardware.Range{First: j.first, N: j.Shapes[j.placed].GPUs}, j.start, j.start+j.steps)
		return
	}
	for _, r := range j.gpus {
		a.flipRange(r, j.start, j.start+j.steps)
	}
}

func (a *pass) flipRange(r hardware.Range, from, to int) {
	if a.words == 1 {
		m := wordRange(from, to)
		for g := r.First; g < r.End(); g++ {
			a.busy[g] ^= m
		}
		return
	}
	setRange(a.row, from, to)
	for g := r.First; g < r.End(); g++ {
		for i, m := range a.row {
			a.busy[g*a.words+i] ^= m
		}
	}
}

func (a *pass) gpu(g int) []uint64 { return a.busy[g*a.words : (g+1)*a.words] }

// place gives an item the best place that is left, if any.
func (a *pass) place(item int) {
	if item >= len(a.jobs) {
		a.placeService(&a.svcs[item-len(a.jobs)])
		return
	}
	j := &a.jobs[item]
	j.start = plan.Unscheduled
	if a.placeShape(j, j.shape) {
		return
	}
	for k := range j.Shapes {
		if k != j.shape && a.placeShape(j, k) {
			return
		}
	}
}

// remove makes an item's place free again; the objective is for the caller to
// set back.
func (a *pass) remove(item int) {
	if item >= len(a.jobs) {
		a.removeService(&a.svcs[item-len(a.jobs)])
	} else if j := &a.jobs[item]; j.start >= 0 {
		a.flip(j)
	}
}

// initialOrder is services by priority, then jobs by priority, which is their
// value per GPU-step; larger ones come first among equals, while there is room
// for them. Inherited jobs are not in it: they have their place.
func (a *pass) initialOrder() []int {
	order := make([]int, 0, len(a.jobs)+len(a.svcs))
	for i := range a.svcs {
		order = append(order, len(a.jobs)+i)
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Compare(a.svcs[y-len(a.jobs)].Priority, a.svcs[x-len(a.jobs)].Priority)
	})
	for i := range a.jobs {
		if !a.jobs[i].Inherited() {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order[len(a.svcs):], func(x, y int) int {
		jx, jy := &a.jobs[x], &a.jobs[y]
		sx, sy := jx.Shapes[jx.shape], jy.Shapes[jy.shape]
		return cmp.Or(
			cmp.Compare(jy.Priority, jx.Priority),
			cmp.Compare(sy.GPUs, sx.GPUs),
			cmp.Compare(sy.Steps, sx.Steps),
		)
	})
	return order
}

// plan is the pass as a plan.
func (a *pass) plan() *plan.Plan {
	pl := &plan.Plan{Jobs: make([]plan.Placement, len(a.jobs)), Services: make([][][]hardware.Range, len(a.svcs))}
	for i := range a.jobs {
		j := &a.jobs[i]
		at := &pl.Jobs[i]
		at.Start = j.start
		if j.start < 0 {
			continue
		}
		at.Shape = j.placed
		at.GPUs = slices.Clone(j.gpus)
		if j.gpus == nil {
			at.GPUs = []hardware.Range{{First: j.first, N: j.Shapes[j.placed].GPUs}}
		}
	}
	for i := range a.svcs {
		pl.Services[i] = a.svcs[i].held(a.p.Steps)
	}
	return pl
}
