package workloads

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"berth/sim"
	"berth/sim/hardware"
)

// What a scenario may ask for at most, so that a slip of the pen is an error
// and neither takes all memory nor leaves the range of the clock.
const (
	maxHours  = 600_000    // 68 years: of a horizon, a duration, a submission
	maxSteps  = 10_000_000 // of a demand curve
	maxJobs   = 10_000_000 // in all classes; a larger workload is a trace
	maxNumber = 1e12       // a priority, lambda
	maxGPUs   = math.MaxInt32
)

// bound is a number and where it must lie. NaN lies nowhere.
type bound struct {
	key          string
	x, low, high float64
}

func firstOutside(bounds ...bound) error {
	for _, b := range bounds {
		if !(b.x >= b.low && b.x <= b.high) {
			return fmt.Errorf("%s = %g; accepted are numbers from %.10g to %.10g", b.key, b.x, b.low, b.high)
		}
	}
	return nil
}

// Validate reports the first setting that makes no sense, by its key.
func (s *Scenario) Validate() error {
	if s.Boundary != "" && s.Boundary != "closed" && s.Boundary != "open" {
		return fmt.Errorf("boundary = %q is unknown; accepted are closed, open", s.Boundary)
	}
	if s.Boundary == "closed" && s.HorizonHours == 0 {
		return errors.New(`boundary = "closed" needs horizon_hours`)
	}
	err := firstOutside(
		bound{"horizon_hours", s.HorizonHours, 0, maxHours},
		bound{"step_minutes", s.StepMinutes, 0, 60 * maxHours},
		bound{"gamma", s.Gamma, 0, 1},
		bound{"lambda", s.Lambda, 0, maxNumber})
	if err != nil {
		return err
	}
	topology, err := s.Cluster.Topology()
	if err != nil {
		return err
	}
	if s.Step() <= 0 {
		return fmt.Errorf("step_minutes = %g is too short", s.StepMinutes)
	}
	if err := s.validateServices(); err != nil {
		return err
	}
	jobs := 0
	for i := range s.Classes {
		c := &s.Classes[i]
		if err := c.validate(topology, s.Cluster.Alignment, s.Step()); err != nil {
			return fmt.Errorf("jobs %d (%s): %w", i+1, c.label(), err)
		}
		if jobs += c.Count; jobs > maxJobs {
			return fmt.Errorf("jobs %d (%s): count brings the jobs to %d; at most %d are accepted", i+1, c.label(), jobs, maxJobs)
		}
	}
	return nil
}

func (s *Scenario) validateServices() error {
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
		if steps := s.demandHours() / s.Step().Hours(); v.Demand == nil && steps > maxSteps {
			return fmt.Errorf("step_minutes = %g makes %.3g levels of demand; at most %d are accepted", s.StepMinutes, steps, maxSteps)
		}
	}
	return nil
}

func (v *Service) validate() error {
	switch {
	case v.Name == "":
		return errors.New("name is missing")
	case !(v.Priority > 0):
		return fmt.Errorf("priority = %g; a positive number is needed", v.Priority)
	case v.Min < 0 || v.Max < 0 || (v.Max > 0 && v.Max < v.Min):
		return fmt.Errorf("min = %d, max = %d; 0 ≤ min ≤ max is needed", v.Min, v.Max)
	case v.SwapCap != nil && *v.SwapCap < 0:
		return fmt.Errorf("swap_cap = %d is negative; 0 means no limit", *v.SwapCap)
	case v.Traffic != nil && v.Demand == nil:
		return errors.New("traffic is not loaded; LoadTraffic comes first")
	case v.Base < 0 || v.Peak < v.Base:
		return fmt.Errorf("base = %g, peak = %g; 0 ≤ base ≤ peak is needed", v.Base, v.Peak)
	}
	if v.HistoryWeeks < 0 || v.HistoryWeeks > 52 {
		return fmt.Errorf("history_weeks = %d; accepted are 0 to 52", v.HistoryWeeks)
	}
	if v.HistoryWeeks > 0 && v.Demand != nil {
		return errors.New("history_weeks and demand exclude each other: only the bump has a past")
	}
	for t, d := range v.Demand {
		if d < 0 {
			return fmt.Errorf("demand[%d] = %d is negative", t, d)
		}
	}
	return firstOutside(
		bound{"priority", v.Priority, 0, maxNumber},
		bound{"base", v.Base, 0, maxGPUs},
		bound{"peak", v.Peak, 0, maxGPUs},
		bound{"peak_hour", v.PeakHour.Low, -maxHours, maxHours},
		bound{"peak_hour", v.PeakHour.High, -maxHours, maxHours},
		bound{"width_hours", v.WidthHours, 0, maxHours},
		bound{"noise", v.Noise, 0, 1000})
}

func (c *JobClass) label() string {
	if c.Name != "" {
		return c.Name
	}
	return c.Kind.String()
}

func (c *JobClass) validate(t *hardware.Topology, a hardware.Alignment, step sim.Time) error {
	switch {
	case c.Count < 0:
		return fmt.Errorf("count = %d is negative", c.Count)
	case len(c.GPUs) == 0:
		return errors.New("gpus is missing; a list of sizes is needed, as gpus = [1, 2, 4]")
	case !(c.Hours.Low > 0):
		return fmt.Errorf("hours = [%g, %g]; positive durations are needed", c.Hours.Low, c.Hours.High)
	case !(c.Priority.Low > 0):
		return fmt.Errorf("priority = [%g, %g]; positive numbers are needed", c.Priority.Low, c.Priority.High)
	case c.MaxGPUs < 0 || c.MaxGPUs > t.GPUs():
		return fmt.Errorf("max_gpus = %d; the cluster has %d GPUs", c.MaxGPUs, t.GPUs())
	}
	hours := step.Hours()
	err := cmp.Or(
		c.Hours.validate("hours", maxHours, hours, "steps"),
		c.Earliest.validate("earliest", maxHours, hours, "steps"),
		c.Submit.validate("submit", maxHours, hours, "steps"),
		c.Priority.validate("priority", 1e9, 1, "numbers"),
		firstOutside(bound{"parallel", c.Parallel, 0, 1}))
	if err != nil {
		return err
	}
	return c.validateSizes(t, a)
}

// validate reports a range that leaves [0, high] or has no whole multiple of a
// unit in it.
func (r Range) validate(key string, high, unit float64, units string) error {
	if err := firstOutside(bound{key, r.Low, 0, high}, bound{key, r.High, r.Low, high}); err != nil {
		return err
	}
	if low, last := r.multiples(unit); last < low {
		return fmt.Errorf("%s = [%g, %g] has no whole %s of %g in it", key, r.Low, r.High, units, unit)
	}
	return nil
}

func (c *JobClass) validateSizes(t *hardware.Topology, a hardware.Alignment) error {
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
