package policies

import (
	"slices"

	"berth/policies/plan"
	"berth/sim"
	"berth/sim/hardware"
)

// Outlook is what a plan foresees, before it happens.
type Outlook struct {
	MadeAt   sim.Time
	Coverage []CoverageRisk
	Idle     []IdleWindow
	Services []ServiceOutlook
}

// ServiceOutlook is what a plan was made for and what it gives, step by step.
type ServiceOutlook struct {
	Service           string
	From              sim.Time // begin of the first step
	Forecast, Planned []int    // GPUs
}

// CoverageRisk is a step in which a service may want more than it will hold.
type CoverageRisk struct {
	Service           string
	From, To          sim.Time
	Forecast, Planned int     // GPUs
	Probability       float64 // of wanting more than planned
}

// IdleWindow is a time in which so many GPUs are planned to do nothing.
type IdleWindow struct {
	From, To sim.Time
	GPUs     int
}

// leastRisk is the probability from which on a step is worth a row.
const leastRisk = 0.01

// outlook says what a plan that starts at a step foresees.
func (p *horizon) outlook(r *sim.Round, q *plan.Problem, pl *plan.Plan, now int) Outlook {
	at := func(t int) sim.Time { return sim.Time(now+t) * r.Step() }
	o := Outlook{MadeAt: r.Now()}
	for i, s := range r.Services() {
		planned := make([]int, q.Steps)
		for t := range planned {
			planned[t] = hardware.Size(pl.Services[i][t])
		}
		o.Services = append(o.Services, ServiceOutlook{s.Name, at(0), slices.Clone(p.forecast[i]), planned})
		for t, risk := range p.forecasts.exceed(i, at(0), planned) {
			if risk >= leastRisk {
				o.Coverage = append(o.Coverage, CoverageRisk{s.Name, at(t), at(t + 1), p.forecast[i][t], planned[t], risk})
			}
		}
	}
	for t, idle := range idleGPUs(q, pl) {
		if n := len(o.Idle); n > 0 && o.Idle[n-1].To == at(t) && o.Idle[n-1].GPUs == idle {
			o.Idle[n-1].To = at(t + 1)
		} else if idle > 0 {
			o.Idle = append(o.Idle, IdleWindow{at(t), at(t + 1), idle})
		}
	}
	return o
}

// idleGPUs counts, step by step, the GPUs that a plan leaves to nobody.
func idleGPUs(q *plan.Problem, pl *plan.Plan) []int {
	idle := make([]int, q.Steps)
	for t := range idle {
		idle[t] = q.GPUs
	}
	for i, job := range pl.Jobs {
		if job.Start < 0 {
			continue
		}
		for t := job.Start; t < min(job.Start+q.Jobs[i].Shapes[job.Shape].Steps, q.Steps); t++ {
			idle[t] -= hardware.Size(job.GPUs)
		}
	}
	for _, steps := range pl.Services {
		for t, gpus := range steps {
			idle[t] -= hardware.Size(gpus)
		}
	}
	return idle
}
