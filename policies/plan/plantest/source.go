package plantest

import (
	"math/rand/v2"

	"pgregory.net/rapid"
)

// source is where random choices come from: a rapid test, which can shrink
// them, or a seeded generator.
type source interface {
	// between is an integer lo ≤ n ≤ hi.
	between(lo, hi int) int
}

type rapidSource struct{ t *rapid.T }

func (s rapidSource) between(lo, hi int) int {
	return rapid.IntRange(lo, hi).Draw(s.t, "n")
}

type seededSource struct{ rng *rand.Rand }

func (s seededSource) between(lo, hi int) int { return lo + s.rng.IntN(hi-lo+1) }

// chance is true in about percent of 100 cases; rapid shrinks it to false.
func chance(s source, percent int) bool { return s.between(0, 99) >= 100-percent }

// pick is one of the values; rapid shrinks it to the first.
func pick[T any](s source, values ...T) T { return values[s.between(0, len(values)-1)] }

// shuffled are the numbers 0 … n−1 in random order.
func shuffled(s source, n int) []int {
	order := make([]int, n)
	for i := range order {
		k := s.between(0, i)
		order[i], order[k] = order[k], i
	}
	return order
}
