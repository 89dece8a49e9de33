package forecast

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// fewErrors is how many errors a pool must hold before its quantiles are
// trusted; below, errors are taken as log-normal with σ = firstSigma.
const (
	fewErrors  = 10
	firstSigma = 0.3
)

// pool remembers the latest values, at most so many, and their order by size.
type pool struct {
	most   int
	ring   []float64
	at     int // place in ring of the oldest, once full
	sorted []float64
}

func (p *pool) add(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	if len(p.ring) < p.most {
		p.ring = append(p.ring, v)
	} else {
		old := p.ring[p.at]
		p.ring[p.at] = v
		p.at = (p.at + 1) % p.most
		i, _ := slices.BinarySearch(p.sorted, old)
		p.sorted = slices.Delete(p.sorted, i, i+1)
	}
	i, _ := slices.BinarySearch(p.sorted, v)
	p.sorted = slices.Insert(p.sorted, i, v)
}

// quantile is the ⌈q(n+1)⌉-th smallest value, the largest at most.
func (p *pool) quantile(q float64) float64 {
	n := len(p.sorted)
	if n < fewErrors {
		q = min(max(q, 1e-6), 1-1e-6)
		return math.Exp(firstSigma * distuv.UnitNormal.Quantile(q))
	}
	k := int(math.Ceil(q*float64(n+1) - 1e-9))
	return p.sorted[min(max(k, 1), n)-1]
}

// above is the probability of a value above v. It is never 0 or 1: half an
// error is counted on the far side.
func (p *pool) above(v float64) float64 {
	n := len(p.sorted)
	if n < fewErrors {
		if v <= 0 {
			return 1
		}
		return 1 - distuv.UnitNormal.CDF(math.Log(v)/firstSigma)
	}
	i, found := slices.BinarySearch(p.sorted, v)
	for found && i < n && p.sorted[i] == v {
		i++
	}
	return (float64(n-i) + 0.5) / float64(n+1)
}
