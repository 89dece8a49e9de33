package experiment

import (
	"context"

	"golang.org/x/sync/errgroup"

	"berth/sim/metrics"
)

// RunAll makes many runs, so many at a time, and returns their reports in the
// order of the setups, whatever order they finish in. The first error stops
// the rest. done, when not nil, is called after each run, from any goroutine.
func RunAll(ctx context.Context, setups []Setup, parallel int, done func()) ([]*metrics.Report, error) {
	reports := make([]*metrics.Report, len(setups))
	err := Each(ctx, len(setups), parallel, func(ctx context.Context, i int) (err error) {
		reports[i], err = setups[i].Run(ctx)
		if done != nil {
			done()
		}
		return err
	})
	return reports, err
}

// Each calls do for 0 … n−1, so many at a time. The first error stops the rest.
func Each(ctx context.Context, n, parallel int, do func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, parallel))
	for i := range n {
		g.Go(func() error { return do(ctx, i) })
	}
	return g.Wait()
}
