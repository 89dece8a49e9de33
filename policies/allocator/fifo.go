package allocator

import (
	"slices"

	"berth/policies/plan"
)

// FIFO is the article's baseline as a plan: every service holds its highest
// demand throughout, and each job, in the order of the problem, is committed
// to the earliest step at which a block is free for its whole duration, lowest
// GPUs first. A moldable job takes the first of its shapes that finds a place.
func FIFO(p *plan.Problem) *plan.Plan {
	peaks := *p
	peaks.Services = slices.Clone(p.Services)
	for i := range peaks.Services {
		s := &peaks.Services[i]
		peak := slices.Max(s.Demand)
		s.Demand = slices.Repeat([]int{peak}, p.Steps)
	}
	a := newPass(&peaks)
	a.firstFit = true
	for i := range a.svcs {
		a.placeService(&a.svcs[i])
	}
	for i := range a.jobs {
		if a.jobs[i].Inherited() {
			continue
		}
		a.jobs[i].shape = 0
		a.place(i)
	}
	return a.plan()
}
