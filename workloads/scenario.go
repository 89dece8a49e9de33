// Package workloads makes what a run is fed: scenarios, which are TOML files
// that describe a machine, real-time services and classes of jobs, and are
// generators with a seed. Seven of them are embedded.
//
// In a scenario times are hours, sizes are GPUs, and demand is GPUs a step.
package workloads

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"berth/sim"
	"berth/sim/hardware"
)

// Scenario is the content of a scenario file. See docs/policies.md for the
// policy table that may stand beside it. The tag help is what berth list settings
// says of a key.
type Scenario struct {
	Name         string  `toml:"name" help:"label in results, and of the output folder; default the file name"`
	Summary      string  `toml:"summary" help:"a sentence on what it is"`
	HorizonHours float64 `toml:"horizon_hours" help:"end of the run; 0, the default: when the last job has ended"`
	StepMinutes  float64 `toml:"step_minutes" help:"planning step, and window of swap caps; default 60"`
	Boundary     string  `toml:"boundary" help:"closed: jobs must end by the horizon; open: they are cut there; default closed with a horizon"`
	Restart      float64 `toml:"restart_minutes" help:"time without progress at each later start of a preempted job; default 0"`
	Gamma        float64 `toml:"gamma" help:"share of its worth that a GPU-hour keeps each hour, above 0 to 1; default 0.97"`
	Lambda       float64 `toml:"lambda" help:"weight of a GPU-hour of shortfall; default 8"`

	Cluster  Cluster    `toml:"cluster"`
	Services []Service  `toml:"service"`
	Classes  []JobClass `toml:"jobs"`
}

// Cluster is a machine of one pool.
type Cluster struct {
	GPUs           int                `toml:"gpus" help:"number of GPUs; of a trace, the default is its header's"`
	SKU            string             `toml:"sku" help:"label of the GPUs"`
	GPUsPerNode    int                `toml:"gpus_per_node" help:"GPUs of a node; default 8"`
	NodesPerDomain int                `toml:"nodes_per_domain" help:"nodes of a link domain; default 1"`
	DomainsPerRack int                `toml:"domains_per_rack" help:"link domains of a rack; default 4"`
	Alignment      hardware.Alignment `toml:"alignment" help:"where a job's GPUs may lie: contiguous, buddy or scattered; default contiguous, of a trace scattered"`
}

// Service is a real-time service. Its demand is a daily bump from Base to Peak
// around PeakHour, with noise drawn anew for every step; or Demand, as given.
type Service struct {
	Name         string  `toml:"name"`
	Tenant       string  `toml:"tenant"`
	Priority     float64 `toml:"priority"`
	Min          int     `toml:"min"`
	Max          int     `toml:"max"`      // 0 means the whole cluster
	SwapCap      *int    `toml:"swap_cap"` // GPUs gained and lost a step; default 2, 0 means no limit
	Base         float64 `toml:"base"`
	Peak         float64 `toml:"peak"`
	PeakHour     Range   `toml:"peak_hour"`     // drawn once a run
	WidthHours   float64 `toml:"width_hours"`   // standard deviation of the bump; 0 means 3
	Noise        float64 `toml:"noise"`         // standard deviation of a factor around 1
	Demand       []int   `toml:"demand"`        // one level a step, instead of the bump
	HistoryWeeks int     `toml:"history_weeks"` // of the bump, drawn before the run for forecasts to learn from

	Traffic *Traffic `toml:"traffic"` // a recorded trace of requests, instead of the bump
}

// JobClass describes Count jobs that are drawn alike.
type JobClass struct {
	Name     string   `toml:"name"` // prefix of the jobs' names; default is the kind
	Kind     sim.Kind `toml:"kind"`
	Count    int      `toml:"count"`
	GPUs     []int    `toml:"gpus"`     // one of these, each as likely as it is often listed
	MaxGPUs  int      `toml:"max_gpus"` // more than the size drawn: the job is moldable up to it
	Parallel float64  `toml:"parallel"` // of a moldable job: share of the work that speeds up (Amdahl)
	Hours    Range    `toml:"hours"`    // on the size drawn, in whole steps
	Priority Range    `toml:"priority"` // a whole number
	Earliest Range    `toml:"earliest"` // hour before which it may not start, in whole steps
	Submit   Range    `toml:"submit"`   // hour at which it is submitted, in whole steps
	Tenants  []string `toml:"tenants"`
	Across   bool     `toml:"across"` // may span link domains
}

// Range is an interval [Low, High] from which a number is drawn uniformly.
type Range struct{ Low, High float64 }

// UnmarshalTOML accepts a number or a pair of them.
func (r *Range) UnmarshalTOML(v any) error {
	number := func(v any) (float64, bool) {
		switch n := v.(type) {
		case int64:
			return float64(n), true
		case float64:
			return n, true
		}
		return 0, false
	}
	if n, ok := number(v); ok {
		*r = Range{n, n}
		return nil
	}
	if pair, ok := v.([]any); ok && len(pair) == 2 {
		low, ok1 := number(pair[0])
		high, ok2 := number(pair[1])
		if ok1 && ok2 && low <= high {
			*r = Range{low, high}
			return nil
		}
	}
	return errors.New("a range is a number or a pair [low, high]")
}

// MarshalJSON writes a number, or a pair of them.
func (r Range) MarshalJSON() ([]byte, error) {
	if r.Low == r.High {
		return json.Marshal(r.Low)
	}
	return json.Marshal([2]float64{r.Low, r.High})
}

// Step is the planning step.
func (s *Scenario) Step() sim.Time {
	if s.StepMinutes == 0 {
		return time.Hour
	}
	return sim.Time(s.StepMinutes * float64(time.Minute))
}

// Closed reports whether jobs must end by the horizon.
func (s *Scenario) Closed() bool { return s.HorizonHours > 0 && s.Boundary != "open" }

// Objective constants, with their defaults.
func (s *Scenario) Weights() (gamma, lambda float64) {
	gamma, lambda = s.Gamma, s.Lambda
	if gamma == 0 {
		gamma = 0.97
	}
	if lambda == 0 {
		lambda = 8
	}
	return gamma, lambda
}

// Topology is the scenario's machine.
func (c *Cluster) Topology() (*hardware.Topology, error) {
	if c.GPUs <= 0 {
		return nil, fmt.Errorf("cluster.gpus = %d, or is missing; a positive number of GPUs is needed", c.GPUs)
	}
	if min(c.GPUsPerNode, c.NodesPerDomain, c.DomainsPerRack) < 0 {
		return nil, fmt.Errorf("cluster.gpus_per_node = %d, nodes_per_domain = %d, domains_per_rack = %d; positive numbers are accepted, or 0 for the default",
			c.GPUsPerNode, c.NodesPerDomain, c.DomainsPerRack)
	}
	return hardware.NewTopology(hardware.Pool{
		SKU: hardware.SKU{Name: c.SKU}, GPUs: c.GPUs, GPUsPerNode: c.GPUsPerNode,
		NodesPerLink: c.NodesPerDomain, DomainsPerRack: c.DomainsPerRack,
	})
}

// DomainSize is the number of GPUs in a link domain.
func (c *Cluster) DomainSize() int {
	return cmp.Or(c.GPUsPerNode, 8) * cmp.Or(c.NodesPerDomain, 1)
}
