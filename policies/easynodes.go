package policies

import (
	"slices"

	"berth/policies/placement"
	"berth/sim"
	"berth/sim/hardware"
)

// backfillNodes is for jobs that ask their nodes for CPUs, memory, models or
// shares: the head is promised nodes, and a job may start at once if it ends
// before the head's promised start, or on other nodes.
func (p *easy) backfillNodes(r *sim.Round, head *sim.ActiveJob, others []*sim.ActiveJob) {
	shadow, promised := p.promiseNodes(r, head)
	masked := func(n int) bool { return slices.Contains(promised, n) }
	clear(p.tried)
	alike := r.Alignment() == hardware.Scattered && !r.Closed() && len(p.services.claims) == 0
	for _, j := range others {
		early := r.Now()+j.EstimateOn(j.MinGPUs) <= shadow
		s := placement.Shape{GPUs: j.MinGPUs, Request: j.Request}
		if last, tried := p.tried[s]; tried && alike && j.Rigid() && (last || !early) {
			continue // a job that asks the same found no place in this round
		}
		placed := false
		if early {
			placed = p.services.start(r, j)
		} else {
			placed = p.services.startOffNodes(r, j, masked)
		}
		if !placed {
			p.tried[s] = early
		}
	}
}

// promiseNodes is when the head can start by the estimates, and on which nodes.
// A head that cannot end by a closed horizon is promised nothing.
func (p *easy) promiseNodes(r *sim.Round, head *sim.ActiveJob) (shadow sim.Time, nodes []int) {
	p.sortRunning(r)
	p.trial.Open(r)
	t := r.Cluster().Topology()
	oneNode := (p.services.place != nil || !head.Plain()) && r.FitsNode(head, head.MinGPUs)
	p.freed = p.freed[:0]
	for i, j := range p.running {
		p.trial.End(j)
		p.freed = appendNodes(p.freed, t, j)
		shadow = max(j.EstimatedEnd(), r.Now()+1)
		if i+1 < len(p.running) && p.running[i+1].EstimatedEnd() <= shadow {
			continue
		}
		n := sizeAt(r, head, shadow)
		if n == 0 && head.MaxGPUs > 0 {
			break
		}
		if oneNode && len(p.services.claims) == 0 && !slices.ContainsFunc(p.freed, func(node int) bool { return p.trial.FitsOn(node, head, n) }) {
			p.freed = p.freed[:0]
			continue
		}
		p.freed = p.freed[:0]
		if gpus, node, ok := p.trial.Place(head, n, p.services.place != nil); ok {
			promised := sim.ActiveJob{GPUs: gpus, Node: node}
			return shadow, appendNodes(nil, t, &promised)
		}
	}
	return sim.Forever, nil
}

// appendNodes appends the nodes that a job holds something of.
func appendNodes(dst []int, t *hardware.Topology, j *sim.ActiveJob) []int {
	if len(j.GPUs) == 0 {
		return append(dst, j.Node)
	}
	for _, g := range j.GPUs {
		for n := t.Node(g.First); n <= t.Node(g.End()-1); n++ {
			dst = append(dst, n)
		}
	}
	return dst
}
