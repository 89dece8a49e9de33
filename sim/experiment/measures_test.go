package experiment_test

import (
	"fmt"
	"testing"

	"berth/sim/experiment"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The front is the one that the definition enumerates: points that no other
// dominates. Small whole numbers make many ties.
func TestFront(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) [2]float64 {
			return [2]float64{float64(rapid.IntRange(0, 4).Draw(t, "x")), float64(rapid.IntRange(0, 4).Draw(t, "y"))}
		})
		points := rapid.SliceOfN(draw, 0, 12).Draw(t, "points")
		more := [2]bool{rapid.Bool().Draw(t, "more x"), rapid.Bool().Draw(t, "more y")}
		want := make([]bool, len(points))
		for i, p := range points {
			want[i] = true
			for _, q := range points {
				good, better := true, false
				for k := range 2 {
					gain := q[k] - p[k]
					if !more[k] {
						gain = -gain
					}
					good, better = good && gain >= 0, better || gain > 0
				}
				want[i] = want[i] && !(good && better)
			}
		}
		if d := cmp.Diff(want, experiment.Front(points, more)); d != "" {
			t.Errorf("%v, more is better: %v\n%s", points, more, d)
		}
	})
}

// Axes are named in words, and ranges of equal ratios are known.
func TestDimensions(t *testing.T) {
	one, thousand := 1.0, 1000.0
	for want, a := range map[string]experiment.SweepAxis{
		"[GPUs] false":                  {Key: "cluster.gpus", Values: []any{int64(16), int64(24), int64(48)}},
		"[restart (minutes)] true":      {Key: "restart_minutes", From: &one, To: &thousand, Count: 4, Log: true},
		"[a label] true":                {Key: "policy.window", Label: "a label", Values: []any{int64(3), int64(10), int64(30)}},
		"[window] false":                {Key: "policy.window", Values: []any{int64(60), int64(70), int64(80)}},
		"[threshold (GPU-hours)] false": {Key: "policy.threshold_gpu_hours", Values: []any{"a", "b"}},
	} {
		dims, err := experiment.Dimensions([]experiment.SweepAxis{a}, experiment.Latin{})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(dims[0].Labels, dims[0].Log); got != want {
			t.Errorf("%+v: %s; want %s", a, got, want)
		}
	}
}
