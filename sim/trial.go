package sim

import "berth/sim/hardware"

// Trial is a copy of the cluster on which a policy tries what would fit once
// jobs have ended. It can be opened again and again without allocating.
type Trial struct {
	e *engine
	c hardware.Cluster
}

// Open makes the trial a copy of the cluster as it is in a round.
func (t *Trial) Open(r *Round) {
	t.e = r.e
	t.c.CopyFrom(r.e.cluster)
}

// End frees what a running job holds.
func (t *Trial) End(j *ActiveJob) { t.e.giveBack(&t.c, j) }

// Place is where StartFirst would put a job on n GPUs: its GPUs, valid until
// the next call, or a node for a job that needs none. With oneNode, a job that
// some node could hold whole gets one node whatever it asks.
func (t *Trial) Place(j *ActiveJob, n int, oneNode bool) (gpus []hardware.Range, node int, ok bool) {
	if j.plain && !oneNode {
		ok = t.e.lowest(&t.c, &j.Job, n)
		return t.e.scratch, 0, ok
	}
	return t.e.firstFit(&t.c, &j.Job, n)
}

// FitsOn reports whether a node has room for all of a job on n GPUs, wherever
// they lie in it.
func (t *Trial) FitsOn(node int, j *ActiveJob, n int) bool {
	t.c.Look(node, &t.e.node)
	return t.e.node.Fits(n, &j.Request)
}
