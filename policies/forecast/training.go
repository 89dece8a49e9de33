package forecast

import (
	"cmp"
	"fmt"
	"math"
)

// Estimate is what a job is expected to need.
type Estimate struct {
	GPUs      int     // the least block whose memory suffices, a power of two
	Hours     float64 // median duration on it
	High      float64 // hours that the chosen quantile of durations stays below; 0 where unknown
	MemoryGiB float64 // expected on each GPU
}

// TrainerOptions say how careful a Trainer is. Zero values mean the defaults.
type TrainerOptions struct {
	Quantile float64 // of durations, for Estimate.High; 0 means 0.9
	Memory   float64 // probability with which the block's memory suffices; 0 means 0.9
}

// Trainer estimates training jobs: Physical times a correction learned from
// the jobs that have completed. One ridge regression each learns
//
//	log(actual hours ÷ base hours) and log(actual memory ÷ base memory)
//
// from an intercept, the logarithms of base hours, base memory, parameters,
// length, micro-batch, block, rollouts and check time, from what is switched
// (packing, recomputation, sharding, bits of the base), and from variant,
// accelerator and tenant, each a coefficient of its own. Without history it is
// the base; with little, it stays close. The first 64 tenants that complete a
// job get a coefficient; all others share one, so that a tenant never seen
// widens the prediction.
//
// A Trainer is not safe for concurrent use.
type Trainer struct {
	o             TrainerOptions
	hours, memory *ridge
	tenants       map[string]int
	x             []float64
}

const (
	numericFeatures = 13
	maxTenants      = 64
	weakPenalty     = 0.1 // on the intercept
	numericPenalty  = 8   // on logarithms and switches; those of categories have 1
)

// NewTrainer makes a Trainer without history.
func NewTrainer(o TrainerOptions) (*Trainer, error) {
	o.Quantile, o.Memory = cmp.Or(o.Quantile, 0.9), cmp.Or(o.Memory, 0.9)
	for _, q := range []float64{o.Quantile, o.Memory} {
		if !(q > 0 && q < 1) {
			return nil, fmt.Errorf("forecast: a quantile is %v; accepted is above 0 and below 1", q)
		}
	}
	penalty := make([]float64, numericFeatures+numVariants+len(gpus)+maxTenants+1)
	for i := range penalty {
		penalty[i] = 1
		if i < numericFeatures {
			penalty[i] = numericPenalty
		}
	}
	penalty[0] = weakPenalty
	return &Trainer{
		o: o, hours: newRidge(penalty), memory: newRidge(penalty),
		tenants: map[string]int{}, x: make([]float64, len(penalty)),
	}, nil
}

// Jobs is the number of completed jobs that the Trainer has seen.
func (t *Trainer) Jobs() int { return t.hours.n }

// design is the regressors of a job on n GPUs; valid until the next call.
func (t *Trainer) design(f *Features, n int, hours, memory float64) []float64 {
	x := t.x
	clear(x)
	on := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	length := min(f.PromptTokens+f.ResponseTokens, float64(f.SequenceLimit))
	copy(x, []float64{
		1, math.Log(hours), math.Log(memory), math.Log(f.Params), math.Log(length / 1024),
		math.Log2(float64(n)), math.Log(float64(max(f.Rollouts, 1))), math.Log1p(f.VerifierSeconds),
		on(f.Packed), on(f.Recompute), on(f.Sharded), float64(16-f.BaseBits) / 12, math.Log(float64(f.MicroBatch)),
	})
	at := numericFeatures
	x[at+int(f.Variant)] = 1
	at += numVariants
	for i := range gpus {
		x[at+i] = on(gpus[i].Name == f.SKU)
	}
	k, known := t.tenants[f.Tenant]
	if !known {
		k = maxTenants
	}
	x[at+len(gpus)+k] = 1
	return x
}

