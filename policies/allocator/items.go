package allocator

import (
	"cmp"
	"slices"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// place gives an item the best place that is left, if any.
func (a *pass) place(item int) {
	if item >= len(a.jobs) {
		a.placeService(&a.svcs[item-len(a.jobs)])
		return
	}
	j := &a.jobs[item]
	j.start = plan.Unscheduled
	if a.placeShape(j, j.shape) {
		return
	}
	for k := range j.Shapes {
		if k != j.shape && a.placeShape(j, k) {
			return
		}
	}
}

// lift takes an item off the plan and puts its place aside.
func (a *pass) lift(item int) {
	a.unmet = a.unmet[:0]
	if item >= len(a.jobs) {
		a.liftService(&a.svcs[item-len(a.jobs)])
		return
	}
	j := &a.jobs[item]
	if j.start >= 0 {
		a.objective -= j.worth
		a.vacate(j)
	}
	j.old.manner = j.manner
	j.seat, j.old.seat = j.old.seat, j.seat
	j.start = plan.Unscheduled
}

// restore gives an item back the place that lift put aside, instead of what
// it may have got since.
func (a *pass) restore(item int) {
	if item >= len(a.jobs) {
		a.restoreService(&a.svcs[item-len(a.jobs)])
		return
	}
	j := &a.jobs[item]
	j.manner = j.old.manner
	j.seat, j.old.seat = j.old.seat, j.seat
	if j.start >= 0 {
		a.flip(j)
	}
}

// withdraw makes what an item has got since it was lifted free again. The
// objective is for the caller to set back.
func (a *pass) withdraw(item int) {
	a.unmet = a.unmet[:0]
	if item >= len(a.jobs) {
		a.withdrawService(&a.svcs[item-len(a.jobs)])
	} else if j := &a.jobs[item]; j.start >= 0 {
		a.vacate(j)
	}
}

// on reports whether a job that has a place is on any of the GPUs.
func (j *job) on(r hardware.Range) bool {
	if j.gpus == nil {
		return j.first < r.End() && r.First < j.first+j.Shapes[j.placed].GPUs
	}
	for _, q := range j.gpus {
		if q.First < r.End() && r.First < q.End() {
			return true
		}
	}
	return false
}

// vacate makes a job's place free again.
func (a *pass) vacate(j *job) {
	a.flip(j)
	if a.index == nil {
		return
	}
	if j.gpus == nil {
		a.index.freed(hardware.Range{First: j.first, N: j.Shapes[j.placed].GPUs})
	}
	for _, r := range j.gpus {
		a.index.freed(r)
	}
}

// delay is the sum of the starts of all jobs.
func (a *pass) delay() int {
	sum := 0
	for i := range a.jobs {
		if start := a.jobs[i].start; start >= 0 {
			sum += start
		} else {
			sum += a.p.Steps
		}
	}
	return sum
}

// total is the objective, summed up anew, free of what rounding errors have
// piled up.
func (a *pass) total() float64 {
	sum := 0.0
	for i := range a.jobs {
		if j := &a.jobs[i]; j.start >= 0 {
			sum += j.worth
		}
	}
	for i := range a.svcs {
		sum += a.svcs[i].gain - a.svcs[i].wanted
	}
	return sum
}

// initialOrder is services by priority, then jobs by priority, which is their
// value per GPU-step; larger ones come first among equals, while there is room
// for them. Inherited jobs are not in it: they have their place.
func (a *pass) initialOrder() []int {
	order := make([]int, 0, len(a.jobs)+len(a.svcs))
	for i := range a.svcs {
		order = append(order, len(a.jobs)+i)
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Compare(a.svcs[y-len(a.jobs)].Priority, a.svcs[x-len(a.jobs)].Priority)
	})
	for i := range a.jobs {
		if !a.jobs[i].Inherited() {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order[len(a.svcs):], func(x, y int) int {
		jx, jy := &a.jobs[x], &a.jobs[y]
		sx, sy := jx.Shapes[jx.shape], jy.Shapes[jy.shape]
		return cmp.Or(
			cmp.Compare(jy.Priority, jx.Priority),
			cmp.Compare(sy.GPUs, sx.GPUs),
			cmp.Compare(sy.Steps, sx.Steps),
		)
	})
	return order
}

// completeOrder is the items of wanted that the default order has, followed by
// those that wanted leaves out.
func completeOrder(wanted, standard []int) []int {
	missing := make(map[int]bool, len(standard))
	for _, it := range standard {
		missing[it] = true
	}
	order := make([]int, 0, len(standard))
	for _, it := range slices.Concat(wanted, standard) {
		if missing[it] {
			order = append(order, it)
			delete(missing, it)
		}
	}
	return order
}
