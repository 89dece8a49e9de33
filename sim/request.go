package sim

import (
	"fmt"
	"math"

	"berth/sim/hardware"
)

// What jobs ask of nodes beside whole GPUs: shares, CPUs, memory, models.

// part is what a job takes of one node.
type part struct{ node, gpus, cpu, memory int }

// onCPUs reports whether a job may do without GPUs.
func (j *Job) onCPUs() bool {
	return j.MinGPUs == 0 && (j.Request.CPUMilli > 0 || j.Request.MemoryMiB > 0)
}

// isPlain reports whether a job's request changes nothing on this machine.
func (e *engine) isPlain(j *Job) bool {
	q := &j.Request
	if *q == (hardware.Request{}) {
		return true
	}
	if q.Share() != hardware.Whole || j.MinGPUs == 0 {
		return false
	}
	for _, p := range e.w.Topology.Pools() {
		if q.CPUMilli != 0 && p.CPUMilli > 0 || q.MemoryMiB != 0 && p.MemoryMiB > 0 || !q.Models.Accepts(p.SKU.Name) {
			return false
		}
	}
	return true
}

// impossibleRequest says why no node can ever give what a job asks beside
// GPUs, or nothing.
func (e *engine) impossibleRequest(j *Job) string {
	q := &j.Request
	switch {
	case q.GPUMilli < 0 || q.GPUMilli > hardware.Whole || min(q.CPUMilli, q.MemoryMiB) < 0 || max(q.CPUMilli, q.MemoryMiB) > math.MaxInt32:
		return "its request is outside what can be asked"
	case q.Share() < hardware.Whole && j.MaxGPUs != 1:
		return "it asks for shares of no or several GPUs"
	case e.isPlain(j):
		return ""
	}
	if e.empty == nil {
		e.empty = hardware.NewCluster(e.w.Topology)
	}
	if _, _, ok := e.firstFit(e.empty, j, e.smallest(j)); !ok {
		return "no node has the CPUs, memory or GPU model that it asks for"
	}
	return ""
}

// countGPUs brings the counts up to what the cluster holds.
func (e *engine) countGPUs() {
	e.counts.Free = e.cluster.Free()
	e.counts.Shares, e.counts.Remnants = e.cluster.InShares()
}

// occupy takes what a job that starts on its GPUs asks for.
func (e *engine) occupy(j *ActiveJob) {
	if s := j.Request.Share(); s < hardware.Whole {
		e.must(e.cluster.TakeShare(jobHolder(j), j.GPUs[0].First, s))
	} else {
		for _, g := range j.GPUs {
			e.mustTake(jobHolder(j), g)
		}
		e.counts.Batch += j.Held()
	}
	if j.plain {
		return
	}
	for _, p := range e.split(&j.Request, j.GPUs, j.Node) {
		e.must(e.cluster.TakeRoom(p.node, p.cpu, p.memory))
	}
}

// vacate gives back what occupy took.
func (e *engine) vacate(j *ActiveJob) {
	e.giveBack(e.cluster, j)
	if j.Request.Share() == hardware.Whole {
		e.counts.Batch -= j.Held()
	}
}

// giveBack frees what a job holds, on the cluster or on a copy of it.
func (e *engine) giveBack(c *hardware.Cluster, j *ActiveJob) {
	if s := j.Request.Share(); s < hardware.Whole {
		e.must(c.ReleaseShare(jobHolder(j), j.GPUs[0].First, s))
	} else {
		for _, g := range j.GPUs {
			e.must(c.Release(jobHolder(j), g))
		}
	}
	if j.plain {
		return
	}
	for _, p := range e.split(&j.Request, j.GPUs, j.Node) {
		e.must(c.ReleaseRoom(p.node, p.cpu, p.memory))
	}
}

// split is what a job on some GPUs takes of each node: its CPUs and memory in
// proportion to its GPUs there, rounded so that they add up. Without GPUs, it
// takes all of one node.
func (e *engine) split(q *hardware.Request, gpus []hardware.Range, node int) []part {
	e.parts = e.parts[:0]
	if len(gpus) == 0 {
		e.parts = append(e.parts, part{node, 0, q.CPUMilli, q.MemoryMiB})
		return e.parts
	}
	n, before := hardware.Size(gpus), 0
	share := func(total, upTo int) int { return int(int64(total) * int64(upTo) / int64(n)) }
	for _, r := range gpus {
		for g := r.First; g < r.End(); {
			node := e.w.Topology.Node(g)
			k := min(r.End(), e.w.Topology.Nodes()[node].End()) - g
			if last := len(e.parts) - 1; last < 0 || e.parts[last].node != node {
				e.parts = append(e.parts, part{node: node})
			}
			p := &e.parts[len(e.parts)-1]
			p.gpus += k
			p.cpu += share(q.CPUMilli, before+k) - share(q.CPUMilli, before)
			p.memory += share(q.MemoryMiB, before+k) - share(q.MemoryMiB, before)
			before += k
			g += k
		}
	}
	return e.parts
}

// illegalRequest names the rule about requests that a start on GPUs of the
// machine would break, or nothing.
func (e *engine) illegalRequest(j *ActiveJob, gpus []hardware.Range) (rule, detail string) {
	for _, g := range gpus {
		if g.First < 0 || g.End() > e.cluster.GPUs() {
			return "capacity", fmt.Sprintf("GPUs %s do not all exist", hardware.FormatRanges(gpus))
		}
	}
	if s := j.Request.Share(); s < hardware.Whole && e.cluster.Left(gpus[0].First) < s {
		return "capacity", fmt.Sprintf("%d thousandths of GPU %d are left, it asks for %d", e.cluster.Left(gpus[0].First), gpus[0].First, s)
	}
	if j.Node < 0 || j.Node >= len(e.w.Topology.Nodes()) {
		return "capacity", fmt.Sprintf("there is no node %d", j.Node)
	}
	for _, p := range e.split(&j.Request, gpus, j.Node) {
		e.cluster.Look(p.node, &e.node)
		switch {
		case p.cpu > e.node.CPUMilli:
			return "CPU", fmt.Sprintf("node %d has %d thousandths of a CPU left, it asks for %d", p.node, e.node.CPUMilli, p.cpu)
		case p.memory > e.node.MemoryMiB:
			return "memory", fmt.Sprintf("node %d has %d MiB left, it asks for %d", p.node, e.node.MemoryMiB, p.memory)
		case p.gpus > 0 && !j.Request.Models.Accepts(e.node.Pool.SKU.Name):
			return "model", fmt.Sprintf("node %d has %s, it accepts %s", p.node, e.node.Pool.SKU.Name, j.Request.Models)
		}
	}
	return "", ""
}

// StartOn starts a waiting job that needs no GPUs on a node, where it holds its
// CPUs and memory until it ends. It reports whether the decision was legal.
func (r *Round) StartOn(j *ActiveJob, node int) bool {
	if j.State == Waiting {
		j.Node = node
	}
	return r.Start(j)
}

// FitsNode reports whether some node, when empty, could hold the whole job on
// so many GPUs.
func (r *Round) FitsNode(j *ActiveJob, gpus int) bool { return r.e.oneNode(&j.Job, gpus) }