// Estimate is the corrected estimate of a job.
func (t *Trainer) Estimate(f *Features) (Estimate, error) {
	g, err := f.ready()
	if err != nil {
		return Estimate{}, err
	}
	t.hours.refresh()
	t.memory.refresh()
	var e Estimate
	n, err := leastBlock(g, func(n int) float64 {
		hours, memory := f.phases(g, n).hours(), f.memory(n)
		mean, sd := t.memory.predict(t.design(f, n, hours, memory))
		e.MemoryGiB = memory * math.Exp(mean)
		if t.memory.n == 0 {
			return memory // the base alone, without a margin for what is unknown
		}
		return memory * math.Exp(mean+sd*t.memory.deviations(t.o.Memory))
	})
	if err != nil {
		return Estimate{}, f.tooLarge(err)
	}
	e.GPUs = n
	e.Hours, e.High = t.on(f, g, n)
	return e, nil
}

// HoursOn is the median duration on a given block, and the hours that the
// chosen quantile stays below.
func (t *Trainer) HoursOn(f *Features, n int) (hours, high float64, err error) {
	g, err := f.ready()
	if err == nil && (n < 1 || n > MaxBlock) {
		err = fmt.Errorf("forecast: block is %d GPUs; accepted are 1 to %d", n, MaxBlock)
	}
	if err != nil {
		return 0, 0, err
	}
	t.hours.refresh()
	hours, high = t.on(f, g, n)
	return hours, high, nil
}

func (t *Trainer) on(f *Features, g GPU, n int) (hours, high float64) {
	base := f.phases(g, n).hours()
	mean, sd := t.hours.predict(t.design(f, n, base, f.memory(n)))
	return base * math.Exp(mean), base * math.Exp(mean+sd*t.hours.deviations(t.o.Quantile))
}

// Observe learns from a job that has completed: it took so many hours on so
// many GPUs, and so much memory on each at its peak, in GiB; 0 when that is not
// known.
func (t *Trainer) Observe(f *Features, n int, hours, memoryGiB float64) error {
	g, err := f.ready()
	if err != nil {
		return err
	}
	if n < 1 || n > MaxBlock || !(hours > 0 && hours < 1e7) || !(memoryGiB >= 0 && memoryGiB < 1e7) {
		return fmt.Errorf("forecast: %v hours and %v GiB on %d GPUs; accepted are above 0 hours, 0 (unknown) GiB and above, 1 to %d GPUs", hours, memoryGiB, n, MaxBlock)
	}
	if _, known := t.tenants[f.Tenant]; !known && len(t.tenants) < maxTenants {
		t.tenants[f.Tenant] = len(t.tenants)
	}
	base, memory := f.phases(g, n).hours(), f.memory(n)
	x := t.design(f, n, base, memory)
	t.hours.observe(x, math.Log(hours/base))
	if memoryGiB > 0 {
		t.memory.observe(x, math.Log(memoryGiB/memory))
	}
	return nil
}

// SizeOnly is the estimator to beat: it knows the size of the model and
// nothing else. Hours are a power of the parameters, fitted to the same
// history; the block holds 18 bytes a parameter, the usual rule of thumb for
// full training.
type SizeOnly struct {
	fit *ridge
	q   float64
}

// NewSizeOnly makes the estimator without history; q is the quantile of
// Estimate.High, 0 for 0.9.
func NewSizeOnly(q float64) *SizeOnly {
	return &SizeOnly{fit: newRidge([]float64{0.001, 0.001}), q: cmp.Or(q, 0.9)}
}

// Observe learns the hours of a completed job.
func (s *SizeOnly) Observe(f *Features, hours float64) {
	if hours > 0 && f.Params > 0 {
		s.fit.observe([]float64{1, math.Log(f.Params)}, math.Log(hours))
	}
}

// Estimate is the estimate by size. Without history it is one hour.
func (s *SizeOnly) Estimate(f *Features) (Estimate, error) {
	g, err := f.ready()
	if err != nil {
		return Estimate{}, err
	}
	s.fit.refresh()
	need := func(n int) float64 { return f.Params * 18e9 / float64(n) / gib }
	n, err := leastBlock(g, need)
	if err != nil {
		return Estimate{}, err
	}
	mean, sd := s.fit.predict([]float64{1, math.Log(f.Params)})
	return Estimate{GPUs: n, Hours: math.Exp(mean), High: math.Exp(mean + sd*s.fit.deviations(s.q)), MemoryGiB: need(n)}, nil
}
