package allocator

import (
	"math/rand/v2"
	"slices"
)

// move draws a change of the trial order. It returns the first position that
// it touches, and how to take back a change of how an item is laid, if any.
func (s *search) move() (from int, undo func()) {
	n := len(s.trial)
	i, k := s.rng.IntN(n), s.rng.IntN(n)
	switch r := s.rng.IntN(100); {
	case r < 45: // insert elsewhere
		shift(s.trial, i, k)
		return min(i, k), nil
	case r < 75: // exchange two
		s.trial[i], s.trial[k] = s.trial[k], s.trial[i]
		return min(i, k), nil
	case r < 90: // bring forward one that has no place
		for d := range n {
			if p := (i + d) % n; s.trial[p] < len(s.a.jobs) && s.a.jobs[s.trial[p]].start < 0 {
				k = s.rng.IntN(p + 1)
				shift(s.trial, p, k)
				return k, nil
			}
		}
		shift(s.trial, i, k)
		return min(i, k), nil
	}
	return i, s.a.relay(s.trial[i], s.rng)
}

// completeOrder is the items of wanted that the default order has, followed by
// those that wanted leaves out.
func (a *pass) completeOrder(wanted, standard []int) []int {
	missing := make(map[int]bool, len(standard))
	for _, it := range standard {
		missing[it] = true
	}
	order := make([]int, 0, len(standard))
	for _, it := range slices.Concat(wanted, standard) {
		if missing[it] {
			order = append(order, it)
			delete(missing, it)
		}
	}
	return order
}

// shift moves the element at i to k.
func shift(order []int, i, k int) {
	it := order[i]
	if i < k {
		copy(order[i:], order[i+1:k+1])
	} else {
		copy(order[k+1:], order[k:i])
	}
	order[k] = it
}

// relay changes how an item is laid and returns how to undo it.
func (a *pass) relay(item int, rng *rand.Rand) (undo func()) {
	if item >= len(a.jobs) {
		s := &a.svcs[item-len(a.jobs)]
		high, home := s.high, s.home
		s.high = rng.IntN(2) == 0
		s.home = a.domains[rng.IntN(len(a.domains))].First
		return func() { s.high, s.home = high, home }
	}
	j := &a.jobs[item]
	high, shape := j.high, j.shape
	if k := len(j.Shapes); k > 1 && rng.IntN(2) == 0 {
		j.shape = rng.IntN(k)
	} else {
		j.high = !j.high
	}
	return func() { j.high, j.shape = high, shape }
}

// exchange swaps an item's place with the one it had before the trial.
func (a *pass) exchange(item int) {
	if item >= len(a.jobs) {
		s := &a.svcs[item-len(a.jobs)]
		s.stack, s.old = s.old, s.stack
		return
	}
	j := &a.jobs[item]
	j.seat, j.old = j.old, j.seat
}

// putBack marks an item's place as taken again.
func (a *pass) putBack(item int) {
	if item >= len(a.jobs) {
		s := &a.svcs[item-len(a.jobs)]
		a.flipBars(s.must)
		a.flipBars(s.bars)
	} else if j := &a.jobs[item]; j.start >= 0 {
		a.flip(j)
	}
}
