package policies

import (
	"context"
	"fmt"

	"berth/policies/allocator"
	"berth/policies/milp"
	"berth/policies/plan"
)

// defaultNodes is the node limit of full mode. It is reached only by windows
// that are hard to prove, and keeps runs reproducible.
const defaultNodes = 200

// search makes the plan of a problem, from the order of the last one on, and
// returns the order that gave it. Each step has a seed of its own, counted from
// the first with jobs: with a small budget the same draws every time could pass
// the same job over for ever.
func (p *horizon) search(ctx context.Context, q *plan.Problem, order []int, now int) (*plan.Plan, []int, error) {
	if p.first < 0 && len(q.Jobs) > 0 {
		p.first = now
	}
	seed := p.c.Seed + uint64(now-max(p.first, 0))*0x9E3779B97F4A7C15 // the golden ratio: distinct for every step
	pl, stats := allocator.Solve(ctx, q, allocator.Options{Seed: seed, Budget: p.budget, Order: order})
	if p.c.Mode != "full" || ctx.Err() != nil {
		return pl, stats.Order, nil
	}
	out, err := milp.Solve(ctx, q, pl, milp.Options{NodeLimit: p.c.NodeLimit, Seed: int32(seed % 1_000_000)})
	if err != nil {
		return nil, nil, fmt.Errorf("horizon, step %d: %w", now, err)
	}
	return out.Plan, stats.Order, nil
}
