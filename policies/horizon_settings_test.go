package policies_test

import (
	"context"
	"testing"

	"berth/policies"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// What HorizonSettings fills in and clears changes no run.
func TestHorizonSettingsChangeNothing(t *testing.T) {
	cleared := 0
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		name, c := drawPolicy(t, w)
		if name != "horizon" {
			c = policies.Config{Gamma: worldGamma, Lambda: worldLambda, Seed: 1, Sigma: 0.5}
		}
		c.NodeLimit = rapid.SampledFrom([]int{0, 7}).Draw(t, "node limit")
		c.Quantile = rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "quantile")
		c.DemandSettle = rapid.SampledFrom([]int{0, 4}).Draw(t, "settle")
		settings := policies.HorizonSettings(c)
		if c.Sigma != settings.Sigma || c.Quantile > settings.Quantile || c.DemandSettle != settings.DemandSettle {
			cleared++
		}
		ran, objective := runHorizon(t, context.Background(), w, c)
		again, same := runHorizon(t, context.Background(), w, settings)
		if d := cmp.Diff(ran, again); d != "" || objective != same {
			t.Fatalf("%v%+v\nruns otherwise as\n%+v\n%s", w, c, settings, d)
		}
	})
	if cleared == 0 {
		t.Error("nothing was ever cleared")
	}
}
