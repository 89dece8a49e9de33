package forecast

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"berth/sim"
)

// curve knows one service with the given levels, by the hour.
func curve(levels ...int) *Perfect {
	return &Perfect{Curves: []sim.Curve{{Step: time.Hour, Levels: levels}}}
}

func flat(n, hours int) *Perfect { return curve(slices.Repeat([]int{n}, hours)...) }

func noisy(t testing.TB, inner Demand, e DemandErrors, seed uint64) *NoisyDemand {
	t.Helper()
	n, err := NewNoisyDemand(inner, e, time.Hour, seed)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// moments are mean and standard deviation.
func moments(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean) / float64(len(v)-1)
	}
	return mean, math.Sqrt(sd)
}

// checkLogNormal compares factors with exp(σz − shift): median and spread of
// the logarithms, and the closed form of the mean, within five standard errors.
func checkLogNormal(t *testing.T, what string, factors []float64, sigma, shift float64) {
	t.Helper()
	n := math.Sqrt(float64(len(factors)))
	logs := make([]float64, len(factors))
	for i, f := range factors {
		logs[i] = math.Log(f)
	}
	if m, sd := moments(logs); math.Abs(m+shift) > 5*sigma/n || math.Abs(sd-sigma) > 5*sigma/n {
		t.Errorf("%s: logarithms have mean %.4f and deviation %.4f, want %v and %v", what, m, sd, -shift, sigma)
	}
	want := math.Exp(sigma*sigma/2 - shift)
	if m, _ := moments(factors); math.Abs(m-want) > 5*want*math.Sqrt(math.Expm1(sigma*sigma))/n {
		t.Errorf("%s: mean %.4f, want %.4f", what, m, want)
	}
}

func TestDurationErrors(t *testing.T) {
	for _, e := range []DurationErrors{{Sigma: 0.2}, {Sigma: 0.6}, {Sigma: 0.6, MeanOne: true}} {
		n, err := NewNoisyDurations(PerfectDurations{}, e, 7)
		if err != nil {
			t.Fatal(err)
		}
		factors := make([]float64, 50000)
		for i := range factors {
			j := sim.Job{ID: int64(i), Duration: 1000 * time.Hour}
			factors[i] = float64(n.Estimate(&j)) / float64(j.Duration)
			if again := n.Estimate(&j); float64(again)/float64(j.Duration) != factors[i] {
				t.Fatal("the same job has two estimates")
			}
		}
		shift := 0.0
		if e.MeanOne {
			shift = e.Sigma * e.Sigma / 2
		}
		checkLogNormal(t, "durations", factors, e.Sigma, shift)
	}
}

func TestDemandErrors(t *testing.T) {
	const days, size = 2000, 1 << 26
	dst := make([]int, 24*days)
	noisy(t, flat(size, 24*days), DemandErrors{Noise: 0.3}, 5).Forecast(0, 0, dst)
	factors := make([]float64, len(dst))
	for i, v := range dst {
		factors[i] = float64(v) / size
	}
	checkLogNormal(t, "noise", factors, 0.3, 0)

	noisy(t, flat(size, 24*days), DemandErrors{Level: 0.2}, 5).Forecast(0, 0, dst)
	factors = factors[:0]
	for d := range days {
		day := dst[24*d : 24*d+24]
		if slices.Min(day) != slices.Max(day) {
			t.Fatal("the level moves within a day")
		}
		factors = append(factors, float64(day[0])/size)
	}
	checkLogNormal(t, "level", factors, 0.2, 0)

	noisy(t, flat(100, 48), DemandErrors{Bias: 0.25}, 5).Forecast(0, 0, dst[:48])
	if dst[0] != 125 || dst[47] != 125 {
		t.Errorf("bias gives %d", dst[0])
	}
}

// Missed days are cut to their mean, hit the share they should, and leave the
// other days alone.
func TestMissedPeaks(t *testing.T) {
	var levels []int
	const days = 2000
	for range days {
		levels = append(levels, slices.Repeat([]int{4}, 18)...)
		levels = append(levels, slices.Repeat([]int{16}, 6)...) // mean 7
	}
	dst := make([]int, len(levels))
	n := noisy(t, curve(levels...), DemandErrors{Missed: 0.3}, 5)
	n.Forecast(0, 0, dst)
	missed := 0
	for d := range days {
		day := dst[24*d : 24*d+24]
		if peak := slices.Max(day); peak == 7 {
			missed++
		} else if peak != 16 {
			t.Fatalf("day %d peaks at %d", d, peak)
		}
		if slices.Min(day) != 4 {
			t.Fatalf("day %d falls to %d", d, slices.Min(day))
		}
	}
	if share := float64(missed) / days; math.Abs(share-0.3) > 4*math.Sqrt(0.3*0.7/days) {
		t.Errorf("%.3f of the days miss their peak", share)
	}
	part := make([]int, 30)
	n.Forecast(0, 100*time.Hour, part) // begins and ends within a day
	if !slices.Equal(part, dst[100:130]) {
		t.Error("a window sees other days than the whole")
	}
}

