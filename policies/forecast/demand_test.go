package forecast

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"berth/sim"
)

func TestPerfect(t *testing.T) {
	p := &Perfect{Step: time.Hour, Curves: []sim.Curve{{Step: 30 * time.Minute, Levels: []int{1, 2, 5, 3, 4}}}}
	dst := make([]int, 4)
	p.Forecast(0, 0, dst)
	if d := cmp.Diff([]int{2, 5, 4, 0}, dst); d != "" {
		t.Error(d)
	}
	risk := make([]float64, 4)
	p.Exceed(0, 0, []int{2, 4, 4, 0}, risk)
	if d := cmp.Diff([]float64{0, 1, 0, 0}, risk); d != "" {
		t.Error(d)
	}
}

// week is a week of hours with a working day, and nothing at night.
func week() []int {
	levels := make([]int, 168)
	for h := range levels {
		if d := h % 24; d >= 8 && d < 18 {
			levels[h] = 6 + h%5
			if h/24 >= 5 {
				levels[h] = 3
			}
		}
	}
	return levels
}

// After two weeks that repeat, the third is known, and its risk with it.
func TestLearnedConverges(t *testing.T) {
	l, err := NewLearned(2, LearnedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for h := range 2 * 168 {
		l.Observe(1, sim.Time(h-2*168)*time.Hour, week()[h%168])
	}
	dst, risk := make([]int, 168), make([]float64, 168)
	l.Forecast(1, 0, dst)
	if d := cmp.Diff(week(), dst); d != "" {
		t.Error(d)
	}
	l.Exceed(1, 0, week(), risk)
	if most := slices.Max(risk); most > 0.1 {
		t.Errorf("what was always enough is exceeded with %v", most)
	}
	under := week()
	for h := range under {
		under[h] = max(0, under[h]-1)
	}
	l.Exceed(1, 0, under, risk)
	for h, n := range week() {
		if n > 0 && risk[h] < 0.5 {
			t.Fatalf("hour %d wants %d, short with %v", h, n, risk[h])
		}
	}
}

func TestLearnedBeforeItKnows(t *testing.T) {
	l, err := NewLearned(2, LearnedOptions{Prior: []int{8}})
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]int, 3)
	for service, want := range []int{8, 0} {
		if l.Forecast(service, 0, dst); dst[2] != want {
			t.Errorf("service %d: %v, want %d", service, dst, want)
		}
	}
	l.Observe(0, 0, 3)
	l.Observe(0, 0, 5) // rises within the step
	l.Observe(0, 0, 4)
	if l.Forecast(0, 0, dst); dst[0] != 5 || dst[1] != 5 {
		t.Errorf("%v after 5", dst)
	}
	risk := make([]float64, 2)
	l.Exceed(0, 0, []int{4, 5}, risk)
	if d := cmp.Diff([]float64{1, 0.1}, risk, nearly); d != "" {
		t.Error(d)
	}
	// A step observed is as observed, also once the profile has begun.
	l.Observe(0, time.Hour, 7)
	if l.Forecast(0, time.Hour, dst); dst[0] != 7 {
		t.Errorf("%v after 7", dst)
	}
	for _, o := range []LearnedOptions{{Step: -1}, {Step: 7 * time.Hour}, {Quantile: 1}} {
		if _, err := NewLearned(1, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// Asking leaves no trace.
func TestForecastIsPure(t *testing.T) {
	run := func(ask bool) []int {
		l, _ := NewLearned(1, LearnedOptions{Step: 30 * time.Minute})
		n, _ := NewNoisyDemand(l, DemandErrors{Noise: 0.2, Missed: 0.3, Settle: 3}, 30*time.Minute, 9)
		dst := make([]int, 48)
		for h := range 700 {
			n.Observe(0, sim.Time(h)*30*time.Minute, h%48)
			if ask {
				n.Forecast(0, sim.Time(h+1)*30*time.Minute, dst)
			}
		}
		n.Forecast(0, 350*time.Hour, dst)
		return dst
	}
	if d := cmp.Diff(run(false), run(true)); d != "" {
		t.Error(d)
	}
}

func TestCapped(t *testing.T) {
	s := &sim.Service{SwapCap: 2, Max: 8}
	got := Capped(s, []int{1, 1, 7, 0, 0}, false, 2)
	if d := cmp.Diff([]int{3, 5, 7, 5, 3}, got); d != "" {
		t.Error(d)
	}
}

// Learned durations find that one kind takes twice as long as stated.
func TestLearnedDurations(t *testing.T) {
	l := NewLearnedDurations(StatedDurations{})
	rng := sim.Stream(1, "test")
	job := func(k sim.Kind) *sim.Job {
		return &sim.Job{Kind: k, Tenant: "a", Estimate: sim.Time((1 + 9*rng.Float64()) * float64(time.Hour))}
	}
	if j := job(sim.Training); l.Estimate(j) != j.Estimate {
		t.Error("without history it is not the stated estimate")
	}
	for range 200 {
		for kind, factor := range map[sim.Kind]float64{sim.Training: 2, sim.Quantization: 0.5} {
			j := job(kind)
			l.Observe(j, sim.Time(float64(j.Estimate)*factor))
		}
	}
	for kind, factor := range map[sim.Kind]float64{sim.Training: 2, sim.Quantization: 0.5} {
		j := job(kind)
		if got := float64(l.Estimate(j)) / float64(j.Estimate); math.Abs(got/factor-1) > 0.03 {
			t.Errorf("%v: factor %.3f, want %v", kind, got, factor)
		}
	}
	l.Observe(job(sim.Training), 0) // left out
}

func TestEstimatesStayInRange(t *testing.T) {
	n, _ := NewNoisyDurations(PerfectDurations{}, DurationErrors{Sigma: 5}, 1)
	for id := range int64(1000) {
		for _, d := range []sim.Time{0, 1, sim.Forever} {
			if e := n.Estimate(&sim.Job{ID: id, Duration: d}); e < 1 || e > longest {
				t.Fatalf("estimate of %v is %v", d, e)
			}
		}
	}
}

func Example() {
	// A policy is handed a Demand. Here it knows the curve, with a peak missed
	// on every day.
	know := &Perfect{Curves: []sim.Curve{{Step: time.Hour, Levels: []int{2, 2, 8, 8, 2, 2}}}}
	demand, err := NewNoisyDemand(know, DemandErrors{Missed: 1}, time.Hour, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	window := make([]int, 6)
	know.Forecast(0, 0, window)
	fmt.Println(window, Capped(&sim.Service{SwapCap: 2, Max: 8}, window, true, 0))
	demand.Forecast(0, 0, window)
	fmt.Println(window)
	// Output:
	// [2 2 8 8 2 2] [4 6 8 8 6 4]
	// [1 1 1 1 1 1]
}
