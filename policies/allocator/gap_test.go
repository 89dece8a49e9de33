package allocator_test

import (
	"context"
	"testing"

	"berth/policies/allocator"
	"berth/policies/plan"
	"berth/workloads"
)

// How far searches of few evaluations stay behind the best that long ones find.
// 600 evaluations take about 2 ms at 16 GPUs. Against proven bounds the gaps
// are measured by 'berth paper --only gap'.
func TestCloseToTheBestKnown(t *testing.T) {
	if testing.Short() {
		t.Skip("long searches")
	}
	const seeds = 3
	counts := []int{1, 150, 600, 4000}
	for _, name := range workloads.Names() {
		gaps := make([]float64, len(counts))
		for seed := range uint64(seeds) {
			p := scenario(t, name, seed)
			objective := func(seed uint64, evaluations int) float64 {
				_, stats := allocator.Solve(context.Background(), p, allocator.Options{
					Seed: seed, Budget: allocator.Budget{Evaluations: evaluations},
				})
				return stats.Objective
			}
			var found []float64
			for _, n := range counts {
				found = append(found, objective(1, n))
			}
			known := max(found[len(found)-1], objective(2, 20_000), objective(3, 20_000))
			for i, f := range found {
				gaps[i] += 100 * plan.Gap(known, f) / seeds
			}
		}
		t.Logf("%-16s mean gap after %v evaluations: %.2f %%", name, counts, gaps)
		if gaps[2] > 4 || gaps[3] > 2 {
			t.Errorf("%s: mean gaps of %.2f %% are too large", name, gaps)
		}
	}
}
