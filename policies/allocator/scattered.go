package allocator

import (
	"slices"

	"berth/sim/hardware"
)

// placeScattered takes the earliest step from which enough GPUs are free for
// the whole duration, and the lowest-numbered (or highest) of these.
func (a *pass) placeScattered(j *job, shape int) bool {
	s := j.Shapes[shape]
	if s.GPUs > a.p.GPUs {
		return false
	}
	w := a.window
	for g := range a.p.GPUs {
		row := a.gpu(g)
		for i, allowed := range a.allowed {
			w[g*a.words+i] = allowed &^ spreadAt(row, i, s.Steps)
		}
	}
	start := a.firstWith(w, s.GPUs)
	if start < 0 {
		return false
	}
	j.gpus = a.pick(j.gpus[:0], w, start, s.GPUs, j.high)
	a.settle(j, shape, start)
	return true
}

// firstWith is the first start that n of the rows of possible starts have, or
// −1.
func (a *pass) firstWith(starts []uint64, n int) int {
	a.countRows(starts)
	return slices.IndexFunc(a.sums, func(have int) bool { return have >= n })
}

// pick appends n GPUs whose row of possible starts has the start.
func (a *pass) pick(dst []hardware.Range, starts []uint64, start, n int, high bool) []hardware.Range {
	total := 0
	skip := 0
	if high {
		for g := range a.p.GPUs {
			total += int(starts[g*a.words+start/64] >> (start % 64) & 1)
		}
		skip = total - n
	}
	for g := 0; n > 0; g++ {
		if starts[g*a.words+start/64]>>(start%64)&1 == 0 {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		n--
		if k := len(dst); k > 0 && dst[k-1].End() == g {
			dst[k-1].N++
		} else {
			dst = append(dst, hardware.Range{First: g, N: 1})
		}
	}
	return dst
}
