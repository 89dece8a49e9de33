package plantest

import (
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// Options are the size and the features of a random problem.
type Options struct {
	GPUs, Steps    int // 0 means 4 and 4
	Jobs, Services int // exact counts
	// Plain leaves out what an offline study has not: link domains, other
	// alignments and boundaries than contiguous and closed, moldable and
	// inherited jobs, what services hold before the plan, steps other than an
	// hour.
	Plain bool
}

// Random draws a valid problem that Optimum can solve: at most 4 GPUs, 5
// steps, 4 jobs and 2 services, every feature of the model included.
func Random(t *rapid.T) *plan.Problem {
	s := rapidSource{t}
	return draw(s, Options{
		GPUs: s.between(1, 4), Steps: s.between(1, 5),
		Jobs: s.between(0, 4), Services: s.between(0, 2),
	})
}

// RandomSeeded draws a valid problem of the given size.
func RandomSeeded(rng *rand.Rand, o Options) *plan.Problem {
	if o.GPUs == 0 {
		o.GPUs = 4
	}
	if o.Steps == 0 {
		o.Steps = 4
	}
	return draw(seededSource{rng}, o)
}

// drawing is a problem in the making.
type drawing struct {
	source
	o    Options
	p    *plan.Problem
	free []bool // GPUs that nobody holds when the plan starts
}

func draw(s source, o Options) *plan.Problem {
	p := &plan.Problem{
		GPUs: o.GPUs, Steps: o.Steps, StepHours: 1,
		Gamma: plan.DefaultGamma, Lambda: plan.DefaultLambda,
	}
	d := &drawing{source: s, o: o, p: p, free: make([]bool, o.GPUs)}
	for g := range d.free {
		d.free[g] = true
	}
	if !o.Plain {
		d.grid()
	}
	for i := range o.Jobs {
		p.Jobs = append(p.Jobs, d.job(i))
	}
	for i := range o.Services {
		p.Services = append(p.Services, d.service(i))
	}
	return p
}

func (d *drawing) grid() {
	p := d.p
	p.StepHours = pick(d, 1.0, 1.0, 0.5, 2)
	p.Gamma = pick(d, plan.DefaultGamma, 1, 0.8)
	p.Lambda = pick(d, plan.DefaultLambda, 5, 0.5, 0)
	p.Alignment = pick(d, hardware.Contiguous, hardware.Buddy, hardware.Scattered)
	p.Boundary = pick(d, plan.Closed, plan.Open, plan.Salvage)
	if p.Boundary == plan.Salvage {
		p.Sigma = pick(d, 0.5, 1, 0, 0.25)
	}
	if !chance(d, 40) {
		return
	}
	for g := 0; g < p.GPUs; {
		n := min(d.between(1, max(2, p.GPUs/4)), p.GPUs-g)
		p.Domains = append(p.Domains, hardware.Range{First: g, N: n})
		g += n
	}
}

func (d *drawing) job(i int) plan.Job {
	j := plan.Job{
		ID:       fmt.Sprintf("j%d", i),
		Kind:     pick(d, "training", "batch inference", "quantization"),
		Priority: float64(d.between(1, 20)) / 4,
	}
	if !d.o.Plain {
		j.Across = chance(d, 30)
		if chance(d, 20) {
			if held := d.block(&j); held != nil {
				// What remains may outlast any horizon.
				j.Held = held
				j.Shapes = []plan.Shape{{GPUs: hardware.Size(held), Steps: d.between(1, d.p.Steps+2)}}
				return j
			}
		}
	}
	j.Earliest = max(0, d.between(-d.p.Steps, d.p.Steps-1))
	j.Shapes = []plan.Shape{{GPUs: d.size(), Steps: d.duration()}}
	for !d.o.Plain && len(j.Shapes) < 3 && chance(d, 25) {
		last := j.Shapes[len(j.Shapes)-1]
		if 2*last.GPUs > 2*d.p.GPUs {
			break
		}
		j.Shapes = append(j.Shapes, plan.Shape{GPUs: 2 * last.GPUs, Steps: max(1, (last.Steps*d.between(2, 4)+3)/4)})
	}
	return j
}

// size is a job's GPUs. Now and then it is more than the cluster has.
func (d *drawing) size() int {
	most := d.p.GPUs
	if chance(d, 80) {
		most = max(1, most/2)
	}
	if !d.o.Plain && chance(d, 3) {
		most = 2 * d.p.GPUs
	}
	n := d.between(1, most)
	if d.p.Alignment == hardware.Scattered {
		return n
	}
	for n&(n-1) != 0 {
		n &= n - 1
	}
	return n
}

// duration is mostly short; now and then longer than the horizon.
func (d *drawing) duration() int {
	if chance(d, 10) {
		return d.between(1, d.p.Steps+2)
	}
	return d.between(1, max(1, d.p.Steps/2))
}

func (d *drawing) service(i int) plan.Service {
	p := d.p
	s := plan.Service{
		ID:       fmt.Sprintf("s%d", i),
		Priority: float64(d.between(1, 20)) / 4,
		SwapCap:  pick(d, 1, 2, 0),
		Max:      d.between(1, p.GPUs),
		Fresh:    d.o.Plain || chance(d, 40),
	}
	s.Min = d.between(0, s.Max) * d.between(0, 1)
	// Demand walks about; beyond the maximum and the cluster it is shortfall.
	most := max(1, min(p.GPUs+1, 2*p.GPUs/max(1, len(p.Services)+1)))
	n := d.between(0, most)
	for range p.Steps {
		s.Demand = append(s.Demand, n)
		n = min(most, max(0, n+d.between(-2, 2)))
	}
	if !s.Fresh {
		s.Held = d.some(d.between(0, s.Max))
	}
	return s
}
