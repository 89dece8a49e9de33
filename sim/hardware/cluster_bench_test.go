package hardware

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func newBenchCluster(b *testing.B, pools ...Pool) *Cluster {
	t, err := NewTopology(pools...)
	if err != nil {
		b.Fatal(err)
	}
	return NewCluster(t)
}

// fragment fills a share of the cluster with blocks of 1, 2, 4 and 8 GPUs at
// random places, then releases a random block and takes another, four times as
// often as there are blocks. It returns what is held, all by holder 1.
func fragment(b *testing.B, c *Cluster, rng *rand.Rand, full float64) []Range {
	var held []Range
	fill := func() {
		for float64(c.Free()) > (1-full)*float64(c.GPUs()) {
			n := 1 << rng.IntN(4)
			first, ok := c.FindBlockFrom(rng.IntN(c.GPUs()), n, Contiguous, false)
			if !ok {
				continue // another place and size
			}
			held = append(held, Range{first, n})
			if err := c.Take(1, Range{first, n}); err != nil {
				b.Fatal(err)
			}
		}
	}
	fill()
	for range 4 * len(held) {
		i, last := rng.IntN(len(held)), len(held)-1
		if err := c.Release(1, held[i]); err != nil {
			b.Fatal(err)
		}
		held[i], held = held[last], held[:last]
		fill()
	}
	return held
}

// BenchmarkFindBlock looks for blocks from random places on in a cluster with
// link domains of 8, 72 and 2,048 GPUs, 90 % full. 2,048 GPUs near the end are
// free, so that every size is found, the large ones far away.
func BenchmarkFindBlock(b *testing.B) {
	const gpus = 100_000
	hole := Range{44 * 2048, 2048}
	c := newBenchCluster(b, Pool{GPUs: 50_000}, Pool{GPUs: 30_000, NodesPerLink: 9}, Pool{GPUs: 20_000, NodesPerLink: 256})
	rng := rand.New(rand.NewPCG(1, 1))
	fragment(b, c, rng, 0.9)
	for g := hole.First; g < hole.End(); g++ {
		if c.Holder(g) == Nobody {
			continue
		}
		if err := c.Release(1, Range{g, 1}); err != nil {
			b.Fatal(err)
		}
	}
	for _, across := range []bool{false, true} {
		for _, a := range []Alignment{Contiguous, Buddy} {
			for n := 1; n <= 1024; n *= 2 {
				b.Run(fmt.Sprintf("gpus=%d,size=%d,alignment=%v,across=%v", gpus, n, a, across), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, ok := c.FindBlockFrom(rng.IntN(hole.First), n, a, across); !ok {
							b.Fatal("not found")
						}
					}
				})
			}
		}
	}
}

// BenchmarkTakeRelease releases a random block, finds the first of its size and
// takes it, in a cluster that is 90 % full.
func BenchmarkTakeRelease(b *testing.B) {
	for _, bench := range []struct{ gpus, domain int }{
		{8, 8}, {64, 8}, {64, 64}, {128, 8}, {100_000, 8}, {100_000, 72}, {100_000, 2_048}, {100_000, 100_000},
	} {
		b.Run(fmt.Sprintf("gpus=%d,domain=%d", bench.gpus, bench.domain), func(b *testing.B) {
			c := newBenchCluster(b, Pool{GPUs: bench.gpus, GPUsPerNode: bench.domain})
			rng := rand.New(rand.NewPCG(1, 1))
			held := fragment(b, c, rng, 0.9)
			b.ReportAllocs()
			for b.Loop() {
				r := &held[rng.IntN(len(held))]
				if err := c.Release(1, *r); err != nil {
					b.Fatal(err)
				}
				first, ok := c.FindBlock(r.N, Contiguous, false)
				if !ok {
					b.Fatal("the block just released is gone")
				}
				r.First = first
				if err := c.Take(1, *r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAppendFree lists the first 64 free GPUs of a cluster 90 % full.
func BenchmarkAppendFree(b *testing.B) {
	c := newBenchCluster(b, Pool{GPUs: 100_000})
	fragment(b, c, rand.New(rand.NewPCG(1, 1)), 0.9)
	var rs []Range
	b.ReportAllocs()
	for b.Loop() {
		var ok bool
		if rs, ok = c.AppendFree(rs[:0], 64); !ok {
			b.Fatal("fewer are free")
		}
	}
}
