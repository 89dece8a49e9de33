package exec

import (
	"fmt"

	"berth/sim"
	"berth/sim/hardware"
)

// noRoom is why a job waits for which no GPUs were found.
const noRoom = "not enough free GPUs"

// carryOut takes the decisions of an answer in their order. The engine judges
// those that are decisions at all.
func (p *Policy) carryOut(r *sim.Round, a *answer) error {
	for i := range a.Decisions {
		if err := p.decide(r, &a.Decisions[i]); err != nil {
			return fmt.Errorf("decision %d of round %d: %w", i+1, a.Round, err)
		}
	}
	return nil
}

func (p *Policy) decide(r *sim.Round, d *decision) error {
	switch {
	case d.Line != nil:
		return p.line(r, d.Line)
	case d.Grow != nil:
		return p.move(r, *d.Grow, *d.GPUs, (*sim.Round).Grow)
	case d.Shrink != nil:
		return p.move(r, *d.Shrink, *d.GPUs, (*sim.Round).Shrink)
	case d.Wake != nil:
		if *d.Wake <= int64(r.Now()) {
			return fmt.Errorf("wake at %d, which is not after now, %d", *d.Wake, int64(r.Now()))
		}
		r.WakeAt(sim.Time(*d.Wake))
		return nil
	}
	return p.onJob(r, d)
}

// onJob carries out a decision on one job.
func (p *Policy) onJob(r *sim.Round, d *decision) error {
	id := d.Start
	for _, other := range []*int64{d.Preempt, d.Reject, d.Explain} {
		if id == nil {
			id = other
		}
	}
	j, err := p.job(r, *id)
	if err != nil {
		return err
	}
	switch {
	case d.Start != nil:
		p.start(r, j, d)
	case d.Preempt != nil:
		if !p.preempt {
			return needs("preempt", "preempt")
		}
		if r.Preempt(j) {
			p.view.m.Preempted = append(p.view.m.Preempted, preempted{j.ID, int64(j.EstimateOn(j.MinGPUs))})
		}
	case d.Reject != nil:
		r.Reject(j, d.Reason)
		delete(p.view.jobs, j.ID)
	case d.Explain != nil:
		r.Explain(j, d.Reason)
	}
	return nil
}

// start starts a job where the program says, or else where there is room.
func (p *Policy) start(r *sim.Round, j *sim.ActiveJob, d *decision) {
	switch {
	case d.Node != nil:
		if j.MaxGPUs > 0 || *d.Node < 0 || *d.Node >= len(r.Cluster().Topology().Nodes()) {
			r.Start(j) // no GPUs for a job that wants some: the engine says so
			return
		}
		if r.StartOn(j, *d.Node) {
			p.view.began(j)
		}
	case d.GPUs != nil:
		if r.Start(j, *d.GPUs...) {
			p.view.began(j)
		}
	default:
		p.place(r, j)
	}
}

// place starts a job where there is room, and reports whether there was any.
func (p *Policy) place(r *sim.Round, j *sim.ActiveJob) bool {
	if j.State != sim.Waiting {
		return r.Start(j) // illegal, and the engine says why
	}
	if !p.c.Place(r, j) {
		r.Explain(j, noRoom)
		return false
	}
	p.view.began(j)
	return true
}

// line starts jobs in an order; the first that finds no room blocks the rest.
func (p *Policy) line(r *sim.Round, ids []int64) error {
	for _, id := range ids {
		j, err := p.job(r, id)
		if err != nil {
			return err
		}
		if !p.place(r, j) {
			return nil
		}
	}
	return nil
}

// move gives GPUs to a service or takes them.
func (p *Policy) move(r *sim.Round, name string, gpus ranges, change func(*sim.Round, *sim.ActiveService, ...hardware.Range) bool) error {
	if !p.services {
		return needs("grow and shrink", "services")
	}
	for _, s := range r.Services() {
		if s.Name == name {
			change(r, s, gpus...)
			return nil
		}
	}
	return &sim.RuleError{Policy: p.Name(), At: r.Now(), Subject: "service " + name, Rule: "existence", Detail: "there is no such service"}
}

func needs(what, feature string) error {
	return fmt.Errorf("%s needs the feature %q, which the answer to hello did not ask for", what, feature)
}

func (p *Policy) job(r *sim.Round, id int64) (*sim.ActiveJob, error) {
	if j := p.view.jobs[id]; j != nil {
		return j, nil
	}
	return nil, &sim.RuleError{Policy: p.Name(), At: r.Now(), Subject: fmt.Sprintf("job %d", id), Rule: "existence", Detail: "it has left, or was never there"}
}
