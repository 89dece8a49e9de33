package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"berth/sim/hardware"
)

// submitted marks the arrival event of a new job, as opposed to one that
// becomes eligible.
const submitted = ^uint32(0)

func newEngine(w *Workload, p Policy, observers []Observer) (*engine, error) {
	if w.Topology == nil || w.Jobs == nil {
		return nil, errors.New("sim: a workload needs a topology and a source of jobs")
	}
	e := &engine{w: *w, policy: p, observers: observers, horizon: w.Horizon}
	e.round.e = e
	if e.horizon == 0 {
		e.horizon = Forever
	}
	switch {
	case w.Step < 0 || w.Horizon < 0:
		return nil, errors.New("sim: step and horizon must not be negative")
	case e.w.Closed && e.horizon == Forever:
		return nil, errors.New("sim: a closed workload needs a horizon")
	}
	if e.w.Step == 0 {
		e.w.Step = time.Hour
	}
	e.cluster = hardware.NewCluster(w.Topology)
	e.countGPUs()
	for i := range w.Services {
		s := &ActiveService{Service: w.Services[i], index: i, level: -1}
		if err := s.validate(); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(e.services, func(o *ActiveService) bool { return o.Name == s.Name }) {
			return nil, fmt.Errorf("sim: two services are called %q", s.Name)
		}
		e.services = append(e.services, s)
		e.events.push(0, demand, uint32(i), 0)
	}
	return e, nil
}

func (s *Service) validate() error {
	if s.Min < 0 || s.Max < s.Min || s.SwapCap < 0 || (len(s.Demand.Levels) > 0 && s.Demand.Step <= 0) {
		return fmt.Errorf("sim: service %s: 0 ≤ min ≤ max, a swap cap ≥ 0 and a positive step of demand are needed", s.Name)
	}
	for t, n := range s.Demand.Levels {
		if n < 0 {
			return fmt.Errorf("sim: service %s: level %d of its demand is %d; 0 and above are accepted", s.Name, t, n)
		}
	}
	return nil
}

// readAhead fetches the next job and schedules its arrival.
func (e *engine) readAhead() error {
	before := e.next.Submit
	ok, err := e.w.Jobs.Next(&e.next)
	if err != nil {
		return err
	}
	if !ok {
		e.drained = true
		return nil
	}
	if e.next.Submit < before || e.next.Submit < 0 {
		return fmt.Errorf("sim: job %s is submitted at %v, after a job of %v; a source yields jobs in order of submission, none before 0",
			e.next.Label(), e.next.Submit, before)
	}
	e.events.push(e.next.Submit, arrival, 0, submitted)
	return nil
}

// arrive takes in the job that was read ahead.
func (e *engine) arrive() error {
	j := e.newActive()
	j.Job = e.next
	j.plain = e.isPlain(&j.Job)
	for _, o := range e.observers {
		o.JobSubmitted(e.now, j)
	}
	switch reason := e.impossible(&j.Job); {
	case reason != "":
		j.Reason = reason
		e.leave(j, Rejected)
	case e.hopeless(j):
		e.dropJob(j)
	case j.Eligible() > e.now:
		j.State = Upcoming
		e.upcoming = append(e.upcoming, j)
		e.arrivals = append(e.arrivals, j)
		e.events.push(j.Eligible(), arrival, j.slot, j.gen)
		e.dirty = true
	default:
		j.State = Waiting
		e.queueUp(j)
		e.arrivals = append(e.arrivals, j)
		e.dirty = true
	}
	return e.readAhead()
}

func (e *engine) newActive() *ActiveJob {
	if n := len(e.spare); n > 0 {
		j := e.slots[e.spare[n-1]]
		e.spare = e.spare[:n-1]
		*j = ActiveJob{slot: j.slot, gen: j.gen, GPUs: j.GPUs[:0]}
		return j
	}
	j := &ActiveJob{slot: uint32(len(e.slots))}
	e.slots = append(e.slots, j)
	return j
}

func (e *engine) becomeEligible(j *ActiveJob) {
	if j.State != Upcoming {
		return
	}
	j.State = Waiting
	e.upcoming = slices.DeleteFunc(e.upcoming, func(o *ActiveJob) bool { return o == j })
	e.queueUp(j)
	e.dirty = true
}

