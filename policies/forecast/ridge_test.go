package forecast

import (
	"math"
	"testing"

	"berth/sim"
)

// A regression finds coefficients that are there, and its predictions cover
// what they promise.
func TestRidgeRecovers(t *testing.T) {
	rng := sim.Stream(1, "test")
	want, sigma := []float64{1.5, 2, -3}, 0.2
	draw := func() (x []float64, y float64) {
		x = []float64{1, rng.NormFloat64(), rng.NormFloat64()}
		y = sigma * rng.NormFloat64()
		for k := range x {
			y += want[k] * x[k]
		}
		return x, y
	}
	r := newRidge([]float64{weakPenalty, 1, 1})
	const n = 2000
	for range n {
		x, y := draw()
		r.observe(x, y)
	}
	r.fit()
	for k, w := range want {
		if got := r.beta.AtVec(k); math.Abs(got-w) > 5*sigma/math.Sqrt(n) {
			t.Errorf("coefficient %d is %.4f, want %v", k, got, w)
		}
	}
	if math.Abs(r.sigma-sigma) > 5*sigma/math.Sqrt(2*n) {
		t.Errorf("sigma is %.4f, want %v", r.sigma, sigma)
	}
	covered := 0
	for range n {
		x, y := draw()
		if mean, sd := r.predict(x); y <= mean+sd*r.deviations(0.8) {
			covered++
		}
	}
	if share := float64(covered) / n; math.Abs(share-0.8) > 4*math.Sqrt(0.8*0.2/n) {
		t.Errorf("quantile 0.8 covers %.3f", share)
	}
}

// Without observations a prediction is 0, as wide as the prior.
func TestRidgePrior(t *testing.T) {
	r := newRidge([]float64{1, 4})
	mean, sd := r.predict([]float64{1, 2})
	if want := priorSigma * math.Sqrt(3); mean != 0 || math.Abs(sd-want) > 1e-12 {
		t.Errorf("prior is %v ± %v, want 0 ± %v", mean, sd, want)
	}
}

// What is regressed must not break the regression, however odd.
func TestRidgeDegenerate(t *testing.T) {
	r := newRidge([]float64{0.1, 1, 1})
	for range 100 {
		r.observe([]float64{1, 5e7, 5e7}, 1) // collinear and large
		r.refresh()
	}
	if mean, sd := r.predict([]float64{1, 5e7, 5e7}); math.IsNaN(mean) || math.IsNaN(sd) || math.Abs(mean-1) > 0.01 {
		t.Errorf("prediction %v ± %v", mean, sd)
	}
}
