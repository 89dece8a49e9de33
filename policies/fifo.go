package policies

import (
	"cmp"
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
	booked   reservations
	due      []booking // jobs to start, in order of their start
	scratch  []hardware.Range
	late     []*sim.ActiveJob // committed, but their GPUs are held by an overrun
}

func newFIFO(c Config) (sim.Policy, error) {
	return &fifo{services: newServiceSchedule(c, "peak")}, nil
}

func (p *fifo) Name() string { return "fifo" }

const (
	noHole    = "no hole before the end of the horizon"
	committed = "committed to a later start"
	// notPlannable is why policies that plan refuse a job.
	notPlannable = "it asks for shares, CPUs, memory or models, and this policy plans whole GPUs that are alike"
	overrun      = "its GPUs are held by a job that overran its estimate"
)

// Decide implements sim.Policy.
func (p *fifo) Decide(r *sim.Round) error {
	p.services.apply(r)
	if p.booked == nil {
		p.open(r)
	}
	p.booked.forget(r.Now())
	for _, j := range r.Ended() {
		p.booked.cancel(j)
	}
	p.startLate(r)
	p.startDue(r)
	for _, j := range r.Arrivals() {
		switch {
		case j.State.Final():
		case !j.Plain():
			r.Reject(j, notPlannable)
		default:
			p.commit(r, j)
		}
	}
	return nil
}

// open makes the book of reservations that the machine calls for.
func (p *fifo) open(r *sim.Round) {
	if r.Alignment() == hardware.Scattered && len(p.services.claims) == 0 {
		p.booked = newProfile(r.Cluster().GPUs() - hardware.Size(p.services.always))
		return
	}
	p.booked = &calendar{services: p.services, topology: r.Cluster().Topology(), align: r.Alignment()}
}

// commit books the earliest hole for a job.
func (p *fifo) commit(r *sim.Round, j *sim.ActiveJob) {
	deadline := sim.Forever
	if r.Closed() {
		deadline = r.Horizon()
	}
	for _, n := range j.Sizes(nil, r.Alignment()) {
		b, ok := p.booked.earliest(j, n, max(r.Now(), j.Eligible()), deadline)
		if !ok {
			continue
		}
		p.booked.add(b)
		if b.from == r.Now() {
			p.startAt(r, b)
			return
		}
		at, _ := slices.BinarySearchFunc(p.due, b.from, func(d booking, from sim.Time) int {
			return cmp.Or(cmp.Compare(d.from, from), -1) // behind those due at the same time
		})
		p.due = slices.Insert(p.due, at, b)
		r.Explain(j, committed)
		r.WakeAt(b.from)
		return
	}
	r.Explain(j, noHole)
}

// startDue starts the jobs whose time has come.
func (p *fifo) startDue(r *sim.Round) {
	n := 0
	for n < len(p.due) && p.due[n].from <= r.Now() {
		if b := p.due[n]; b.job.State == sim.Waiting {
			p.startAt(r, b)
		}
		n++
	}
	p.due = slices.Delete(p.due, 0, n)
}

func (p *fifo) startAt(r *sim.Round, b booking) {
	gpus := b.gpus
	if gpus == nil {
		gpus, _ = r.Cluster().AppendFree(p.scratch[:0], b.size)
		p.scratch = gpus
	}
	if len(gpus) == 0 || !allFree(r.Cluster(), gpus) {
		r.Explain(b.job, overrun)
		p.late = append(p.late, b.job)
		return
	}
	r.Start(b.job, gpus...)
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
		n := hardware.Size(gpus)
		p.booked.cancel(j)
		p.booked.add(booking{j, r.Now(), r.Now() + j.EstimateOn(n), n, slices.Clone(gpus)})
		return true
	})
}
