package metrics

import (
	"math"

	"berth/sim"
	"berth/sim/hardware"
)

// Objective is what the weighted measures need to know.
type Objective struct {
	Gamma  float64  // decay per hour
	Lambda float64  // penalty of a missing real-time GPU-hour
	Step   sim.Time // Δ: the decay is constant inside a step
}

// Collector is a sim.Observer that measures a run, in bounded memory.
type Collector struct {
	sim.IgnoreAll
	objective Objective
	capacity  int

	last     sim.Time
	counts   sim.Counts
	services []serviceMeter

	batch, served, reservedIdle, idle, available GPUTime
	shares, remnants                             GPUTime // of thousandths of GPUs

	value, decayed float64
	swaps          int
	jobs           JobCounts
	preemptions    int
	Delays         Delays // their limits may be set before the run
	firstSubmit    sim.Time
	lastFinish     sim.Time
}

// serviceMeter follows one service.
type serviceMeter struct {
	name         string
	priority     float64
	held, wanted int
	since        sim.Time
	missing      GPUTime
	short, all   sim.Time // time with any shortfall, time in all
}

func (m *serviceMeter) advance(now sim.Time) {
	d := now - m.since
	if short := m.wanted - m.held; short > 0 {
		m.missing.Add(short, d)
		m.short += d
	}
	m.all += d
	m.since = now
}

// NewCollector measures a run on a cluster of so many GPUs.
func NewCollector(gpus int, o Objective) *Collector {
	return &Collector{objective: o, capacity: gpus, firstSubmit: -1, counts: sim.Counts{Free: gpus}}
}

// JobSubmitted implements sim.Observer.
func (c *Collector) JobSubmitted(now sim.Time, _ *sim.ActiveJob) {
	if c.firstSubmit < 0 {
		c.firstSubmit = now
	}
	c.jobs.Submitted++
}

// JobEnded implements sim.Observer.
func (c *Collector) JobEnded(now sim.Time, j *sim.ActiveJob) {
	c.Delays.JobEnded(now, j)
	switch j.State {
	case sim.Completed:
		c.jobs.Completed++
		c.lastFinish = max(c.lastFinish, j.Ended)
	case sim.Unfinished:
		c.jobs.Unfinished++
		c.lastFinish = max(c.lastFinish, j.Ended)
	case sim.Unscheduled:
		c.jobs.Unscheduled++
		return
	default:
		c.jobs.Rejected++
		return
	}
	if j.Preempted > 0 {
		c.jobs.Preempted++
	}
	c.gain(j, j.Ended)
}

// JobPreempted implements sim.Observer.
func (c *Collector) JobPreempted(now sim.Time, j *sim.ActiveJob) {
	c.preemptions++
	c.gain(j, now)
}

// gain adds the value of what a job did since it last started.
func (c *Collector) gain(j *sim.ActiveJob, until sim.Time) {
	if j.Held() == 0 {
		return
	}
	weight := j.Priority * j.HeldGPUs()
	c.value += weight * (until - j.Resumed).Hours()
	c.decayed += weight * (c.objective.weightUntil(until) - c.objective.weightUntil(j.Resumed))
}

// weightUntil is ∫ w from 0 to t in hours, where w(t) = γ^(Δ·⌊t/Δ⌋).
func (o *Objective) weightUntil(t sim.Time) float64 {
	step := o.Step.Hours()
	k, rest := t/o.Step, (t % o.Step).Hours()
	perStep := math.Pow(o.Gamma, step)
	at := math.Pow(perStep, float64(k))
	if perStep == 1 {
		return step*float64(k) + rest
	}
	return step*(1-at)/(1-perStep) + at*rest
}

func (c *Collector) meter(s *sim.ActiveService) *serviceMeter {
	for i := range c.services {
		if c.services[i].name == s.Name {
			return &c.services[i]
		}
	}
	c.services = append(c.services, serviceMeter{name: s.Name, priority: s.Priority})
	return &c.services[len(c.services)-1]
}