// Each dial has draws of its own, and questions do not depend on each other.
func TestErrorsAreIndependent(t *testing.T) {
	const size, n = 1 << 26, 24 * 20
	ask := func(e DemandErrors, seed uint64) []int {
		dst := make([]int, n)
		noisy(t, flat(size, n), e, seed).Forecast(0, 0, dst)
		return dst
	}
	noise, both, level := ask(DemandErrors{Noise: 0.3}, 1), ask(DemandErrors{Noise: 0.3, Level: 0.2}, 1), ask(DemandErrors{Level: 0.2}, 1)
	for i := range both {
		want := float64(noise[i]) * float64(level[i]) / size
		if math.Abs(float64(both[i])-want) > 1e-6*want {
			t.Fatalf("step %d: %d, want %.0f", i, both[i], want)
		}
	}
	if slices.Equal(noise, ask(DemandErrors{Noise: 0.3}, 2)) || !slices.Equal(noise, ask(DemandErrors{Noise: 0.3}, 1)) {
		t.Error("the seed does not decide")
	}
	d := noisy(t, flat(size, n), DemandErrors{Noise: 0.3, Level: 0.2}, 1)
	var one [1]int
	for i := n - 1; i >= 0; i-- {
		if d.Forecast(0, sim.Time(i)*time.Hour, one[:]); one[0] != both[i] {
			t.Fatalf("step %d alone is %d, in the window %d", i, one[0], both[i])
		}
	}
}

// Errors grow with the lead until they have settled, from none.
func TestErrorsSettle(t *testing.T) {
	const size = 1 << 26
	d := noisy(t, flat(size, 1000), DemandErrors{Noise: 0.3, Settle: 16}, 1)
	dst := make([]int, 32)
	d.Forecast(0, 100*time.Hour, dst)
	if dst[0] != size {
		t.Errorf("the step that begins now is %d", dst[0])
	}
	var early, late [1 + 16]int
	d.Forecast(0, 116*time.Hour, late[:1])
	d.Forecast(0, (100+12)*time.Hour, early[:5]) // the same step, 4 ahead
	full, part := math.Log(float64(dst[16])/size), math.Log(float64(early[4])/size)
	if math.Abs(part-full/2) > 1e-6 {
		t.Errorf("4 of 16 ahead the error is %.6f, settled %.6f", part, full)
	}
}

// With every dial at zero what inner says comes back bit for bit.
func TestZeroErrorsChangeNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		levels := rapid.SliceOfN(rapid.IntRange(0, 1<<40), 1, 100).Draw(rt, "levels")
		from := sim.Time(rapid.IntRange(-200, 200).Draw(rt, "from")) * time.Hour
		seed, settle := rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(0, 9).Draw(rt, "settle")
		got, want := make([]int, 60), make([]int, 60)
		inner := curve(levels...)
		noisy(t, inner, DemandErrors{Settle: settle}, seed).Forecast(0, from, got)
		inner.Forecast(0, from, want)
		if !slices.Equal(got, want) {
			rt.Fatalf("%v, want %v", got, want)
		}
		j := sim.Job{ID: rapid.Int64().Draw(rt, "id"), Duration: sim.Time(rapid.Int64Range(1, math.MaxInt64).Draw(rt, "duration"))}
		n, err := NewNoisyDurations(PerfectDurations{}, DurationErrors{MeanOne: true}, seed)
		if err != nil || n.Estimate(&j) != j.Duration {
			rt.Fatalf("%v, want %v, error %v", n.Estimate(&j), j.Duration, err)
		}
	})
}

// Given a forecast, the probability that demand exceeds what is held is what
// the draws say.
func TestNoisyExceed(t *testing.T) {
	const truth, n = 100, 20000
	e := DemandErrors{Noise: 0.2, Bias: 0.1}
	d := noisy(t, flat(truth, n), e, 3)
	// Hold 1.2 times the forecast without its bias: short when the error is
	// below 1/1.2.
	forecast, held, p := make([]int, n), make([]int, n), make([]float64, n)
	d.Forecast(0, 0, forecast)
	short := 0.0
	for i, f := range forecast {
		if held[i] = int(1.2 * float64(f) / 1.1); held[i] < truth {
			short++
		}
	}
	d.Exceed(0, 0, held, p)
	mean, _ := moments(p)
	if math.Abs(mean-short/n) > 0.02 {
		t.Errorf("short in %.3f of the steps, expected in %.3f", short/n, mean)
	}
}

func TestErrorSettings(t *testing.T) {
	for _, e := range []DemandErrors{{Bias: -1}, {Level: -1}, {Noise: math.NaN()}, {Missed: 2}, {Settle: -1}} {
		if _, err := NewNoisyDemand(flat(1, 1), e, 0, 1); err == nil {
			t.Errorf("%+v is accepted", e)
		}
	}
	if _, err := NewNoisyDemand(flat(1, 1), DemandErrors{}, 7*time.Hour, 1); err == nil {
		t.Error("a step of 7 hours is accepted")
	}
	if _, err := NewNoisyDurations(PerfectDurations{}, DurationErrors{Sigma: -1}, 1); err == nil {
		t.Error("sigma -1 is accepted")
	}
}
