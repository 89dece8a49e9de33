package requests

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"berth/sim"
)

// Model says how many GPUs some traffic needs. Reading prompts (prefill),
// writing answers (decode) and whatever a request costs beside its tokens share
// the GPUs, so the GPUs kept busy are the sum of the three:
//
//	busy = context ÷ Prefill + generated ÷ Decode + requests × PerRequest
//	GPUs = Replica × ⌈busy ÷ Target ÷ Replica⌉
//
// with context and generated in tokens a second and requests a second, each the
// mean over an interval. Tokens that an answer writes are counted when its
// request arrives. Waiting within an interval is not modelled; Target leaves
// room for it. The speeds are what a GPU reaches at full load, measured or from
// a roofline (berth/policies/forecast, Serving).
type Model struct {
	Prefill    float64 // tokens read a second and GPU; 0 means that reading costs nothing
	Decode     float64 // tokens written a second and GPU; 0 means that writing costs nothing
	PerRequest float64 // GPU-seconds of a request beside its tokens
	Target     float64 // highest planned share of time that a GPU is busy; 0 means 0.7
	Replica    int     // GPUs come in so many at once; 0 means 1
}

// mostGPUs bounds a level of demand.
const mostGPUs = 1 << 30

// Check reports the first setting that makes no sense.
func (m Model) Check() error {
	switch {
	case !(m.Prefill >= 0 && m.Decode >= 0 && m.PerRequest >= 0) || math.IsInf(m.Prefill+m.Decode+m.PerRequest, 1):
		return fmt.Errorf("requests: prefill is %v, decode %v tokens a GPU-second, %v GPU-seconds a request; accepted are numbers from 0", m.Prefill, m.Decode, m.PerRequest)
	case m.Prefill == 0 && m.Decode == 0 && m.PerRequest == 0:
		return fmt.Errorf("requests: prefill, decode and GPU-seconds a request are all 0; accepted is at least one above 0")
	case !(m.Target >= 0 && m.Target <= 1):
		return fmt.Errorf("requests: target is %v; accepted are shares above 0 up to 1, or 0 for 0.7", m.Target)
	case m.Replica < 0 || m.Replica > mostGPUs:
		return fmt.Errorf("requests: a replica has %d GPUs; accepted are 0 (means 1) to %d", m.Replica, mostGPUs)
	}
	return nil
}

// GPUs is the count to hold for traffic: requests, tokens read and tokens
// written, each a second.
func (m Model) GPUs(requests, context, generated float64) int {
	busy := requests * m.PerRequest
	if m.Prefill > 0 {
		busy += context / m.Prefill
	}
	if m.Decode > 0 {
		busy += generated / m.Decode
	}
	if !(busy > 0) {
		return 0
	}
	replica := cmp.Or(m.Replica, 1)
	n := math.Ceil(busy/cmp.Or(m.Target, 0.7)/float64(replica) - 1e-9)
	return int(min(n, float64(mostGPUs/replica))) * replica
}

// Demand is the curve of GPUs that the series needs, scaled by a factor.
func (s *Series) Demand(m Model, scale float64) (sim.Curve, error) {
	if err := m.Check(); err != nil {
		return sim.Curve{}, err
	}
	if !(scale > 0) || math.IsInf(scale, 1) {
		return sim.Curve{}, fmt.Errorf("requests: traffic is scaled by %v; accepted is above 0", scale)
	}
	c := sim.Curve{Step: s.Step, Levels: make([]int, len(s.Requests))}
	for i := range s.Requests {
		c.Levels[i] = m.GPUs(scale*s.Requests[i], scale*s.Context[i], scale*s.Generated[i])
	}
	return c, nil
}

// Sampling says how the rates of a trace of rates are meant.
type Sampling struct {
	Type  string   // of the requests that count; "" means all
	Every sim.Time // how long a sample holds; 0 means a minute
}

// OpenSeries counts the trace at a path by intervals, whichever kind of trace
// it is: single requests, or rates by container.
func OpenSeries(path string, rates Sampling, step sim.Time) (*Series, error) {
	kind, err := sniff(path)
	if err != nil {
		return nil, err
	}
	if kind == kindRates {
		r, err := OpenRates(path)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return BinRates(r, rates.Type, cmp.Or(rates.Every, time.Minute), step)
	}
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return Bin(r, step)
}
