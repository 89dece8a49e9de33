package hardware

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// held is a share or a whole GPU of the judge's books.
type held struct {
	holder   Holder
	g, milli int
}

// TestSharesAgainstBooks takes and releases shares, whole GPUs, CPUs and memory
// at random, rightly and wrongly, on a cluster and in plain books, and compares
// every answer, the index of free blocks among them.
func TestSharesAgainstBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		integer := func(t *rapid.T, lo, hi int, name string) int { return rapid.IntRange(lo, hi).Draw(t, name) }
		topology, err := NewTopology(
			Pool{SKU: SKU{Name: "A"}, GPUs: integer(t, 1, 70, "gpus"), GPUsPerNode: 4, CPUMilli: 5000, MemoryMiB: 100},
			Pool{SKU: SKU{Name: "B"}, GPUs: integer(t, 1, 20, "more gpus"), GPUsPerNode: 3})
		if err != nil {
			t.Fatal(err)
		}
		c := NewCluster(topology)
		var books []held
		gpus, nodes := topology.GPUs(), len(topology.Nodes())
		cpu, memory := make([]int, nodes), make([]int, nodes)
		left := func(g int) int {
			n := Whole
			for _, h := range books {
				if h.g == g {
					n -= h.milli
				}
			}
			return n
		}
		remove := func(h held) bool {
			for i, b := range books {
				if b == h {
					books = append(books[:i], books[i+1:]...)
					return true
				}
			}
			return false
		}
		release := func(t *rapid.T, h held) {
			err := c.ReleaseShare(h.holder, h.g, h.milli)
			if h.milli == Whole {
				err = c.Release(h.holder, Range{h.g, 1})
			}
			if legal := remove(h); (err == nil) != legal {
				t.Fatalf("release of %+v: %v, legal: %v", h, err, legal)
			}
		}
		draw := func(t *rapid.T) held {
			return held{Holder(integer(t, -2, 4, "holder")), integer(t, -1, gpus, "GPU"), rapid.OneOf(rapid.IntRange(-1, 1001), rapid.Just(500), rapid.Just(Whole)).Draw(t, "milli")}
		}
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				h := draw(t)
				legal := h.holder != Nobody && h.g >= 0 && h.g < gpus && h.milli > 0 && h.milli <= Whole && left(h.g) >= h.milli
				err := c.TakeShare(h.holder, h.g, h.milli)
				if h.milli == Whole {
					if err == nil {
						t.Fatal("the whole of a GPU was taken as a share")
					}
					err = c.Take(h.holder, Range{h.g, 1})
				}
				if (err == nil) != legal {
					t.Fatalf("take %+v: %v, legal: %v", h, err, legal)
				}
				if legal {
					books = append(books, h)
				}
			},
			"release anything": func(t *rapid.T) { release(t, draw(t)) },
			"release one": func(t *rapid.T) {
				if len(books) > 0 {
					release(t, rapid.SampledFrom(books).Draw(t, "held"))
				}
			},
			"room": func(t *rapid.T) {
				n, milli, mib := integer(t, 0, nodes-1, "node"), integer(t, -1, 3000, "CPU"), integer(t, 0, 60, "memory")
				p := topology.PoolOf(n)
				if rapid.Bool().Draw(t, "back") {
					legal := milli >= 0 && (p.CPUMilli == 0 || milli <= cpu[n]) && (p.MemoryMiB == 0 || mib <= memory[n])
					if err := c.ReleaseRoom(n, milli, mib); (err == nil) != legal {
						t.Fatalf("%d, %d back to node %d: %v, legal: %v", milli, mib, n, err, legal)
					}
					if legal {
						cpu[n], memory[n] = cpu[n]-milli, memory[n]-mib
					}
					return
				}
				legal := milli >= 0 && (p.CPUMilli == 0 || cpu[n]+milli <= p.CPUMilli) && (p.MemoryMiB == 0 || memory[n]+mib <= p.MemoryMiB)
				if err := c.TakeRoom(n, milli, mib); (err == nil) != legal {
					t.Fatalf("%d, %d of node %d: %v, legal: %v", milli, mib, n, err, legal)
				}
				if legal {
					cpu[n], memory[n] = cpu[n]+milli, memory[n]+mib
				}
			},
			"copy": func(*rapid.T) { c = c.Clone() },
			"": func(t *rapid.T) {
				judge, inShares, rest := &naive{topology, make([]Holder, gpus)}, 0, 0
				for g := range gpus {
					l := left(g)
					if c.Left(g) != l || (c.Holder(g) == Nobody) != (l == Whole) {
						t.Fatalf("GPU %d: %d left, holder %d; by the books %d", g, c.Left(g), c.Holder(g), l)
					}
					judge.holder[g] = c.Holder(g)
					if c.Holder(g) == Shared {
						inShares, rest = inShares+Whole-l, rest+l
					}
				}
				if a, b := c.InShares(); a != inShares || b != rest || c.Free() != len(judge.free()) {
					t.Fatalf("%d and %d thousandths in shares, %d free; by the books %d, %d, %d", a, b, c.Free(), inShares, rest, len(judge.free()))
				}
				for _, n := range []int{1, 2, 4} {
					for _, a := range []Alignment{Contiguous, Buddy} {
						got, ok := c.FindBlock(n, a, false)
						if want, found := judge.find(0, n, a, false); ok != found || got != want {
							t.Fatalf("block of %d: %d %v, by a scan %d %v", n, got, ok, want, found)
						}
					}
				}
				for i := range nodes {
					checkNode(t, c, i, cpu[i], memory[i])
				}
			},
		})
	})
}

