package hardware

import "math/bits"

// bitmap has one bit a GPU, 64 to a word. Bits past the last GPU are clear.
type bitmap struct {
	words []uint64
	n     int // GPUs
}

func newBitmap(n int) bitmap {
	b := bitmap{make([]uint64, (n+63)/64), n}
	b.set(Range{0, n}, true)
	return b
}

// mask is the bits of word w that lie in [first, end).
func mask(w, first, end int) uint64 {
	lo, hi := max(first-64*w, 0), min(end-64*w, 64)
	if lo >= hi {
		return 0
	}
	return ^uint64(0) >> (64 - (hi - lo)) << lo
}

// in is word w without the bits outside r.
func (b bitmap) in(w int, r Range) uint64 { return b.words[w] & mask(w, r.First, r.End()) }

func (b bitmap) set(r Range, on bool) {
	for w := r.First / 64; w <= (r.End()-1)/64; w++ {
		if m := mask(w, r.First, r.End()); on {
			b.words[w] |= m
		} else {
			b.words[w] &^= m
		}
	}
}

// runFrom is the length of the run of ones that starts at g.
func (b bitmap) runFrom(g int) int {
	n := 0
	for w, off := g/64, g%64; w < len(b.words); w, off = w+1, 0 {
		k := trailingOnes(b.words[w] >> off) // the shift brings in zeros
		n += k
		if off+k < 64 {
			break
		}
	}
	return n
}

func (b *bitmap) copyFrom(o bitmap) {
	b.words, b.n = append(b.words[:0], o.words...), o.n
}

func trailingOnes(m uint64) int { return bits.TrailingZeros64(^m) }
func leadingOnes(m uint64) int  { return bits.LeadingZeros64(^m) }

// firstRun is the lowest start of n ones in a row in a word, or −1.
func firstRun(m uint64, n int) int {
	for k := 1; k < n && m != 0; { // m keeps the starts of k ones in a row
		s := min(k, n-k)
		m &= m >> s
		k += s
	}
	if m == 0 {
		return -1
	}
	return bits.TrailingZeros64(m)
}

// longestRun is the length of the longest run of ones in a word.
func longestRun(m uint64) int {
	if m == ^uint64(0) {
		return 64
	}
	n := 0
	for ; m != 0; n++ {
		m &= m >> 1
	}
	return n
}

// firstBuddy is the lowest start, a multiple of n, of n ones in a row in a
// word, or −1. n is a power of two up to 64.
func firstBuddy(m uint64, n int) int {
	for k := 1; k < n; k *= 2 { // m keeps the starts of k ones in a row
		m &= m >> k
	}
	if m &= multiples[bits.TrailingZeros(uint(n))]; m == 0 {
		return -1
	}
	return bits.TrailingZeros64(m)
}

// largestBuddy is the size of the largest aligned block of ones in a word.
func largestBuddy(m uint64) int {
	best := 0
	for k, at := range &multiples { // m keeps the starts of 2^k ones in a row
		if m&at == 0 {
			break
		}
		best = 1 << k
		m &= m >> best
	}
	return best
}

// multiples[k] has the bits at the multiples of 2^k.
var multiples = [...]uint64{
	^uint64(0), 0x5555555555555555, 0x1111111111111111, 0x0101010101010101,
	0x0001000100010001, 0x0000000100000001, 1,
}