// start carries out a legal start.
func (e *engine) start(j *ActiveJob, gpus []hardware.Range) {
	j.GPUs = append(j.GPUs[:0], gpus...)
	e.occupy(j)
	j.State, j.Resumed = Running, e.now
	if j.Preempted == 0 {
		j.Started = e.now
	}
	j.Reason = ""
	j.index = len(e.running)
	e.running = append(e.running, j)
	e.gone++
	e.absent = append(e.absent, j)
	end := e.now + j.durationOn(j.Held())
	if end < e.now {
		end = Forever // after many jobs of decades each
	}
	e.events.push(end, release, j.slot, j.gen)
	for _, o := range e.observers {
		o.JobStarted(e.now, j)
	}
}

// leave takes a job out of the system. The list of those that wait is the
// caller's to keep.
func (e *engine) leave(j *ActiveJob, final JobState) {
	if j.State == Running {
		e.stop(j)
	} else {
		j.Node = -1
	}
	j.State, j.Ended = final, e.now
	for _, o := range e.observers {
		o.JobEnded(e.now, j)
	}
	e.left = append(e.left, j)
}

// stop takes a running job off its GPUs.
func (e *engine) stop(j *ActiveJob) {
	e.vacate(j)
	last := len(e.running) - 1
	e.running[j.index] = e.running[last]
	e.running[j.index].index = j.index
	e.running = e.running[:last]
	j.Ran += e.now - j.Resumed
}

// queueUp puts a job behind those that wait.
func (e *engine) queueUp(j *ActiveJob) {
	e.turn++
	j.order = e.turn
	e.waiting = append(e.waiting, j)
}

// unqueue takes one job out of those that wait, moving the shorter side.
func (e *engine) unqueue(j *ActiveJob) {
	q := e.waiting[e.head:]
	i, _ := slices.BinarySearchFunc(q, j, func(a, b *ActiveJob) int { return cmp.Compare(a.order, b.order) })
	if i < len(q)/2 {
		copy(q[1:i+1], q[:i])
		q[0] = nil
		e.head++
		return
	}
	e.waiting = slices.Delete(e.waiting, e.head+i, e.head+i+1)
}

// compact removes from the lists what has started or left.
func (e *engine) compact() {
	e.arrivals = e.arrivals[:0]
	e.seen = len(e.waiting)
	if e.gone == 0 {
		return
	}
	if len(e.absent) == e.gone && e.gone <= 8 {
		for _, j := range e.absent {
			e.unqueue(j)
		}
		e.gone = 0
	}
	clear(e.absent)
	e.absent = e.absent[:0]
	for e.head < len(e.waiting) && e.waiting[e.head].State != Waiting {
		e.waiting[e.head] = nil
		e.head++
		e.gone--
	}
	if e.head == len(e.waiting) {
		e.waiting, e.head = e.waiting[:0], 0
	} else if e.gone > 0 {
		live := slices.DeleteFunc(e.waiting[e.head:], func(j *ActiveJob) bool { return j.State != Waiting })
		e.waiting = e.waiting[:e.head+len(live)]
	}
	if e.head > 1024 && e.head > len(e.waiting)/2 {
		e.waiting = slices.Delete(e.waiting, 0, e.head)
		e.head = 0
	}
	if e.gone > 0 {
		e.upcoming = slices.DeleteFunc(e.upcoming, func(j *ActiveJob) bool { return j.State.Final() })
	}
	e.gone = 0
	e.seen = len(e.waiting)
}

// recycle frees the slots of jobs that have left, once nobody looks at them.
func (e *engine) recycle() {
	for _, j := range e.left {
		j.gen++
		e.spare = append(e.spare, j.slot)
	}
	e.left = e.left[:0]
}

// Holders: jobs are positive, services negative.
func jobHolder(j *ActiveJob) hardware.Holder         { return hardware.Holder(j.slot) + 1 }
func serviceHolder(s *ActiveService) hardware.Holder { return -hardware.Holder(s.index) - 1 }

// mustTake and mustRelease carry out what has been checked; a failure would be
// a fault of the engine, and stops the run as one.
func (e *engine) mustTake(h hardware.Holder, r hardware.Range)    { e.must(e.cluster.Take(h, r)) }
func (e *engine) mustRelease(h hardware.Holder, r hardware.Range) { e.must(e.cluster.Release(h, r)) }

func (e *engine) must(err error) {
	if err != nil && e.broken == nil {
		e.broken = err
	}
}
