package allocator

import "berth/policies/plan"

// SetUp does all that Greedy does but placing anything: the tables before the
// pass, and reading off the plan after it.
func SetUp(p *plan.Problem) *plan.Plan { return newPass(p).plan() }

// Passes returns a function that makes a greedy pass, over and over again on
// the same tables.
func Passes(p *plan.Problem) func() {
	a := newPass(p)
	order, empty := a.initialOrder(), a.objective
	placed := false
	return func() {
		if placed {
			for _, it := range order {
				a.lift(it)
			}
		}
		placed = true
		a.objective = empty
		for _, it := range order {
			a.place(it)
		}
	}
}
