package milp

import (
	"math"
	"slices"

	"berth/policies/milp/mip"
	"berth/policies/plan"
	"berth/sim/hardware"
)

// addRounding says of every step that jobs of k GPUs fill what services leave
// only up to a multiple of k: the mixed-integer rounding of the cluster's
// capacity, divided by k, for every size k of the jobs (Nemhauser and Wolsey,
// 1990). The solver finds few of these cuts itself, since the capacity names
// what services hold and not what they need.
func (a *aggregate) addRounding() {
	p := a.p
	var sizes []int
	for j := range p.Jobs {
		for _, s := range p.Jobs[j].Shapes {
			if !p.Jobs[j].Inherited() && s.GPUs > 1 {
				sizes = append(sizes, s.GPUs)
			}
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	active := make([][]startVar, p.Steps)
	for _, v := range a.starts {
		from, to := a.span(v.startKey)
		for t := from; t < to; t++ {
			active[t] = append(active[t], v)
		}
	}
	for t := range p.Steps {
		left := float64(p.GPUs)
		for j := range p.Jobs {
			if job := &p.Jobs[j]; job.Inherited() && t < job.Shapes[0].Steps {
				left -= float64(hardware.Size(job.Held))
			}
		}
		var missing []int
		for r := range p.Services {
			n, at := need(&p.Services[r], t)
			left -= float64(n)
			if at >= 0 {
				missing = append(missing, a.short[r][at])
			}
		}
		for _, k := range sizes {
			whole, f := math.Modf(left / float64(k))
			if f < 0 {
				whole, f = whole-1, f+1
			}
			if f == 0 {
				continue
			}
			var row mip.Row
			for _, v := range active[t] {
				n, g := math.Modf(float64(p.Jobs[v.job].Shapes[v.shape].GPUs) / float64(k))
				if n += max(0, g-f) / (1 - f); n > 0 {
					row.Add(v.col, n)
				}
			}
			for _, col := range missing {
				row.Add(col, -1/(float64(k)*(1-f)))
			}
			a.model.AddRow(-mip.Inf, whole, row)
		}
	}
}

// need is the least that a service holds in a step: its demand in some step
// less what it falls short there, and less what the swap cap lets it change in
// between. The step is -1 where no demand decides.
func need(s *plan.Service, t int) (n, at int) {
	at = -1
	if s.SwapCap > 0 && !s.Fresh {
		n = max(0, hardware.Size(s.Held)-s.SwapCap*(t+1))
	}
	for i, d := range s.Demand {
		if i != t {
			if s.SwapCap <= 0 {
				continue
			}
			d -= s.SwapCap * max(t-i, i-t)
		}
		if d > n {
			n, at = d, i
		}
	}
	return n, at
}
