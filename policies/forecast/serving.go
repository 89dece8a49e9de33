package forecast

import (
	"cmp"
	"fmt"
	"math"
)

// Serving says how fast a model answers on an accelerator, and so how many
// GPUs some traffic needs. It is a roofline: reading a prompt (prefill) is
// bound by arithmetic, writing an answer (decode) by reading the weights and
// the attention cache from memory once a step of the whole batch.
//
//	prefill = Efficiency · peak ÷ FLOPs of a token                       tokens a GPU-second
//	decode  = Batch ÷ step                                               tokens a GPU-second
//	step    = max(bytes ÷ bandwidth, Batch · FLOPs ÷ peak) ÷ Efficiency  GPU-seconds
//
// Prefill and decode share the GPUs, so the GPUs kept busy are the sum of both
// loads.
type Serving struct {
	Model Model
	GPU   GPU

	Bits       int     // a weight; 0 means 16
	Batch      int     // sequences that a replica decodes at once; 0 means 32
	Context    float64 // mean tokens in a sequence's cache; 0 means 2048
	Efficiency float64 // share of the peak and of the bandwidth that is reached; 0 means 0.5
	Target     float64 // highest planned share of time that a GPU is busy; 0 means 0.7
}

func (s Serving) withDefaults() Serving {
	s.Bits = cmp.Or(s.Bits, 16)
	s.Batch = cmp.Or(s.Batch, 32)
	s.Context = cmp.Or(s.Context, 2048)
	s.Efficiency = cmp.Or(s.Efficiency, 0.5)
	s.Target = cmp.Or(s.Target, 0.7)
	return s
}

// Check reports the first setting that makes no sense.
func (s Serving) Check() error {
	s = s.withDefaults()
	switch {
	case s.Bits < 1 || s.Bits > 32 || s.Batch < 1 || !(s.Context > 0 && s.Context < 1e9):
		return fmt.Errorf("forecast: serving with %d bits, batch %d, context %v; accepted are 1 to 32 bits, batch and context above 0", s.Bits, s.Batch, s.Context)
	case !(s.Efficiency > 0 && s.Efficiency <= 1) || !(s.Target > 0 && s.Target <= 1):
		return fmt.Errorf("forecast: serving efficiency %v, target %v; accepted are above 0, at most 1", s.Efficiency, s.Target)
	case !(s.GPU.MemoryGiB > 0 && s.GPU.PeakTFLOPS > 0 && s.GPU.BandwidthTBs > 0):
		return fmt.Errorf("forecast: GPU %q has memory %v GiB, peak %v TFLOPS, bandwidth %v TB/s; accepted are above 0", s.GPU.Name, s.GPU.MemoryGiB, s.GPU.PeakTFLOPS, s.GPU.BandwidthTBs)
	}
	return s.Model.check()
}

// Throughput is a Serving worked out.
type Throughput struct {
	Replica int     // GPUs of one replica: the least power of two that holds weights and cache
	Prefill float64 // tokens read a second and GPU, at full load
	Decode  float64 // tokens written a second and GPU, at full load
	Target  float64
}

// Throughput works out the replica and its speed, or says why the model does
// not fit.
func (s Serving) Throughput() (Throughput, error) {
	if err := s.Check(); err != nil {
		return Throughput{}, err
	}
	s = s.withDefaults()
	weights, cache := s.bytes()
	replica, err := leastBlock(s.GPU, func(n int) float64 { return (weights + cache) / float64(n) / gib })
	if err != nil {
		return Throughput{}, err
	}
	return Throughput{Replica: replica, Prefill: s.prefill(), Decode: s.decode(), Target: s.Target}, nil
}

// prefill is tokens read a GPU-second.
func (s Serving) prefill() float64 {
	s = s.withDefaults()
	return s.GPU.PeakTFLOPS * 1e12 * s.Efficiency / s.Model.forward(s.Context)
}

// decode is tokens written a GPU-second.
func (s Serving) decode() float64 {
	s = s.withDefaults()
	weights, cache := s.bytes()
	memory := (weights + cache) / (s.GPU.BandwidthTBs * 1e12 * s.Efficiency)
	return float64(s.Batch) / max(memory, float64(s.Batch)/s.prefill())
}

// bytes is what weights and cache of a replica take.
func (s Serving) bytes() (weights, cache float64) {
	return s.Model.Params * 1e9 * float64(s.Bits) / 8, float64(s.Batch) * s.Context * s.Model.cacheBytes()
}

// Load is the GPUs that traffic keeps busy, given tokens read and written a
// second.
func (p Throughput) Load(read, written float64) float64 { return read/p.Prefill + written/p.Decode }

// GPUs is the count to hold for a load: planned busy Target of the time, in
// whole replicas.
func (p Throughput) GPUs(load float64) int {
	if !(load > 0) {
		return 0
	}
	replicas := math.Ceil(load/p.Target/float64(p.Replica) - 1e-9)
	return int(min(replicas, float64(mostGPUs/p.Replica))) * p.Replica
}

// mostGPUs bounds counts, so that sums of them stay exact.
const mostGPUs = 1 << 30

// wholeGPUs rounds a count up.
func wholeGPUs(v float64) int { return int(min(math.Ceil(v-1e-9), mostGPUs)) }
