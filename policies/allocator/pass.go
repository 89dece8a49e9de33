package allocator

import (
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

	firstFit  bool   // of equally early blocks take the lowest, whatever lies beside it
	index     *index // of possible starts, when the cluster is large
	unmet     []need // of jobs without a place, since something was last taken off
	objective float64

	scratch
}

// scratch is room to work in, so that placing allocates nothing.
type scratch struct {
	window       []uint64 // GPUs × words
	row, allowed []uint64 // a row each
	lanes        lanes
	sums         []int // by step: of countRows,
	upper        []int // GPUs a service can hold at most,
	count        []int // GPUs it is to hold,
	spare        []int // and exchanges that its swap cap leaves
	pieces       []bar
	levels       []level
	cursor       map[[2]int]int
}

// job is a job and its place.
type job struct {
	*plan.Job
	manner
	seat
	old struct { // before the trial of a search
		manner
		seat
	}
}

// manner is how a job is to be placed.
type manner struct {
	shape int  // tried first
	high  bool // on the highest of equally good blocks, not the lowest
}

// seat is a job's place.
type seat struct {
	start  int              // plan.Unscheduled when it has none
	placed int              // shape it has
	first  int              // of the block
	gpus   []hardware.Range // instead of first, when scattered
	steps  int              // inside the horizon
	worth  float64          // what it adds to the objective
}

func newPass(p *plan.Problem) *pass {
	words := (p.Steps + 63) / 64
	a := &pass{
		p: p, words: words,
		busy:    make([]uint64, p.GPUs*words),
		domains: p.Domains,
		whole:   []hardware.Range{{First: 0, N: p.GPUs}},
		unmet:   make([]need, 0, remembered),
	}
	a.lanes = newLanes(p.GPUs)
	a.window = make([]uint64, p.GPUs*words)
	rows, steps := make([]uint64, 2*words), make([]int, 4*p.Steps)
	a.row, a.allowed = rows[:words], rows[words:]
	for i, s := range []*[]int{&a.sums, &a.upper, &a.count, &a.spare} {
		*s = steps[i*p.Steps : (i+1)*p.Steps]
	}
	if a.domains == nil {
		a.domains = a.whole
	}
	if p.GPUs >= indexFrom {
		a.index = newIndex(a)
		a.cursor = map[[2]int]int{}
	}
	a.weigh()
	a.jobs = make([]job, len(p.Jobs))
	for i := range p.Jobs {
		a.newJob(&a.jobs[i], &p.Jobs[i])
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
	w, decay := a.p.StepHours, a.p.Weight(1)
	for t := range a.p.Steps {
		a.cum[t+1] = a.cum[t] + w
		w *= decay
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

// newJob sets a job up, to be tried first in the shape with the least work.
// One that runs already is fixed.
func (a *pass) newJob(j *job, of *plan.Job) {
	j.Job, j.start, j.old.start = of, plan.Unscheduled, plan.Unscheduled
	for k, s := range j.Shapes {
		if s.GPUs*s.Steps < j.Shapes[j.shape].GPUs*j.Shapes[j.shape].Steps {
			j.shape = k
		}
	}
	if j.Inherited() {
		j.gpus = j.Held
		a.settle(j, 0, 0)
	}
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
		m := mask(from, to)
		for g := r.First; g < r.End(); g++ {
			a.busy[g] ^= m
		}
		return
	}
	for i := from / 64; 64*i < to; i++ {
		m := wordRange(from-64*i, to-64*i)
		for g := r.First; g < r.End(); g++ {
			a.busy[g*a.words+i] ^= m
		}
	}
}

func (a *pass) gpu(g int) []uint64 { return a.busy[g*a.words : (g+1)*a.words] }

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
