package policies

import (
	"slices"

	"berth/sim"
)

// conservative is conservative backfilling: each job, when it arrives, is
// promised the earliest place that delays no promise made before. When a job
// ends before its estimate, the promises are gone through in the order of
// their times, and each is moved to the earliest place there is now, which is
// never later than the old one.
type conservative struct {
	fifo
	homeless []*sim.ActiveJob // no place before the end of the horizon
}

func newConservative(c Config) (sim.Policy, error) {
	return &conservative{fifo: fifo{services: newServiceSchedule(c, "peak")}}, nil
}

func (p *conservative) Name() string { return "conservative" }

// Decide implements sim.Policy.
func (p *conservative) Decide(r *sim.Round) error {
	early := slices.ContainsFunc(r.Ended(), func(j *sim.ActiveJob) bool {
		return j.State == sim.Completed && j.EstimatedEnd() > r.Now()
	})
	p.begin(r)
	if early {
		p.compress(r)
	}
	for _, j := range r.Arrivals() {
		if plannable(r, j) && !p.commit(r, j) {
			p.homeless = append(p.homeless, j)
		}
	}
	return nil
}

// compress moves promises ahead into what has become free.
func (p *conservative) compress(r *sim.Round) {
	promises := slices.Clone(p.due)
	p.due = p.due[:0]
	for _, b := range promises {
		p.booked.cancel(b.job)
		if !p.commit(r, b.job) { // its old place is free for it
			p.homeless = append(p.homeless, b.job)
		}
	}
	p.homeless = slices.DeleteFunc(p.homeless, func(j *sim.ActiveJob) bool {
		return j.State.Final() || j.State == sim.Running || p.commit(r, j)
	})
}
