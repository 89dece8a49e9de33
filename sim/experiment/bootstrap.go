package experiment

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"berth/sim"
)

// bootstraps is how many times a sample is drawn anew.
const bootstraps = 2000

// Bootstrap is the 95 % percentile interval of a sample's mean. The stream is
// seeded by name, so that it does not depend on what else is computed. For
// fewer than two values both ends are the mean.
func Bootstrap(xs []float64, name string) (low, high float64) {
	if len(xs) < 2 {
		m := stat.Mean(xs, nil)
		return m, m
	}
	rng := sim.Stream(1, "bootstrap "+name)
	means := make([]float64, bootstraps)
	for i := range means {
		sum := 0.0
		for range xs {
			sum += xs[rng.IntN(len(xs))]
		}
		means[i] = sum / float64(len(xs))
	}
	slices.Sort(means)
	return means[bootstraps*25/1000], means[bootstraps-1-bootstraps*25/1000]
}
