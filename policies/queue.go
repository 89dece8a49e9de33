package policies

import (
	"sort"

	"berth/sim"
)

// queue keeps waiting jobs in an order of its own; equal jobs stay in the
// order in which they became eligible.
type queue struct {
	before func(a, b *sim.ActiveJob) bool
	jobs   []*sim.ActiveJob
}

// update takes in the jobs that became eligible and drops those that left.
func (q *queue) update(r *sim.Round) {
	live := q.jobs[:0]
	for _, j := range q.jobs {
		if j.State == sim.Waiting {
			live = append(live, j)
		}
	}
	q.jobs = live
	for _, j := range r.Eligible() {
		if j.State != sim.Waiting {
			continue
		}
		q.insert(j)
	}
}

// insert puts a job behind those that do not come after it.
func (q *queue) insert(j *sim.ActiveJob) {
	at := sort.Search(len(q.jobs), func(i int) bool { return q.before(j, q.jobs[i]) })
	q.jobs = append(q.jobs, nil)
	copy(q.jobs[at+1:], q.jobs[at:])
	q.jobs[at] = j
}

// headOfLine is a policy that starts jobs in a fixed order: the first that
// finds no place blocks those behind it.
type headOfLine struct {
	name     string
	services *serviceSchedule
	queue    *queue // nil means the order of arrival
}

const (
	blockedByHead = "a job ahead of it waits for GPUs"
	noBlock       = "not enough free GPUs"
)

func (p *headOfLine) Name() string { return p.name }

// Decide implements sim.Policy.
func (p *headOfLine) Decide(r *sim.Round) error {
	p.services.apply(r)
	jobs := r.Waiting()
	if p.queue != nil {
		p.queue.update(r)
		jobs = p.queue.jobs
	}
	for _, j := range jobs {
		if j.State != sim.Waiting {
			continue
		}
		if !p.services.start(r, j) {
			r.Explain(j, noBlock)
			break
		}
	}
	return nil
}
