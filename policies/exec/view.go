package exec

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"berth/sim"
	"berth/sim/hardware"
)

// view keeps what the program knows, and makes the messages that keep it so.
type view struct {
	round    int
	jobs     map[int64]*sim.ActiveJob // in the system, by ID
	services []holding                // as last told
	m        instant                  // its lists are used again
	free     ranges
	buffer   bytes.Buffer
}

// hello is the first message.
func (p *Policy) hello(r *sim.Round) ([]byte, error) {
	p.view.jobs = map[int64]*sim.ActiveJob{}
	t := r.Cluster().Topology()
	h := hello{
		Type: "hello", Protocol: Protocol, Features: features, Seed: p.c.Seed, Gamma: p.c.Gamma, Lambda: p.c.Lambda,
		GPUs: t.GPUs(), Alignment: r.Alignment(), Step: int64(r.Step()), Closed: r.Closed(),
	}
	if r.Horizon() != sim.Forever {
		h.Horizon = int64(r.Horizon())
	}
	for n, gpus := range t.Nodes() {
		pool := t.PoolOf(n)
		h.Nodes = append(h.Nodes, node{ranges{gpus}, pool.SKU.Name, pool.CPUMilli, pool.MemoryMiB})
	}
	for _, gpus := range t.Domains() {
		h.Domains = append(h.Domains, ranges{gpus})
	}
	for _, s := range r.Services() {
		h.Services = append(h.Services, service{
			Name: s.Name, Tenant: s.Tenant, Priority: s.Priority, Min: s.Min, Max: s.Max, SwapCap: s.SwapCap,
			Step: int64(s.Demand.Step), Demand: s.Demand.Levels,
		})
	}
	return json.Marshal(&h)
}

// instant is the message of a round, valid until the next one is made.
func (v *view) instant(r *sim.Round, withFree bool) ([]byte, error) {
	v.round++
	m := &v.m
	m.Type, m.Round, m.Now, m.Free = "instant", v.round, int64(r.Now()), r.Cluster().Free()
	for _, j := range r.Ended() {
		if v.jobs[j.ID] == j { // others were never shown
			delete(v.jobs, j.ID)
			m.Ended = append(m.Ended, ended{j.ID, j.State.String(), j.GPUs})
		}
	}
	for _, j := range r.Arrivals() {
		if j.State.Final() {
			continue
		}
		if v.jobs[j.ID] != nil {
			return nil, fmt.Errorf("two jobs with the ID %d; a program tells jobs apart by their IDs", j.ID)
		}
		v.jobs[j.ID] = j
		m.Arrived = append(m.Arrived, describe(&j.Job))
	}
	for _, j := range r.Eligible() {
		m.Eligible = append(m.Eligible, j.ID)
	}
	v.moved(r)
	if withFree {
		v.free, _ = r.Cluster().AppendFree(v.free[:0], m.Free)
		m.FreeGPUs = &v.free
	}
	v.buffer.Reset()
	err := json.MarshalWrite(&v.buffer, m)
	m.Started, m.Preempted, m.Ended = m.Started[:0], m.Preempted[:0], m.Ended[:0]
	m.Arrived, m.Eligible, m.Services = m.Arrived[:0], m.Eligible[:0], m.Services[:0]
	return v.buffer.Bytes(), err
}

// moved lists the services of which anything has changed.
func (v *view) moved(r *sim.Round) {
	for i, s := range r.Services() {
		gain, lose := r.Allowance(s)
		now := holding{s.Name, s.Wanted, s.GPUs, gain, lose}
		if i == len(v.services) {
			v.services = append(v.services, holding{Gain: -1})
		}
		was := &v.services[i]
		if now.Wanted != was.Wanted || gain != was.Gain || lose != was.Lose || !slices.Equal([]hardware.Range(was.GPUs), s.GPUs) {
			*was = now
			v.m.Services = append(v.m.Services, now)
		}
	}
}

// describe is what a program is told of a job: all but its true duration.
func describe(j *sim.Job) job {
	d := job{
		ID: j.ID, Name: j.Name, Kind: j.Kind, Tenant: j.Tenant, Priority: j.Priority,
		Eligible: int64(j.Eligible()), MinGPUs: j.MinGPUs, MaxGPUs: j.MaxGPUs, Estimate: int64(j.Estimate), Across: j.Across,
		GPUMilli: j.Request.GPUMilli, CPUMilli: j.Request.CPUMilli, MemoryMiB: j.Request.MemoryMiB, Models: j.Request.Models,
	}
	if !j.Rigid() {
		d.Parallel = j.Parallel
	}
	return d
}

// began notes a start for the next message.
func (v *view) began(j *sim.ActiveJob) {
	s := started{Job: j.ID, GPUs: j.GPUs}
	if len(j.GPUs) == 0 {
		s.Node = &j.Node
	}
	v.m.Started = append(v.m.Started, s)
}
