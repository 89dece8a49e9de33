package metrics_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"berth/sim/metrics"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Quantiles are those of the empirical distribution: the least value that at
// least that share of the sample does not exceed.
func TestDescribe(t *testing.T) {
	if new(metrics.Sample).Describe() != nil {
		t.Error("an empty sample has a distribution")
	}
	falling := make([]float64, 100)
	for i := range falling {
		falling[i] = float64(100 - i)
	}
	for _, c := range []struct {
		xs   []float64
		want metrics.Distribution
	}{
		{[]float64{7}, metrics.Distribution{Mean: 7, P50: 7, P95: 7, P99: 7, Max: 7}},
		{[]float64{4, 1}, metrics.Distribution{Mean: 2.5, P50: 1, P95: 4, P99: 4, Max: 4}},
		{[]float64{3, 1, 2}, metrics.Distribution{Mean: 2, P50: 2, P95: 3, P99: 3, Max: 3}},
		{falling, metrics.Distribution{Mean: 50.5, P50: 50, P95: 95, P99: 99, Max: 100}},
	} {
		if d := cmp.Diff(&c.want, sampleOf(0, c.xs).Describe()); d != "" {
			t.Error(d)
		}
	}
}

func sampleOf(limit int, xs []float64) *metrics.Sample {
	s := &metrics.Sample{Limit: limit}
	for _, x := range xs {
		s.Add(x)
	}
	return s
}

// quantile is the definition, on a sorted list.
func quantile(sorted []float64, p float64) float64 {
	for i, x := range sorted {
		if float64(i+1) >= p*float64(len(sorted)) {
			return x
		}
	}
	return math.NaN()
}

// Beyond its limit a sample keeps its promise: quantiles within SampleError,
// everything else exact. Values are as unlike as the clock allows, with zeros
// and equal ones.
func TestSampleKeepsItsError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(
			rapid.Just(0.0),
			rapid.Map(rapid.Int64Range(1, math.MaxInt64), func(ns int64) float64 { return float64(ns) / 1e9 }),
			rapid.Map(rapid.Int64Range(1, 1e12), func(ns int64) float64 { return float64(ns) / 1e9 }),
			rapid.Map(rapid.IntRange(-29, 33), func(e int) float64 { return math.Ldexp(1, e) }),
			rapid.Map(rapid.IntRange(-29, 33), func(e int) float64 { return math.Nextafter(math.Ldexp(1, e), 0) }),
			rapid.Float64Range(1, 1000),
		)
		xs := rapid.SliceOfN(value, 1, 200).Draw(t, "values")
		limit := rapid.IntRange(1, 220).Draw(t, "limit")
		s := sampleOf(limit, xs)
		sorted := slices.Sorted(slices.Values(xs))
		if s.Exact() != (len(xs) <= limit) || s.N() != len(xs) {
			t.Fatalf("%d values, limit %d: exact %v, n %d", len(xs), limit, s.Exact(), s.N())
		}
		allowed := 0.0
		if !s.Exact() {
			allowed = metrics.SampleError * (1 + 1e-9)
		}
		for _, p := range []float64{0.001, 0.25, 0.5, 0.95, 0.99, 1} {
			if got, want := s.Quantile(p), quantile(sorted, p); math.Abs(got-want) > allowed*want {
				t.Fatalf("quantile %v: %v, want %v", p, got, want)
			}
		}
		sum := 0.0
		for _, x := range sorted {
			sum += x
		}
		if mean := sum / float64(len(xs)); math.Abs(s.Mean()-mean) > 1e-12*mean {
			t.Fatalf("mean %v, want %v", s.Mean(), mean)
		}
		if got := s.Describe().Max; got != sorted[len(sorted)-1] {
			t.Fatalf("max %v, want %v", got, sorted[len(sorted)-1])
		}
		// The share up to x is that up to some number near x.
		x := value.Draw(t, "x")
		up := func(x float64) float64 {
			n := 0
			for _, y := range xs {
				if y <= x {
					n++
				}
			}
			return float64(n) / float64(len(xs))
		}
		if got := s.Share(x); got < up(x*(1-2*allowed)) || got > up(x*(1+2*allowed)) {
			t.Fatalf("share up to %v: %v, exactly %v", x, got, up(x))
		}
	})
}

// The bound is sharp enough to be worth stating: on many log-normal values the
// histogram is off by more than half of it somewhere, and never by more.
func TestSampleErrorOnMany(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	xs := make([]float64, 200_000)
	for i := range xs {
		xs[i] = math.Exp(5 + 3*random.NormFloat64())
	}
	counted, exact := sampleOf(1000, xs), sampleOf(0, xs)
	worst := 0.0
	for p := 0.001; p < 1; p += 0.001 {
		q := exact.Quantile(p)
		worst = max(worst, math.Abs(counted.Quantile(p)-q)/q)
	}
	if worst > metrics.SampleError || worst < metrics.SampleError/2 {
		t.Errorf("worst error %.4g, bound %.4g", worst, metrics.SampleError)
	}
	if a, b := counted.Mean(), exact.Mean(); math.Abs(a-b) > 1e-13*b {
		t.Errorf("mean %v, exactly %v", a, b)
	}
}

// A sample past its limit takes no more memory however much is added.
func TestSampleAllocatesNothing(t *testing.T) {
	s := sampleOf(10, make([]float64, 11))
	x := 1.0
	if n := testing.AllocsPerRun(1000, func() { s.Add(x); x *= 1.01 }); n != 0 {
		t.Errorf("%v allocations a value", n)
	}
}
