package policies

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"berth/policies/allocator"
	"berth/policies/milp"
	"berth/policies/plan"
	"berth/sim"
	"berth/sim/hardware"
)

// horizon plans a window of steps ahead, commits the first of them, and plans
// again. Running jobs are inherited and pinned; those past their estimate keep
// their GPUs, and the plan expects them to take one more step. Jobs are known
// once they are submitted, and by their estimates.
//
// With a commitment of one step it also plans between steps, when jobs arrive
// or end. Such a plan keeps the grid of the steps: jobs that it starts now are
// counted from the step's beginning, so they never hold GPUs longer than it
// says, and services follow it from the next step on. With a longer
// commitment the plan is carried out as it stands, and jobs that arrive
// meanwhile are put, by priority, where it leaves room.
type horizon struct {
	c        Config
	budget   allocator.Budget
	boundary plan.Boundary

	forecasts *forecasts
	agenda    []due
	next      [][][]hardware.Range // [service][step from origin on]
	forecast  [][]int              // [service][step from origin on]: demand that the plan was made for
	origin    int                  // the step that the plan starts with
	first     int                  // the first step with jobs, or −1
	madeAt    sim.Time             // when
	rank      map[any]int          // place of a job or service in the order that gave the last plan
	calendar  calendar             // for filling what a committed plan leaves

	nervous nervousness
	took    time.Duration // wall-clock time of all planning
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
	c.fillHorizon()
	budget, err := c.budget()
	if err != nil {
		return nil, err
	}
	if c.Mode == "full" {
		if _, err := milp.Select("auto"); err != nil {
			return nil, fmt.Errorf("policy.mode = \"full\": %w", err)
		}
	}
	boundary, err := c.boundary()
	p := &horizon{c: c, budget: budget, boundary: boundary, origin: -1, first: -1}
	p.calendar.services = &serviceSchedule{}
	return p, err
}

func (p *horizon) Name() string { return "horizon" }

// Decide implements sim.Policy.
func (p *horizon) Decide(r *sim.Round) error {
	if p.forecasts == nil {
		var err error
		if p.forecasts, err = newForecasts(&p.c, r); err != nil {
			return err
		}
	}
	for _, j := range r.Arrivals() {
		if !j.State.Final() && !j.Plain() {
			r.Reject(j, notPlannable)
		}
	}
	p.forecasts.observe(r)
	p.forget(r)
	now := int(r.Now() / r.Step())
	if p.origin < 0 || now >= p.origin+p.c.Commit || p.called(r) {
		if err := p.plan(r, now); err != nil {
			return err
		}
	}
	if r.Now()%r.Step() == 0 {
		p.moveServices(r, now-p.origin)
	}
	p.react(r, now-p.origin)
	p.startDue(r, now)
	if p.c.Commit > 1 {
		p.fill(r)
	}
	if p.alive(r) {
		r.WakeAt(sim.Time(now+1) * r.Step())
		if next := p.madeAt + p.period(); p.c.ReplanMinutes > 0 && next < sim.Time(now+1)*r.Step() {
			r.WakeAt(next)
		}
	}
	return nil
}

// alive reports whether a later step can differ from this one without any
// event: something runs, is planned or is to come, or demand still moves.
// Otherwise jobs that wait do so for good, as when services keep every GPU
// warm, and there is nothing to wake up for.
func (p *horizon) alive(r *sim.Round) bool {
	if len(r.Running())+len(r.Upcoming())+len(p.agenda) > 0 {
		return true
	}
	return slices.ContainsFunc(r.Services(), func(s *sim.ActiveService) bool {
		return sim.Time(len(s.Demand.Levels))*s.Demand.Step >= r.Now() || s.Held > s.Min
	})
}

// period is the time after which to plan again between steps.
func (p *horizon) period() sim.Time { return sim.Time(p.c.ReplanMinutes * float64(time.Minute)) }

// forget drops jobs that have left: the engine will use their places again.
func (p *horizon) forget(r *sim.Round) {
	for _, j := range r.Ended() {
		delete(p.rank, j)
	}
	p.agenda = slices.DeleteFunc(p.agenda, func(d due) bool { return d.job.State != sim.Waiting && d.job.State != sim.Upcoming })
}

