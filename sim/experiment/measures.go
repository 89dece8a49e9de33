package experiment

import (
	"slices"

	"berth/sim/metrics"
)

// Measure is a column of the results: what it is called in words and its unit.
type Measure struct {
	Name    string  // of the column
	Title   string  // in words, with the unit that figures show it in
	Unit    float64 // that unit in the column's: 3600 for seconds shown as hours
	Percent bool    // a fraction of one, shown as per cent
	Better  int     // 1: more is better; −1: less is; 0: neither
}

// countColumns are the columns of whole numbers, which every run has.
var countColumns = []struct {
	Measure
	of func(*metrics.Report) int
}{
	{Measure{"submitted", "jobs submitted", 1, false, 0}, func(r *metrics.Report) int { return r.Jobs.Submitted }},
	{Measure{"completed", "jobs completed", 1, false, 1}, func(r *metrics.Report) int { return r.Jobs.Completed }},
	{Measure{"unfinished", "jobs unfinished at the end", 1, false, -1}, func(r *metrics.Report) int { return r.Jobs.Unfinished }},
	{Measure{"unscheduled", "jobs never started", 1, false, -1}, func(r *metrics.Report) int { return r.Jobs.Unscheduled }},
	{Measure{"rejected", "jobs rejected", 1, false, -1}, func(r *metrics.Report) int { return r.Jobs.Rejected }},
	{Measure{"swaps", "swaps (GPUs gained and lost by services)", 1, false, -1}, func(r *metrics.Report) int { return r.Swaps }},
}

// runColumns are the others. A measure that a run does not have is left empty.
var runColumns = []struct {
	Measure
	of func(*metrics.Report) *float64
}{
	{Measure{"utilization", "utilization (GPU-time doing work)", 1, true, 1}, func(r *metrics.Report) *float64 { return &r.Utilization }},
	{Measure{"occupancy", "occupancy (GPU-time held)", 1, true, 0}, func(r *metrics.Report) *float64 { return &r.Occupancy }},
	{Measure{"value", "value (priority × GPU-hours)", 1, false, 1}, func(r *metrics.Report) *float64 { return &r.Value }},
	{Measure{"decayed_value", "decayed value (priority × GPU-hours)", 1, false, 1}, func(r *metrics.Report) *float64 { return r.DecayedValue }},
	{Measure{"objective", "objective (value less shortfall)", 1, false, 1}, func(r *metrics.Report) *float64 { return r.Objective }},
	{Measure{"shortfall_gpu_hours", "shortfall of services (GPU-hours)", 1, false, -1}, func(r *metrics.Report) *float64 { return &r.ShortfallGPUHours }},
	{Measure{"wait_mean_seconds", "mean wait (hours)", 3600, false, -1}, func(r *metrics.Report) *float64 { return meanOf(r.WaitSeconds) }},
	{Measure{"bounded_slowdown_mean", "mean bounded slowdown", 1, false, -1}, func(r *metrics.Report) *float64 { return meanOf(r.BoundedSlowdown) }},
	{Measure{"makespan_seconds", "makespan (hours)", 3600, false, -1}, func(r *metrics.Report) *float64 { return &r.MakespanSeconds }},
}

func meanOf(d *metrics.Distribution) *float64 {
	if d == nil {
		return nil
	}
	return &d.Mean
}

// Measures are the columns of the results, in their order.
func Measures() []Measure {
	var all []Measure
	for _, c := range countColumns {
		all = append(all, c.Measure)
	}
	for _, c := range runColumns {
		all = append(all, c.Measure)
	}
	return all
}

// Front reports which points are on the Pareto front: those of which no other
// is at least as good in both measures and better in one. more says of each
// measure whether more is better. Equal points are on the front together.
func Front(points [][2]float64, more [2]bool) []bool {
	better := func(k, i, j int) bool {
		a, b := points[i][k], points[j][k]
		return a != b && (a > b) == more[k]
	}
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		for k := range 2 {
			switch {
			case better(k, i, j):
				return -1
			case better(k, j, i):
				return 1
			}
		}
		return 0
	})
	// From the best first measure on, what is better in the second than all
	// before it is on the front, and so is its equal.
	front := make([]bool, len(points))
	last := -1
	for _, i := range order {
		if last < 0 || better(1, i, last) || points[i] == points[last] {
			front[i], last = true, i
		}
	}
	return front
}
