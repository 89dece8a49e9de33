package policies

import (
	"cmp"
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
// returns the order that gave it.
func (p *horizon) search(ctx context.Context, q *plan.Problem, order []int, now int) (*plan.Plan, []int, error) {
	seed := p.seedAt(now)
	pl, stats := allocator.Solve(ctx, q, allocator.Options{Seed: seed, Budget: p.budget, Order: order})
	if p.c.Mode != "full" || ctx.Err() != nil {
		return pl, stats.Order, nil
	}
	out, err := milp.Solve(ctx, q, pl, milp.Options{NodeLimit: cmp.Or(p.c.NodeLimit, defaultNodes), Seed: int32(seed % 1_000_000)})
	if err != nil {
		return nil, nil, fmt.Errorf("horizon, step %d: %w", now, err)
	}
	return out.Plan, stats.Order, nil
}

// seedAt is the seed of the plans of a step. Each step has its own, since with
// a small budget the same draws every time could pass the same job over for
// ever.
func (p *horizon) seedAt(now int) uint64 {
	return p.c.Seed + uint64(now)*0x9E3779B97F4A7C15 // the golden ratio: distinct for every step
}
