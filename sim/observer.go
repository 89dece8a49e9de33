package sim

import "berth/sim/hardware"

// Counts is what the cluster does between two instants.
type Counts struct {
	Batch    int // whole GPUs held by jobs
	Shares   int // thousandths held by jobs of GPUs in part use
	Remnants int // thousandths left of these GPUs
	Realtime int // GPUs held by services
	Served   int // of these, GPUs that demand uses: Σ min(held, demand)
	Missing  int // Σ max(0, demand − held)
	Free     int // GPUs held by nobody
	Waiting  int // jobs that may start and have not
	Running  int // jobs
}

// BatchGPUs is the GPUs held by jobs, whole and in shares.
func (c *Counts) BatchGPUs() float64 { return float64(c.Batch) + float64(c.Shares)/hardware.Whole }

// IdleGPUs is the GPUs held by nobody, and what is left of those in part use.
func (c *Counts) IdleGPUs() float64 { return float64(c.Free) + float64(c.Remnants)/hardware.Whole }

// Observer is told of every change of a run, in order. What it is handed
// belongs to the engine and is valid during the call only. An observer never
// influences the run, except that an error stops it.
type Observer interface {
	JobSubmitted(now Time, j *ActiveJob)
	JobStarted(now Time, j *ActiveJob)
	// JobEnded is called once a submitted job, in its final state.
	JobEnded(now Time, j *ActiveJob)
	// ServiceChanged reports GPUs gained and lost; s is in its new state.
	ServiceChanged(now Time, s *ActiveService, gained, lost []hardware.Range)
	// DemandChanged reports a new s.Wanted.
	DemandChanged(now Time, s *ActiveService)
	// RoundEnded comes after everything of one instant: c holds from now on.
	RoundEnded(now Time, c *Counts) error
	// RunEnded comes last, also when a run is interrupted.
	RunEnded(now Time) error
}

// IgnoreAll is an Observer that looks at nothing; embed it to implement only
// some of the methods.
type IgnoreAll struct{}

func (IgnoreAll) JobSubmitted(Time, *ActiveJob)                                           {}
func (IgnoreAll) JobStarted(Time, *ActiveJob)                                             {}
func (IgnoreAll) JobEnded(Time, *ActiveJob)                                               {}
func (IgnoreAll) ServiceChanged(Time, *ActiveService, []hardware.Range, []hardware.Range) {}
func (IgnoreAll) DemandChanged(Time, *ActiveService)                                      {}
func (IgnoreAll) RoundEnded(Time, *Counts) error                                          { return nil }
func (IgnoreAll) RunEnded(Time) error                                                     { return nil }
