package forecast

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"berth/sim"
)

// Tier is the calibration of models up to a size.
type Tier struct {
	Params   float64 // billions, at most
	GPUHours float64 // to calibrate and write the model, on A100-80
	GPUs     int     // of the block
}

// Models above the last tier are scaled up from it in proportion. GPTQ follows
// the runtimes of Frantar et al. on one A100-80 with about half as much again
// for loading and writing: about four GPU-hours at 175 billion parameters, as
// their abstract says; 21 min at 13, 45 min at 30 and 1.6 h at 66 billion,
// quoted from memory. bitsandbytes rounds while it loads and calibrates
// nothing; AWQ searches scales by layer and is put between the two: both, and
// the blocks, are our own orders of magnitude, not measurements.
var tiers = map[string][]Tier{
	"bitsandbytes": {{3, 0.05, 1}, {8, 0.1, 1}, {15, 0.2, 1}, {40, 0.4, 1}, {80, 0.8, 2}, {200, 2, 4}},
	"awq":          {{3, 0.1, 1}, {8, 0.25, 1}, {15, 0.5, 1}, {40, 1.1, 1}, {80, 2.2, 2}, {200, 5.5, 4}},
	"gptq":         {{3, 0.2, 1}, {8, 0.35, 1}, {15, 0.6, 1}, {40, 1.5, 1}, {80, 2.9, 2}, {200, 6.8, 4}},
}

// Algorithms are the ways to quantize: awq, bitsandbytes, gptq.
func Algorithms() []string { return []string{"awq", "bitsandbytes", "gptq"} }

// Tiers are the tiers of an algorithm, smallest models first.
func Tiers(algorithm string) ([]Tier, error) {
	t, known := tiers[algorithm]
	if !known {
		return nil, fmt.Errorf("forecast: quantization %q is unknown; accepted are %s", algorithm, strings.Join(Algorithms(), ", "))
	}
	return slices.Clone(t), nil
}

// DefaultMargin is the share of the calibration that is added for safety.
const DefaultMargin = 0.5

// Quantization is what to reserve to quantize a model.
type Quantization struct {
	GPUs     int
	GPUHours int     // whole, margin included, at least 1
	Hours    float64 // GPUHours ÷ GPUs
	Expected float64 // GPU-hours of the tier, without margin
}

// Quantize looks up the tier of a model of params billion parameters. margin
// is the share added for safety (0 means DefaultMargin). Other accelerators
// than A100-80 are scaled by memory bandwidth, as the work streams one layer
// after the other.
func Quantize(algorithm string, params float64, sku string, margin float64) (Quantization, error) {
	list, err := Tiers(algorithm)
	if err != nil {
		return Quantization{}, err
	}
	g, err := GPUByName(sku)
	if err != nil {
		return Quantization{}, err
	}
	margin = cmp.Or(margin, DefaultMargin)
	if !(params > 0 && params <= 1e5) || !(margin >= 0 && margin <= 100) {
		return Quantization{}, fmt.Errorf("forecast: quantization of %v billion parameters with margin %v; accepted are above 0 to 100,000 billion, and 0 (means %v) to 100", params, margin, DefaultMargin)
	}
	at := slices.IndexFunc(list, func(t Tier) bool { return params <= t.Params })
	if at < 0 {
		at = len(list) - 1
	}
	t := list[at]
	expected := t.GPUHours * max(1, params/t.Params) * 2.039 / g.BandwidthTBs
	q := Quantization{GPUs: t.GPUs, GPUHours: max(1, int(math.Ceil(expected*(1+margin)-1e-9))), Expected: expected}
	q.Hours = float64(q.GPUHours) / float64(q.GPUs)
	return q, nil
}

// QuantizationSample is a synthetic quantization and the GPU-hours it took.
type QuantizationSample struct {
	Algorithm string
	Params    float64
	SKU       string
	GPUHours  float64
}

// SyntheticQuantization draws n quantizations. Truth is proportional to the
// parameters inside a tier, which the tier's single figure rounds up, and has
// log-normal noise of σ = 0.3.
func SyntheticQuantization(seed uint64, n int) []QuantizationSample {
	rng := sim.Stream(seed, "forecast/quantization")
	all := make([]QuantizationSample, max(n, 0))
	for i := range all {
		s := QuantizationSample{
			Algorithm: Algorithms()[rng.IntN(3)], Params: math.Exp(math.Log(400) * rng.Float64()), SKU: gpus[rng.IntN(len(gpus))].Name,
		}
		list := tiers[s.Algorithm]
		at := slices.IndexFunc(list, func(t Tier) bool { return s.Params <= t.Params })
		if at < 0 {
			at = len(list) - 1
		}
		g, _ := GPUByName(s.SKU)
		s.GPUHours = list[at].GPUHours * s.Params / list[at].Params * 2.039 / g.BandwidthTBs * math.Exp(0.3*rng.NormFloat64())
		all[i] = s
	}
	return all
}

// ScoreQuantization compares reserved whole GPU-hours, and the tiers' figures
// without margin, with what was used. Coverage is of the reservation; there is
// no quantile that it aims at, so Quantile is the coverage of certainty, 1.
func ScoreQuantization(samples []QuantizationSample, margin float64) (reserved, tier Accuracy, err error) {
	r, e := Scorer{Quantile: 1}, Scorer{}
	for _, s := range samples {
		q, err := Quantize(s.Algorithm, s.Params, s.SKU, margin)
		if err != nil {
			return reserved, tier, err
		}
		r.Add(s.GPUHours, float64(q.GPUHours), float64(q.GPUHours))
		e.Add(s.GPUHours, q.Expected, 0)
	}
	return r.Accuracy(), e.Accuracy(), nil
}
