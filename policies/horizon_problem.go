package policies

import (
	"cmp"
	"slices"

	"berth/policies/plan"
	"berth/sim"
)

// problem is what is known at the current step, as an instance of the model.
func (p *horizon) problem(r *sim.Round, now int) (*plan.Problem, []*sim.ActiveJob) {
	step := r.Step()
	begin := sim.Time(now) * step
	q := &plan.Problem{
		GPUs: r.Cluster().GPUs(), Steps: p.c.Window, StepHours: step.Hours(),
		Domains: r.Cluster().Topology().Domains(), Alignment: r.Alignment(),
		Boundary: p.boundary, Gamma: p.c.PlanGamma, Lambda: p.c.PlanLambda, Sigma: p.c.Sigma,
	}
	if r.Horizon() != sim.Forever {
		left := int((r.Horizon() - begin + step - 1) / step)
		if q.Steps >= left && r.Closed() {
			q.Boundary = plan.Closed
		}
		q.Steps = min(q.Steps, left)
	}
	jobs := slices.Concat(r.Running(), r.Waiting(), r.Upcoming())
	jobs = slices.DeleteFunc(jobs, func(j *sim.ActiveJob) bool { return j.State.Final() })
	slices.SortFunc(jobs, func(a, b *sim.ActiveJob) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.ID, b.ID))
	})
	kept := jobs[:0]
	for _, j := range jobs {
		if pj, ok := p.planJob(r, j, begin, q.Steps); ok {
			q.Jobs = append(q.Jobs, pj)
			kept = append(kept, j)
		}
	}
	p.forecast = p.forecast[:0]
	for i, s := range r.Services() {
		demand := make([]int, q.Steps)
		p.forecasts.demand.Forecast(i, begin, demand)
		p.forecast = append(p.forecast, demand)
		q.Services = append(q.Services, p.planService(r, s, demand))
	}
	return q, kept
}

// planJob is a job as the plan sees it; false when it cannot start within the
// window. Steps are rounded up.
func (p *horizon) planJob(r *sim.Round, j *sim.ActiveJob, begin sim.Time, window int) (plan.Job, bool) {
	pj := plan.Job{ID: j.Label(), Kind: j.Kind.String(), Priority: j.Priority, Across: j.Across}
	if j.State == sim.Running {
		// A job past its estimate is expected to take one more step.
		left := max(1, stepsOf(j.Started+p.forecasts.estimate(j, j.Held())-begin, r.Step()))
		pj.Held = j.GPUs
		pj.Shapes = []plan.Shape{{GPUs: j.Held(), Steps: left}}
		return pj, true
	}
	estimated := j.Job
	estimated.Estimate = p.forecasts.durations.Estimate(&j.Job)
	if e := j.Eligible(); e > r.Now() {
		pj.Earliest = stepsOf(e-begin, r.Step())
	}
	pj.Shapes = shapesOf(&estimated, r.Alignment(), r.Step(), r.Now()-begin)
	return pj, pj.Earliest < window
}

// planService is a service as the plan sees it. Between two steps it is held to
// what it has, since it moves at the next.
func (p *horizon) planService(r *sim.Round, s *sim.ActiveService, demand []int) plan.Service {
	if r.Now()%r.Step() != 0 {
		demand = slices.Clone(demand)
		demand[0] = s.Held
	}
	return plan.Service{
		ID: s.Name, Priority: s.Priority, Min: s.Min, Max: s.Max, SwapCap: s.SwapCap,
		Held: s.GPUs, Fresh: r.Now() == 0, Demand: demand,
	}
}
