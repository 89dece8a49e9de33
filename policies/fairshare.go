package policies

import (
	"slices"

	"berth/sim"
	"berth/sim/hardware"
)

// fairShare is dominant resource fairness between tenants (Ghodsi et al., NSDI
// 2011): the next job is the oldest of the tenant whose dominant share is the
// least, that is, the largest of its shares of the machine's GPUs, CPUs and
// memory. Machines have a capacity of GPUs only so far. A tenant whose oldest job finds no room waits; the others
// go on. Nothing is preempted.
type fairShare struct {
	services *serviceSchedule
	capacity resources
	index    map[string]int
	tenants  []tenant // in the order in which they were first seen
}

// resources are amounts of GPUs, CPUs and memory.
type resources [3]float64

// tenant is what a tenant holds, and its waiting jobs in order of arrival.
type tenant struct {
	held    resources
	waiting []*sim.ActiveJob
	blocked bool
}

func newFairShare(c Config) (sim.Policy, error) {
	return &fairShare{services: newServiceSchedule(c, "peak"), index: map[string]int{}}, nil
}

func (p *fairShare) Name() string { return "fairshare" }

// dominantShare is the largest share of a capacity. What nobody counts, of
// which there is 0, has no share.
func dominantShare(held, capacity resources) float64 {
	share := 0.0
	for i, c := range capacity {
		if c > 0 {
			share = max(share, held[i]/c)
		}
	}
	return share
}

// capacityOf is what a cluster has. Where a node's CPUs or memory are not
// counted, neither are the cluster's.
func capacityOf(t *hardware.Topology) resources {
	total := resources{float64(t.GPUs())}
	counted := [2]bool{true, true}
	for n := range t.Nodes() {
		for i, amount := range [2]int{t.PoolOf(n).CPUMilli, t.PoolOf(n).MemoryMiB} {
			total[1+i] += float64(amount)
			counted[i] = counted[i] && amount > 0
		}
	}
	for i, known := range counted {
		if !known {
			total[1+i] = 0
		}
	}
	return total
}

// demandOf is what a job holds on so many GPUs.
func demandOf(j *sim.ActiveJob, gpus int) resources {
	q := &j.Request
	return resources{float64(gpus*q.Share()) / hardware.Whole, float64(q.CPUMilli), float64(q.MemoryMiB)}
}

// Decide implements sim.Policy.
func (p *fairShare) Decide(r *sim.Round) error {
	p.services.apply(r)
	if p.capacity[0] == 0 {
		p.capacity = capacityOf(r.Cluster().Topology())
	}
	p.update(r)
	for {
		t := p.next()
		if t == nil {
			return nil
		}
		j := t.waiting[0]
		if !p.services.start(r, j) {
			r.Explain(j, noBlock)
			t.blocked = true
			continue
		}
		t.waiting = t.waiting[1:]
		t.add(demandOf(j, j.Held()), 1)
	}
}

// update takes in what became eligible and gives back what ended.
func (p *fairShare) update(r *sim.Round) {
	for _, j := range r.Ended() {
		if j.State == sim.Completed || j.State == sim.Unfinished {
			p.of(j).add(demandOf(j, j.Held()), -1)
		}
	}
	for i := range p.tenants {
		t := &p.tenants[i]
		t.blocked = false
		t.waiting = slices.DeleteFunc(t.waiting, func(j *sim.ActiveJob) bool { return j.State != sim.Waiting })
	}
	for _, j := range r.Eligible() {
		t := p.of(j)
		t.waiting = append(t.waiting, j)
	}
}

func (t *tenant) add(d resources, sign float64) {
	for i := range d {
		t.held[i] += sign * d[i]
	}
}

// of is the tenant of a job.
func (p *fairShare) of(j *sim.ActiveJob) *tenant {
	i, known := p.index[j.Tenant]
	if !known {
		i = len(p.tenants)
		p.index[j.Tenant] = i
		p.tenants = append(p.tenants, tenant{})
	}
	return &p.tenants[i]
}

// next is the tenant to serve, or nil.
func (p *fairShare) next() *tenant {
	var least *tenant
	share := 0.0
	for i := range p.tenants {
		t := &p.tenants[i]
		if t.blocked || len(t.waiting) == 0 {
			continue
		}
		if s := dominantShare(t.held, p.capacity); least == nil || s < share {
			least, share = t, s
		}
	}
	return least
}
