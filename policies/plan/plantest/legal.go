package plantest

import (
	"math/rand/v2"

	"pgregory.net/rapid"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// RandomPlan draws a legal plan of a valid problem, from nearly empty to
// nearly full.
func RandomPlan(t *rapid.T, p *plan.Problem) *plan.Plan { return drawPlan(rapidSource{t}, p) }

// RandomPlanSeeded is RandomPlan from a seeded generator.
func RandomPlanSeeded(rng *rand.Rand, p *plan.Problem) *plan.Plan {
	return drawPlan(seededSource{rng}, p)
}

// cells is a plan in the making: [step][GPU], true when somebody holds it.
type cells [][]bool

func drawPlan(s source, p *plan.Problem) *plan.Plan {
	c := make(cells, p.Steps)
	for t := range c {
		c[t] = make([]bool, p.GPUs)
	}
	pl := &plan.Plan{Jobs: make([]plan.Placement, len(p.Jobs))}
	for i := range p.Jobs {
		pl.Jobs[i].Start = plan.Unscheduled
		if j := &p.Jobs[i]; len(j.Held) > 0 {
			held := make([]bool, p.GPUs)
			for _, r := range j.Held {
				for g := r.First; g < r.First+r.N; g++ {
					held[g] = true
				}
			}
			pl.Jobs[i] = plan.Placement{GPUs: rangesOf(held)}
			c.take(0, j.Shapes[0].Steps, held)
		}
	}
	pl.Services = c.walk(s, p)
	for _, i := range shuffled(s, len(p.Jobs)) {
		if len(p.Jobs[i].Held) == 0 && chance(s, 80) {
			pl.Jobs[i] = c.place(s, p, &p.Jobs[i])
		}
	}
	return pl
}

// take marks the GPUs for some steps.
func (c cells) take(start, steps int, gpus []bool) {
	for t := start; t < min(len(c), start+steps); t++ {
		for g, in := range gpus {
			c[t][g] = c[t][g] || in
		}
	}
}

// walk lets the services wander under their caps and beside inherited jobs: in
// each step all give up GPUs first, then take what is free.
func (c cells) walk(s source, p *plan.Problem) [][][]hardware.Range {
	sets := serviceStarts(p)
	held := make([][][]hardware.Range, len(p.Services))
	for t := range c {
		was := make([]int, len(sets)) // GPUs held at the start of the step
		for i, set := range sets {
			was[i] = move(s, s.between(0, mostMoves(p, i, t)), set, func(g int) bool { return set[g] })
		}
		for _, set := range sets {
			c.take(t, 1, set)
		}
		for i, set := range sets {
			room := p.Services[i].Max - was[i]
			move(s, s.between(0, max(0, min(room, mostMoves(p, i, t)))), set, func(g int) bool { return !c[t][g] })
			c.take(t, 1, set)
			held[i] = append(held[i], rangesOf(set))
		}
	}
	return held
}

// mostMoves is how many GPUs service i may gain, or lose, into step t.
func mostMoves(p *plan.Problem, i, t int) int {
	r := &p.Services[i]
	if r.SwapCap == 0 || t == 0 && r.Fresh {
		return p.GPUs
	}
	return min(r.SwapCap, p.GPUs)
}

// move turns up to n of the GPUs that may move over, from held to not held or
// back, and returns how many are held then.
func move(s source, n int, set []bool, may func(gpu int) bool) int {
	size := 0
	for _, g := range shuffled(s, len(set)) {
		if n > 0 && may(g) {
			set[g] = !set[g]
			n--
		}
		if set[g] {
			size++
		}
	}
	return size
}

// place draws a free place for the job, if a few tries find one.
func (c cells) place(s source, p *plan.Problem, j *plan.Job) plan.Placement {
	for range 8 {
		k := s.between(0, len(j.Shapes)-1)
		shape := j.Shapes[k]
		last := p.Steps - 1
		if p.Boundary == plan.Closed {
			last = p.Steps - shape.Steps
		}
		if j.Earliest > last || shape.GPUs > p.GPUs {
			continue
		}
		start := s.between(j.Earliest, last)
		if gpus := c.findFree(s, p, j, start, shape); gpus != nil {
			c.take(start, shape.Steps, gpus)
			return plan.Placement{Start: start, Shape: k, GPUs: rangesOf(gpus)}
		}
	}
	return plan.Placement{Start: plan.Unscheduled}
}

// findFree draws GPUs that are free while the job runs; nil when there are
// none, or none at the block drawn.
func (c cells) findFree(s source, p *plan.Problem, j *plan.Job, start int, shape plan.Shape) []bool {
	gpus, n := make([]bool, p.GPUs), 0
	if p.Alignment == hardware.Scattered {
		for _, g := range shuffled(s, p.GPUs) {
			if n < shape.GPUs && c.isFree(g, start, shape.Steps) {
				gpus[g] = true
				n++
			}
		}
	} else {
		first := s.between(0, p.GPUs-shape.GPUs)
		if p.Alignment == hardware.Buddy {
			first -= first % shape.GPUs
		}
		if !allowedBlock(p, j, first, shape.GPUs) {
			return nil
		}
		for g := first; g < first+shape.GPUs && c.isFree(g, start, shape.Steps); g++ {
			gpus[g] = true
			n++
		}
	}
	if n < shape.GPUs {
		return nil
	}
	return gpus
}

func (c cells) isFree(gpu, start, steps int) bool {
	for t := start; t < min(len(c), start+steps); t++ {
		if c[t][gpu] {
			return false
		}
	}
	return true
}

// serviceStarts is [service][GPU]: held in the step before the plan.
func serviceStarts(p *plan.Problem) [][]bool {
	starts := make([][]bool, len(p.Services))
	for i := range p.Services {
		starts[i] = make([]bool, p.GPUs)
		for _, r := range p.Services[i].Held {
			for g := r.First; g < r.First+r.N; g++ {
				starts[i][g] = true
			}
		}
	}
	return starts
}