// ServiceChanged implements sim.Observer.
func (c *Collector) ServiceChanged(now sim.Time, s *sim.ActiveService, gained, lost []hardware.Range) {
	m := c.meter(s)
	m.advance(now)
	m.held = s.Held
	if now >= c.objective.Step {
		c.swaps += hardware.Size(gained) + hardware.Size(lost)
	}
}

// DemandChanged implements sim.Observer.
func (c *Collector) DemandChanged(now sim.Time, s *sim.ActiveService) {
	m := c.meter(s)
	m.advance(now)
	m.wanted = s.Wanted
}

// RoundEnded implements sim.Observer.
func (c *Collector) RoundEnded(now sim.Time, counts *sim.Counts) error {
	c.advance(now)
	c.counts = *counts
	return nil
}

func (c *Collector) advance(now sim.Time) {
	d := now - c.last
	c.batch.Add(c.counts.Batch, d)
	c.served.Add(c.counts.Served, d)
	c.reservedIdle.Add(c.counts.Realtime-c.counts.Served, d)
	c.idle.Add(c.counts.Free, d)
	c.available.Add(c.capacity, d)
	c.shares.Add(c.counts.Shares, d)
	c.remnants.Add(c.counts.Remnants, d)
	c.last = now
}

// RunEnded implements sim.Observer.
func (c *Collector) RunEnded(now sim.Time) error {
	c.advance(now)
	for i := range c.services {
		c.services[i].advance(now)
	}
	return nil
}

// Conserved reports whether the GPU-time of jobs, services and idle GPUs adds
// up to the capacity, to the nanosecond.
func (c *Collector) Conserved() bool {
	whole := c.batch.Plus(c.served).Plus(c.reservedIdle).Plus(c.idle)
	return whole.times(hardware.Whole).Plus(c.shares).Plus(c.remnants) == c.available.times(hardware.Whole)
}

// Report is what was measured, after the run has ended. Scenario, Policy, Seed
// and, for one planning horizon, DecayedValue and Objective are for the caller
// to fill in: see Weighted.
func (c *Collector) Report() *Report {
	r := &Report{
		GPUs: c.capacity, HorizonHours: c.last.Hours(),
		Value: c.value, Swaps: c.swaps, Jobs: c.jobs, Preemptions: c.preemptions,
		WaitSeconds:       c.Delays.Wait.Describe(),
		BoundedSlowdown:   c.Delays.Slowdown.Describe(),
		TurnaroundSeconds: c.Delays.Turnaround.Describe(),
		GPUHours: GPUHours{
			Batch: c.batch.Hours() + c.shares.Hours()/hardware.Whole, Realtime: c.served.Hours(),
			ReservedIdle: c.reservedIdle.Hours(), Idle: c.idle.Hours() + c.remnants.Hours()/hardware.Whole,
		},
	}
	if c.lastFinish > 0 {
		r.MakespanSeconds = (c.lastFinish - c.firstSubmit).Seconds()
	}
	if all := c.available.Hours(); all > 0 {
		r.Utilization = (r.GPUHours.Batch + r.GPUHours.Realtime) / all
		r.Occupancy = r.Utilization + r.GPUHours.ReservedIdle/all
	}
	var short, all sim.Time
	for _, m := range c.services {
		r.ShortfallGPUHours += m.missing.Hours()
		short += m.short
		all += m.all
	}
	if all > 0 {
		r.ShortfallShare = float64(short) / float64(all)
	}
	return r
}

// Weighted is the decayed value and the objective of the run.
func (c *Collector) Weighted() (decayed, objective float64) {
	penalty := 0.0
	for _, m := range c.services {
		penalty += c.objective.Lambda * m.priority * m.missing.Hours()
	}
	return c.decayed, c.decayed - penalty
}
