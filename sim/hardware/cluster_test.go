package hardware

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// naive is the judge: it looks at every GPU.
type naive struct {
	t      *Topology
	holder []Holder
}

func (c *naive) fits(first, n int, a Alignment, across bool) bool {
	if first+n > len(c.holder) || (a == Buddy && first%n != 0) {
		return false
	}
	if !across && c.t.Domain(first) != c.t.Domain(first+n-1) {
		return false
	}
	for g := first; g < first+n; g++ {
		if c.holder[g] != Nobody {
			return false
		}
	}
	return true
}

func (c *naive) find(from, n int, a Alignment, across bool) (int, bool) {
	if a == Buddy && n&(n-1) != 0 {
		return 0, false
	}
	for g := from; g < len(c.holder); g++ {
		if c.fits(g, n, a, across) {
			return g, true
		}
	}
	return 0, false
}

func (c *naive) appendFree(n int) ([]Range, bool) {
	var rs []Range
	for g, h := range c.holder {
		if n == 0 {
			break
		}
		if h != Nobody {
			continue
		}
		if k := len(rs); k > 0 && rs[k-1].End() == g {
			rs[k-1].N++
		} else {
			rs = append(rs, Range{g, 1})
		}
		n--
	}
	return rs, n == 0
}

func drawTopology(t *rapid.T) *Topology {
	var pools []Pool
	for range rapid.IntRange(1, 3).Draw(t, "pools") {
		pools = append(pools, Pool{
			GPUs:           rapid.IntRange(1, 300).Draw(t, "gpus"),
			GPUsPerNode:    rapid.SampledFrom([]int{1, 4, 8}).Draw(t, "per node"),
			NodesPerLink:   rapid.SampledFrom([]int{1, 2, 9, 20, 64}).Draw(t, "nodes per link"),
			DomainsPerRack: rapid.IntRange(1, 4).Draw(t, "per rack"),
		})
	}
	topology, err := NewTopology(pools...)
	if err != nil {
		t.Fatal(err)
	}
	return topology
}

func TestClusterAgainstAScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topology := drawTopology(t)
		c, judge := NewCluster(topology), &naive{topology, make([]Holder, topology.GPUs())}
		gpus := topology.GPUs()
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			r := Range{First: rapid.IntRange(-1, gpus).Draw(t, "first"), N: rapid.IntRange(0, 90).Draw(t, "n")}
			h := Holder(rapid.IntRange(-1, 1).Draw(t, "holder"))
			if rapid.Bool().Draw(t, "take") {
				if c.Take(h, r) == nil {
					for g := r.First; g < r.End(); g++ {
						if judge.holder[g] != Nobody {
							t.Fatalf("took GPU %d, which is held", g)
						}
						judge.holder[g] = h
					}
				}
			} else if c.Release(h, r) == nil {
				for g := r.First; g < r.End(); g++ {
					if judge.holder[g] != h || h == Nobody {
						t.Fatalf("released GPU %d, which is not held by %d", g, h)
					}
					judge.holder[g] = Nobody
				}
			}
			if d := cmp.Diff(judge.holder, c.holder); d != "" {
				t.Fatal(d)
			}
			compareQueries(t, c, judge)
		}
		copied := c.Clone()
		compareQueries(t, copied, judge)
	})
}

func compareQueries(t *rapid.T, c *Cluster, judge *naive) {
	gpus := len(judge.holder)
	free := 0
	for _, h := range judge.holder {
		if h == Nobody {
			free++
		}
	}
	if c.Free() != free {
		t.Fatalf("Free() = %d, want %d", c.Free(), free)
	}
	n := rapid.SampledFrom([]int{1, 2, 3, 4, 7, 8, 16, 32, 63, 64, 65, 128, 200, 256}).Draw(t, "size")
	from := rapid.IntRange(0, gpus).Draw(t, "from")
	for _, a := range []Alignment{Contiguous, Buddy} {
		for _, across := range []bool{false, true} {
			got, ok := c.FindBlockFrom(from, n, a, across)
			want, wantOK := judge.find(from, n, a, across)
			if got != want || ok != wantOK {
				t.Fatalf("FindBlockFrom(%d, %d, %v, %v) = %d, %v; want %d, %v", from, n, a, across, got, ok, want, wantOK)
			}
		}
	}
	got, ok := c.AppendFree(nil, n)
	want, wantOK := judge.appendFree(n)
	if ok != wantOK || (ok && cmp.Diff(want, got) != "") {
		t.Fatalf("AppendFree(%d) = %v, %v; want %v, %v", n, got, ok, want, wantOK)
	}
}

// fragment takes blocks of mixed sizes at random until the cluster is as full
// as asked, and returns what is held.
func fragment(c *Cluster, rng *rand.Rand, full float64) []Range {
	var held []Range
	for float64(c.Free()) > (1-full)*float64(c.GPUs()) {
		n := 1 << rng.IntN(4)
		if first, ok := c.FindBlockFrom(rng.IntN(c.GPUs()), n, Contiguous, false); ok {
			held = append(held, Range{first, n})
			c.Take(1, held[len(held)-1])
		}
	}
	return held
}

func BenchmarkFindBlock(b *testing.B) {
	topology, _ := NewTopology(Pool{GPUs: 100_000})
	wide, _ := NewTopology(Pool{GPUs: 100_000, NodesPerLink: 9})
	for _, bench := range []struct {
		name   string
		t      *Topology
		a      Alignment
		across bool
		sizes  []int
	}{
		{"domain=8/contiguous", topology, Contiguous, false, []int{1, 2, 4, 8}},
		{"domain=8/buddy", topology, Buddy, false, []int{4, 8}},
		{"domain=72/contiguous", wide, Contiguous, false, []int{8, 32, 64}},
		{"across/contiguous", topology, Contiguous, true, []int{1, 8, 16, 64, 1024}},
		{"across/buddy", topology, Buddy, true, []int{1, 8, 16, 64, 1024}},
	} {
		rng := rand.New(rand.NewPCG(1, 1))
		c := NewCluster(bench.t)
		for _, r := range fragment(c, rng, 0.9) {
			if hole := (Range{50_000, 2_048}); r.First >= hole.First && r.End() <= hole.End() {
				c.Release(1, r) // so that every size is found, far from most starts
			}
		}
		for _, n := range bench.sizes {
			b.Run(fmt.Sprintf("gpus=100000/%s/n=%d", bench.name, n), func(b *testing.B) {
				b.ReportAllocs()
				found := 0
				for b.Loop() {
					if _, ok := c.FindBlockFrom(rng.IntN(50_000), n, bench.a, bench.across); ok {
						found++
					}
				}
				b.ReportMetric(float64(found)/float64(b.N), "found/op")
			})
		}
	}
}

// BenchmarkChurn releases a block and takes the first that fits another size,
// in a cluster that is 90 % full.
func BenchmarkChurn(b *testing.B) {
	for _, gpus := range []int{8, 64, 128, 100_000} {
		b.Run(fmt.Sprintf("gpus=%d", gpus), func(b *testing.B) {
			topology, _ := NewTopology(Pool{GPUs: gpus})
			rng := rand.New(rand.NewPCG(1, 1))
			c := NewCluster(topology)
			held := fragment(c, rng, 0.85)
			b.ReportAllocs()
			for b.Loop() {
				i := rng.IntN(len(held))
				c.Release(1, held[i])
				first, ok := c.FindBlock(held[i].N, Contiguous, false)
				if !ok {
					b.Fatal("the block just released is gone")
				}
				held[i].First = first
				c.Take(1, held[i])
			}
		})
	}
}
