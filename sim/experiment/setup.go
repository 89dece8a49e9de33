// Package experiment runs simulations: one with its outputs on disk, or many
// in parallel, and compares them over seeds. It is handed constructors, so it
// knows no policy and no workload by name.
package experiment

import (
	"context"
	"errors"
	"io"

	"berth/sim"
	"berth/sim/metrics"
)

// Setup is one run to be made. Workload and Policy are called once a run, so
// that runs share nothing.
type Setup struct {
	Scenario string
	Policy   string
	Seed     uint64

	NewWorkload func() (*sim.Workload, error)
	NewPolicy   func() (sim.Policy, error)

	Objective metrics.Objective
	// OneHorizon: the run is one planning horizon, so that decayed value and
	// objective mean something.
	OneHorizon bool
}

// Run makes the run and returns what it measured. When the run fails or is
// interrupted, the report covers what was done until then, and comes with the
// error. A workload whose job source is an io.Closer is closed.
func (s *Setup) Run(ctx context.Context, observers ...sim.Observer) (report *metrics.Report, err error) {
	w, err := s.NewWorkload()
	if err != nil {
		return nil, err
	}
	if c, ok := w.Jobs.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	p, err := s.NewPolicy()
	if err != nil {
		return nil, err
	}
	collector := metrics.NewCollector(w.Topology.GPUs(), s.Objective)
	err = sim.Run(ctx, w, p, append(observers, collector)...)
	report = collector.Report()
	report.Scenario, report.Policy, report.Seed = s.Scenario, s.Policy, s.Seed
	if s.OneHorizon {
		decayed, objective := collector.Weighted()
		report.DecayedValue, report.Objective = &decayed, &objective
	}
	return report, err
}
