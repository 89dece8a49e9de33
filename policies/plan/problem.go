// Package plan is the formal model of the project: what an allocation problem
// is, what a legal plan is, and what a plan scores. It is pure data and
// arithmetic; planners and simulations live elsewhere.
//
// A plan is a grid of GPUs × steps. Steps are counted 0 … T−1 and last
// StepHours each; GPUs are counted 0 … G−1 in physical order. Values and
// shortfalls are in (priority-weighted) GPU-hours.
package plan

import (
	"math"

	"berth/sim/hardware"
)

// Defaults of the model's constants.
const (
	DefaultSteps  = 24
	DefaultGamma  = 0.97 // decay per hour
	DefaultLambda = 8.0  // penalty of a missing real-time GPU-hour

	DefaultSwapCap = 2 // GPUs a service gains at most, and loses at most, a step
)

// Problem is one instance of the allocation model.
type Problem struct {
	GPUs      int
	Steps     int     // T
	StepHours float64 // Δ in hours
	// Domains are the link domains in physical order, together covering all
	// GPUs. Nil means a single one.
	Domains   []hardware.Range
	Alignment hardware.Alignment
	Boundary  Boundary
	Gamma     float64 // decay per hour: w(t) = Gamma^(t·StepHours)
	Lambda    float64 // λ, weight of real-time shortfall
	Sigma     float64 // σ in [0,1], read under Salvage only

	Jobs     []Job
	Services []Service
}

// Shape is one way to run a job: so many GPUs for so many steps.
type Shape struct {
	GPUs, Steps int
}

// Job is a batch-like job.
type Job struct {
	ID       string
	Kind     string // for tables and figures only
	Priority float64
	Earliest int     // first step at which it may start
	Shapes   []Shape // a rigid job has one; a moldable job one a size
	Across   bool    // the block may span link domains

	// Held is set for a job that runs when the plan starts: the GPUs it keeps
	// from step 0. Its only shape gives its size and what remains, which may
	// outlast the horizon under any boundary.
	Held []hardware.Range
}

// Inherited reports whether the job runs when the plan starts.
func (j *Job) Inherited() bool { return len(j.Held) > 0 }

// Service is an elastic real-time service.
type Service struct {
	ID       string
	Priority float64
	Min, Max int   // Min is kept warm by planners; only Max is a rule
	SwapCap  int   // c: GPUs gained at most, and lost at most, between steps; 0 means no limit
	Demand   []int // GPUs, one entry a step

	// Held are the GPUs of the step before the plan starts. When Fresh is
	// set there is no such step, and the first step is free of the cap.
	Held  []hardware.Range
	Fresh bool
}

// Target is the GPUs that a planner aims at in step t: the demand, at least
// Min, at most Max.
func (s *Service) Target(t int) int { return min(max(s.Demand[t], s.Min), s.Max) }

// Cap is the swap cap as a number that can be compared: SwapCap, or more than
// any cluster has.
func (s *Service) Cap() int {
	if s.SwapCap == 0 {
		return math.MaxInt32
	}
	return s.SwapCap
}

// Weight is w(t), the decay of step t.
func (p *Problem) Weight(t int) float64 {
	return math.Pow(p.Gamma, float64(t)*p.StepHours)
}

// Plan is an allocation: for each job of the problem where and when it runs,
// and for each service what it holds in every step.
type Plan struct {
	Jobs     []Placement          // parallel to Problem.Jobs
	Services [][][]hardware.Range // [service][step] → GPUs held, ascending
}

// Placement is one job's place in a plan.
type Placement struct {
	Start int // step, or Unscheduled: then the rest is not read
	Shape int // index into Job.Shapes
	// GPUs held from Start on: one block, or any ranges when scattered.
	// Ascending.
	GPUs []hardware.Range
}

// Unscheduled is the Start of a job that the plan leaves out.
const Unscheduled = -1
