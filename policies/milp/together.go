package milp

import (
	"berth/policies/milp/mip"
	"berth/policies/plan"
	"berth/sim/hardware"
)

// Limits of a question to the per-GPU model about a window.
const (
	togetherCols  = 8_000
	togetherNodes = 100
)

// together asks the per-GPU model whether all services can have what they ask
// for in a window, at once, with the decision's jobs at their starts. The
// answer is a conflict, a plan (when the window is the horizon), or neither.
func (s *solving) together(d *decision, from, to int) (*conflict, *plan.Plan, error) {
	if d.short(from, to) {
		return nil, nil, nil
	}
	part := d.active(from, to)
	q := part.window(from, to)
	m := newPerGPU(q, part.jobs, from)
	if len(m.model.Cost) > togetherCols {
		return nil, nil, nil
	}
	m.insist(part)
	r, err := s.solver.Solve(s.ctx, m.model, mip.Options{Seed: s.o.Seed, NodeLimit: togetherNodes, TimeLimit: s.left()})
	if err != nil {
		return nil, nil, err
	}
	s.out.Nodes += r.Nodes
	switch {
	case r.Status == mip.Infeasible:
		return &conflict{part.jobs, from, to}, nil, nil
	case r.X != nil && to-from == d.p.Steps:
		return nil, m.plan(r.X), nil
	}
	return nil, nil, nil
}

// window is the problem of a few steps. Jobs that run into it, or out of it,
// are cut at its ends; what services hold before it is left open, unless it
// begins with the plan.
func (d *decision) window(from, to int) *plan.Problem {
	q := *d.p
	q.Steps = to - from
	q.Boundary = plan.Open
	q.Jobs, q.Services = nil, nil
	starts := map[int]startKey{}
	for _, k := range d.jobs {
		starts[k.job] = k
	}
	for j, job := range d.p.Jobs {
		k, chosen := starts[j]
		begin, end := k.step, 0
		switch {
		case chosen:
			end = begin + job.Shapes[k.shape].Steps
		case job.Inherited():
			begin, end = 0, job.Shapes[0].Steps
		}
		begin, end = max(begin, from), min(end, to)
		if begin >= end {
			// No part in the window; kept, so that jobs keep their numbers.
			job.Shapes, job.Held, job.Earliest = nil, nil, 0
		} else {
			job.Shapes = []plan.Shape{{GPUs: job.Shapes[k.shape].GPUs, Steps: end - begin}}
			job.Earliest = begin - from
		}
		q.Jobs = append(q.Jobs, job)
	}
	for _, service := range d.p.Services {
		service.Demand = service.Demand[from:to]
		if from > 0 {
			service.Fresh, service.Held = true, nil
		}
		q.Services = append(q.Services, service)
	}
	return &q
}

// insist makes the jobs of a decision, in its regions, and all that services
// ask for conditions of the model.
func (m *perGPUModel) insist(d *decision) {
	for _, k := range d.jobs {
		var row mip.Row
		for _, v := range m.jobs {
			if v.job == k.job && d.allows(k, v.first, m.p.Jobs[k.job].Shapes[0].GPUs) {
				row.Add(v.col, 1)
			}
		}
		m.model.AddRow(1, 1, row)
	}
	for r := range m.short {
		for _, col := range m.short[r] {
			m.model.Upper[col] = 0
		}
	}
}

// allows reports whether a start may take a block of n GPUs from first on.
func (d *decision) allows(k startKey, first, n int) bool {
	return k.region == whole || within([]hardware.Range{{First: first, N: n}}, d.regions[k.region]) == n
}
