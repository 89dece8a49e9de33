package requests

import (
	"fmt"

	"berth/sim"
)

// Series is traffic by intervals: entry i covers [i·Step, (i+1)·Step). The last
// interval, which a trace covers in part only, is left out.
type Series struct {
	Step      sim.Time
	Requests  []float64 // arrived a second
	Context   []float64 // tokens read a second
	Generated []float64 // tokens written a second, of the requests that arrived
}

// maxIntervals bounds a Series: two years of seconds.
const maxIntervals = 1 << 26

func (s *Series) grow(at sim.Time) (int, error) {
	i := int64(at / s.Step)
	if i >= maxIntervals {
		return 0, fmt.Errorf("requests: a span of %v has more than %d intervals of %v; accepted are longer intervals", at, maxIntervals, s.Step)
	}
	for int64(len(s.Requests)) <= i {
		s.Requests = append(s.Requests, 0)
		s.Context = append(s.Context, 0)
		s.Generated = append(s.Generated, 0)
	}
	return int(i), nil
}

// finish turns sums into means a second and drops the last interval.
func (s *Series) finish(divisor float64) {
	n := max(len(s.Requests)-1, 0)
	s.Requests, s.Context, s.Generated = s.Requests[:n], s.Context[:n], s.Generated[:n]
	for i := range n {
		s.Requests[i] /= divisor
		s.Context[i] /= divisor
		s.Generated[i] /= divisor
	}
}

func checkStep(step sim.Time) error {
	if step <= 0 {
		return fmt.Errorf("requests: the interval is %v; accepted are those above 0", step)
	}
	return nil
}

// Bin reads a trace to its end and counts it by intervals.
func Bin(r *Reader, step sim.Time) (*Series, error) {
	if err := checkStep(step); err != nil {
		return nil, err
	}
	s := &Series{Step: step}
	var q Request
	for {
		ok, err := r.Next(&q)
		if err != nil {
			return nil, err
		}
		if !ok {
			s.finish(step.Seconds())
			return s, nil
		}
		i, err := s.grow(q.At)
		if err != nil {
			return nil, err
		}
		s.Requests[i]++
		s.Context[i] += float64(q.ContextTokens)
		s.Generated[i] += float64(q.GeneratedTokens)
	}
}

// BinRates reads rates of one type ("" for all) to their end: each sample is
// taken to hold for every seconds, so an interval's rate is the sum of its
// samples × every ÷ step. Only Requests is filled; the rest is 0.
func BinRates(r *RateReader, requestType string, every, step sim.Time) (*Series, error) {
	if err := checkStep(step); err != nil {
		return nil, err
	}
	if every <= 0 {
		return nil, fmt.Errorf("requests: samples are %v apart; accepted is above 0", every)
	}
	s := &Series{Step: step}
	var v Rate
	for {
		ok, err := r.Next(&v)
		if err != nil {
			return nil, err
		}
		if !ok {
			s.finish(step.Seconds() / every.Seconds())
			return s, nil
		}
		i, err := s.grow(v.At)
		if err != nil {
			return nil, err
		}
		if requestType == "" || requestType == v.Type {
			s.Requests[i] += v.PerSecond
		}
	}
}
