package experiment

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"berth/sim"
	"berth/sim/hardware"
)

// Packing is an experiment on placement: jobs arrive one after another and stay
// for good, until they have asked for Load times the GPUs of the cluster.
type Packing struct {
	Topology *hardware.Topology
	Jobs     []sim.Job // their sizes and requests count, their times do not
	Load     float64
	Seed     uint64 // of the order of jobs, and of those that are added or left out

	NewPolicy func() (sim.Policy, error)
	// Fragmentation makes a measure of a cluster in thousandths of GPUs.
	Fragmentation func() func(sim.Machine) float64
}

// PackingCurve is what became of the cluster while jobs arrived. Index x stands
// for the time when they had asked for x percent of its GPUs; values are in
// percent of its GPUs.
type PackingCurve struct {
	Allocation    []float64
	Fragmentation []float64
	Placed        int // jobs
	Refused       int
}

// Run makes the experiment.
func (x *Packing) Run(ctx context.Context) (*PackingCurve, error) {
	policy, err := x.NewPolicy()
	if err != nil {
		return nil, err
	}
	capacity := hardware.Whole * x.Topology.GPUs()
	jobs := Inflate(x.Jobs, int(x.Load*float64(capacity)), sim.Stream(x.Seed, "inflation"))
	if len(jobs) == 0 {
		return nil, errors.New("experiment: no job fits the load")
	}
	p := &packingProbe{Policy: policy, capacity: capacity, last: sim.Time(len(jobs)-1) * time.Second, fragmentation: x.Fragmentation()}
	w := &sim.Workload{
		Topology: x.Topology, Alignment: hardware.Scattered, Jobs: &arrivals{jobs: jobs},
		Horizon: sim.Time(len(jobs)) * time.Second,
	}
	err = sim.Run(ctx, w, p, packingCount{curve: &p.curve})
	return &p.curve, err
}

// Inflate puts jobs in a random order, then adds copies of them, drawn with
// replacement, as long as all ask for no more than so many thousandths of GPUs;
// jobs that ask for more to begin with lose the last ones.
func Inflate(jobs []sim.Job, milli int, random *rand.Rand) []sim.Job {
	if len(jobs) == 0 {
		return nil
	}
	out := make([]sim.Job, len(jobs))
	total := 0
	for i, k := range random.Perm(len(jobs)) {
		out[i] = jobs[k]
		total += asked(&out[i])
	}
	for total > milli {
		total -= asked(&out[len(out)-1])
		out = out[:len(out)-1]
	}
	if total == 0 { // nothing asks for GPUs, or nothing is left
		return out
	}
	for {
		j := jobs[random.IntN(len(jobs))]
		if total += asked(&j); total > milli {
			return out
		}
		out = append(out, j)
	}
}

// asked is the thousandths of GPUs that a job asks for.
func asked(j *sim.Job) int { return j.MinGPUs * j.Request.Share() }

// arrivals is a source of jobs a second apart that never end.
type arrivals struct {
	jobs []sim.Job
	next int
}

// Next implements sim.Source.
func (s *arrivals) Next(j *sim.Job) (bool, error) {
	if s.next == len(s.jobs) {
		return false, nil
	}
	*j = s.jobs[s.next]
	j.ID, j.Submit, j.Earliest, j.Priority = int64(s.next+1), sim.Time(s.next)*time.Second, 0, 1
	j.Duration = sim.Time(len(s.jobs)) * time.Second
	j.Estimate = j.Duration
	s.next++
	return true, nil
}

// packingProbe is a policy that notes what became of the cluster.
type packingProbe struct {
	sim.Policy
	capacity      int // thousandths of GPUs
	last          sim.Time
	fragmentation func(sim.Machine) float64
	arrived       int // thousandths of GPUs asked for
	curve         PackingCurve
}

// Decide implements sim.Policy.
func (p *packingProbe) Decide(r *sim.Round) error {
	before := p.percent()
	for _, j := range r.Arrivals() {
		p.arrived += asked(&j.Job)
	}
	if before < p.percent() {
		p.note(r.Cluster(), before)
	}
	err := p.Policy.Decide(r)
	if r.Now() == p.last {
		p.note(r.Cluster(), p.percent())
	}
	return err
}

// percent is the first whole percentage that what has arrived does not exceed.
func (p *packingProbe) percent() int { return (100*p.arrived + p.capacity - 1) / p.capacity }

// note fills the curve up to a percentage, where the cluster is as it is now.
func (p *packingProbe) note(c sim.Machine, upTo int) {
	_, left := c.InShares()
	scale := 100 / float64(p.capacity)
	allocation := float64(p.capacity-hardware.Whole*c.Free()-left) * scale
	fragmentation := p.fragmentation(c) * scale
	for x := len(p.curve.Allocation); x <= upTo; x++ {
		if x == upTo || x == 0 {
			p.curve.Allocation, p.curve.Fragmentation = append(p.curve.Allocation, allocation), append(p.curve.Fragmentation, fragmentation)
			continue
		}
		p.curve.Allocation = append(p.curve.Allocation, p.curve.Allocation[x-1])
		p.curve.Fragmentation = append(p.curve.Fragmentation, p.curve.Fragmentation[x-1])
	}
}

// packingCount counts what became of the jobs.
type packingCount struct {
	sim.IgnoreAll
	curve *PackingCurve
}

func (c packingCount) JobStarted(sim.Time, *sim.ActiveJob) { c.curve.Placed++ }

func (c packingCount) JobEnded(_ sim.Time, j *sim.ActiveJob) {
	if j.State == sim.Rejected {
		c.curve.Refused++
	}
}
