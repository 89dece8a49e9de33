package forecast

import (
	"math"
	"math/rand/v2"
	"strconv"

	"berth/sim"
)

// TrainingSample is a synthetic training job and what became of it.
type TrainingSample struct {
	Features
	Submit    sim.Time
	GPUs      int     // the least block whose memory sufficed; it ran on that
	Hours     float64 // that it took
	MemoryGiB float64 // peak on each GPU
}

// End is when the job completed, had it started on submission.
func (s *TrainingSample) End() sim.Time { return s.Submit + hours(s.Hours) }

func hours(h float64) sim.Time { return sim.Time(math.Round(h * 3.6e12)) }

// truth is what the synthetic jobs obey and the physical base does not know.
// It is drawn once a seed. Part of it is not of the form that Trainer fits
// either: loading is a sum, not a product, and attention costs extra on long
// sequences only.
type truth struct {
	variant [numVariants]float64 // true efficiency ÷ the base's, 0.75 exp(0.35 z)
	sku     map[string]float64   // the same by accelerator, exp(0.15 z)
	loading []float64            // seconds a million tokens and tenant, exp(2 + z)
	memory  [5]float64           // true memory ÷ the base's, by technique, 0.95 … 1.25
}

const (
	durationNoise = 0.15 // σ of the log-normal factor that nobody can know
	memoryNoise   = 0.03
	tenants       = 12
)

func newTruth(rng *rand.Rand) *truth {
	t := &truth{sku: map[string]float64{}}
	for i := range t.variant {
		t.variant[i] = 0.75 * math.Exp(0.35*rng.NormFloat64())
	}
	for _, g := range gpus {
		t.sku[g.Name] = math.Exp(0.15 * rng.NormFloat64())
	}
	for range tenants {
		t.loading = append(t.loading, math.Exp(2+rng.NormFloat64()))
	}
	for i := range t.memory {
		t.memory[i] = 0.95 + 0.3*rng.Float64()
	}
	return t
}

// SyntheticTraining draws n training jobs, an average of gap apart, and what
// became of them. There is no record of such jobs to compare with: sizes and
// lengths follow common practice, and the truth is the physical base changed
// by hidden efficiencies of variant and accelerator, a hidden time to load
// data by tenant, longer attention above 4,096 tokens, slower 4-bit weights,
// hidden memory by technique, and log-normal noise of σ = 0.15 on durations
// and 0.03 on memory. Jobs that fit no block are drawn again.
func SyntheticTraining(seed uint64, n int, gap sim.Time) []TrainingSample {
	world := newTruth(sim.Stream(seed, "forecast/training/truth"))
	rng := sim.Stream(seed, "forecast/training/jobs")
	noise := sim.Stream(seed, "forecast/training/noise")
	var all []TrainingSample
	at := sim.Time(0)
	for len(all) < n {
		s := TrainingSample{Features: drawFeatures(rng)}
		if !world.run(&s, noise) {
			continue
		}
		at += sim.Time(float64(gap) * rng.ExpFloat64())
		s.Submit = at
		all = append(all, s)
	}
	return all
}

// run fills in what became of a job, or says that it fits no block.
func (t *truth) run(s *TrainingSample, noise *rand.Rand) bool {
	g, err := s.ready()
	if err != nil {
		return false
	}
	factor := t.memory[s.Variant.Technique()] * math.Exp(memoryNoise*noise.NormFloat64())
	n, err := leastBlock(g, func(n int) float64 { return factor * s.memory(n) })
	if err != nil {
		return false
	}
	s.GPUs, s.MemoryGiB = n, factor*s.memory(n)
	tenant, _ := strconv.Atoi(s.Tenant[1:])
	w, p := s.work(), s.phases(g, n)
	efficiency := t.variant[s.Variant] * t.sku[g.Name]
	if s.BaseBits == 4 {
		efficiency *= 0.75
	}
	p.compute *= max(1, math.Pow(w.Length/4096, 0.25)) / efficiency
	p.generate /= t.sku[g.Name] * 0.8
	p.check *= 1.3
	loading := t.loading[tenant] * w.Sequences * w.Length / 1e6 / float64(n)
	s.Hours = (p.hours() + loading/3600) * math.Exp(durationNoise*noise.NormFloat64())
	return true
}

