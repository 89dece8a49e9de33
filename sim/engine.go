package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"berth/sim/hardware"
)

// ErrInterrupted is the error of a run whose context was cancelled. What was
// observed until then is valid.
var ErrInterrupted = errors.New("interrupted")

// maxIdleTimers is how many rounds in a row a policy may ask for by timer,
// with jobs waiting and nothing else to come, without starting any.
const maxIdleTimers = 10_000

// Run simulates a workload under a policy until the horizon, or until the last
// job has left. It fails with a *RuleError when the policy takes an illegal
// decision, with the error of the job source, the policy or an observer, and
// with ErrInterrupted when ctx is cancelled. A policy that is an io.Closer is
// closed at the end.
func Run(ctx context.Context, w *Workload, p Policy, observers ...Observer) error {
	e, err := newEngine(w, p, observers)
	if err != nil {
		return err
	}
	e.ctx = ctx
	err = e.run(ctx)
	if c, ok := p.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	e.finish()
	for _, o := range observers {
		if late := o.RunEnded(e.now); late != nil && !errors.Is(err, late) { // said already, if it stopped the run
			err = errors.Join(err, late)
		}
	}
	return err
}

// engine is the state of one run.
type engine struct {
	ctx       context.Context // of the run: Round hands it to the policy
	w         Workload
	policy    Policy
	observers []Observer
	round     Round

	now     Time
	horizon Time
	begun   bool // some instant has been simulated
	events  eventQueue
	timers  int // timer events in the queue
	void    int // releases in the queue of jobs that were preempted before them
	cluster *hardware.Cluster
	counts  Counts
	dirty   bool // something changed at this instant
	broken  error

	next     Job // read ahead from the source
	drained  bool
	slots    []*ActiveJob // all ever made; free ones are also in spare
	spare    []uint32
	upcoming []*ActiveJob
	arrivals []*ActiveJob
	waiting  []*ActiveJob // from head on
	head     int
	seen     int          // waiting[seen:] became eligible since the last round
	turn     uint64       // of the last job that came to wait
	absent   []*ActiveJob // of those gone, the ones that were started
	gone     int          // jobs of waiting[head:] and upcoming that have left them
	running  []*ActiveJob
	services []*ActiveService
	left     []*ActiveJob // final in this round; recycled at its end
	scratch  []hardware.Range
	sizes    []int
	parts    []part
	node     hardware.Node
	empty    *hardware.Cluster // what requests are tried on; nil until one is
}

// run is the loop of the simulation: the next instant, all its events, one
// decision round.
func (e *engine) run(ctx context.Context) error {
	if err := e.readAhead(); err != nil {
		return err
	}
	idle := 0
	for e.discardVoid(); !e.events.empty(); e.discardVoid() {
		at := e.events.min().at
		if at >= e.horizon {
			break
		}
		if e.horizon == Forever && e.begun && e.idle() {
			return nil
		}
		if ctx.Err() != nil {
			return ErrInterrupted
		}
		e.now, e.begun = at, true
		for !e.events.empty() && e.events.min().at == at {
			if err := e.apply(e.events.pop()); err != nil {
				return err
			}
		}
		if !e.dirty {
			e.recycle()
			continue
		}
		if err := e.decide(); err != nil {
			return err
		}
		if idle = e.countIdle(idle); idle > maxIdleTimers {
			return fmt.Errorf("policy %s: %d rounds by timer with %d jobs waiting, nothing else to come, and none started (at %v)",
				e.policy.Name(), idle, e.counts.Waiting, e.now)
		}
	}
	if e.horizon == Forever {
		return nil
	}
	e.now = e.horizon
	return e.releaseAtHorizon()
}

// releaseAtHorizon completes the jobs that end exactly at the horizon.
func (e *engine) releaseAtHorizon() error {
	for !e.events.empty() && e.events.min().at == e.horizon && e.events.min().class() == release {
		if err := e.apply(e.events.pop()); err != nil {
			return err
		}
	}
	return nil
}

// idle reports whether no job is left anywhere.
func (e *engine) idle() bool {
	return e.drained && len(e.running) == 0 && len(e.upcoming) == 0 && e.head == len(e.waiting)
}

// countIdle counts rounds in which only timers keep the run going.
func (e *engine) countIdle(n int) int {
	if e.drained && len(e.running) == 0 && len(e.events.heap)-e.void == e.timers {
		return n + 1
	}
	return 0
}

// apply carries out one event.
func (e *engine) apply(ev event) error {
	switch ev.class() {
	case release:
		if j := e.slots[ev.ref]; j.gen == ev.gen {
			e.leave(j, Completed)
			e.dirty = true
		} else {
			e.void--
		}
	case arrival:
		if ev.gen == submitted {
			return e.arrive()
		}
		if j := e.slots[ev.ref]; j.gen == ev.gen {
			e.becomeEligible(j)
		}
	case demand:
		e.demandChanges(e.services[ev.ref])
	case timer:
		e.timers--
		e.dirty = true
	}
	return nil
}

// decide asks the policy once and tells the observers what holds from now on.
func (e *engine) decide() error {
	e.dirty = false
	if e.w.Closed {
		e.dropHopeless()
	}
	if err := e.policy.Decide(&e.round); err != nil {
		var rule *RuleError
		if errors.As(err, &rule) {
			return rule // it says where and when
		}
		return fmt.Errorf("policy %s at %v: %w", e.policy.Name(), e.now, err)
	}
	if e.broken != nil {
		return e.broken
	}
	e.compact()
	e.counts.Waiting = len(e.waiting) - e.head
	e.counts.Running = len(e.running)
	e.countGPUs()
	for _, o := range e.observers {
		if err := o.RoundEnded(e.now, &e.counts); err != nil {
			return err
		}
	}
	e.recycle()
	return nil
}

// dropHopeless takes out waiting jobs that can no longer end by a closed
// horizon, so that policies never see them.
func (e *engine) dropHopeless() {
	live := slices.DeleteFunc(e.waiting[e.head:], func(j *ActiveJob) bool {
		if !e.hopeless(j) {
			return false
		}
		e.dropJob(j)
		return true
	})
	e.seen -= len(e.waiting) - e.head - len(live) // what became eligible just now is not hopeless
	e.waiting = e.waiting[:e.head+len(live)]
}

// hopeless reports whether a job that does not run cannot end by a closed
// horizon any more.
func (e *engine) hopeless(j *ActiveJob) bool {
	return e.w.Closed && max(e.now, j.Eligible())+j.EstimateOn(e.largest(&j.Job)) > e.horizon
}

func (e *engine) dropJob(j *ActiveJob) {
	if j.Reason == "" {
		j.Reason = "cannot end inside the horizon"
	}
	e.leave(j, e.cut(j))
}

func (e *engine) breakRule(subject, rule, detail string) {
	if e.broken == nil {
		e.broken = &RuleError{Policy: e.policy.Name(), At: e.now, Subject: subject, Rule: rule, Detail: detail}
	}
}

// finish gives every job that is still there its final state.
func (e *engine) finish() {
	e.compact()
	for len(e.running) > 0 {
		e.leave(e.running[0], Unfinished)
	}
	for _, list := range [][]*ActiveJob{e.waiting[e.head:], e.upcoming} {
		for _, j := range list {
			if !j.State.Final() {
				e.leave(j, e.cut(j))
			}
		}
	}
}
