package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"berth/policies/plan"
)

func TestEnvelope(t *testing.T) {
	tests := []struct {
		name       string
		demand     []int
		cap, limit int
		fresh      bool
		held       int
		want       []int
	}{
		{"grows ahead of a peak", []int{0, 0, 6, 0, 0}, 2, 8, true, 0, []int{2, 4, 6, 4, 2}},
		{"maximum cuts the peak", []int{0, 0, 6, 0, 0}, 2, 3, true, 0, []int{0, 1, 3, 1, 0}},
		{"no cap", []int{0, 5, 1}, 0, 8, false, 3, []int{0, 5, 1}},
		{"cannot shrink at once", []int{0, 0, 0}, 2, 8, false, 5, []int{3, 1, 0}},
		{"cannot grow at once", []int{5, 5, 5}, 2, 8, false, 0, []int{2, 4, 5}},
		{"does not chase what it cannot reach", []int{9, 0, 0}, 2, 9, false, 0, []int{2, 0, 0}},
		{"nothing", nil, 2, 8, false, 0, []int{}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, plan.Envelope(tt.demand, tt.cap, tt.limit, tt.fresh, tt.held)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Among all legal curves, the envelope has the least shortfall, and of those
// that share it no curve is lower in any step.
func TestEnvelopeIsCheapest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 4).Draw(t, "limit")
		swapCap := rapid.IntRange(0, 3).Draw(t, "cap")
		fresh := rapid.Bool().Draw(t, "fresh")
		held := rapid.IntRange(0, limit).Draw(t, "held")
		demand := rapid.SliceOfN(rapid.IntRange(0, 6), 1, 5).Draw(t, "demand")
		got := plan.Envelope(demand, swapCap, limit, fresh, held)

		curve := make([]int, len(demand))
		least, lowest, found := 0, []int(nil), false
		var try func(i, short int)
		try = func(i, short int) {
			if i == len(demand) {
				switch {
				case lowest == nil || short < least:
					least, lowest = short, append([]int{}, curve...)
				case short == least:
					for k := range lowest {
						lowest[k] = min(lowest[k], curve[k])
					}
				}
				found = found || cmp.Equal(curve, got)
				return
			}
			for n := range limit + 1 {
				last := held
				if i > 0 {
					last = curve[i-1]
				}
				if step := max(n-last, last-n); swapCap > 0 && step > swapCap && (i > 0 || !fresh) {
					continue
				}
				curve[i] = n
				try(i+1, short+max(0, demand[i]-n))
			}
		}
		try(0, 0)
		if !found {
			t.Fatalf("%v is not a legal curve", got)
		}
		if diff := cmp.Diff(lowest, got); diff != "" {
			t.Fatalf("not the cheapest (-want +got):\n%s", diff)
		}
	})
}

func TestGap(t *testing.T) {
	for _, tt := range []struct{ bound, objective, want float64 }{
		{100, 90, 0.1}, {-80, -100, 0.25}, {0.5, 0.25, 0.25}, {0, 0, 0},
	} {
		if got := plan.Gap(tt.bound, tt.objective); got != tt.want {
			t.Errorf("Gap(%v, %v) = %v, want %v", tt.bound, tt.objective, got, tt.want)
		}
	}
}
