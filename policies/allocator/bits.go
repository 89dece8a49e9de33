package allocator

import "math/bits"

// A row is the occupancy of one GPU: bit t is set when step t is taken. Rows
// of a cluster lie one after another in a flat slice, words a row. Steps past
// the horizon count as free.

// spread turns, in place, a row of taken steps into a row of blocked starts:
// bit t is set when any of the steps t … t+d−1 is taken.
func spread(row []uint64, d int) {
	for i := range row {
		row[i] = spreadAt(row, i, d)
	}
}

// spreadAt is word i of what spread makes of a row.
func spreadAt(row []uint64, i, d int) uint64 {
	blocked := uint64(0)
	for ; i+1 < len(row); i++ {
		n := min(d, 64)
		blocked |= spreadPair(row[i], row[i+1], n)
		if d -= n; d == 0 {
			return blocked
		}
	}
	return blocked | spreadWord(row[i], d)
}

// spreadPair is spreadWord with the word that follows; d is 64 at most.
func spreadPair(b, next uint64, d int) uint64 {
	for n := 1; n < d; {
		k := min(n, d-n)
		b |= b>>k | next<<(64-k)
		next |= next >> k
		n += k
	}
	return b
}

func spreadWord(b uint64, d int) uint64 {
	for n := 1; n < d; {
		k := min(n, d-n)
		b |= b >> k
		n += k
	}
	return b
}

// setRange fills a row with the bits [from, to).
func setRange(row []uint64, from, to int) {
	for i := range row {
		row[i] = wordRange(from-64*i, to-64*i)
	}
}

// wordRange is a word with the bits [from, to), clipped to it.
func wordRange(from, to int) uint64 {
	from, to = max(from, 0), min(to, 64)
	if from >= to {
		return 0
	}
	return mask(from, to)
}

// mask is a word with the bits [from, to), of which there is at least one.
func mask(from, to int) uint64 { return ^uint64(0) >> (64 - (to - from)) << (from % 64) }

// firstStart is the lowest bit, in the words up to that of bit last, that is
// set in allowed and at which d steps may start in a row of taken ones, or −1.
func firstStart(row, allowed []uint64, d, last int) int {
	for i := 0; i < len(row) && 64*i <= last; i++ {
		if allowed[i] == 0 {
			continue
		}
		if m := allowed[i] &^ spreadAt(row, i, d); m != 0 {
			return 64*i + bits.TrailingZeros64(m)
		}
	}
	return -1
}

// firstCommon is the lowest bit that is set in both rows, or −1.
func firstCommon(a, b []uint64) int {
	for i := range a {
		if m := a[i] & b[i]; m != 0 {
			return 64*i + bits.TrailingZeros64(m)
		}
	}
	return -1
}

// common counts the bits set in both rows.
func common(a, b []uint64) int {
	n := 0
	for i := range a {
		n += bits.OnesCount64(a[i] & b[i])
	}
	return n
}

// lanes count, for 64 steps at once, in how many words a bit is set: lane k
// holds bit k of the counts (a carry-save adder).
type lanes []uint64

// newLanes makes lanes for counts up to n.
func newLanes(n int) lanes { return make(lanes, bits.Len(uint(n))) }

// add counts the bits of a word.
func (l lanes) add(word uint64) {
	for k := 0; word != 0; k++ {
		l[k], word = l[k]^word, l[k]&word
	}
}

// counts adds the counts of the bits from 0 on to dst: those of eight steps at
// a time, eight lanes of each in a byte.
func (l lanes) counts(dst []int) {
	for from := 0; from < len(l); from += 8 {
		of := l[from:min(from+8, len(l))]
		for t := 0; t < len(dst); t += 8 {
			sums := uint64(0)
			for k, lane := range of {
				sums |= bytesOf(lane>>(t%64)) << (k % 8)
			}
			for i := range dst[t:min(t+8, len(dst))] {
				dst[t+i] += int(sums>>(8*i)&0xff) << from
			}
		}
	}
}

// bytesOf spreads the low eight bits of a word: bit i becomes byte i, 0 or 1.
func bytesOf(word uint64) uint64 {
	const ones = 0x0101010101010101
	own := ((word & 0xff) * ones) & 0x8040201008040201 // byte i has bit i alone
	return ((own + 0x7f*ones) >> 7) & ones
}

// countRows sets a.sums to how many of some rows have each step.
func (a *pass) countRows(rows []uint64) {
	clear(a.sums)
	for i := range a.words {
		clear(a.lanes)
		for k := i; k < len(rows); k += a.words {
			a.lanes.add(rows[k])
		}
		a.lanes.counts(a.sums[64*i : min(64*(i+1), a.p.Steps)])
	}
}
