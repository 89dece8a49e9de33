package policies

import (
	"cmp"
	"fmt"

	"berth/policies/plan"
	"berth/sim"
	"berth/sim/hardware"
)

// Offline turns a workload of one closed or open horizon into the problem of
// planning it whole, with every job known from the start. The workload's jobs
// are read to the end. Jobs stand in order of submission.
func Offline(w *sim.Workload, gamma, lambda float64) (*plan.Problem, error) {
	if w.Horizon == 0 {
		return nil, fmt.Errorf("workload %s has no horizon to plan; set horizon_hours", w.Name)
	}
	step := cmp.Or(w.Step, sim.Time(3600e9))
	p := &plan.Problem{
		GPUs: w.Topology.GPUs(), Steps: int((w.Horizon + step - 1) / step), StepHours: step.Hours(),
		Domains: w.Topology.Domains(), Alignment: w.Alignment,
		Boundary: plan.Open, Gamma: gamma, Lambda: lambda,
	}
	if w.Closed {
		p.Boundary = plan.Closed
	}
	if cells := float64(p.GPUs) * float64(p.Steps); cells > plan.MaxCells {
		return nil, fmt.Errorf("workload %s: a plan of %d GPUs × %d steps is too large; at most %d cells are accepted", w.Name, p.GPUs, p.Steps, plan.MaxCells)
	}
	for i := range w.Services {
		s := &w.Services[i]
		ps := plan.Service{ID: s.Name, Priority: s.Priority, Min: s.Min, Max: s.Max, SwapCap: s.SwapCap, Fresh: true}
		ps.Demand = demandBySteps(s, 0, step, p.Steps)
		p.Services = append(p.Services, ps)
	}
	var j sim.Job
	for {
		ok, err := w.Jobs.Next(&j)
		if err != nil || !ok {
			return p, err
		}
		p.Jobs = append(p.Jobs, plan.Job{
			ID: j.Label(), Kind: j.Kind.String(), Priority: j.Priority, Across: j.Across,
			Earliest: stepsOf(j.Eligible(), step),
			Shapes:   shapesOf(&j, w.Alignment, step, 0),
		})
	}
}

// stepsOf is how many steps a time takes, rounded up.
func stepsOf(d, step sim.Time) int { return int((d + step - 1) / step) }

// shapesOf are a job's sizes and durations; passed is added to each duration.
func shapesOf(j *sim.Job, a hardware.Alignment, step, passed sim.Time) []plan.Shape {
	var shapes []plan.Shape
	for _, n := range j.Sizes(nil, a) {
		shapes = append(shapes, plan.Shape{GPUs: n, Steps: stepsOf(passed+j.EstimateOn(n), step)})
	}
	return shapes
}

// demandBySteps is a service's highest demand in each step from a time on.
func demandBySteps(s *sim.Service, from, step sim.Time, steps int) []int {
	demand := make([]int, steps)
	for t := range demand {
		begin := from + sim.Time(t)*step
		demand[t] = s.Demand.PeakIn(begin, begin+step)
	}
	return demand
}
