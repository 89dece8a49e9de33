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
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, parallel))
	for i := range setups {
		g.Go(func() error {
			var err error
			reports[i], err = setups[i].Run(ctx)
			if done != nil {
				done()
			}
			return err
		})
	}
	return reports, g.Wait()
}
