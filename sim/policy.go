package sim

import (
	"fmt"

	"berth/sim/hardware"
)

// Policy decides which job and which service gets which GPUs. A Policy value
// serves one run: it may keep state between rounds.
type Policy interface {
	// Name is how tables and errors call the policy.
	Name() string
	// Decide is called once for every instant at which something changed. It
	// reads the round and takes its decisions through it; each is checked and
	// takes effect at once. The first illegal one stops the run.
	Decide(r *Round) error
}

// JobState says where in its life a job is.
type JobState uint8

const (
	Upcoming    JobState = iota // submitted, not yet eligible to start
	Waiting                     // may start now
	Running                     // holds GPUs
	Completed                   // ran to its end
	Unfinished                  // cut by the end of the run
	Unscheduled                 // never started before the end of the run
	Rejected                    // can never run here, or was refused by the policy
)

var stateNames = [...]string{"upcoming", "waiting", "running", "completed", "unfinished", "unscheduled", "rejected"}

func (s JobState) String() string { return stateNames[s] }

// Final reports whether a job in this state has left the system.
func (s JobState) Final() bool { return s >= Completed }

// ActiveJob is a submitted job and what has become of it so far. It belongs
// to the engine and is valid until the job has left the system; policies read
// it, and change it through Round only.
type ActiveJob struct {
	Job
	State   JobState
	Started Time             // of its first start, once there was one
	Ended   Time             // once final
	GPUs    []hardware.Range // held since Resumed, ascending
	Reason  string           // why it waits, or why it never ran

	// Node is where a job without GPUs has its CPUs and memory while it runs, or
	// had them until its end; −1 of one that left while it waited.
	Node int

	Resumed   Time // of its last start: Started, unless it was preempted
	Ran       Time // time on GPUs until it last left them
	Preempted int  // times that it lost its GPUs before its end

	Restart Time // without progress, with which its present or next stay on GPUs begins

	plain bool // its request changes nothing here
	done  Time // work that the preemptions kept, as time on MinGPUs
	slot  uint32
	gen   uint32
	index int    // place in the running list
	order uint64 // in which it came to wait
}

// Slot is a small number that no other active job has; it is used again once
// the job has left. Policies can index arrays by it.
func (j *ActiveJob) Slot() int { return int(j.slot) }

// Held is the number of GPUs held.
func (j *ActiveJob) Held() int { return hardware.Size(j.GPUs) }

// HeldGPUs is the GPUs held, where a share of one counts as that share.
func (j *ActiveJob) HeldGPUs() float64 {
	if s := j.Request.Share(); s < hardware.Whole {
		return float64(j.Held()*s) / hardware.Whole
	}
	return float64(j.Held())
}

// Plain reports whether the job's request changes nothing on this machine: it
// asks for whole GPUs of models that are all accepted, and for no CPUs or
// memory that anyone counts.
func (j *ActiveJob) Plain() bool { return j.plain }

// EstimatedEnd is when a running job should end by its estimate. A job that
// overruns has an EstimatedEnd in the past.
func (j *ActiveJob) EstimatedEnd() Time { return j.Resumed + j.EstimateOn(j.Held()) }

// EstimateOn is the time that the job should take on n GPUs from its next
// start on, or from Resumed on when it runs, by its estimate: less than that of
// the whole Job once a preemption has kept work. It is never below 1 ns.
func (j *ActiveJob) EstimateOn(n int) Time {
	return j.Restart + j.scale(max(j.Estimate-j.done, 1), n)
}

// durationOn is the same by the true duration.
func (j *ActiveJob) durationOn(n int) Time { return j.Restart + j.scale(j.Duration-j.done, n) }

// Waited is the time since its submission that a job has spent off GPUs. It is
// Started − Submit for a job that runs or has left without being preempted.
func (j *ActiveJob) Waited(now Time) Time {
	if j.State == Running {
		return j.Resumed - j.Submit - j.Ran
	}
	return now - j.Submit - j.Ran
}

// ran reports whether a job that has left the system ever ran.
func (j *ActiveJob) ran() bool { return j.State == Completed || j.State == Unfinished }

// ActiveService is a service and what it holds now.
type ActiveService struct {
	Service
	GPUs   []hardware.Range // held, ascending
	Held   int              // number of GPUs in GPUs
	Wanted int              // demand now, in GPUs

	index        int
	level        int  // current level of the demand curve
	window       Time // start of the step that gained and lost count in
	gained, lost int
}

// RuleError is an illegal decision: who took it, when, about what, and which
// rule it broke.
type RuleError struct {
	Policy  string
	At      Time
	Subject string // "job 12" or "service chat"
	Rule    string
	Detail  string
}

func (e *RuleError) Error() string {
	return fmt.Sprintf("policy %s broke a rule at %v: %s: %s: %s", e.Policy, e.At, e.Subject, e.Rule, e.Detail)
}
