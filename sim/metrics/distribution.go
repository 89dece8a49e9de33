package metrics

import (
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Distribution summarises a sample. Quantiles are of the empirical
// distribution: the least sample that at least that share does not exceed.
type Distribution struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Describe summarises xs, which it sorts; nil for an empty sample.
func Describe(xs []float64) *Distribution {
	if len(xs) == 0 {
		return nil
	}
	slices.Sort(xs)
	q := func(p float64) float64 { return stat.Quantile(p, stat.Empirical, xs, nil) }
	return &Distribution{Mean: stat.Mean(xs, nil), P50: q(.5), P95: q(.95), P99: q(.99), Max: xs[len(xs)-1]}
}
