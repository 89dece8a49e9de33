package workloads

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"berth/sim"
)

// Traffic makes a service's demand of a recorded trace of requests, by the
// model of package traces/requests: the GPUs that are busy reading prompts and
// writing answers, over the share of time that they may be busy.
type Traffic struct {
	File   string  `toml:"file"`            // relative to the scenario file
	Scale  float64 `toml:"scale"`           // the traffic is so many times the recorded one; 0 means 1
	Repeat bool    `toml:"repeat"`          // from the start again, to the run's end; otherwise nothing is asked after the trace
	Skip   float64 `toml:"skip_hours"`      // of the trace, left out at its start
	Type   string  `toml:"type"`            // in a trace of rates: requests of this type only
	Every  float64 `toml:"sampled_seconds"` // in a trace of rates: how long a sample holds; 0 means 60

	Prefill    float64 `toml:"prefill"`     // tokens read a second and GPU; 0 means that it costs nothing
	Decode     float64 `toml:"decode"`      // tokens written a second and GPU; 0 means that it costs nothing
	PerRequest float64 `toml:"gpu_seconds"` // of a request, beside its tokens
	Target     float64 `toml:"target"`      // highest planned share of time that a GPU is busy; 0 means 0.7
	Replica    int     `toml:"replica"`     // GPUs come in so many at once; 0 means 1
}

// SampledFor is how long a sample of a trace of rates holds.
func (t *Traffic) SampledFor() sim.Time {
	return sim.Time(cmp.Or(t.Every, 60) * float64(time.Second))
}

// LoadTraffic fills the demand of the services that have traffic with what
// read makes of it, in steps of the scenario. It comes before Validate and
// Generate.
func (s *Scenario) LoadTraffic(read func(*Traffic, sim.Time) (sim.Curve, error)) error {
	for i := range s.Services {
		v := &s.Services[i]
		if v.Traffic == nil {
			continue
		}
		if err := s.loadTraffic(v, read); err != nil {
			return fmt.Errorf("service %d (%s): traffic: %w", i+1, v.Name, err)
		}
	}
	return nil
}

func (s *Scenario) loadTraffic(v *Service, read func(*Traffic, sim.Time) (sim.Curve, error)) error {
	t, step := v.Traffic, s.Step()
	err := firstOutside(
		bound{"scale", t.Scale, 0, maxNumber}, bound{"skip_hours", t.Skip, 0, maxHours}, bound{"sampled_seconds", t.Every, 0, 86400},
		bound{"prefill", t.Prefill, 0, maxNumber}, bound{"decode", t.Decode, 0, maxNumber}, bound{"gpu_seconds", t.PerRequest, 0, maxNumber},
		bound{"target", t.Target, 0, 1}, bound{"replica", float64(t.Replica), 0, maxGPUs})
	switch {
	case err != nil:
		return err
	case t.File == "":
		return errors.New("file is missing; a trace of requests is needed")
	case v.Demand != nil || v.Base != 0 || v.Peak != 0:
		return errors.New("demand, base and peak exclude it: the demand comes from one or the other")
	case step <= 0:
		return fmt.Errorf("step_minutes = %g is too short", s.StepMinutes)
	}
	c, err := read(t, step)
	if err != nil {
		return err
	}
	levels := c.Levels[min(len(c.Levels), int(math.Round(t.Skip*float64(time.Hour)/float64(step)))):]
	if len(levels) == 0 {
		return fmt.Errorf("%s has no full step of %v after skip_hours = %g; a shorter step_minutes is needed", t.File, step, t.Skip)
	}
	steps := s.demandHours() / step.Hours()
	if !(steps <= maxSteps) {
		return fmt.Errorf("step_minutes = %g makes %.3g levels of demand; at most %d are accepted", s.StepMinutes, steps, maxSteps)
	}
	v.Demand = make([]int, 0, len(levels))
	for n := int(math.Ceil(steps)); len(v.Demand) < n; {
		v.Demand = append(v.Demand, levels[:min(len(levels), n-len(v.Demand))]...)
		if !t.Repeat {
			break
		}
	}
	return nil
}
