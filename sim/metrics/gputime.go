package metrics

import (
	"math/bits"

	"berth/sim"
)

// GPUTime is an exact amount of GPU-nanoseconds: 128 bits, since a year of
// 100,000 GPUs does not fit 64.
type GPUTime struct{ hi, lo uint64 }

// Add adds n GPUs for d; neither may be negative.
func (t *GPUTime) Add(n int, d sim.Time) {
	hi, lo := bits.Mul64(uint64(n), uint64(d))
	var carry uint64
	t.lo, carry = bits.Add64(t.lo, lo, 0)
	t.hi, _ = bits.Add64(t.hi, hi, carry)
}

// Plus is the sum of two amounts.
func (t GPUTime) Plus(o GPUTime) GPUTime {
	lo, carry := bits.Add64(t.lo, o.lo, 0)
	hi, _ := bits.Add64(t.hi, o.hi, carry)
	return GPUTime{hi, lo}
}

// times is the amount n-fold.
func (t GPUTime) times(n uint64) GPUTime {
	hi, lo := bits.Mul64(t.lo, n)
	return GPUTime{t.hi*n + hi, lo}
}

// Hours is the amount in GPU-hours.
func (t GPUTime) Hours() float64 {
	return (float64(t.hi)*(1<<64) + float64(t.lo)) / 3.6e12
}