// called reports whether something happened that calls for a new plan.
func (p *horizon) called(r *sim.Round) bool {
	if p.c.Commit > 1 {
		return false
	}
	if p.c.ReplanMinutes > 0 && r.Now() >= p.madeAt+p.period() {
		return true
	}
	switch p.c.Replan {
	case "arrival":
		return len(r.Arrivals()) > 0
	case "event":
		return len(r.Arrivals()) > 0 || len(r.Ended()) > 0 && len(r.Waiting())+len(r.Upcoming()) > 0
	}
	return false
}

// plan makes a plan that starts with the current step.
func (p *horizon) plan(r *sim.Round, now int) error {
	problem, jobs := p.problem(r, now)
	items := itemsOf(jobs, r.Services())
	order := p.lastOrder(items)
	started := time.Now()
	pl, order, err := p.search(r.Context(), problem, order, now)
	p.took += time.Since(started)
	if err != nil {
		return err
	}
	if r.Now()%r.Step() == 0 {
		p.nervous.compare(now, holders(problem, pl, items, 0))
	}
	if p.c.Commit < problem.Steps {
		p.nervous.expect(now+p.c.Commit, holders(problem, pl, items, p.c.Commit))
	}
	p.rank = make(map[any]int, len(order))
	for place, it := range order {
		p.rank[items[it]] = place
	}
	p.origin, p.madeAt, p.next = now, r.Now(), pl.Services
	if p.c.OnOutlook != nil {
		p.c.OnOutlook(p.outlook(r, problem, pl, now))
	}
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
	return nil
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

// startDue starts what the plan starts in this step, as far as its GPUs are
// free: a job past its estimate may still hold them.
func (p *horizon) startDue(r *sim.Round, now int) {
	for _, d := range p.agenda {
		late := r.Closed() && r.Now()+d.job.EstimateOn(hardware.Size(d.gpus)) > r.Horizon() // the engine goes by the stated estimate
		if d.step <= now && d.job.State == sim.Waiting && !late && allFree(r.Cluster(), d.gpus) {
			r.Start(d.job, d.gpus...)
		}
	}
}

// fill starts jobs that the committed plan does not know, by priority, where
// they end before anything in it needs their GPUs.
func (p *horizon) fill(r *sim.Round) {
	var unplanned []*sim.ActiveJob
	for _, j := range r.Waiting() {
		if j.State == sim.Waiting && !slices.ContainsFunc(p.agenda, func(d due) bool { return d.job == j }) {
			unplanned = append(unplanned, j)
		}
	}
	if len(unplanned) == 0 {
		return
	}
	p.openCalendar(r)
	slices.SortStableFunc(unplanned, func(a, b *sim.ActiveJob) int { return cmp.Compare(b.Priority, a.Priority) })
	for _, j := range unplanned {
		for _, n := range j.Sizes(nil, r.Alignment()) {
			end := r.Now() + p.forecasts.estimate(j, n)
			if r.Closed() && r.Now()+j.EstimateOn(n) > r.Horizon() {
				continue
			}
			gpus := p.calendar.free(n, j.Across, r.Now(), end)
			if gpus != nil && allFree(r.Cluster(), gpus) && r.Start(j, gpus...) {
				p.calendar.add(booking{j, r.Now(), end, n, gpus})
				break
			}
		}
	}
}

// openCalendar books what runs, what is planned, and what services will hold.
func (p *horizon) openCalendar(r *sim.Round) {
	c := &p.calendar
	c.topology, c.align = r.Cluster().Topology(), r.Alignment()
	c.bookings = c.bookings[:0]
	for _, j := range r.Running() {
		c.add(booking{j, j.Started, max(j.Started+p.forecasts.estimate(j, j.Held()), r.Now()+1), j.Held(), j.GPUs})
	}
	for _, d := range p.agenda {
		from := max(sim.Time(d.step)*r.Step(), r.Now())
		n := hardware.Size(d.gpus)
		c.add(booking{d.job, from, from + p.forecasts.estimate(d.job, n), n, d.gpus})
	}
	for i := range r.Services() {
		for t, gpus := range p.next[i] {
			from := sim.Time(p.origin+t) * r.Step()
			c.add(booking{nil, from, from + r.Step(), hardware.Size(gpus), gpus})
		}
	}
}
