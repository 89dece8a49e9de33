package policies_test

import (
	"cmp"
	"math"
	"strings"
	"testing"

	"berth/policies"
)

// Settings that make no sense are errors that name them, whichever policy they
// are given to; and every policy answers to its name.
func TestSettings(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		config policies.Config
		want   string
	}{
		{policies.Config{}, ""},
		{policies.Config{Reserve: "some"}, "reserve"},
		{policies.Config{Replan: "never"}, "replan"},
		{policies.Config{Forecast: "stars"}, "forecast"},
		{policies.Config{Boundary: "ajar"}, "boundary"},
		{policies.Config{Budget: "lots"}, "budget"},
		{policies.Config{Budget: "-3"}, "budget"},
		{policies.Config{Budget: "2ms"}, ""},
		{policies.Config{Partition: -1}, "partition"},
		{policies.Config{Window: -1}, "window"},
		{policies.Config{Window: 1 << 40}, "window"},
		{policies.Config{Commit: -1}, "commit"},
		{policies.Config{Window: 3, Commit: 4}, "commit"},
		{policies.Config{Commit: 25}, "commit"},
		{policies.Config{Sigma: 1.1}, "sigma"},
		{policies.Config{Sigma: nan}, "sigma"},
		{policies.Config{PlanGamma: nan}, "gamma"},
		{policies.Config{PlanLambda: inf}, "lambda"},
		{policies.Config{PlanLambda: -1}, "lambda"},
		{policies.Config{ReplanMinutes: -1}, "replan_minutes"},
		{policies.Config{ReplanMinutes: nan}, "replan_minutes"},
		{policies.Config{ReplanMinutes: inf}, "replan_minutes"},
		{policies.Config{ReplanMinutes: 1e-12}, "replan_minutes"},
		{policies.Config{Quantile: 1}, "quantile"},
		{policies.Config{Quantile: nan}, "quantile"},
		{policies.Config{DurationSigma: -1}, "duration"},
		{policies.Config{DurationSigma: nan}, "duration"},
		{policies.Config{DemandBias: nan}, "bias"},
		{policies.Config{DemandNoise: inf}, "noise"},
		{policies.Config{DemandMissed: 2}, "missed"},
		{policies.Config{DemandSettle: -1}, "settle"},
	} {
		for _, e := range policies.All() {
			c.config.Command = cmp.Or(c.config.Command, "my-policy") // exec needs one; it is not started here
			p, err := policies.New(e.Name, c.config)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("%s, %+v: %v", e.Name, c.config, err)
			case c.want == "" && p.Name() != e.Name:
				t.Errorf("%s calls itself %s", e.Name, p.Name())
			case c.want != "" && (err == nil || !strings.Contains(strings.ToLower(err.Error()), c.want)):
				t.Errorf("%s, %+v: got %v, want an error about %s", e.Name, c.config, err, c.want)
			}
		}
	}
	for _, c := range []struct {
		config policies.Config
		want   string
	}{
		{policies.Config{}, "command"},
		{policies.Config{Command: `python3 "my.py`}, "command"},
		{policies.Config{Command: "my.py", Timeout: "soon"}, "timeout"},
		{policies.Config{Command: "my.py", Timeout: "-1s"}, "timeout"},
		{policies.Config{Replay: "there.jsonl"}, ""},
	} {
		if _, err := policies.New("exec", c.config); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("exec, %+v: %v, want an error about %q", c.config, err, c.want)
		}
	}
	if _, err := policies.New("best", policies.Config{}); err == nil || !strings.Contains(err.Error(), "fcfs") {
		t.Errorf("an unknown policy: %v", err)
	}
}
