package forecast

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// nearly compares numbers but for rounding.
var nearly = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })

func TestAccuracy(t *testing.T) {
	s := Scorer{Quantile: 0.5}
	s.Add(10, 12, 9)
	s.Add(10, 9, 10)
	s.Add(0, 1, 1)
	s.Add(20, 20, 30)
	s.Add(-1, 5, 5)
	s.Add(1, math.NaN(), 5)
	want := Accuracy{N: 4, Zeros: 1, MAPE: 0.1, Median: 0.1, Bias: 0.1 / 3, WAPE: 0.1, Quantile: 0.5, Coverage: 0.75}
	if d := cmp.Diff(want, s.Accuracy(), nearly); d != "" {
		t.Error(d)
	}
	if low, high := want.Interval(); math.Abs(low-0.01) > 1e-9 || math.Abs(high-0.99) > 1e-9 {
		t.Errorf("interval %v to %v", low, high)
	}
	var none Scorer
	if none.Accuracy() != (Accuracy{}) {
		t.Error("nothing has an accuracy")
	}
	var b strings.Builder
	if err := WriteTable(&b, []Scored{{"a", want}, {"long name", Accuracy{N: 1}}}); err != nil {
		t.Fatal(err)
	}
	const text = "" +
		"   forecast  n  MAPE %  median %  bias %  WAPE %  quantile  covered %\n" +
		"          a  4    10.0      10.0     3.3    10.0       0.5       75.0\n" +
		"  long name  1     0.0       0.0     0.0     0.0         -          -\n"
	if d := cmp.Diff(text, b.String()); d != "" {
		t.Error(d)
	}
}

// On held-out synthetic batches the correction has at most two thirds of the
// base's error.
func TestBatchAccuracy(t *testing.T) {
	for seed := range uint64(4) {
		c, base, err := ScoreBatch(SyntheticBatch(seed, 600), 0.7, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		table(t, []Scored{{"batch inference, corrected", c}, {"batch inference, base", base}})
		if c.MAPE > base.MAPE*2/3 || math.Abs(c.Coverage-0.9) > 4*math.Sqrt(0.09/float64(c.N)) {
			t.Errorf("seed %d: MAPE %.3f, base %.3f, covered %.3f", seed, c.MAPE, base.MAPE, c.Coverage)
		}
	}
}

func TestQuantization(t *testing.T) {
	for _, c := range []struct {
		algorithm string
		params    float64
		sku       string
		margin    float64
		want      Quantization
	}{
		{"gptq", 7, "A100-80", 0, Quantization{1, 1, 1, 0.35}},
		{"gptq", 70, "A100-80", 0, Quantization{2, 5, 2.5, 2.9}},
		{"awq", 70, "A100-80", 0.1, Quantization{2, 3, 1.5, 2.2}},
		{"awq", 400, "A100-80", 0.1, Quantization{4, 13, 3.25, 11}},
		{"bitsandbytes", 0.5, "H100", 0, Quantization{1, 1, 1, 0.05 * 2.039 / 3.35}},
	} {
		got, err := Quantize(c.algorithm, c.params, c.sku, c.margin)
		if d := cmp.Diff(c.want, got, nearly); err != nil || d != "" {
			t.Errorf("%+v: %v %s", c, err, d)
		}
	}
	reserved, tier, err := ScoreQuantization(SyntheticQuantization(1, 1000), 0)
	if err != nil {
		t.Fatal(err)
	}
	table(t, []Scored{{"quantization, reserved", reserved}, {"quantization, tier", tier}})
	if reserved.Coverage < 0.95 {
		t.Errorf("the reservation suffices in %.3f", reserved.Coverage)
	}
	for _, algorithm := range Algorithms() {
		list, _ := Tiers(algorithm)
		for i := 1; i < len(list); i++ {
			if list[i].Params <= list[i-1].Params || list[i].GPUHours <= list[i-1].GPUHours || list[i].GPUs < list[i-1].GPUs {
				t.Errorf("%s: tier %d is not above the one before", algorithm, i)
			}
		}
	}
	for _, err := range []error{second(Quantize("x", 7, "H100", 0)), second(Quantize("awq", -1, "H100", 0)), second(Quantize("awq", 1, "x", 0))} {
		if err == nil || !strings.Contains(err.Error(), "accepted") {
			t.Errorf("error %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A model of 8 billion parameters reads about 10,000 tokens a GPU-second on
// an A100, as the roofline says by hand, and decodes slower; 70 billion take
// a replica of four.
func TestServing(t *testing.T) {
	g, _ := GPUByName("A100-80")
	small, err := Serving{Model: Model{8, 32, 4096}, GPU: g}.Throughput()
	if err != nil {
		t.Fatal(err)
	}
	if want := 156e12 / (16e9 + 2*32*4096*2048.0); math.Abs(small.Prefill-want) > 1e-6*want || small.Decode >= small.Prefill || small.Replica != 1 {
		t.Errorf("%+v, want prefill %v", small, want)
	}
	bytes := 16e9 + 32*2048*4*4096*32/8.0
	if want := 32 * 2.039e12 / 2 / bytes; math.Abs(small.Decode-want) > 1e-6*want {
		t.Errorf("decode %v, want %v", small.Decode, want)
	}
	large, err := Serving{Model: ModelOf(70), GPU: g}.Throughput()
	if err != nil || large.Replica != 4 {
		t.Errorf("%+v, %v", large, err)
	}
	for load, want := range map[float64]int{0: 0, 0.01: 4, 2.8: 4, 2.81: 8, math.NaN(): 0} {
		if got := large.GPUs(load); got != want {
			t.Errorf("load %v: %d GPUs, want %d", load, got, want)
		}
	}
	if _, err := (Serving{Model: ModelOf(70)}).Throughput(); err == nil {
		t.Error("no GPU is accepted")
	}
}
