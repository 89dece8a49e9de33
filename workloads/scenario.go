// Package workloads makes what a run is fed: scenarios, which are TOML files
// that describe a machine, real-time services and classes of jobs, and are
// generators with a seed. Seven of them are embedded.
//
// In a scenario times are hours, sizes are GPUs, and demand is GPUs a step.
package workloads

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"berth/sim"
	"berth/sim/hardware"
)

// Scenario is the content of a scenario file. See docs/policies.md for the
// policy table that may stand beside it.
type Scenario struct {
	Name         string  `toml:"name"`
	Summary      string  `toml:"summary"`
	HorizonHours float64 `toml:"horizon_hours"` // 0: until the last job has ended
	StepMinutes  float64 `toml:"step_minutes"`  // planning step; 0 means 60
	Boundary     string  `toml:"boundary"`      // "closed": jobs must end by the horizon; "open": they are cut there. Default: closed with a horizon
	Gamma        float64 `toml:"gamma"`         // decay per hour; 0 means 0.97
	Lambda       float64 `toml:"lambda"`        // weight of shortfall; 0 means 8

	Cluster  Cluster    `toml:"cluster"`
	Services []Service  `toml:"service"`
	Classes  []JobClass `toml:"jobs"`
}

// Cluster is a machine of one pool.
type Cluster struct {
	GPUs           int                `toml:"gpus"`
	SKU            string             `toml:"sku"`
	GPUsPerNode    int                `toml:"gpus_per_node"`    // 0 means 8
	NodesPerDomain int                `toml:"nodes_per_domain"` // nodes in one link domain; 0 means 1
	DomainsPerRack int                `toml:"domains_per_rack"` // 0 means 4
	Alignment      hardware.Alignment `toml:"alignment"`        // contiguous, buddy or scattered
}

// Service is a real-time service. Its demand is a daily bump from Base to Peak
// around PeakHour, with noise drawn anew for every step; or Demand, as given.
type Service struct {
	Name       string  `toml:"name"`
	Tenant     string  `toml:"tenant"`
	Priority   float64 `toml:"priority"`
	Min        int     `toml:"min"`
	Max        int     `toml:"max"`      // 0 means the whole cluster
	SwapCap    *int    `toml:"swap_cap"` // GPUs gained and lost a step; default 2, 0 means no limit
	Base       float64 `toml:"base"`
	Peak       float64 `toml:"peak"`
	PeakHour   Range   `toml:"peak_hour"`   // drawn once a run
	WidthHours float64 `toml:"width_hours"` // standard deviation of the bump; 0 means 3
	Noise      float64 `toml:"noise"`       // standard deviation of a factor around 1
	Demand     []int   `toml:"demand"`      // one level a step, instead of the bump
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
		return nil, errors.New("cluster.gpus is missing; a positive number of GPUs is needed")
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

// Validate reports the first setting that makes no sense, by its key.
func (s *Scenario) Validate() error {
	switch {
	case s.HorizonHours < 0 || s.StepMinutes < 0:
		return errors.New("horizon_hours and step_minutes must not be negative")
	case s.Boundary != "" && s.Boundary != "closed" && s.Boundary != "open":
		return fmt.Errorf("boundary = %q is unknown; accepted are closed, open", s.Boundary)
	case s.Boundary == "closed" && s.HorizonHours == 0:
		return errors.New(`boundary = "closed" needs horizon_hours`)
	case s.Gamma < 0 || s.Gamma > 1:
		return fmt.Errorf("gamma = %g is outside (0, 1]", s.Gamma)
	case s.Lambda < 0:
		return fmt.Errorf("lambda = %g is negative", s.Lambda)
	}
	topology, err := s.Cluster.Topology()
	if err != nil {
		return err
	}
	if s.Step() <= 0 {
		return fmt.Errorf("step_minutes = %g is too short", s.StepMinutes)
	}
	names := map[string]bool{}
	for i := range s.Services {
		v := &s.Services[i]
		if err := v.validate(); err != nil {
			return fmt.Errorf("service %d (%s): %w", i+1, v.Name, err)
		}
		if names[v.Name] {
			return fmt.Errorf("service %d: the name %q is taken", i+1, v.Name)
		}
		names[v.Name] = true
	}
	for i := range s.Classes {
		if err := s.Classes[i].validate(topology, s.Cluster.Alignment); err != nil {
			return fmt.Errorf("jobs %d (%s): %w", i+1, s.Classes[i].label(), err)
		}
	}
	return nil
}

func (v *Service) validate() error {
	switch {
	case v.Name == "":
		return errors.New("name is missing")
	case v.Priority <= 0:
		return fmt.Errorf("priority = %g; a positive number is needed", v.Priority)
	case v.Min < 0 || v.Max < 0 || (v.Max > 0 && v.Max < v.Min):
		return fmt.Errorf("min = %d, max = %d; 0 ≤ min ≤ max is needed", v.Min, v.Max)
	case v.SwapCap != nil && *v.SwapCap < 0:
		return fmt.Errorf("swap_cap = %d is negative; 0 means no limit", *v.SwapCap)
	case v.Base < 0 || v.Peak < v.Base:
		return fmt.Errorf("base = %g, peak = %g; 0 ≤ base ≤ peak is needed", v.Base, v.Peak)
	case v.WidthHours < 0 || v.Noise < 0:
		return errors.New("width_hours and noise must not be negative")
	}
	for t, d := range v.Demand {
		if d < 0 {
			return fmt.Errorf("demand[%d] = %d is negative", t, d)
		}
	}
	return nil
}

func (c *JobClass) label() string {
	if c.Name != "" {
		return c.Name
	}
	return c.Kind.String()
}

func (c *JobClass) validate(t *hardware.Topology, a hardware.Alignment) error {
	switch {
	case c.Count < 0:
		return fmt.Errorf("count = %d is negative", c.Count)
	case len(c.GPUs) == 0:
		return errors.New("gpus is missing; a list of sizes is needed, as gpus = [1, 2, 4]")
	case c.Hours.Low <= 0:
		return fmt.Errorf("hours = [%g, %g]; positive durations are needed", c.Hours.Low, c.Hours.High)
	case c.Priority.Low <= 0:
		return fmt.Errorf("priority = [%g, %g]; positive numbers are needed", c.Priority.Low, c.Priority.High)
	case c.Earliest.Low < 0 || c.Submit.Low < 0:
		return errors.New("earliest and submit must not be negative")
	case c.Parallel < 0 || c.Parallel > 1:
		return fmt.Errorf("parallel = %g is outside [0, 1]", c.Parallel)
	}
	room := t.GPUs()
	if a != hardware.Scattered && !c.Across {
		room = 0
		for _, d := range t.Domains() {
			room = max(room, d.N)
		}
	}
	for _, n := range c.GPUs {
		switch {
		case n <= 0:
			return fmt.Errorf("gpus has %d; sizes are positive", n)
		case n > t.GPUs():
			return fmt.Errorf("gpus has %d, more than the %d of the cluster", n, t.GPUs())
		case n > room:
			return fmt.Errorf("gpus has %d, more than the %d of a link domain; across = true lets a job span several", n, room)
		case a != hardware.Scattered && n&(n-1) != 0 && c.MaxGPUs <= n:
			return fmt.Errorf("gpus has %d; blocks are powers of two (cluster.alignment = \"scattered\" takes any size)", n)
		}
	}
	return nil
}
