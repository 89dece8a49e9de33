// Package allocator is the fast mode of planning: a heuristic that turns a
// plan.Problem into a legal plan in microseconds and spends what budget it is
// given on improving it.
//
// One greedy pass walks through an order of the services and jobs and gives
// each the best place that is left. A service takes the cheapest legal curve
// of counts over its demand, laid out as bars of one GPU each; a job takes
// the earliest legal start, on the block with the most neighbours in use, so
// that what remains stays usable. The search then varies the order (a job
// placed before a service may make it fall short, where that pays), the sizes
// of moldable jobs and the sides on which things are laid, and keeps the best.
//
// A GPU's occupancy over the horizon is a bit set with one bit a step. For one
// seed and a budget counted in evaluations, the result is always the same.
package allocator

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"berth/policies/plan"
)

// Budget limits a search: by evaluations, by time, or by both. The zero Budget
// means a single greedy pass.
type Budget struct {
	Evaluations int           // plans tried at most, the greedy pass included; 0 means no such limit
	Time        time.Duration // wall-clock time at most; 0 means no such limit
}

// ParseBudget reads "2ms" as a time and "500" as a count of evaluations.
func ParseBudget(text string) (Budget, error) {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return Budget{Evaluations: n}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return Budget{Time: d}, nil
	}
	return Budget{}, fmt.Errorf("budget %q is neither a duration such as 2ms nor a count of evaluations such as 500", text)
}

func (b Budget) String() string {
	switch {
	case b.Time > 0 && b.Evaluations > 0:
		return fmt.Sprintf("%v or %d evaluations", b.Time, b.Evaluations)
	case b.Time > 0:
		return b.Time.String()
	}
	return fmt.Sprintf("%d evaluations", max(b.Evaluations, 1))
}

// Options steer Solve.
type Options struct {
	Seed   uint64
	Budget Budget
	// Order is where to start, besides by priority: items in the order in
	// which they are to be placed. Jobs are numbered as in the problem, and
	// services after them. Inherited jobs and unknown items are passed over,
	// and items left out come last.
	Order []int
}

// Stats says what a search did.
type Stats struct {
	Evaluations int     // plans tried
	Greedy      float64 // objective of the first pass, by priority
	Objective   float64 // of the plan returned
	Order       []int   // of its items, for the Options of a search that goes on from it
}

// Solve plans a valid problem (see plan.Problem.Validate). It always returns a
// legal plan; when ctx is cancelled, the best so far.
func Solve(ctx context.Context, p *plan.Problem, o Options) (*plan.Plan, Stats) {
	return newSearch(p, o.Seed).run(ctx, o)
}

// Greedy plans with one pass, services first and jobs by priority.
func Greedy(p *plan.Problem) *plan.Plan {
	a := newPass(p)
	for _, it := range a.initialOrder() {
		a.place(it)
	}
	return a.plan()
}
