package main

import (
	"cmp"
	"path/filepath"

	"berth/sim"
	"berth/traces/requests"
	"berth/workloads"
)

// loadTraffic makes the demand of services of the traces of requests that they
// name, with paths relative to a folder.
func (in *input) loadTraffic(dir string) error {
	return invalid(wrap(in.Name, in.LoadTraffic(func(t *workloads.Traffic, step sim.Time) (sim.Curve, error) {
		if !filepath.IsAbs(t.File) {
			t.File = filepath.Join(dir, t.File)
		}
		sum, err := fileSum(t.File)
		if err != nil {
			return sim.Curve{}, err
		}
		in.keepSum(t.File, sum)
		series, err := requests.OpenSeries(t.File, requests.Sampling{Type: t.Type, Every: t.SampledFor()}, step)
		if err != nil {
			return sim.Curve{}, err
		}
		return series.Demand(requests.Model{
			Prefill: t.Prefill, Decode: t.Decode, PerRequest: t.PerRequest, Target: t.Target, Replica: t.Replica,
		}, cmp.Or(t.Scale, 1))
	})))
}
