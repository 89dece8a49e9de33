package hardware

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func mustTopology(b *testing.B, pools ...Pool) *Topology {
	t, err := NewTopology(pools...)
	if err != nil {
		b.Fatal(err)
	}
	return t
}

// churn fills the cluster to a share of its GPUs with blocks of 1, 2, 4 and 8
// at random places and then replaces each of them about four times by another.
// It returns what is held, all by holder 1.
func churn(b *testing.B, c *Cluster, rng *rand.Rand, full float64) []Range {
	var held []Range
	take := func() {
		r := Range{N: 1 << rng.IntN(4)}
		ok := false
		for !ok {
			r.First, ok = c.FindBlockFrom(rng.IntN(c.GPUs()), r.N, Contiguous, false)
			r.N = max(r.N/2, 1) // of a size that is found nowhere, take less
		}
		if r.N > 1 {
			r.N *= 2
		}
		if err := c.Take(1, r); err != nil {
			b.Fatal(err)
		}
		held = append(held, r)
	}
	for float64(c.Free()) > (1-full)*float64(c.GPUs()) {
		take()
	}
	for range 4 * len(held) {
		i := rng.IntN(len(held))
		if err := c.Release(1, held[i]); err != nil {
			b.Fatal(err)
		}
		held[i] = held[len(held)-1]
		held = held[:len(held)-1]
		if float64(c.Free()) > (1-full)*float64(c.GPUs()) {
			take()
		}
	}
	return held
}