// drawFeatures draws what a job states about itself.
func drawFeatures(rng *rand.Rand) Features {
	m := modelSizes[min(rng.IntN(len(modelSizes)-1), rng.IntN(len(modelSizes)-1))] // small ones are more common
	f := Features{
		Variant: Variant(rng.IntN(numVariants)), Params: m.Params * (0.9 + 0.2*rng.Float64()), Layers: m.Layers, Width: m.Width,
		Samples: int(5000 * math.Exp(4*rng.Float64())), PromptTokens: 100 * math.Exp(2.5*rng.Float64()),
		ResponseTokens: 100 * math.Exp(2.5*rng.Float64()), SequenceLimit: 2048 << rng.IntN(3), Packed: rng.IntN(2) == 0,
		Epochs: float64(1 + rng.IntN(3)), GlobalBatch: 32 << rng.IntN(4), MicroBatch: 1 << rng.IntN(3),
		BaseBits: 16, OptimizerBytes: []float64{12, 4, 2}[rng.IntN(3)], Recompute: rng.IntN(3) > 0,
		Sharded: m.Params > 3 || rng.IntN(2) == 0, SKU: gpus[rng.IntN(len(gpus))].Name, Tenant: "t" + strconv.Itoa(rng.IntN(tenants)),
	}
	if f.Variant.Adapter() {
		f.Rank = 8 << rng.IntN(4)
		f.BaseBits = []int{16, 16, 8, 4, 4}[rng.IntN(5)]
	}
	switch f.Variant.Technique() {
	case RLHF:
		f.Rollouts, f.RewardParams = 1<<rng.IntN(3), f.Params/2
	case RLVR:
		f.Rollouts, f.VerifierSeconds = 4<<rng.IntN(3), 5*rng.Float64()
	case CPT:
		f.PromptTokens, f.ResponseTokens = 20*f.PromptTokens, 0
	}
	return f
}

// TrainingReport is how estimates compare on jobs submitted after the split.
// Corrected is Trainer, Base is Physical, BySize is SizeOnly. Hours are
// compared on the block that the job ran on, except BySize, which knows none.
type TrainingReport struct {
	Trained                                int // jobs that had completed at the split
	Corrected, Base, BySize                Accuracy
	CorrectedBlock, BaseBlock, BySizeBlock Blocks
}

// Rows are the lines of WriteTable.
func (r *TrainingReport) Rows() []Scored {
	return []Scored{{"training, corrected", r.Corrected}, {"training, base", r.Base}, {"training, size only", r.BySize}}
}

// ScoreTraining fits on the jobs that had completed at the split and scores on
// those that were submitted after it, so that nothing learned comes from the
// future. samples are in the order of submission.
func ScoreTraining(samples []TrainingSample, split sim.Time, o TrainerOptions) (*TrainingReport, error) {
	t, err := NewTrainer(o)
	if err != nil {
		return nil, err
	}
	bySize, r := NewSizeOnly(t.o.Quantile), &TrainingReport{}
	for i := range samples {
		if s := &samples[i]; s.End() <= split {
			if err := t.Observe(&s.Features, s.GPUs, s.Hours, s.MemoryGiB); err != nil {
				return nil, err
			}
			bySize.Observe(&s.Features, s.Hours)
			r.Trained++
		}
	}
	corrected, size := Scorer{Quantile: t.o.Quantile}, Scorer{Quantile: t.o.Quantile}
	var base Scorer
	for i := range samples {
		s := &samples[i]
		if s.Submit <= split {
			continue
		}
		mid, high, err := t.HoursOn(&s.Features, s.GPUs)
		if err != nil {
			return nil, err
		}
		corrected.Add(s.Hours, mid, high)
		g, _ := s.ready()
		base.Add(s.Hours, s.phases(g, s.GPUs).hours(), 0)
		e, err := t.Estimate(&s.Features)
		r.CorrectedBlock.add(s.GPUs, e, err)
		e, err = Physical(&s.Features)
		r.BaseBlock.add(s.GPUs, e, err)
		e, err = bySize.Estimate(&s.Features)
		r.BySizeBlock.add(s.GPUs, e, err)
		size.Add(s.Hours, e.Hours, e.High)
	}
	r.Corrected, r.Base, r.BySize = corrected.Accuracy(), base.Accuracy(), size.Accuracy()
	return r, nil
}

// add compares a block; one that the estimate says does not exist is too large.
func (b *Blocks) add(actual int, e Estimate, err error) {
	if err != nil {
		e.GPUs = 2 * MaxBlock
	}
	b.Add(actual, e.GPUs)
}
