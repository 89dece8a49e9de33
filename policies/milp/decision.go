package milp

import (
	"context"
	"math/rand/v2"
	"slices"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// decision is a solution of the aggregated model: which jobs start when and
// where, and how many GPUs each service holds.
type decision struct {
	p       *plan.Problem
	regions []hardware.Range
	jobs    []startKey
	counts  [][]int // [service][step] → GPUs
}

// without is the decision less one of its jobs.
func (d *decision) without(i int) *decision {
	o := *d
	o.jobs = slices.Delete(slices.Clone(d.jobs), i, i+1)
	return &o
}

// value is what the decision is worth if it can be placed as it is.
func (d *decision) value() float64 {
	v := 0.0
	for j := range d.p.Jobs {
		if job := &d.p.Jobs[j]; job.Inherited() {
			v += worth(d.p, job, 0, 0)
		}
	}
	for _, k := range d.jobs {
		v += worth(d.p, &d.p.Jobs[k.job], k.shape, k.step)
	}
	for r := range d.p.Services {
		s := &d.p.Services[r]
		for t, n := range d.counts[r] {
			v -= d.p.Lambda * s.Priority * d.p.StepHours * float64(max(0, s.Demand[t]-n))
		}
	}
	return v
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

// Limits of the search for places.
const (
	tryNodes     = 4_000 // of one try to place the jobs
	checkedNodes = 400   // of one that looks at the services after every job
	tries        = 60
	fills        = 8 // ways to fill the services in, a try
)

// place puts the decision on GPUs: the jobs by a search, then the services
// into what they leave, again and again from other places of the jobs until
// the plan is worth as much as the decision. It returns the best plan, nil for
// none, and whether it is as good.
func (d *decision) place(ctx context.Context) (best *plan.Plan, whole bool) {
	if d.p.Steps > 64 {
		return nil, false // a row of the search is one word
	}
	if d.p.Alignment == hardware.Scattered {
		pl := d.placeScattered()
		return pl, pl != nil
	}
	target := d.value()
	enough, worth := target-1e-9*max(1, target), 0.0
	f := filler{p: d.p}
	checked := !d.short(0, d.p.Steps)
	for try := range tries {
		s := d.newPlacement()
		s.limit, s.seed = tryNodes, uint64(try)
		if checked && try%4 == 0 {
			s.limit = checkedNodes
			s.check = func(rows []uint64) bool { return f.possible(rows, 0, d.p.Steps) }
		}
		if v := s.run(ctx); v != placed {
			if ctx.Err() != nil || (v == refuted && s.check == nil) {
				break
			}
			continue
		}
		rng := rand.New(rand.NewPCG(uint64(try), 8))
		for range fills {
			pl, rows := d.plan(s), slices.Clone(s.rows)
			if !f.fill(rows, rng, pl) {
				continue
			}
			v := d.p.Score(pl).Objective
			if best == nil || v > worth {
				best, worth = pl, v
			}
			if worth >= enough {
				return best, true
			}
		}
	}
	return best, false
}

// plan reads a complete placement of the jobs.
func (d *decision) plan(s *placement) *plan.Plan {
	pl := plan.NewPlan(d.p)
	for j := range d.p.Jobs {
		if job := &d.p.Jobs[j]; job.Inherited() {
			pl.Jobs[j] = plan.Placement{Start: 0, GPUs: job.Held}
		}
	}
	for i := range s.items {
		it := &s.items[i]
		k := it.start
		pl.Jobs[k.job] = plan.Placement{Start: k.step, Shape: k.shape, GPUs: []hardware.Range{{First: it.at, N: it.size}}}
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
