package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"berth/sim/experiment"
	"berth/sim/metrics"

	"github.com/google/go-cmp/cmp"
)

func texts(points []experiment.Point) [][]string {
	var out [][]string
	for _, p := range points {
		var row []string
		for _, l := range p {
			row = append(row, l.TOML)
		}
		out = append(out, row)
	}
	return out
}

func points(axes []experiment.SweepAxis, latin experiment.Latin) ([]string, []experiment.Point, error) {
	dims, err := experiment.Dimensions(axes, latin)
	keys, points := experiment.Points(dims)
	return keys, points, err
}

// Zipped axes move together, others are crossed in row-major order.
func TestPoints(t *testing.T) {
	f := func(x float64) *float64 { return &x }
	keys, got, err := points([]experiment.SweepAxis{
		{Key: "a", From: f(1), To: f(100), Count: 3, Log: true, Zip: "z"},
		{Key: "s", Values: []any{"x", true}},
		{Key: "b", From: f(0.1), To: f(0.3), Step: 0.1, Zip: "z"},
	}, experiment.Latin{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a", "b", "s"}, keys); d != "" {
		t.Error(d)
	}
	want := [][]string{{"1", "0.1", `"x"`}, {"1", "0.1", "true"}, {"10", "0.2", `"x"`}, {"10", "0.2", "true"}, {"100", "0.3", `"x"`}, {"100", "0.3", "true"}}
	if d := cmp.Diff(want, texts(got)); d != "" {
		t.Error(d)
	}
}

func TestPointsRefuses(t *testing.T) {
	f := func(x float64) *float64 { return &x }
	for _, axes := range [][]experiment.SweepAxis{
		{{Key: "a"}}, {{Values: []any{int64(1)}}},
		{{Key: "a", From: f(1), To: f(2)}},
		{{Key: "a", From: f(0), To: f(2), Count: 3, Log: true}},
		{{Key: "a", From: f(2), To: f(1), Step: 1}},
		{{Key: "a", From: f(0), To: f(1), Step: 1e-12}},
		{{Key: "a", Values: []any{int64(1)}}, {Key: "a", Values: []any{int64(2)}}},
		{{Key: "a", Values: []any{int64(1)}, Zip: "z"}, {Key: "b", Values: []any{int64(1), int64(2)}, Zip: "z"}},
		{{Key: "a", Values: []any{[]any{}}}},
		{{Key: "a", Values: []any{int64(1), 2.0, 1.0}}},
		{{Key: "a", Values: []any{int64(1), int64(1)}, Zip: "z"}, {Key: "b", Values: []any{"x", "x"}, Zip: "z"}},
	} {
		if _, got, err := points(axes, experiment.Latin{}); err == nil {
			t.Errorf("%+v gives %v", axes, got)
		}
	}
}

// Samples that are the same once rounded count once.
func TestLatinRounded(t *testing.T) {
	_, got, err := points(nil, experiment.Latin{Samples: 8, Axes: []experiment.SweepAxis{{Key: "a", From: new(4.0), To: new(6.0), Integer: true}}})
	if err != nil {
		t.Fatal(err)
	}
	rows := texts(got)
	slices.SortFunc(rows, slices.Compare)
	if d := cmp.Diff([][]string{{"4"}, {"5"}, {"6"}}, rows); d != "" {
		t.Error(d)
	}
}

// Each stratum of each axis holds one sample.
func TestLatin(t *testing.T) {
	lo, hi, one := 0.0, 1.0, 10.0
	const n = 50
	_, got, err := points(nil, experiment.Latin{Samples: n, Seed: 3, Axes: []experiment.SweepAxis{
		{Key: "a", From: &lo, To: &hi}, {Key: "b", From: &hi, To: &one, Log: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for axis, share := range []func(float64) float64{func(x float64) float64 { return x }, math.Log10} {
		seen, off := map[int]bool{}, 0.0 // how far from the middle of its stratum a sample is
		for _, p := range got {
			x, _ := strconv.ParseFloat(p[axis].Text, 64)
			stratum, within := math.Modf(share(x) * n)
			seen[int(stratum)] = true
			off += math.Abs(within-0.5) / n
		}
		if off < 0.15 || off > 0.35 { // a quarter, where samples are uniform
			t.Errorf("axis %d: samples are %v of a stratum off its middle", axis, off)
		}
		if len(seen) != n {
			t.Errorf("axis %d has samples in %d of %d strata", axis, len(seen), n)
		}
	}
}

// A sweep runs what is new, tries failures again, and goes on past them unless
// told to stop.
func TestSweepResumes(t *testing.T) {
	var cells []experiment.SweepCell
	for i := range 9 {
		cells = append(cells, experiment.SweepCell{ID: fmt.Sprint(i), Seed: uint64(i)})
	}
	store, err := experiment.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	broken := true
	var runs atomic.Int32
	s := experiment.Sweeper{Store: store, Parallel: 1, Run: func(_ context.Context, c experiment.SweepCell) (*metrics.Report, error) {
		runs.Add(1)
		if broken && c.Seed == 2 {
			return nil, errors.New("broken")
		}
		return &metrics.Report{Seed: c.Seed}, nil
	}}
	check := func(want experiment.Tally, cells []experiment.SweepCell) {
		t.Helper()
		got, err := s.Sweep(context.Background(), cells)
		if err != nil || got.Cells != want.Cells || got.Ran != want.Ran || got.Kept != want.Kept || got.Failed != want.Failed {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	s.FailFast = true
	if _, err := s.Sweep(context.Background(), cells); err == nil || runs.Load() != 3 {
		t.Errorf("fail-fast: %v after %d runs", err, runs.Load())
	}
	s.FailFast, s.Parallel = false, 4
	check(experiment.Tally{Cells: 8, Ran: 5, Kept: 2, Failed: 1}, cells[:8])
	broken = false
	check(experiment.Tally{Cells: 9, Ran: 2, Kept: 7}, append(cells, cells...))
	// Shards are a partition.
	n := 0
	for i := range 4 {
		n += len(experiment.Shard(cells, i+1, 4))
	}
	if n != len(cells) {
		t.Errorf("shards hold %d cells", n)
	}
}

// Cells of another version are named, and run again on request.
func TestSweepVersions(t *testing.T) {
	store, err := experiment.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cells := []experiment.SweepCell{{ID: "a"}, {ID: "b"}, {ID: "c"}}
	run := func(version string, renew bool, cells []experiment.SweepCell) experiment.Tally {
		t.Helper()
		s := experiment.Sweeper{Store: store, Version: version, Renew: renew, Run: func(context.Context, experiment.SweepCell) (*metrics.Report, error) {
			return &metrics.Report{}, nil
		}}
		tally, err := s.Sweep(context.Background(), cells)
		if err != nil {
			t.Fatal(err)
		}
		return tally
	}
	run("1", false, cells[:2])
	for _, want := range []experiment.Tally{
		{Cells: 3, Ran: 1, Kept: 2, Other: map[string]int{"1": 2}},
		{Cells: 3, Ran: 2, Kept: 1, Other: map[string]int{}},
		{Cells: 3, Kept: 3, Other: map[string]int{}},
	} {
		if d := cmp.Diff(want, run("2", want.Ran == 2, cells)); d != "" {
			t.Error(d)
		}
	}
}

// Intervals by the tabled quantiles of Student's t.
func TestKnownIntervals(t *testing.T) {
	for _, c := range []struct {
		xs         []float64
		mean, half float64
	}{
		{[]float64{1, 3}, 2, 12.706204736174698},
		{[]float64{2, 4, 4, 5, 10}, 5, 2.7764451051977934 * 3 / math.Sqrt(5)},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5.5, 2.2621571627409915 * math.Sqrt(55.0/6/10)},
	} {
		m := experiment.MeanOf(c.xs)
		if math.Abs(m.Mean-c.mean) > 1e-12 || math.Abs(m.Half-c.half) > 1e-6 {
			t.Errorf("%v: %v ± %v; want %v ± %v", c.xs, m.Mean, m.Half, c.mean, c.half)
		}
	}
}

// Values that are equal but for rounding have no spread.
func TestRoundingIsNoSpread(t *testing.T) {
	tenth := 0.1
	if m := experiment.MeanOf([]float64{tenth + 0.2, 0.3, 0.3}); m.Half != 0 {
		t.Errorf("± %v", m.Half)
	}
	if m := experiment.MeanOf([]float64{1, 1 + 1e-9}); m.Half == 0 {
		t.Error("a real spread is lost")
	}
}

// The bootstrap of few values is that of all the draws that there are: of two
// values, each alone in a quarter of the draws; of four values, of which three
// are 0, the mean is x/4 times a binomial number of n = 4, p = 1/4, whose 97.5 %
// quantile is 3 (P(X ≤ 2) = 0.949, P(X ≤ 3) = 0.996).
func TestBootstrapEnumerated(t *testing.T) {
	if low, high := experiment.Bootstrap([]float64{1, 3}, "two"); low != 1 || high != 3 {
		t.Errorf("%v … %v", low, high)
	}
	if low, high := experiment.Bootstrap([]float64{0, 0, 8, 0}, "four"); low != 0 || high != 6 {
		t.Errorf("%v … %v", low, high)
	}
}

// The bootstrap interval of a large sample is the normal one.
func TestBootstrap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	xs := make([]float64, 2000)
	for i := range xs {
		xs[i] = rng.ExpFloat64()
	}
	m := experiment.MeanOf(xs)
	low, high := experiment.Bootstrap(xs, "x")
	if math.Abs(low-(m.Mean-m.Half)) > m.Half/8 || math.Abs(high-(m.Mean+m.Half)) > m.Half/8 {
		t.Errorf("bootstrap %v … %v, t %v ± %v", low, high, m.Mean, m.Half)
	}
}

func BenchmarkSweepCell(b *testing.B) {
	store, err := experiment.OpenStore(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	s := experiment.Sweeper{Store: store, Run: func(context.Context, experiment.SweepCell) (*metrics.Report, error) {
		return &metrics.Report{}, nil
	}}
	cells := make([]experiment.SweepCell, b.N)
	for i := range cells {
		cells[i].ID = fmt.Sprint(i)
	}
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := s.Sweep(context.Background(), cells); err != nil {
		b.Fatal(err)
	}
}
