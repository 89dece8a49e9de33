package policies

import (
	"slices"

	"berth/sim"
	"berth/sim/hardware"
)

// fifo is the article's baseline. Services hold their peak at all times. Each
// job, when it arrives, is committed to the earliest hole that is long enough
// for its estimate, on the lowest-numbered GPUs, and keeps that place: the
// policy looks neither at priorities nor at jobs still to come.
type fifo struct {
	services *serviceSchedule
	calendar calendar
	late     []*sim.ActiveJob // committed, but their GPUs are held by an overrun
}

func newFIFO(c Config) (sim.Policy, error) {
	services := newServiceSchedule(c, "peak")
	return &fifo{services: services, calendar: calendar{services: services}}, nil
}

func (p *fifo) Name() string { return "fifo" }

const (
	noHole    = "no hole before the end of the horizon"
	committed = "committed to a later start"
	overrun   = "its GPUs are held by a job that overran its estimate"
)

// Decide implements sim.Policy.
func (p *fifo) Decide(r *sim.Round) error {
	p.services.apply(r)
	p.calendar.topology, p.calendar.align = r.Cluster().Topology(), r.Alignment()
	for _, j := range r.Ended() {
		p.calendar.cancel(j)
	}
	p.startLate(r)
	p.startDue(r)
	for _, j := range r.Arrivals() {
		if !j.State.Final() {
			p.commit(r, j)
		}
	}
	return nil
}

// commit books the earliest hole for a job.
func (p *fifo) commit(r *sim.Round, j *sim.ActiveJob) {
	deadline := sim.Forever
	if r.Closed() {
		deadline = r.Horizon()
	}
	for _, n := range j.Sizes(nil, r.Alignment()) {
		b, ok := p.calendar.earliest(j, n, max(r.Now(), j.Eligible()), deadline)
		if !ok {
			continue
		}
		p.calendar.bookings = append(p.calendar.bookings, b)
		if b.from == r.Now() {
			p.startAt(r, b)
			return
		}
		r.Explain(j, committed)
		r.WakeAt(b.from)
		return
	}
	r.Explain(j, noHole)
}

// startDue starts the jobs whose time has come.
func (p *fifo) startDue(r *sim.Round) {
	for _, b := range p.calendar.bookings {
		if b.from <= r.Now() && b.job.State == sim.Waiting {
			p.startAt(r, b)
		}
	}
}

func (p *fifo) startAt(r *sim.Round, b booking) {
	for _, g := range b.gpus {
		if !r.Cluster().IsFree(g) {
			r.Explain(b.job, overrun)
			if !slices.Contains(p.late, b.job) {
				p.late = append(p.late, b.job)
			}
			return
		}
	}
	r.Start(b.job, b.gpus...)
}

// startLate starts jobs that overruns have robbed of their place wherever
// there is room now, in the order in which they were due.
func (p *fifo) startLate(r *sim.Round) {
	p.late = slices.DeleteFunc(p.late, func(j *sim.ActiveJob) bool {
		if j.State != sim.Waiting {
			return true
		}
		gpus := p.services.find(r, j)
		if gpus == nil || !r.Start(j, gpus...) {
			return false
		}
		p.calendar.cancel(j)
		p.calendar.bookings = append(p.calendar.bookings,
			booking{j, r.Now(), r.Now() + j.EstimateOn(hardware.Size(gpus)), slices.Clone(gpus)})
		return true
	})
}
