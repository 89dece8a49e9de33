package policies

import (
	"cmp"
	"context"
	"slices"

	"berth/policies/allocator"
	"berth/policies/plan"
	"berth/sim"
	"berth/sim/hardware"
)

// horizon plans a window of steps ahead, commits the current step, and plans
// again: every so many steps, and between steps when jobs arrive or end.
// Running jobs are inherited and pinned. The demand of services is taken from
// their curves: the forecast is perfect. Jobs are known once they are
// submitted, and by their estimates.
//
// A plan made between two steps keeps the grid of the steps: jobs that it
// starts now are counted from the step's beginning, so they never hold GPUs
// longer than it says, and services move at the next step only.
type horizon struct {
	c      Config
	budget allocator.Budget

	agenda []due
	next   [][][]hardware.Range // [service][step from planned on]
	origin int                  // the step that the plan starts with
	rank   map[any]int          // place of a job or service in the order that gave the last plan
}

// due is a planned start.
type due struct {
	job  *sim.ActiveJob
	step int
	gpus []hardware.Range
}

const (
	plannedLater = "planned for a later step"
	notPlanned   = "not in the plan"
)

func newHorizon(c Config) (sim.Policy, error) {
	c.Replan = cmp.Or(c.Replan, "event")
	c.Window = cmp.Or(c.Window, plan.DefaultSteps)
	c.ReplanEvery = cmp.Or(c.ReplanEvery, 1)
	budget, err := c.budget()
	return &horizon{c: c, budget: budget, origin: -1}, err
}

func (p *horizon) Name() string { return "horizon" }

// Decide implements sim.Policy.
func (p *horizon) Decide(r *sim.Round) error {
	p.forget(r)
	now := int(r.Now() / r.Step())
	boundary := r.Now()%r.Step() == 0
	if due := p.origin < 0 || now >= p.origin+p.c.ReplanEvery; due || p.called(r) {
		p.plan(r, now)
	}
	if boundary {
		p.moveServices(r, now-p.origin)
	}
	p.startDue(r, now)
	if len(r.Waiting())+len(r.Upcoming())+len(r.Running()) > 0 || len(r.Services()) > 0 {
		r.WakeAt(sim.Time(now+1) * r.Step())
	}
	return nil
}

// forget drops jobs that have left: the engine will use their places again.
func (p *horizon) forget(r *sim.Round) {
	for _, j := range r.Ended() {
		delete(p.rank, j)
	}
	p.agenda = slices.DeleteFunc(p.agenda, func(d due) bool { return d.job.State != sim.Waiting && d.job.State != sim.Upcoming })
}

// called reports whether something happened that calls for a new plan.
func (p *horizon) called(r *sim.Round) bool {
	switch p.c.Replan {
	case "arrival":
		return len(r.Arrivals()) > 0
	case "event":
		return len(r.Arrivals()) > 0 || len(r.Ended()) > 0 && len(r.Waiting())+len(r.Upcoming()) > 0
	}
	return false
}

// plan makes a plan that starts with the current step.
func (p *horizon) plan(r *sim.Round, now int) {
	problem, jobs := p.problem(r, now)
	items := itemsOf(jobs, r.Services())
	order := p.lastOrder(items)
	pl, stats := allocator.Solve(context.Background(), problem, allocator.Options{
		Seed: p.c.Seed, Budget: p.budget, Order: order,
	})
	p.rank = make(map[any]int, len(stats.Order))
	for place, it := range stats.Order {
		p.rank[items[it]] = place
	}
	p.origin, p.next = now, pl.Services
	p.agenda = p.agenda[:0]
	for i, at := range pl.Jobs {
		j := jobs[i]
		switch {
		case j.State == sim.Running:
		case at.Start == plan.Unscheduled:
			r.Explain(j, notPlanned)
		default:
			p.agenda = append(p.agenda, due{j, now + at.Start, at.GPUs})
			r.Explain(j, plannedLater)
		}
	}
}

