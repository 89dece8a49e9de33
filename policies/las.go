package policies

import (
	"cmp"
	"math"

	"berth/sim"
)

// las is least attained service in the discretised form of Tiresias (Gu et
// al., NSDI 2019) with two queues: a job is in the first until it has had a
// threshold of GPU-time, restarts apart, and in the second from then on. The first queue comes before the second and preempts it; in a
// queue, jobs that have run come in the order of their first start, then those
// that have not in the order of arrival. It looks at no estimate.
type las struct {
	preempting
	threshold sim.Time // GPU-time
	promote   float64
	jobs      []attained // by slot
}

// attained is what las knows of a job.
type attained struct {
	second  bool     // in the second queue
	service sim.Time // progress in GPU-time in the first queue, until it last lost its GPUs
	demote  sim.Time // when it goes to the second queue, if it runs on
	lost    sim.Time // when it last lost its GPUs
	before  sim.Time // its time on GPUs when it was last promoted
}

func newLAS(c Config) (sim.Policy, error) {
	p := &las{
		preempting: preempting{name: "las", services: newServiceSchedule(c, "peak")},
		threshold:  sim.Time(cmp.Or(c.ThresholdGPUHours, 1) * 3600e9),
		promote:    c.Promote,
	}
	p.queue.before = p.before
	p.started, p.lost = p.onStart, p.onLoss
	return p, nil
}

func (p *las) before(a, b *sim.ActiveJob) bool {
	if s, t := p.jobs[a.Slot()].second, p.jobs[b.Slot()].second; s != t {
		return t
	}
	ranA, ranB := a.State == sim.Running || a.Preempted > 0, b.State == sim.Running || b.Preempted > 0
	switch {
	case ranA != ranB:
		return ranA
	case ranA:
		return a.Started < b.Started
	}
	return a.Eligible() < b.Eligible()
}

// Decide implements sim.Policy.
func (p *las) Decide(r *sim.Round) error {
	for _, j := range r.Eligible() {
		for j.Slot() >= len(p.jobs) {
			p.jobs = append(p.jobs, attained{})
		}
		p.jobs[j.Slot()] = attained{}
	}
	for _, j := range r.Running() {
		if a := &p.jobs[j.Slot()]; r.Now() >= a.demote {
			a.second = true
		}
	}
	p.promoteStarved(r)
	return p.preempting.Decide(r)
}

// onStart notes when a job of the first queue will have had its threshold.
func (p *las) onStart(r *sim.Round, j *sim.ActiveJob) {
	a := &p.jobs[j.Slot()]
	if a.second {
		return
	}
	a.demote = sim.Forever // without GPUs it attains none
	if n := j.HeldGPUs(); n > 0 {
		a.demote = r.Now() + j.Restart + sim.Time(math.Ceil(float64(p.threshold-a.service)/n))
		r.WakeAt(a.demote)
	}
}

// onLoss counts what a job has had.
func (p *las) onLoss(r *sim.Round, j *sim.ActiveJob) {
	a := &p.jobs[j.Slot()]
	a.lost = r.Now()
	if !a.second {
		a.service += sim.Time(float64(max(0, r.Now()-j.Resumed-j.Restart)) * j.HeldGPUs())
		return
	}
	if p.promote > 0 {
		r.WakeAt(a.lost + p.patience(j, j.Ran+r.Now()-j.Resumed))
	}
}

// patience is how long a job that has run for some time waits in the second
// queue before it is promoted.
func (p *las) patience(j *sim.ActiveJob, ran sim.Time) sim.Time {
	wait := p.promote * float64(ran-p.jobs[j.Slot()].before)
	return sim.Time(min(wait, float64(sim.Forever/4)))
}

// promoteStarved moves jobs of the second queue that have waited long enough
// to the first, where they start with nothing attained.
func (p *las) promoteStarved(r *sim.Round) {
	if p.promote == 0 {
		return
	}
	var starved []*sim.ActiveJob
	live := p.queue.jobs[:0]
	for _, j := range p.queue.jobs {
		a := &p.jobs[j.Slot()]
		if j.State == sim.Waiting && a.second && j.Preempted > 0 && r.Now()-a.lost >= p.patience(j, j.Ran) {
			starved = append(starved, j)
		} else {
			live = append(live, j)
		}
	}
	p.queue.jobs = live
	for _, j := range starved {
		p.jobs[j.Slot()] = attained{before: j.Ran}
		p.queue.insert(j)
	}
}
