package sim

import "berth/sim/hardware"

// startFirstFit is StartFirst for a job whose request matters.
func (e *engine) startFirstFit(j *ActiveJob) bool {
	n := 0
	if j.MaxGPUs > 0 {
		if n = e.sizeNow(&j.Job); n == 0 {
			return false
		}
	} else if e.w.Closed && e.now+j.Estimate > e.horizon {
		return false
	}
	gpus, node, ok := e.firstFit(e.cluster, &j.Job, n)
	if !ok {
		return false
	}
	if n == 0 {
		j.Node = node
	}
	return e.round.Start(j, gpus...)
}

// lowest puts in scratch the lowest-numbered free GPUs of a cluster that suit
// the alignment, and reports whether there are any.
func (e *engine) lowest(c *hardware.Cluster, j *Job, n int) bool {
	e.scratch = e.scratch[:0]
	switch {
	case n > c.Free():
		return false
	case e.w.Alignment == hardware.Scattered:
		e.scratch, _ = c.AppendFree(e.scratch, n)
		return true
	}
	first, ok := c.FindBlock(n, e.w.Alignment, j.Across)
	e.scratch = append(e.scratch, hardware.Range{First: first, N: n})
	return ok
}

// firstFit is the first place on a cluster for a job on n GPUs and what it
// asks beside them: GPUs, or a node for a job that needs none. A job that some
// node could hold whole gets one node; a larger one is spread over the first
// nodes with room, or put on the first block.
func (e *engine) firstFit(c *hardware.Cluster, j *Job, n int) (gpus []hardware.Range, node int, ok bool) {
	e.scratch = e.scratch[:0]
	if n > 1 && e.w.Alignment != hardware.Scattered {
		return e.scratch, 0, e.firstBlock(c, j, n)
	}
	if !e.oneNode(j, n) {
		return e.scratch, 0, e.spread(c, j, n)
	}
	for i := range e.w.Topology.Nodes() {
		c.Look(i, &e.node)
		if !e.node.Fits(n, &j.Request) {
			continue
		}
		if s := j.Request.Share(); s < hardware.Whole {
			for g, left := range e.node.Left {
				if left >= s {
					e.scratch = append(e.scratch, hardware.Range{First: e.node.GPUs.First + g, N: 1})
					return e.scratch, i, true
				}
			}
		}
		e.scratch = e.node.AppendFree(e.scratch, n)
		return e.scratch, i, true
	}
	return nil, 0, false
}

// oneNode reports whether some node, when empty, could hold the whole job.
func (e *engine) oneNode(j *Job, n int) bool {
	q, t := &j.Request, e.w.Topology
	for i, r := range t.Nodes() {
		p := t.PoolOf(i)
		if n <= r.N && (p.CPUMilli == 0 || q.CPUMilli <= p.CPUMilli) && (p.MemoryMiB == 0 || q.MemoryMiB <= p.MemoryMiB) &&
			(n == 0 || q.Models.Accepts(p.SKU.Name)) && (n < 2 || e.w.Alignment != hardware.Buddy || (r.First+n-1)/n*n+n <= r.End()) {
			return true
		}
	}
	return false
}

// spread puts n GPUs in scratch, from the first nodes that have some with
// their part of CPUs and memory.
func (e *engine) spread(c *hardware.Cluster, j *Job, n int) bool {
	q := &j.Request
	if n == 0 || q.Share() < hardware.Whole {
		return false
	}
	need := func(total, k int) int { return int((int64(total)*int64(k) + int64(n) - 1) / int64(n)) }
	missing := n
	for i := range e.w.Topology.Nodes() {
		c.Look(i, &e.node)
		if e.node.Free == 0 || !q.Models.Accepts(e.node.Pool.SKU.Name) {
			continue
		}
		k := min(e.node.Free, missing)
		for k > 0 && (need(q.CPUMilli, k) > e.node.CPUMilli || need(q.MemoryMiB, k) > e.node.MemoryMiB) {
			k--
		}
		e.scratch = e.node.AppendFree(e.scratch, k)
		if missing -= k; missing == 0 {
			return true
		}
	}
	return false
}

// firstBlock puts in scratch the first block of n GPUs whose nodes have what
// the job asks for.
func (e *engine) firstBlock(c *hardware.Cluster, j *Job, n int) bool {
	for from := 0; ; {
		first, ok := c.FindBlockFrom(from, n, e.w.Alignment, j.Across)
		if !ok {
			return false
		}
		e.scratch = append(e.scratch[:0], hardware.Range{First: first, N: n})
		if e.roomFor(c, j, e.scratch) {
			return true
		}
		from = first + 1
	}
}

// roomFor reports whether the nodes of some GPUs have what the job asks for
// beside these.
func (e *engine) roomFor(c *hardware.Cluster, j *Job, gpus []hardware.Range) bool {
	for _, p := range e.split(&j.Request, gpus, 0) {
		c.Look(p.node, &e.node)
		if p.cpu > e.node.CPUMilli || p.memory > e.node.MemoryMiB || !j.Request.Models.Accepts(e.node.Pool.SKU.Name) {
			return false
		}
	}
	return true
}
