package milp

import (
	"math"
	"slices"

	"berth/policies/milp/mip"
	"berth/policies/plan"
)

// orderStride is how many steps apart the rows of addOrder are: all of them
// would bound a little better, and slow the solver down more.
const orderStride = 3

// addOrder says of two jobs of one shape that the one of lower priority starts
// no earlier than the other where the other might start as well: else they
// could change places, at no loss. Some optimum of the formal model obeys
// this, so the bound holds.
func (a *aggregate) addOrder() {
	for _, pair := range ordered(a.p) {
		first, second := pair[0], pair[1]
		from := max(a.p.Jobs[first].Earliest, a.p.Jobs[second].Earliest)
		for t := from + orderStride - 1; t < a.p.Steps; t += orderStride {
			var row mip.Row
			for _, v := range a.starts {
				switch {
				case v.step > t:
				case v.job == first:
					row.Add(v.col, -1)
				case v.job == second && v.step >= from:
					row.Add(v.col, 1)
				}
			}
			a.model.AddRow(-mip.Inf, 0, row)
		}
	}
}

// ordered are the pairs of jobs of one shape that follow each other by
// priority, the higher first.
func ordered(p *plan.Problem) [][2]int {
	var jobs []int
	for j := range p.Jobs {
		if job := &p.Jobs[j]; !job.Inherited() && len(job.Shapes) == 1 {
			jobs = append(jobs, j)
		}
	}
	slices.SortStableFunc(jobs, func(a, b int) int {
		switch x, y := p.Jobs[a].Priority, p.Jobs[b].Priority; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	var pairs [][2]int
	for i, first := range jobs {
		x := &p.Jobs[first]
		for _, second := range jobs[i+1:] {
			if y := &p.Jobs[second]; x.Shapes[0] == y.Shapes[0] && x.Across == y.Across {
				pairs = append(pairs, [2]int{first, second})
				break
			}
		}
	}
	return pairs
}

// exchange lets jobs of one shape change places until a plan is in the order
// of addOrder; it becomes no worse.
func exchange(p *plan.Problem, pl *plan.Plan) *plan.Plan {
	out := plan.Plan{Jobs: slices.Clone(pl.Jobs), Services: pl.Services}
	start := func(j int) int {
		if t := out.Jobs[j].Start; t != plan.Unscheduled {
			return t
		}
		return math.MaxInt
	}
	pairs := ordered(p)
	for changed := true; changed; {
		changed = false
		for _, pair := range pairs {
			first, second := pair[0], pair[1]
			t := start(second)
			if t < start(first) && t >= p.Jobs[first].Earliest {
				out.Jobs[first], out.Jobs[second] = out.Jobs[second], out.Jobs[first]
				changed = true
			}
		}
	}
	return &out
}
