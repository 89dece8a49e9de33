package main

import (
	"context"
	"time"

	"berth/policies/allocator"
	"berth/policies/milp"
	"berth/policies/plan"
)

// fullMode plans in full mode, from a fast plan on, and says how many
// evaluations that plan took. A time limit holds for both.
func fullMode(ctx context.Context, p *plan.Problem, seed uint64, o milp.Options) (*milp.Outcome, int, error) {
	began := time.Now()
	start, stats := allocator.Solve(ctx, p, allocator.Options{Seed: seed, Budget: allocator.Budget{Evaluations: fullStart(p)}})
	if o.TimeLimit > 0 {
		o.TimeLimit = max(time.Millisecond, o.TimeLimit-time.Since(began))
	}
	out, err := milp.Solve(ctx, p, start, o)
	return out, stats.Evaluations, err
}

// fullStart is how many evaluations the plan is given that full mode starts
// from: a fraction of a second's worth, as the better the start, the more the
// solver can leave out. What an evaluation takes grows with GPUs and jobs.
func fullStart(p *plan.Problem) int {
	const most, work = 200_000, 64_000_000
	return min(most, max(1, work/max(1, p.GPUs*len(p.Jobs))))
}
