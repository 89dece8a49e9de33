package sim

import (
	"context"
	"fmt"
	"math/bits"

	"berth/sim/hardware"
)

// Round is one decision round: a view of the cluster at an instant, and the
// decisions that a policy takes there. A decision shows in the view at once.
type Round struct{ e *engine }

// Now is the instant.
func (r *Round) Now() Time { return r.e.now }

// Context is the run's: a policy that thinks long stops when it ends.
func (r *Round) Context() context.Context { return r.e.ctx }

// Waiting are the jobs that may start, in the order in which they became
// eligible. The slice is stable during the round: a job that was started in it
// stays, with another State.
func (r *Round) Waiting() []*ActiveJob { return r.e.waiting[r.e.head:] }

// Arrivals are the jobs submitted at this instant, in order, also those that
// are not yet eligible.
func (r *Round) Arrivals() []*ActiveJob { return r.e.arrivals }

// Eligible are the jobs that became eligible to start at this instant, in
// order: the last of Waiting.
func (r *Round) Eligible() []*ActiveJob { return r.e.waiting[r.e.seen:] }

// Ended are the jobs that left the system at this instant before the round.
func (r *Round) Ended() []*ActiveJob { return r.e.left }

// Upcoming are the jobs that are submitted but not yet eligible, in order of
// submission.
func (r *Round) Upcoming() []*ActiveJob { return r.e.upcoming }

// Running are the jobs that hold GPUs, in no particular but a reproducible
// order.
func (r *Round) Running() []*ActiveJob { return r.e.running }

// Services are the real-time services, in the order of the workload.
func (r *Round) Services() []*ActiveService { return r.e.services }

// Cluster is who holds which GPU.
func (r *Round) Cluster() Machine { return r.e.cluster }

// Alignment is where jobs' GPUs may lie.
func (r *Round) Alignment() hardware.Alignment { return r.e.w.Alignment }

// Step is the planning step Δ.
func (r *Round) Step() Time { return r.e.w.Step }

// Horizon is the end of the run, or Forever.
func (r *Round) Horizon() Time { return r.e.horizon }

// Closed reports whether a job must end by the horizon.
func (r *Round) Closed() bool { return r.e.w.Closed }

// WakeAt asks for a round at an instant after now, whatever else happens.
func (r *Round) WakeAt(at Time) {
	if at > r.e.now && at < r.e.horizon {
		r.e.events.push(at, timer, 0, 0)
		r.e.timers++
	}
}

// Explain notes why a job waits; the last reason is recorded.
func (r *Round) Explain(j *ActiveJob, reason string) { j.Reason = reason }

// Reject refuses a job that has not started; it leaves the system with the
// reason.
func (r *Round) Reject(j *ActiveJob, reason string) {
	if j.State != Waiting && j.State != Upcoming {
		r.e.breakRule(j.subject(), "reject", "only a job that has not started can be rejected; this one is "+j.State.String())
		return
	}
	j.Reason = reason
	r.e.leave(j, Rejected)
	r.e.gone++
}

// StartFirst starts a waiting job on the lowest-numbered free GPUs that suit
// the workload's alignment, at the smallest size it accepts (and with which it
// can end by a closed horizon). A job whose request matters here goes to the
// first node with room for all of it. It reports whether there were any.
func (r *Round) StartFirst(j *ActiveJob) bool {
	e := r.e
	if !j.plain {
		return e.startFirstFit(j)
	}
	n := e.sizeNow(&j.Job)
	return n > 0 && e.lowest(e.cluster, &j.Job, n) && r.Start(j, e.scratch...)
}

// Start gives GPUs to a waiting job, which holds them until it ends. The
// ranges must ascend. It reports whether the decision was legal.
func (r *Round) Start(j *ActiveJob, gpus ...hardware.Range) bool {
	e := r.e
	if e.broken != nil {
		return false
	}
	if rule, detail := e.illegalStart(j, gpus); rule != "" {
		e.breakRule(j.subject(), rule, detail)
		return false
	}
	e.start(j, gpus)
	return true
}

