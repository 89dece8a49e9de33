package policies

import (
	"slices"

	"berth/sim"
	"berth/sim/hardware"
)

// preempting is a policy that serves jobs in an order of its own and takes
// GPUs from running jobs for those that come before them in it. A job that
// finds no room even so is passed over, not waited for. Jobs that are equal in
// the order never preempt each other.
type preempting struct {
	name     string
	services *serviceSchedule
	queue    queue // of waiting jobs; its order holds between waiting and running jobs too

	running []*sim.ActiveJob // in order, without those that were started in this round
	behind  int              // GPUs of running[k:]
	k       int              // the first running job that comes after the one looked at

	nodes bool      // some job asked for more than GPUs, or jobs are placed by node: so is room looked for
	trial sim.Trial // of what fits once jobs have lost their places

	started, lost func(*sim.Round, *sim.ActiveJob) // told of decisions, lost before it is taken; may be nil
}

const preempted = "preempted by a job that comes before it"

func (p *preempting) Name() string { return p.name }

// Decide implements sim.Policy.
func (p *preempting) Decide(r *sim.Round) error {
	p.services.apply(r)
	p.serve(r)
	return nil
}

// serve starts waiting jobs in order, each on free GPUs or on those of running
// jobs that come after it.
func (p *preempting) serve(r *sim.Round) {
	p.queue.update(r)
	p.rank(r)
	for i := 0; i < len(p.queue.jobs); i++ { // victims join it behind i
		j := p.queue.jobs[i]
		for ; p.k < len(p.running) && !p.queue.before(j, p.running[p.k]); p.k++ {
			p.behind -= p.running[p.k].Held()
		}
		p.nodes = p.nodes || !j.Plain() || p.services.place != nil
		room := r.Cluster().Free() + p.behind
		if room == 0 && !p.nodes {
			return
		}
		if (j.MinGPUs <= room || p.nodes) && (p.services.start(r, j) || p.k < len(p.running) && p.makeRoom(r, j)) {
			if p.started != nil {
				p.started(r, j)
			}
		} else if j.Reason == "" {
			r.Explain(j, noBlock)
		}
	}
}

// rank puts the running jobs in order.
func (p *preempting) rank(r *sim.Round) {
	p.running = append(p.running[:0], r.Running()...)
	slices.SortStableFunc(p.running, func(a, b *sim.ActiveJob) int {
		switch {
		case p.queue.before(a, b):
			return -1
		case p.queue.before(b, a):
			return 1
		}
		return 0
	})
	p.k, p.behind = 0, 0
	for _, j := range p.running {
		p.behind += j.Held()
	}
}

// makeRoom starts a job on GPUs of running jobs that come after it, the last
// first, and reports whether that was enough.
func (p *preempting) makeRoom(r *sim.Round, j *sim.ActiveJob) bool {
	if p.nodes {
		return p.makeRoomOnNodes(r, j)
	}
	if r.Alignment() == hardware.Scattered && len(p.services.claims) == 0 {
		n := sizeAt(r, j, r.Now())
		need := n - r.Cluster().Free()
		if n == 0 || need > p.behind {
			return false
		}
		from, spare := len(p.running), -need // of running[from:], and GPUs beyond the need
		for spare < 0 {
			from--
			spare += p.running[from].Held()
		}
		at := p.k - 1
		p.evict(r, func(v *sim.ActiveJob) bool {
			if at++; at < from {
				return false
			}
			if n := v.Held(); n <= spare { // not needed with those after it
				spare -= n
				return false
			}
			return true
		})
		return r.StartFirst(j)
	}
	trial := r.Cluster().Clone()
	for i := len(p.running) - 1; i >= p.k; i-- {
		for _, g := range p.running[i].GPUs {
			if err := trial.Release(trial.Holder(g.First), g); err != nil {
				return false
			}
		}
		gpus := p.services.findOn(trial, r, j)
		if gpus == nil {
			continue
		}
		p.evict(r, func(v *sim.ActiveJob) bool { return overlap(v.GPUs, gpus) })
		return r.Start(j, gpus...)
	}
	return false
}

// makeRoomOnNodes is makeRoom where jobs share GPUs and take CPUs and memory:
// on the nodes where a job then fits, all that comes after it and that had to
// be thought away loses its place.
func (p *preempting) makeRoomOnNodes(r *sim.Round, j *sim.ActiveJob) bool {
	n := sizeAt(r, j, r.Now())
	if n == 0 && j.MaxGPUs > 0 {
		return false
	}
	p.trial.Open(r)
	for i := len(p.running) - 1; i >= p.k; i-- {
		p.trial.End(p.running[i])
		gpus, node, ok := p.trial.Place(j, n, p.services.place != nil)
		if !ok {
			continue
		}
		t := r.Cluster().Topology()
		chosen := map[int]bool{node: n == 0}
		for _, g := range gpus {
			for at := t.Node(g.First); at <= t.Node(g.End()-1); at++ {
				chosen[at] = true
			}
		}
		at := p.k - 1
		p.evict(r, func(v *sim.ActiveJob) bool {
			at++
			return at >= i && (v.Held() == 0 && chosen[v.Node] || slices.ContainsFunc(v.GPUs, func(g hardware.Range) bool {
				return chosen[t.Node(g.First)] || chosen[t.Node(g.End()-1)]
			}))
		})
		return p.services.start(r, j)
	}
	return false
}

// evict preempts the running jobs behind k that are chosen.
func (p *preempting) evict(r *sim.Round, chosen func(*sim.ActiveJob) bool) {
	kept := p.running[:p.k]
	for _, v := range p.running[p.k:] {
		if !chosen(v) {
			kept = append(kept, v)
			continue
		}
		p.behind -= v.Held()
		if p.lost != nil {
			p.lost(r, v)
		}
		r.Preempt(v)
		r.Explain(v, preempted)
		p.queue.insert(v)
	}
	p.running = kept
}

func overlap(a, b []hardware.Range) bool {
	return slices.ContainsFunc(a, func(x hardware.Range) bool {
		return slices.ContainsFunc(b, func(y hardware.Range) bool { return x.First < y.End() && y.First < x.End() })
	})
}
