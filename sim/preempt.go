package sim

import (
	"fmt"
	"slices"
)

// Preempt takes the GPUs of a running job, which waits again from this instant
// on, behind the jobs that wait already. Its work is kept, as by a checkpoint;
// its next start begins with the workload's Restart. A job cannot be preempted
// at the instant of its start, and a policy is not told of preempted jobs by
// Eligible: it knows them. Preempt reports whether the decision was legal.
func (r *Round) Preempt(j *ActiveJob) bool {
	e := r.e
	switch {
	case e.broken != nil:
		return false
	case j.State != Running:
		e.breakRule(j.subject(), "preemption", "only a running job can be preempted; this one is "+j.State.String())
		return false
	case j.Resumed == e.now:
		e.breakRule(j.subject(), "preemption", "it was started at this instant")
		return false
	}
	e.preempt(j)
	return true
}

// preempt carries out a legal preemption.
func (e *engine) preempt(j *ActiveJob) {
	if ran := e.now - j.Resumed - j.Restart; ran > 0 {
		j.done = min(j.done+j.work(ran, j.Held()), j.Duration-1)
	}
	e.stop(j)
	j.State = Waiting
	j.Preempted++
	j.Restart = e.w.Restart
	j.gen++ // its release is void
	e.void++
	e.queueUp(j)
	for _, o := range e.observers {
		o.JobPreempted(e.now, j)
	}
	j.GPUs = j.GPUs[:0]
}

// discardVoid drops the releases of preempted jobs from the head of the queue,
// so that they never move the clock, and from all of it when they are many.
func (e *engine) discardVoid() {
	isVoid := func(ev event) bool { return ev.class() == release && e.slots[ev.ref].gen != ev.gen }
	for e.void > 0 && isVoid(*e.events.min()) {
		e.events.pop()
		e.void--
	}
	if h := e.events.heap; e.void > 64 && e.void > len(h)/2 {
		h = slices.DeleteFunc(h, isVoid)
		slices.SortFunc(h, func(a, b event) int { // what is sorted is a heap
			if a.before(&b) {
				return -1
			}
			return 1
		})
		e.events.heap, e.void = h, 0
	}
}

// cut is the final state of a job that leaves before its end without GPUs.
func (e *engine) cut(j *ActiveJob) JobState {
	if j.Preempted > 0 {
		return Unfinished
	}
	return Unscheduled
}

// past says what has become of a job, for the errors of rules.
func (j *ActiveJob) past() string {
	if j.State == Waiting {
		return fmt.Sprintf("has run for %v", j.Ran)
	}
	return "is " + j.State.String()
}
