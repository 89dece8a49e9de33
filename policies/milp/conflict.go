package milp

import (
	"context"
	"slices"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// conflict says that some starts do not go together: not all of them can be
// placed while every service has all it asks for in the steps [from, to).
// With from = to they cannot be placed whatever services get.
type conflict struct {
	starts   []startKey
	from, to int
}

// Limits of a proof.
const (
	proofNodes   = 20_000 // that jobs do not fit together
	squeezeNodes = 2_000  // that they do not leave services what they need
)

// conflict is a least set of starts that is proven not to fit, or nil. best is
// the best plan of the decision, or nil. Where the search for it comes upon a
// plan that is as good as the decision, it returns that instead.
func (s *solving) conflict(d *decision, best *plan.Plan) (*conflict, *plan.Plan, error) {
	if d.p.Steps > 64 || d.p.Alignment == hardware.Scattered {
		return nil, nil, nil
	}
	if best == nil {
		return d.clash(s.searching), nil, nil
	}
	return s.squeeze(d, best)
}

// clash finds jobs that do not fit together.
func (d *decision) clash(ctx context.Context) *conflict {
	for i := range d.regions {
		part := *d
		part.jobs = slices.DeleteFunc(slices.Clone(d.jobs), func(k startKey) bool { return k.region != i })
		if part.impossible(ctx, 0, 0) {
			return part.least(ctx, 0, 0)
		}
	}
	if len(d.regions) > 1 && d.impossible(ctx, 0, 0) {
		return d.least(ctx, 0, 0)
	}
	return nil
}

// squeeze finds jobs that do not leave the services what they ask for, in the
// narrowest window around a step in which the best plan falls short.
func (s *solving) squeeze(d *decision, best *plan.Plan) (*conflict, *plan.Plan, error) {
	at := d.lacking(best)
	if at < 0 {
		return nil, nil, nil
	}
	several := len(d.p.Services) > 1
	if several {
		c, pl, err := s.together(d, 0, d.p.Steps)
		if pl != nil || err != nil {
			return nil, pl, err
		}
		if c == nil {
			return nil, nil, nil
		}
	}
	for width := 1; width < d.p.Steps && !s.spent(); width *= 2 {
		for from := max(0, at-width+1); from <= min(at, d.p.Steps-width); from++ {
			part := d.active(from, from+width)
			if !d.short(from, from+width) && part.impossible(s.searching, from, from+width) {
				return part.least(s.searching, from, from+width), nil, nil
			}
		}
		if several {
			from := min(max(0, at-width/2), d.p.Steps-width)
			if c, _, err := s.together(d, from, from+width); c != nil || err != nil {
				return c, nil, err
			}
		}
	}
	if several {
		return &conflict{d.jobs, 0, d.p.Steps}, nil, nil
	}
	return nil, nil, nil
}

// lacking is the first step in which a plan gives a service less than the
// decision does, or −1.
func (d *decision) lacking(pl *plan.Plan) int {
	for t := range d.p.Steps {
		for r := range d.p.Services {
			if hardware.Size(pl.Services[r][t]) < min(d.counts[r][t], d.p.Services[r].Demand[t]) {
				return t
			}
		}
	}
	return -1
}

// short reports whether the decision itself falls short in a window.
func (d *decision) short(from, to int) bool {
	for r := range d.p.Services {
		for t := from; t < to; t++ {
			if d.counts[r][t] < d.p.Services[r].Demand[t] {
				return true
			}
		}
	}
	return false
}

// active is the decision less the jobs that do not run in a window.
func (d *decision) active(from, to int) *decision {
	o := *d
	o.jobs = slices.DeleteFunc(slices.Clone(d.jobs), func(k startKey) bool {
		return k.step >= to || k.step+d.p.Jobs[k.job].Shapes[k.shape].Steps <= from
	})
	return &o
}

// impossible reports whether it is proven that the jobs do not fit, or, in a
// window that is not empty, that they do not leave each service what it asks
// for.
func (d *decision) impossible(ctx context.Context, from, to int) bool {
	s := d.newPlacement()
	s.limit = proofNodes
	if from < to {
		window := steps(from, to)
		for i := range s.items {
			s.items[i].mask &= window
		}
		f := filler{p: d.p}
		s.limit = squeezeNodes
		s.check = func(rows []uint64) bool { return f.possible(rows, from, to) }
	}
	return s.run(ctx) == refuted
}

// least drops jobs from an impossible decision as long as it stays so.
func (d *decision) least(ctx context.Context, from, to int) *conflict {
	for i := 0; i < len(d.jobs); {
		if o := d.without(i); o.impossible(ctx, from, to) {
			d = o
		} else {
			i++
		}
	}
	return &conflict{d.jobs, from, to}
}
