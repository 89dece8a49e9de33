package metrics

import (
	"slices"

	"berth/sim"
	"berth/sim/hardware"
)

// JobSpan is one stay of a job on the cluster: the only one, unless it was
// preempted.
type JobSpan struct {
	Label      string
	Kind       sim.Kind
	Priority   float64
	GPUs       []hardware.Range
	Submitted  sim.Time
	Start, End sim.Time
}

// ServiceSpan is an interval in which a service's GPUs and demand stood still.
type ServiceSpan struct {
	Service    string
	GPUs       []hardware.Range // ascending; when there are more than Wanted, the last are idle
	Wanted     int
	Start, End sim.Time
}

// Spans is a sim.Observer that keeps who held what, when, for the allocation
// grid. It keeps at most Limit spans and then no more.
type Spans struct {
	sim.IgnoreAll
	Limit     int // of spans; 0 means 4,000, more than a grid can show
	Truncated bool
	Jobs      []JobSpan
	Services  []ServiceSpan

	open map[string]int // service → index of its last span
}

func (s *Spans) full() bool {
	limit := s.Limit
	if limit == 0 {
		limit = 4_000
	}
	if len(s.Jobs)+len(s.Services) >= limit {
		s.Truncated = true
	}
	return s.Truncated
}

// JobEnded implements sim.Observer.
func (s *Spans) JobEnded(now sim.Time, j *sim.ActiveJob) {
	if len(j.GPUs) == 0 || s.full() {
		return
	}
	s.Jobs = append(s.Jobs, JobSpan{j.Label(), j.Kind, j.Priority, slices.Clone(j.GPUs), j.Submit, j.Resumed, now})
}

// JobPreempted implements sim.Observer.
func (s *Spans) JobPreempted(now sim.Time, j *sim.ActiveJob) { s.JobEnded(now, j) }

// ServiceChanged implements sim.Observer.
func (s *Spans) ServiceChanged(now sim.Time, a *sim.ActiveService, _, _ []hardware.Range) {
	s.turn(now, a)
}

// DemandChanged implements sim.Observer.
func (s *Spans) DemandChanged(now sim.Time, a *sim.ActiveService) { s.turn(now, a) }

// turn ends the service's last span and begins the next.
func (s *Spans) turn(now sim.Time, a *sim.ActiveService) {
	if s.full() {
		return
	}
	if s.open == nil {
		s.open = map[string]int{}
	}
	span := ServiceSpan{a.Name, slices.Clone(a.GPUs), a.Wanted, now, now}
	if i, ok := s.open[a.Name]; ok {
		if s.Services[i].Start == now {
			s.Services[i] = span
			return
		}
		s.Services[i].End = now
	}
	s.open[a.Name] = len(s.Services)
	s.Services = append(s.Services, span)
}

// RunEnded implements sim.Observer.
func (s *Spans) RunEnded(now sim.Time) error {
	for _, i := range s.open {
		s.Services[i].End = now
	}
	return nil
}
