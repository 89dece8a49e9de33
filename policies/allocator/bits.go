package allocator

import "math/bits"

// A row is the occupancy of one GPU: bit t is set when step t is taken. Rows
// of a cluster lie one after another in a flat slice, words a row. Steps past
// the horizon count as free.

// spread turns, in place, a row of taken steps into a row of blocked starts:
// bit t is set when any of the steps t … t+d−1 is taken.
func spread(row []uint64, d int) {
	if len(row) == 1 {
		row[0] = spreadWord(row[0], d)
		return
	}
	for n := 1; n < d; {
		k := min(n, d-n)
		orShifted(row, k)
		n += k
	}
}

func spreadWord(b uint64, d int) uint64 {
	for n := 1; n < d; {
		k := min(n, d-n)
		b |= b >> k
		n += k
	}
	return b
}

// orShifted does row |= row >> k.
func orShifted(row []uint64, k int) {
	skip, k := k/64, k%64
	for i := range row {
		var v uint64
		if i+skip < len(row) {
			v = row[i+skip] >> k
		}
		if i+skip+1 < len(row) && k > 0 {
			v |= row[i+skip+1] << (64 - k)
		}
		row[i] |= v
	}
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
	return ^uint64(0) >> (64 - (to - from)) << from
}

// firstFree is the lowest bit that is set in allowed and clear in blocked, or
// −1.
func firstFree(blocked, allowed []uint64) int {
	for i, b := range blocked {
		if m := allowed[i] &^ b; m != 0 {
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

// The lanes count, for 64 steps at once, in how many rows a bit is set: lane k
// holds bit k of the counts (a carry-save adder).

// planes makes room for counts up to the number of GPUs.
func (a *pass) planes() int {
	n := bits.Len(uint(a.p.GPUs))
	if a.lanes == nil {
		a.lanes = make([]uint64, n*a.words)
	}
	return n
}

// addLane counts the bits of word i of a row.
func (a *pass) addLane(i int, word uint64) {
	for carry, k := word, i; carry != 0; k += a.words {
		a.lanes[k], carry = a.lanes[k]^carry, a.lanes[k]&carry
	}
}

// laneCount is the count of bit t.
func (a *pass) laneCount(t, planes int) int {
	count := 0
	for k := range planes {
		count |= int(a.lanes[k*a.words+t/64]>>(t%64)&1) << k
	}
	return count
}
