package exec

import (
	"berth/sim"
	"berth/sim/hardware"
)

// hello is the first message to the program.
type hello struct {
	Type      string             `json:"type"` // "hello"
	Protocol  int                `json:"protocol"`
	Features  []string           `json:"features"`
	Seed      uint64             `json:"seed"`
	Gamma     float64            `json:"gamma,omitzero"`
	Lambda    float64            `json:"lambda,omitzero"`
	GPUs      int                `json:"gpus"`
	Alignment hardware.Alignment `json:"alignment"`
	Step      int64              `json:"step"`
	Horizon   int64              `json:"horizon,omitzero"`
	Closed    bool               `json:"closed"`
	Nodes     []node             `json:"nodes"`
	Domains   []ranges           `json:"domains"`
	Services  []service          `json:"services,omitempty"`
}

type node struct {
	GPUs      ranges `json:"gpus"`
	Model     string `json:"model,omitzero"`
	CPUMilli  int    `json:"cpu_milli,omitzero"`
	MemoryMiB int    `json:"memory_mib,omitzero"`
}

// service is a service as hello introduces it.
type service struct {
	Name     string  `json:"name"`
	Tenant   string  `json:"tenant,omitzero"`
	Priority float64 `json:"priority"`
	Min      int     `json:"min"`
	Max      int     `json:"max"`
	SwapCap  int     `json:"swap_cap,omitzero"`
	Step     int64   `json:"demand_step"`
	Demand   []int   `json:"demand"`
}

// welcome is the program's answer to hello.
type welcome struct {
	Protocol int      `json:"protocol"`
	Name     string   `json:"name"` // for people
	Features []string `json:"features"`
}

// instant is the message of a decision round: what has changed since the last.
type instant struct {
	Type      string      `json:"type"` // "instant"
	Round     int         `json:"round"`
	Now       int64       `json:"now"`
	Started   []started   `json:"started,omitempty"`
	Preempted []preempted `json:"preempted,omitempty"`
	Ended     []ended     `json:"ended,omitempty"`
	Arrived   []job       `json:"arrived,omitempty"`
	Eligible  []int64     `json:"eligible,omitempty"`
	Services  []holding   `json:"services,omitempty"`
	Free      int         `json:"free"`
	FreeGPUs  *ranges     `json:"free_gpus,omitzero"`
}

// started says where a job was put in answer to the last message.
type started struct {
	Job  int64  `json:"job"`
	GPUs ranges `json:"gpus"`
	Node *int   `json:"node,omitzero"` // of a job without GPUs
}

// preempted says what is left of a job that waits again.
type preempted struct {
	Job  int64 `json:"job"`
	Left int64 `json:"left"`
}

type ended struct {
	Job   int64  `json:"job"`
	State string `json:"state"`
	GPUs  ranges `json:"gpus"` // given back
}

type job struct {
	ID       int64    `json:"id"`
	Name     string   `json:"name,omitzero"`
	Kind     sim.Kind `json:"kind"`
	Tenant   string   `json:"tenant,omitzero"`
	Priority float64  `json:"priority"`
	Eligible int64    `json:"eligible"`
	MinGPUs  int      `json:"min_gpus"`
	MaxGPUs  int      `json:"max_gpus"`
	Parallel float64  `json:"parallel,omitzero"`
	Estimate int64    `json:"estimate"`
	Across   bool     `json:"across,omitzero"`

	GPUMilli  int             `json:"gpu_milli,omitzero"`
	CPUMilli  int             `json:"cpu_milli,omitzero"`
	MemoryMiB int             `json:"memory_mib,omitzero"`
	Models    hardware.Models `json:"models,omitzero"`
}

// holding is a service that changed in any of this.
type holding struct {
	Name   string `json:"name"`
	Wanted int    `json:"wanted"`
	GPUs   ranges `json:"gpus"`
	Gain   int    `json:"gain"` // may still be gained in this step
	Lose   int    `json:"lose"`
}

// answer is the program's answer to an instant.
type answer struct {
	Round     int        `json:"round"`
	Decisions []decision `json:"decisions"`
}

// decision is one verb and what belongs to it.
type decision struct {
	Line    []int64 `json:"line"`
	Start   *int64  `json:"start"`
	Preempt *int64  `json:"preempt"`
	Reject  *int64  `json:"reject"`
	Explain *int64  `json:"explain"`
	Grow    *string `json:"grow"`
	Shrink  *string `json:"shrink"`
	Wake    *int64  `json:"wake"`

	GPUs   *ranges `json:"gpus"`
	Node   *int    `json:"node"`
	Reason string  `json:"reason"`
}

// ranges are GPUs, in JSON the text that the tables have: "0-7 12".
type ranges []hardware.Range

// AppendText implements encoding.TextAppender.
func (r ranges) AppendText(dst []byte) ([]byte, error) { return hardware.AppendRanges(dst, r), nil }

// MarshalText implements encoding.TextMarshaler.
func (r ranges) MarshalText() ([]byte, error) { return r.AppendText(nil) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *ranges) UnmarshalText(text []byte) error {
	rs, err := hardware.ParseRanges(string(text))
	*r = rs
	return err
}