// problem is what is known at the current step, as an instance of the model.
func (p *horizon) problem(r *sim.Round, now int) (*plan.Problem, []*sim.ActiveJob) {
	step := r.Step()
	begin := sim.Time(now) * step
	q := &plan.Problem{
		GPUs: r.Cluster().GPUs(), Steps: p.c.Window, StepHours: step.Hours(),
		Domains: r.Cluster().Topology().Domains(), Alignment: r.Alignment(),
		Boundary: plan.Open, Gamma: p.c.Gamma, Lambda: p.c.Lambda,
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
	kept := jobs[:0]
	for _, j := range jobs {
		if pj, ok := p.planJob(r, j, begin, q.Steps); ok {
			q.Jobs = append(q.Jobs, pj)
			kept = append(kept, j)
		}
	}
	for _, s := range r.Services() {
		q.Services = append(q.Services, p.planService(r, s, begin, q.Steps))
	}
	return q, kept
}

// planJob is a job as the plan sees it; false when it cannot start within the
// window. Steps are rounded up.
func (p *horizon) planJob(r *sim.Round, j *sim.ActiveJob, begin sim.Time, window int) (plan.Job, bool) {
	pj := plan.Job{ID: j.Label(), Kind: j.Kind.String(), Priority: j.Priority, Across: j.Across}
	if j.State == sim.Running {
		// A job past its estimate is expected to take one more step.
		left := max(1, stepsOf(j.EstimatedEnd()-begin, r.Step()))
		pj.Held = j.GPUs
		pj.Shapes = []plan.Shape{{GPUs: j.Held(), Steps: left}}
		return pj, true
	}
	if e := j.Eligible(); e > r.Now() {
		pj.Earliest = stepsOf(e-begin, r.Step())
	}
	pj.Shapes = shapesOf(&j.Job, r.Alignment(), r.Step(), r.Now()-begin)
	return pj, pj.Earliest < window
}

func (p *horizon) planService(r *sim.Round, s *sim.ActiveService, begin sim.Time, steps int) plan.Service {
	ps := plan.Service{
		ID: s.Name, Priority: s.Priority, Min: s.Min, Max: s.Max, SwapCap: s.SwapCap,
		Held: s.GPUs, Fresh: r.Now() == 0, Demand: demandBySteps(&s.Service, begin, r.Step(), steps),
	}
	if begin != r.Now() {
		ps.Demand[0] = s.Held
	}
	return ps
}

// itemsOf is jobs and services as the allocator numbers them.
func itemsOf(jobs []*sim.ActiveJob, services []*sim.ActiveService) []any {
	items := make([]any, 0, len(jobs)+len(services))
	for _, j := range jobs {
		items = append(items, j)
	}
	for _, s := range services {
		items = append(items, s)
	}
	return items
}

// lastOrder is the order of the last plan for the items of this one: those it
// knew, in its order.
func (p *horizon) lastOrder(items []any) []int {
	var order []int
	for i, it := range items {
		if _, known := p.rank[it]; known {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p.rank[items[a]], p.rank[items[b]]) })
	return order
}

// moveServices makes the services hold what the plan says for a step.
func (p *horizon) moveServices(r *sim.Round, step int) {
	for i, s := range r.Services() {
		if lost := hardware.Subtract(s.GPUs, p.next[i][step]); len(lost) > 0 {
			r.Shrink(s, lost...)
		}
	}
	for i, s := range r.Services() {
		gain, _ := r.Allowance(s)
		wanted := freeOf(r.Cluster(), hardware.Subtract(p.next[i][step], s.GPUs))
		if gained := firstOf(wanted, gain); len(gained) > 0 {
			r.Grow(s, gained...)
		}
	}
}

// startDue starts what the plan starts in this step, as far as its GPUs are
// free: a job past its estimate may still hold them.
func (p *horizon) startDue(r *sim.Round, now int) {
	for _, d := range p.agenda {
		late := r.Closed() && r.Now()+d.job.EstimateOn(hardware.Size(d.gpus)) > r.Horizon()
		if d.step <= now && d.job.State == sim.Waiting && !late && allFree(r.Cluster(), d.gpus) {
			r.Start(d.job, d.gpus...)
		}
	}
}
