package milp

import (
	"context"
	"slices"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// decision is a solution of the aggregated model: which jobs start when and
// where, and what each service holds in every region.
type decision struct {
	p       *plan.Problem
	regions []hardware.Range
	jobs    []startKey
	counts  [][][]int // [service][step][region] → GPUs
}

// without is the decision less one of its jobs.
func (d *decision) without(i int) *decision {
	o := *d
	o.jobs = slices.Delete(slices.Clone(d.jobs), i, i+1)
	return &o
}

// leastValuable is the job that is worth least.
func (d *decision) leastValuable() int {
	least := 0
	value := func(i int) float64 {
		k := d.jobs[i]
		return worth(d.p, &d.p.Jobs[k.job], k.shape, k.step)
	}
	for i := range d.jobs {
		if value(i) < value(least) {
			least = i
		}
	}
	return least
}

// Node limits of the placement search.
const (
	placeNodes   = 20_000 // for jobs and services together, and for a proof
	restartNodes = 4_000
	restarts     = 6
)

// place puts the decision on GPUs. Without success it returns no plan, and, if
// the jobs alone are proven not to fit together, a least set of their starts
// that does not.
func (d *decision) place(ctx context.Context) (*plan.Plan, []startKey) {
	if d.p.Steps > 64 {
		return nil, nil // a row of the search is one word
	}
	if d.p.Alignment == hardware.Scattered {
		return d.placeScattered(), nil
	}
	for try := range restarts + 1 {
		s := d.newPlacement(true)
		s.limit, s.seed = placeNodes, uint64(try)
		if try > 0 {
			s.limit = restartNodes
		}
		if s.run(ctx) == placed {
			return d.plan(s), nil
		}
	}
	return nil, d.conflict(ctx)
}

// conflict is a least set of starts that is proven not to fit, or nil.
func (d *decision) conflict(ctx context.Context) []startKey {
	for i := range d.regions {
		part := *d
		part.jobs = slices.DeleteFunc(slices.Clone(d.jobs), func(k startKey) bool { return k.region != i })
		if part.impossible(ctx) {
			return part.least(ctx)
		}
	}
	if len(d.regions) > 1 && d.impossible(ctx) {
		return d.least(ctx)
	}
	return nil
}

// impossible reports whether the jobs alone are proven not to fit.
func (d *decision) impossible(ctx context.Context) bool {
	s := d.newPlacement(false)
	s.limit = placeNodes
	return s.run(ctx) == refuted
}

// least drops jobs from an impossible decision as long as it stays so.
func (d *decision) least(ctx context.Context) []startKey {
	for i := 0; i < len(d.jobs); {
		if o := d.without(i); o.impossible(ctx) {
			d = o
		} else {
			i++
		}
	}
	return d.jobs
}

// plan reads a complete placement.
func (d *decision) plan(s *placement) *plan.Plan {
	pl := plan.NewPlan(d.p)
	for j := range d.p.Jobs {
		if job := &d.p.Jobs[j]; job.Inherited() {
			pl.Jobs[j] = plan.Placement{Start: 0, GPUs: job.Held}
		}
	}
	held := make([][][]bool, len(d.p.Services))
	for r := range held {
		held[r] = make([][]bool, d.p.Steps)
		for t := range held[r] {
			held[r][t] = make([]bool, d.p.GPUs)
		}
	}
	for i := range s.items {
		it := &s.items[i]
		if it.service < 0 {
			k := it.start
			pl.Jobs[k.job] = plan.Placement{Start: k.step, Shape: k.shape, GPUs: it.gpus()}
			continue
		}
		for t := range d.p.Steps {
			if it.mask>>t&1 == 1 {
				held[it.service][t][it.at] = true
			}
		}
	}
	for r := range held {
		for t := range held[r] {
			pl.Services[r][t] = ranges(held[r][t])
		}
	}
	return pl
}

// ranges are the set entries as GPU ranges.
func ranges(set []bool) []hardware.Range {
	var out []hardware.Range
	for g, in := range set {
		if !in {
			continue
		}
		if n := len(out); n > 0 && out[n-1].End() == g {
			out[n-1].N++
		} else {
			out = append(out, hardware.Range{First: g, N: 1})
		}
	}
	return out
}
