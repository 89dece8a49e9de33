package metrics

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
)

// ExactSample is up to how many values a Sample keeps each.
const ExactSample = 1 << 20

// Sample describes many numbers that are not negative, in bounded memory. Up
// to Limit of them are kept each, and everything is exact. Beyond, they are
// counted in the cells of a log-linear histogram, as HdrHistogram's: number,
// mean, least and greatest stay exact, and a quantile is off by at most
// SampleError of itself. The zero value is an empty sample.
type Sample struct {
	Limit int // 0 means ExactSample

	exact  []float64
	sorted bool
	cells  []int // nil while exact
	n      int
	least  float64
	most   float64
	sum    float64 // of counted values, with what rounding took off it (Neumaier, 1974)
	lost   float64
}

// A cell is one of 256 equal parts between two powers of two. Cell 0 is for
// what is below a nanosecond in seconds, and 0 above all; the last is for what
// is beyond 500 years.
const (
	cellBits  = 8
	cellShift = 52 - cellBits
	cellFirst = (1023 - 30) << cellBits // of 2^−30
	cellCount = 64<<cellBits + 2
)

// SampleError bounds the relative error of a quantile of counted values, for
// values from 1e-9 to 1e10. The number that stands for a cell from a to b is
// 2ab ÷ (a+b), from which neither end is further.
const SampleError = 1.0 / (2<<cellBits + 1)

func cellOf(x float64) int {
	i := int(math.Float64bits(x)>>cellShift) - cellFirst + 1
	return min(max(i, 0), cellCount-1)
}

// cellValue is the number that stands for a cell.
func cellValue(i int) float64 {
	if i == 0 {
		return 0
	}
	from := math.Float64frombits(uint64(i-1+cellFirst) << cellShift)
	to := math.Float64frombits(uint64(i+cellFirst) << cellShift)
	return 2 * from * to / (from + to)
}

// Add takes in a number; one below 0 counts as 0.
func (s *Sample) Add(x float64) {
	x = max(x, 0)
	if s.n == 0 || x < s.least {
		s.least = x
	}
	s.most = max(s.most, x)
	s.n++
	switch {
	case s.cells != nil:
		s.count(x)
	case len(s.exact) < s.limit():
		s.exact, s.sorted = append(s.exact, x), false
	default:
		s.cells = make([]int, cellCount)
		for _, kept := range s.exact {
			s.count(kept)
		}
		s.exact = nil
		s.count(x)
	}
}

func (s *Sample) limit() int {
	if s.Limit == 0 {
		return ExactSample
	}
	return s.Limit
}

// count puts a number into its cell.
func (s *Sample) count(x float64) {
	s.cells[cellOf(x)]++
	sum := s.sum + x
	if s.sum >= x {
		s.lost += s.sum - sum + x
	} else {
		s.lost += x - sum + s.sum
	}
	s.sum = sum
}

// N is how many numbers there are.
func (s *Sample) N() int { return s.n }

// Exact reports whether each number is kept.
func (s *Sample) Exact() bool { return s.cells == nil }

// Mean is the mean, NaN of an empty sample.
func (s *Sample) Mean() float64 {
	if s.Exact() {
		s.sort()
		return stat.Mean(s.exact, nil)
	}
	return (s.sum + s.lost) / float64(s.n)
}

// Quantile is the least value that at least a share p of the sample does not
// exceed; p is above 0 and at most 1. It is NaN of an empty sample.
func (s *Sample) Quantile(p float64) float64 {
	switch {
	case s.n == 0:
		return math.NaN()
	case s.Exact():
		s.sort()
		return stat.Quantile(p, stat.Empirical, s.exact, nil)
	}
	below := 0
	for i, c := range s.cells {
		if below += c; float64(below) >= p*float64(s.n) {
			return min(max(cellValue(i), s.least), s.most)
		}
	}
	return s.most
}

// Share is the share of the sample that does not exceed x: its cumulative
// distribution function.
func (s *Sample) Share(x float64) float64 {
	if s.n == 0 || x < s.least {
		return 0
	}
	if x >= s.most {
		return 1
	}
	below := 0
	if s.Exact() {
		s.sort()
		below = sort.Search(len(s.exact), func(i int) bool { return s.exact[i] > x })
	} else {
		for i, c := range s.cells[:cellOf(x)+1] {
			if cellValue(i) <= x {
				below += c
			}
		}
	}
	return float64(below) / float64(s.n)
}

func (s *Sample) sort() {
	if !s.sorted {
		slices.Sort(s.exact)
		s.sorted = true
	}
}

// Distribution summarises a sample. Quantiles are of the empirical
// distribution: the least sample that at least that share does not exceed.
type Distribution struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Describe summarises the sample; nil for an empty one.
func (s *Sample) Describe() *Distribution {
	if s.n == 0 {
		return nil
	}
	return &Distribution{Mean: s.Mean(), P50: s.Quantile(.5), P95: s.Quantile(.95), P99: s.Quantile(.99), Max: s.most}
}
