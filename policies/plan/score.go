package plan

import (
	"math"

	"berth/sim/hardware"
)

// Score is what a plan is worth. Steps past the horizon count in SalvageValue
// only.
type Score struct {
	Utilization       float64 `json:"utilization"`         // GPU-time doing work, as a fraction of all GPU-time
	Occupancy         float64 `json:"occupancy"`           // GPU-time held, as a fraction of all GPU-time
	Value             float64 `json:"value"`               // Σ priority × GPU-hours of jobs
	DecayedValue      float64 `json:"decayed_value"`       // the same, each step weighted by w(t)
	SalvageValue      float64 `json:"salvage_value"`       // σ × the same past the horizon; 0 unless Salvage
	Penalty           float64 `json:"penalty"`             // λ Σ priority × GPU-hours of shortfall
	Objective         float64 `json:"objective"`           // DecayedValue + SalvageValue − Penalty
	ShortfallGPUHours float64 `json:"shortfall_gpu_hours"` // demand not held
	ShortfallSteps    float64 `json:"shortfall_steps"`     // share of service-steps with any shortfall
	Swaps             int     `json:"swaps"`               // GPUs gained plus lost by services, from step −1 on unless Fresh
	Scheduled         int     `json:"scheduled"`           // jobs that run, inherited ones included
	Unscheduled       int     `json:"unscheduled"`         // jobs left out
}

// Score measures a legal plan of a valid problem. Sums run in the order of the
// problem, so equal plans have equal scores to the last bit. Of an illegal
// plan the figures mean nothing.
func (p *Problem) Score(pl *Plan) Score {
	var s Score
	working, held := p.scoreJobs(pl, &s)
	w, h := p.scoreServices(pl, &s)
	cells := float64(p.GPUs) * float64(p.Steps)
	s.Utilization = float64(working+w) / cells
	s.Occupancy = float64(held+h) / cells
	s.Objective = s.DecayedValue + s.SalvageValue - s.Penalty
	return s
}

// scoreJobs adds the jobs' part and counts their cells inside the horizon.
func (p *Problem) scoreJobs(pl *Plan, s *Score) (working, held int) {
	for i := range p.Jobs {
		j := &p.Jobs[i]
		if i >= len(pl.Jobs) || pl.Jobs[i].Start < 0 || pl.Jobs[i].Shape < 0 || pl.Jobs[i].Shape >= len(j.Shapes) {
			s.Unscheduled++
			continue
		}
		at := &pl.Jobs[i]
		s.Scheduled++
		n := hardware.Size(at.GPUs)
		end := at.Start + j.Shapes[at.Shape].Steps
		inside := max(0, min(end, p.Steps)-at.Start)
		rate := j.Priority * float64(n) * p.StepHours // value of a step at weight 1
		s.Value += rate * float64(inside)
		s.DecayedValue += rate * p.WeightSum(at.Start, at.Start+inside)
		if p.Boundary == Salvage {
			s.SalvageValue += rate * p.Sigma * p.WeightSum(max(at.Start, p.Steps), end)
		}
		working += n * inside
	}
	return working, working
}

// scoreServices adds the services' part and counts their cells.
func (p *Problem) scoreServices(pl *Plan, s *Score) (working, held int) {
	lacking, all := 0, 0 // service-steps
	for i := range p.Services {
		r := &p.Services[i]
		last, known := r.Held, !r.Fresh
		missing := 0
		for t, demand := range r.Demand {
			var now []hardware.Range
			if i < len(pl.Services) && t < len(pl.Services[i]) {
				now = pl.Services[i][t]
			}
			n := hardware.Size(now)
			if known {
				s.Swaps += n + hardware.Size(last) - 2*common(last, now)
			}
			last, known = now, true
			held += n
			working += min(n, demand)
			all++
			if n < demand {
				missing += demand - n
				lacking++
			}
		}
		hours := float64(missing) * p.StepHours
		s.ShortfallGPUHours += hours
		s.Penalty += p.Lambda * r.Priority * hours
	}
	if all > 0 {
		s.ShortfallSteps = float64(lacking) / float64(all)
	}
	return working, held
}

// WeightSum is Σ w(t) over the steps from ≤ t < to; 0 when there are none.
func (p *Problem) WeightSum(from, to int) float64 {
	if to <= from {
		return 0
	}
	// A geometric series in closed form, exact enough also for Gamma near 1.
	log := math.Log(p.Gamma) * p.StepHours
	if log == 0 {
		return float64(to - from)
	}
	return math.Exp(log*float64(from)) * math.Expm1(log*float64(to-from)) / math.Expm1(log)
}
