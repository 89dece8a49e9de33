package milp

import (
	"slices"

	"berth/policies/milp/mip"
	"berth/sim/hardware"
)

// forbid adds a no-good cut: not all starts of a conflict at once, in their
// region and in those like it; or, without a conflict, not all starts of the
// decision. When there are none to change, the model becomes infeasible, and
// the search ends.
func (a *aggregate) forbid(d *decision, c *conflict) {
	if c == nil {
		c = &conflict{starts: d.jobs}
		a.cut(c, false)
		return
	}
	a.cut(c, true)
	if len(c.starts) == 0 || c.from < c.to {
		return
	}
	region := c.starts[0].region
	for i := range a.regions {
		if region == whole || i == region || !a.alike(i, region) {
			continue
		}
		moved := conflict{starts: slices.Clone(c.starts)}
		for k := range moved.starts {
			moved.starts[k].region = i
		}
		a.cut(&moved, true)
	}
}

// cut adds Σ starts ≤ their number − 1 + Σ shortfall in the window. Lifted,
// every start counts with those others of its job that hold as much in its
// steps: what is impossible stays so when a job runs longer.
func (a *aggregate) cut(c *conflict, lift bool) {
	var row mip.Row
	for _, key := range c.starts {
		if !lift {
			row.Add(a.byStart[key], 1)
			continue
		}
		from, to := a.span(key)
		if c.from < c.to {
			from, to = max(from, c.from), min(to, c.to)
		}
		for _, v := range a.starts {
			f, t := a.span(v.startKey)
			if v.job == key.job && v.region == key.region && f <= from && t >= to && a.contains(v.startKey, key) {
				row.Add(v.col, 1)
			}
		}
	}
	for r := range a.short {
		for t := c.from; t < c.to; t++ {
			row.Add(a.short[r][t], -1)
		}
	}
	a.model.AddRow(-mip.Inf, float64(len(c.starts)-1), row)
}

// span is the steps of the horizon in which a start holds GPUs.
func (a *aggregate) span(k startKey) (from, to int) {
	return k.step, min(k.step+a.p.Jobs[k.job].Shapes[k.shape].Steps, a.p.Steps)
}

// contains reports whether every block of a start's shape contains one of
// another's, so that the other could be placed wherever it can.
func (a *aggregate) contains(outer, inner startKey) bool {
	shapes := a.p.Jobs[outer.job].Shapes
	return shapes[outer.shape].GPUs >= shapes[inner.shape].GPUs
}

// alike reports whether two regions hold the same blocks and nothing that runs
// already.
func (a *aggregate) alike(i, k int) bool {
	x, y := a.regions[i], a.regions[k]
	for j := range a.p.Jobs {
		if held := a.p.Jobs[j].Held; within(held, x)+within(held, y) > 0 {
			return false
		}
	}
	return x.N == y.N && (a.p.Alignment != hardware.Buddy || (x.First-y.First)%x.N == 0)
}
