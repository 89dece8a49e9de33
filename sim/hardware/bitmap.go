package hardware

import "math/bits"

// bitmap has one bit a GPU, 64 to a word. Bits past the last GPU are clear.
type bitmap struct {
	words []uint64
	n     int
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

func (b bitmap) set(r Range, on bool) {
	for w := r.First / 64; w <= (r.End()-1)/64; w++ {
		if m := mask(w, r.First, r.End()); on {
			b.words[w] |= m
		} else {
			b.words[w] &^= m
		}
	}
}

// runFrom is the length of the run of set bits that starts at g.
func (b bitmap) runFrom(g int) int {
	n := 0
	for w, off := g/64, g%64; w < len(b.words); w, off = w+1, 0 {
		k := bits.TrailingZeros64(^(b.words[w] >> off)) // 64 when all ones; a shift brings in zeros
		n += k
		if off+k < 64 {
			break
		}
	}
	return n
}

// firstRunIn is the first start in [first, end) of a run of n set bits inside
// it, or −1.
func (b bitmap) firstRunIn(first, end, n int) int {
	run := 0
	for w := first / 64; w <= (end-1)/64; w++ {
		m := b.words[w] & mask(w, first, end)
		if pre := bits.TrailingZeros64(^m); run+pre >= n {
			return 64*w - run
		} else if pre == 64 {
			run += 64
			continue
		}
		if n <= 64 {
			if at := firstRunInWord(m, n); at >= 0 {
				return 64*w + at
			}
		}
		run = bits.LeadingZeros64(^m)
	}
	return -1
}

// firstRunInWord is the lowest start of n ones in a row in a word, or −1.
func firstRunInWord(m uint64, n int) int {
	for k := 1; k < n; { // m keeps the starts of k ones in a row
		s := min(k, n-k)
		m &= m >> s
		k += s
	}
	if m == 0 {
		return -1
	}
	return bits.TrailingZeros64(m)
}

// longestRunInWord is the length of the longest run of ones in a word.
func longestRunInWord(m uint64) int {
	n := 0
	for ; m != 0; n++ {
		m &= m >> 1
	}
	return n
}

// aligned keeps, of the starts of runs of n (a power of two up to 64) in a
// word, those at multiples of n.
func aligned(m uint64, n int) uint64 {
	for k := 1; k < n; k *= 2 {
		m &= m >> k
	}
	return m & multiples[bits.TrailingZeros(uint(n))]
}

// multiples[k] has the bits at the multiples of 2^k.
var multiples = [...]uint64{
	^uint64(0), 0x5555555555555555, 0x1111111111111111, 0x0101010101010101,
	0x0001000100010001, 0x0000000100000001, 1,
}

// largestBuddyInWord is the size of the largest aligned block of ones.
func largestBuddyInWord(m uint64) int {
	best := 0
	for n := 1; n <= 64 && aligned(m, n) != 0; n *= 2 {
		best = n
	}
	return best
}

func trailingOnes(m uint64) int { return bits.TrailingZeros64(^m) }
func leadingOnes(m uint64) int  { return bits.LeadingZeros64(^m) }
