// Package metrics says what a run measured, in four layers: the hardware
// (where GPU-time went), scheduling (waits and turnarounds), the jobs (what
// became of them) and business (value, shortfall).
//
// Definitions are those of docs/model.md. GPU-time is accumulated in whole
// GPU-nanoseconds; a Report shows it in GPU-hours.
package metrics

// Report is the content of summary.json. Fields that do not apply are absent.
type Report struct {
	Scenario     string  `json:"scenario"`
	Policy       string  `json:"policy"`
	Seed         uint64  `json:"seed"`
	GPUs         int     `json:"gpus"`
	HorizonHours float64 `json:"horizon_hours"` // simulated time, in hours

	// Utilization and Occupancy are fractions of the GPU-time available:
	// doing work, and held.
	Utilization float64 `json:"utilization"`
	Occupancy   float64 `json:"occupancy"`

	// Value is Σ priority × GPU-hours delivered to jobs; DecayedValue weighs
	// each GPU-hour by γ^(whole steps since the start), and Objective takes
	// λ × priority × shortfall off it. The last two are given for runs of one
	// planning horizon.
	Value             float64  `json:"value"`
	DecayedValue      *float64 `json:"decayed_value,omitempty"`
	Objective         *float64 `json:"objective,omitempty"`
	ShortfallGPUHours float64  `json:"shortfall_gpu_hours"`
	ShortfallShare    float64  `json:"shortfall_share"` // of service-time with any
	Swaps             int      `json:"swaps"`           // GPUs gained and lost by services after the first step

	Jobs              JobCounts     `json:"jobs"`
	Preemptions       int           `json:"preemptions,omitempty"`        // of all jobs together
	WaitSeconds       *Distribution `json:"wait_seconds,omitempty"`       // started jobs: turnaround − time on GPUs
	BoundedSlowdown   *Distribution `json:"bounded_slowdown,omitempty"`   // completed jobs: max(1, turnaround ÷ max(time on GPUs, 10 s))
	TurnaroundSeconds *Distribution `json:"turnaround_seconds,omitempty"` // completed jobs: finish − submission

	MakespanSeconds float64  `json:"makespan_seconds"`  // last finish − first submission
	Partial         bool     `json:"partial,omitempty"` // the run was interrupted
	GPUHours        GPUHours `json:"gpu_hours"`
}

// JobCounts counts submitted jobs by what became of them; apart from Submitted
// and Preempted the counts are exclusive and add up to Submitted.
type JobCounts struct {
	Submitted   int `json:"submitted"`
	Completed   int `json:"completed"`
	Unfinished  int `json:"unfinished"` // cut by the end of the run
	Unscheduled int `json:"unscheduled"`
	Rejected    int `json:"rejected"`
	Preempted   int `json:"preempted"` // at least once, whatever became of them
}

// GPUHours says where the cluster's time went; the fields add up to
// GPUs × HorizonHours.
type GPUHours struct {
	Batch        float64 `json:"batch"`
	Realtime     float64 `json:"realtime"`      // held by services and used by demand
	ReservedIdle float64 `json:"reserved_idle"` // held by services beyond demand
	Idle         float64 `json:"idle"`
	Down         float64 `json:"down"`
}