func checkNode(t *rapid.T, c *Cluster, i, cpu, memory int) {
	var got Node
	c.Look(i, &got)
	p := c.Topology().PoolOf(i)
	want := Node{Index: i, Pool: p, GPUs: c.Topology().Nodes()[i], CPUMilli: Uncounted, MemoryMiB: Uncounted}
	if p.CPUMilli > 0 {
		want.CPUMilli = p.CPUMilli - cpu
	}
	if p.MemoryMiB > 0 {
		want.MemoryMiB = p.MemoryMiB - memory
	}
	for g := want.GPUs.First; g < want.GPUs.End(); g++ {
		want.Left, want.Holders = append(want.Left, c.Left(g)), append(want.Holders, c.Holder(g))
		want.Milli += c.Left(g)
		if c.Left(g) == Whole {
			want.Free++
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
}

// Any change on a node moves its number, and no other's.
func TestVersions(t *testing.T) {
	topology, err := NewTopology(Pool{GPUs: 12, GPUsPerNode: 4, CPUMilli: 1000})
	if err != nil {
		t.Fatal(err)
	}
	c := NewCluster(topology)
	for _, step := range []struct {
		do    func() error
		nodes []bool
	}{
		{func() error { return c.Take(1, Range{3, 2}) }, []bool{true, true, false}},
		{func() error { return c.TakeShare(2, 8, 300) }, []bool{false, false, true}},
		{func() error { return c.TakeShare(2, 8, 300) }, []bool{false, false, true}},
		{func() error { return c.ReleaseShare(2, 8, 300) }, []bool{false, false, true}},
		{func() error { return c.ReleaseShare(2, 8, 300) }, []bool{false, false, true}},
		{func() error { return c.TakeRoom(0, 1, 0) }, []bool{true, false, false}},
		{func() error { return c.ReleaseRoom(0, 1, 0) }, []bool{true, false, false}},
		{func() error { return c.Release(1, Range{3, 2}) }, []bool{true, true, false}},
	} {
		before := append([]uint32(nil), c.Versions()...)
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		for i, moved := range step.nodes {
			if (before[i] != c.Versions()[i]) != moved {
				t.Errorf("node %d: %d, then %d", i, before[i], c.Versions()[i])
			}
		}
	}
}

func TestFits(t *testing.T) {
	topology, err := NewTopology(Pool{SKU: SKU{Name: "A"}, GPUs: 4, GPUsPerNode: 4, CPUMilli: 1000, MemoryMiB: 50})
	if err != nil {
		t.Fatal(err)
	}
	c := NewCluster(topology)
	for _, err := range []error{c.TakeShare(1, 1, 600), c.TakeShare(2, 2, 700), c.Take(3, Range{3, 1})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var n Node
	c.Look(0, &n)
	for _, k := range []struct {
		gpus int
		q    Request
		fits bool
	}{
		{1, Request{}, true}, {2, Request{}, false}, {0, Request{CPUMilli: 1000}, true}, {0, Request{CPUMilli: 1001}, false},
		{1, Request{MemoryMiB: 51}, false}, {1, Request{Models: "B|A"}, true}, {1, Request{Models: "B"}, false}, {0, Request{CPUMilli: 1, Models: "B"}, true},
		{1, Request{GPUMilli: 400}, true}, {1, Request{GPUMilli: 400, Models: "B"}, false},
	} {
		if got := n.Fits(k.gpus, &k.q); got != k.fits {
			t.Errorf("%d GPUs, %+v: fits %v", k.gpus, k.q, got)
		}
	}
	if got := []int{n.BestGPU(300), n.BestGPU(301), n.BestGPU(401), n.BestGPU(1000), n.BestGPU(1001)}; !cmp.Equal(got, []int{2, 1, 0, 0, -1}) {
		t.Errorf("best GPUs %v", got)
	}
}

// BenchmarkShares takes and releases shares on 100,000 GPUs in part use.
func BenchmarkShares(b *testing.B) {
	topology, err := NewTopology(Pool{GPUs: 100_000, CPUMilli: 96_000})
	if err != nil {
		b.Fatal(err)
	}
	c := NewCluster(topology)
	const each = 3
	for k := range each {
		for g := range 100_000 {
			if err := c.TakeShare(Holder(k+1), g, 300); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportAllocs()
	g := 0
	for b.Loop() {
		g = (g*31 + 17) % 100_000
		h := Holder(g%each + 1)
		if err := c.ReleaseShare(h, g, 300); err != nil {
			b.Fatal(err)
		}
		if err := c.TakeShare(h, g, 300); err != nil {
			b.Fatal(err)
		}
	}
}
