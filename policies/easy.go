package policies

import (
	"cmp"
	"slices"

	"berth/policies/placement"
	"berth/sim"
	"berth/sim/hardware"
)

// easy is EASY backfilling (Lifka, 1995): jobs start in order of arrival; when
// the head of the line does not fit, it is promised the earliest start that
// the estimates of the running jobs allow, and later jobs may start at once if
// they do not put off that start.
type easy struct {
	services *serviceSchedule
	calendar calendar
	running  []*sim.ActiveJob
	byNode   bool // jobs ask their nodes for more than whole GPUs, or are placed by node
	trial    sim.Trial
	freed    []int // nodes on which jobs have ended in the trial

	// tried has what jobs that found no place in this round asked for: true
	// where they might have taken any node.
	tried map[placement.Shape]bool
}

func newEASY(c Config) (sim.Policy, error) {
	services := newServiceSchedule(c, "peak")
	return &easy{services: services, calendar: calendar{services: services}, byNode: services.place != nil, tried: map[placement.Shape]bool{}}, nil
}

func (p *easy) Name() string { return "easy" }

// Decide implements sim.Policy.
func (p *easy) Decide(r *sim.Round) error {
	p.services.apply(r)
	for _, j := range r.Eligible() {
		p.byNode = p.byNode || !j.Plain()
	}
	waiting := r.Waiting()
	for len(waiting) > 0 && p.services.start(r, waiting[0]) {
		waiting = waiting[1:]
	}
	if len(waiting) == 0 {
		return nil
	}
	r.Explain(waiting[0], noBlock)
	switch {
	case len(waiting) == 1:
		return nil
	case p.byNode:
		p.backfillNodes(r, waiting[0], waiting[1:])
		return nil
	case r.Cluster().Free() == 0:
		return nil
	}
	if r.Alignment() == hardware.Scattered && len(p.services.claims) == 0 {
		p.backfillCounts(r, waiting[0], waiting[1:])
	} else {
		p.backfillBlocks(r, waiting[0], waiting[1:])
	}
	return nil
}

// backfillCounts is for GPUs that are all alike: a job may start if it ends
// before the head's promised start, or takes only GPUs that are to spare then.
func (p *easy) backfillCounts(r *sim.Round, head *sim.ActiveJob, others []*sim.ActiveJob) {
	shadow, spare := p.promise(r, head)
	for _, j := range others {
		free := r.Cluster().Free()
		if free == 0 {
			return
		}
		n := sizeAt(r, j, r.Now())
		if n == 0 || n > free {
			continue
		}
		early := r.Now()+j.EstimateOn(n) <= shadow
		if (early || n <= spare) && r.StartFirst(j) && !early {
			spare -= n
		}
	}
}

// promise is when the head can start by the estimates, and how many GPUs are
// to spare then. A job past its estimate is expected to end any moment. A head
// that cannot end by a closed horizon is promised nothing.
func (p *easy) promise(r *sim.Round, head *sim.ActiveJob) (shadow sim.Time, spare int) {
	p.sortRunning(r)
	free := r.Cluster().Free()
	for i, j := range p.running {
		free += j.Held()
		shadow = max(j.EstimatedEnd(), r.Now()+1)
		last := i+1 == len(p.running) || p.running[i+1].EstimatedEnd() > shadow
		if n := sizeAt(r, head, shadow); n > 0 && free >= n && last {
			return shadow, free - n
		}
	}
	return sim.Forever, free
}

// sortRunning lists the running jobs by the end to be expected.
func (p *easy) sortRunning(r *sim.Round) {
	p.running = append(p.running[:0], r.Running()...)
	slices.SortFunc(p.running, func(a, b *sim.ActiveJob) int {
		return cmp.Or(cmp.Compare(a.EstimatedEnd(), b.EstimatedEnd()), cmp.Compare(a.Slot(), b.Slot()))
	})
}

// backfillBlocks is for jobs that need blocks, or GPUs that services want
// back: the head is promised a place in the calendar, and a job may start
// where it stays out of it.
func (p *easy) backfillBlocks(r *sim.Round, head *sim.ActiveJob, others []*sim.ActiveJob) {
	c := &p.calendar
	c.topology, c.align = r.Cluster().Topology(), r.Alignment()
	c.bookings = c.bookings[:0]
	for _, j := range r.Running() {
		c.bookings = append(c.bookings, booking{j, j.Started, max(j.EstimatedEnd(), r.Now()+1), j.Held(), j.GPUs})
	}
	deadline := sim.Forever
	if r.Closed() {
		deadline = r.Horizon()
	}
	for _, n := range head.Sizes(nil, r.Alignment()) {
		if promise, ok := c.earliest(head, n, r.Now()+1, deadline); ok {
			c.bookings = append(c.bookings, promise)
			break
		}
	}
	for _, j := range others {
		n := sizeAt(r, j, r.Now())
		if n == 0 || n > r.Cluster().Free() {
			continue
		}
		end := r.Now() + j.EstimateOn(n)
		if gpus := c.free(n, j.Across, r.Now(), end); gpus != nil && allFree(r.Cluster(), gpus) && r.Start(j, gpus...) {
			c.bookings = append(c.bookings, booking{j, r.Now(), end, n, gpus})
		}
	}
}

// sizeAt is the smallest size that a job accepts and with which it can start
// at a time and end by a closed horizon, or 0.
func sizeAt(r *sim.Round, j *sim.ActiveJob, at sim.Time) int {
	for n := j.MinGPUs; n <= j.MaxGPUs; n++ {
		block := r.Alignment() == hardware.Scattered || n&(n-1) == 0
		if block && (!r.Closed() || at+j.EstimateOn(n) <= r.Horizon()) {
			return n
		}
	}
	return 0
}

func allFree(c sim.Machine, gpus []hardware.Range) bool {
	return !slices.ContainsFunc(gpus, func(g hardware.Range) bool { return !c.IsFree(g) })
}