// MayStart reports whether Start with the same arguments would be legal.
func (r *Round) MayStart(j *ActiveJob, gpus ...hardware.Range) bool {
	rule, _ := r.e.illegalStart(j, gpus)
	return rule == ""
}

// Fresh reports whether the run is in its first step, in which services take
// their GPUs free of the swap cap: there is nothing yet to swap from.
func (r *Round) Fresh() bool { return r.e.now < r.e.w.Step }

// Allowance is how many GPUs a service may still gain and lose in this step.
func (r *Round) Allowance(s *ActiveService) (gain, lose int) {
	if s.SwapCap == 0 || r.Fresh() {
		return s.Max - s.Held, s.Held
	}
	r.e.turnWindow(s)
	return min(s.SwapCap-s.gained, s.Max-s.Held), min(s.SwapCap-s.lost, s.Held)
}

// Grow gives free GPUs to a service, Shrink takes GPUs from it; the ranges
// must ascend. Both obey the swap cap: in each step after the first a service
// gains at most SwapCap GPUs and loses at most as many. They report whether
// the decision was legal.
func (r *Round) Grow(s *ActiveService, gpus ...hardware.Range) bool {
	return r.e.change(s, gpus, nil)
}

// Shrink takes GPUs from a service; see Grow.
func (r *Round) Shrink(s *ActiveService, gpus ...hardware.Range) bool {
	return r.e.change(s, nil, gpus)
}

func (j *ActiveJob) subject() string { return "job " + j.Label() }

const notAscending = "the ranges of GPUs must ascend and not be empty"

func ascending(gpus []hardware.Range) bool {
	for i, g := range gpus {
		if g.N <= 0 || i > 0 && g.First < gpus[i-1].End() {
			return false
		}
	}
	return true
}

// illegalStart names the rule that a start would break, or nothing.
func (e *engine) illegalStart(j *ActiveJob, gpus []hardware.Range) (rule, detail string) {
	n := hardware.Size(gpus)
	switch {
	case !ascending(gpus):
		return "form", notAscending
	case j.State == Upcoming:
		return "earliest start", fmt.Sprintf("it may not start before %v", j.Eligible())
	case j.State != Waiting:
		return "no interruption", "it is " + j.State.String()
	case n < j.MinGPUs || n > j.MaxGPUs:
		return "demand range", fmt.Sprintf("%d GPUs given, %d to %d accepted", n, j.MinGPUs, j.MaxGPUs)
	case e.w.Closed && e.now+j.EstimateOn(n) > e.horizon:
		return "closed horizon", fmt.Sprintf("it would end after %v", e.horizon)
	}
	if !j.plain {
		if rule, detail := e.illegalRequest(j, gpus); rule != "" {
			return rule, detail
		}
	}
	for i, g := range gpus {
		if j.Request.Share() == hardware.Whole && !e.cluster.IsFree(g) {
			return "capacity", fmt.Sprintf("GPUs %s are not all free", hardware.FormatRanges(gpus[i:i+1]))
		}
	}
	if n == 0 {
		return "", ""
	}
	if e.w.Alignment == hardware.Scattered {
		return "", ""
	}
	return e.illegalBlock(j, gpus, n)
}

func (e *engine) illegalBlock(j *ActiveJob, gpus []hardware.Range, n int) (rule, detail string) {
	first, topology := gpus[0].First, e.w.Topology
	fault := ""
	switch {
	case len(gpus) != 1:
		fault = "are not one block"
	case bits.OnesCount(uint(n)) != 1:
		fault = fmt.Sprintf("are %d, which is no power of two", n)
	case e.w.Alignment == hardware.Buddy && first%n != 0:
		fault = fmt.Sprintf("do not start at a multiple of %d", n)
	case !j.Across && topology.Domain(first) != topology.Domain(first+n-1):
		fault = "span link domains"
	default:
		return "", ""
	}
	return "block", "GPUs " + hardware.FormatRanges(gpus) + " " + fault
}
