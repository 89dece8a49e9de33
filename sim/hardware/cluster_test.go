package hardware

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// naive is the judge: it keeps no index and looks at every GPU.
type naive struct {
	t      *Topology
	holder []Holder
}

// allHeldBy reports whether r is some GPUs that exist and h holds.
func (c *naive) allHeldBy(h Holder, r Range) bool {
	for g := r.First; g < r.First+r.N; g++ {
		if g < 0 || g >= len(c.holder) || c.holder[g] != h {
			return false
		}
	}
	return r.N > 0
}

func (c *naive) give(h Holder, r Range) {
	for g := r.First; g < r.First+r.N; g++ {
		c.holder[g] = h
	}
}

func (c *naive) find(from, n int, a Alignment, across bool) (int, bool) {
	if n <= 0 || a > Buddy || (a == Buddy && n&(n-1) != 0) {
		return 0, false
	}
	for g := max(from, 0); g+n <= len(c.holder); g++ {
		aligned := a == Contiguous || g%n == 0
		if aligned && c.allHeldBy(Nobody, Range{g, n}) && (across || c.t.Domain(g) == c.t.Domain(g+n-1)) {
			return g, true
		}
	}
	return 0, false
}

// free is all free GPUs in order.
func (c *naive) free() []int {
	var free []int
	for g, h := range c.holder {
		if h == Nobody {
			free = append(free, g)
		}
	}
	return free
}

func (c *naive) appendFree(n int) ([]Range, bool) {
	free := c.free()
	if n < 0 || n > len(free) {
		return nil, false
	}
	var rs []Range
	for _, g := range free[:n] {
		if k := len(rs); k > 0 && rs[k-1].End() == g {
			rs[k-1].N++
		} else {
			rs = append(rs, Range{g, 1})
		}
	}
	return rs, true
}

func drawTopology(t *rapid.T) *Topology {
	var pools []Pool
	for range rapid.IntRange(1, 3).Draw(t, "pools") {
		pools = append(pools, Pool{
			GPUs:           rapid.IntRange(1, 700).Draw(t, "gpus"),
			GPUsPerNode:    rapid.SampledFrom([]int{1, 4, 8, 72}).Draw(t, "per node"),
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

// drawSize draws sizes around those at which the index changes its ways.
func drawSize(t *rapid.T) int {
	return rapid.OneOf(
		rapid.SampledFrom([]int{1, 2, 4, 8, 16, 32, 63, 64, 65, 128, 129, 256, 512}),
		rapid.IntRange(1, 300),
	).Draw(t, "size")
}

// TestClusterAgainstAScan takes and releases at random, rightly and wrongly,
// and compares every answer with the judge's.
func TestClusterAgainstAScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topology := drawTopology(t)
		gpus := topology.GPUs()
		c, judge := NewCluster(topology), &naive{topology, make([]Holder, gpus)}
		spare := NewCluster(drawTopology(t)) // CopyFrom must cope with another shape
		take := func(t *rapid.T, r Range) {
			h := Holder(rapid.IntRange(-1, 3).Draw(t, "holder"))
			legal := h != Nobody && judge.allHeldBy(Nobody, r)
			if err := c.Take(h, r); (err == nil) != legal {
				t.Fatalf("Take(%d, %v) = %v, legal: %v", h, r, err, legal)
			}
			if legal {
				judge.give(h, r)
			}
		}
		release := func(t *rapid.T, h Holder, r Range) {
			legal := h != Nobody && judge.allHeldBy(h, r)
			if err := c.Release(h, r); (err == nil) != legal {
				t.Fatalf("Release(%d, %v) = %v, legal: %v", h, r, err, legal)
			}
			if legal {
				judge.give(Nobody, r)
			}
		}
		anywhere := func(t *rapid.T) Range {
			return Range{rapid.IntRange(-1, gpus).Draw(t, "first"), rapid.IntRange(0, 90).Draw(t, "n")}
		}
		t.Repeat(map[string]func(*rapid.T){
			"take anywhere": func(t *rapid.T) { take(t, anywhere(t)) },
			"take one":      func(t *rapid.T) { take(t, Range{rapid.IntRange(0, gpus-1).Draw(t, "g"), 1}) },
			"take a block": func(t *rapid.T) {
				if n := drawSize(t); n <= gpus {
					first, _ := judge.find(rapid.IntRange(0, gpus-n).Draw(t, "from"), n, Contiguous, true)
					take(t, Range{first, n})
				}
			},
			"release anywhere": func(t *rapid.T) { release(t, Holder(rapid.IntRange(-1, 3).Draw(t, "holder")), anywhere(t)) },
			"release a run": func(t *rapid.T) {
				r := Range{First: rapid.IntRange(0, gpus-1).Draw(t, "first")}
				h := judge.holder[r.First]
				for r.End() < gpus && judge.holder[r.End()] == h {
					r.N++
				}
				release(t, h, r)
			},
			"copy": func(*rapid.T) { spare.CopyFrom(c); c, spare = spare, c },
			"":     func(t *rapid.T) { compareState(t, c, judge); compareQueries(t, c, judge) },
		})
	})
}

// compareState also holds conservation: the GPUs of all holders and the free
// ones add up to the cluster.
func compareState(t *rapid.T, c *Cluster, judge *naive) {
	held := map[Holder]int{}
	for g, want := range judge.holder {
		if got := c.Holder(g); got != want {
			t.Fatalf("Holder(%d) = %d, want %d", g, got, want)
		}
		if want != Nobody {
			held[want]++
		}
	}
	sum := c.Free()
	for _, n := range held {
		sum += n
	}
	if sum != c.GPUs() || c.GPUs() != c.Topology().GPUs() || c.Free() != len(judge.free()) {
		t.Fatalf("%d free and %v held of %d GPUs; %d are free", c.Free(), held, c.GPUs(), len(judge.free()))
	}
}

func compareQueries(t *rapid.T, c *Cluster, judge *naive) {
	n, from := drawSize(t), rapid.IntRange(-1, len(judge.holder)).Draw(t, "from")
	for _, a := range []Alignment{Contiguous, Buddy, Scattered, 7} {
		for _, across := range []bool{false, true} {
			for _, from := range []int{0, from} {
				got, ok := c.FindBlockFrom(from, n, a, across)
				if want, wantOK := judge.find(from, n, a, across); got != want || ok != wantOK {
					t.Fatalf("FindBlockFrom(%d, %d, %v, %v) = %d, %v; want %d, %v", from, n, a, across, got, ok, want, wantOK)
				}
			}
		}
	}
	if r := (Range{from, n}); c.IsFree(r) != judge.allHeldBy(Nobody, r) {
		t.Fatalf("IsFree(%v) = %v", r, c.IsFree(r))
	}
	before := []Range{{-9, 1}}
	want, wantOK := judge.appendFree(n)
	got, ok := c.AppendFree(before, n)
	if d := cmp.Diff(append(before, want...), got); ok != wantOK || d != "" {
		t.Fatalf("AppendFree(%d): %v, want %v; %s", n, ok, wantOK, d)
	}
}

func TestClusterErrors(t *testing.T) {
	topology, err := NewTopology(Pool{GPUs: 8})
	if err != nil {
		t.Fatal(err)
	}
	c := NewCluster(topology)
	if err := c.Take(5, Range{2, 3}); err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(c.holder)
	for _, test := range []struct {
		do   func(Holder, Range) error
		h    Holder
		r    Range
		want string
	}{
		{c.Take, 1, Range{0, 4}, "hardware: holder 1 cannot take 4 GPUs from GPU 0: GPU 2 is held by 5"},
		{c.Take, 5, Range{4, 1}, "hardware: holder 5 cannot take 1 GPUs from GPU 4: GPU 4 is held by 5"},
		{c.Take, 0, Range{0, 1}, "hardware: holder 0 cannot take 1 GPUs from GPU 0: holder 0 is nobody; any other number is accepted"},
		{c.Take, 1, Range{7, 2}, "hardware: holder 1 cannot take 2 GPUs from GPU 7: a range of at least one of the GPUs 0 to 7 is accepted"},
		{c.Take, 1, Range{-1, 2}, "hardware: holder 1 cannot take 2 GPUs from GPU -1: a range of at least one of the GPUs 0 to 7 is accepted"},
		{c.Take, 1, Range{0, 0}, "hardware: holder 1 cannot take 0 GPUs from GPU 0: a range of at least one of the GPUs 0 to 7 is accepted"},
		{c.Take, 1, Range{1, math.MaxInt}, "hardware: holder 1 cannot take 9223372036854775807 GPUs from GPU 1: a range of at least one of the GPUs 0 to 7 is accepted"},
		{c.Release, 5, Range{2, 4}, "hardware: holder 5 cannot release 4 GPUs from GPU 2: GPU 5 is free"},
		{c.Release, 1, Range{2, 1}, "hardware: holder 1 cannot release 1 GPUs from GPU 2: GPU 2 is held by 5"},
		{c.Release, 0, Range{0, 1}, "hardware: holder 0 cannot release 1 GPUs from GPU 0: holder 0 is nobody; any other number is accepted"},
		{c.Release, 1, Range{math.MaxInt, 1}, "hardware: holder 1 cannot release 1 GPUs from GPU 9223372036854775807: a range of at least one of the GPUs 0 to 7 is accepted"},
	} {
		err := test.do(test.h, test.r)
		if err == nil || err.Error() != test.want {
			t.Errorf("holder %d, %v: %v\nwant %s", test.h, test.r, err, test.want)
		}
	}
	if d := cmp.Diff(before, c.holder); d != "" || c.Free() != 5 {
		t.Errorf("%d are free; errors changed the holders: %s", c.Free(), d)
	}
	for _, n := range []int{math.MinInt, -1, 0, 9, math.MaxInt} {
		for _, a := range []Alignment{Contiguous, Buddy} {
			if first, ok := c.FindBlock(n, a, true); ok {
				t.Errorf("FindBlock(%d, %v) = %d", n, a, first)
			}
		}
	}
	if rs, ok := c.AppendFree(nil, -1); ok {
		t.Errorf("AppendFree(-1) = %v", rs)
	}
}

func TestCloneIsIndependent(t *testing.T) {
	topology, err := NewTopology(Pool{GPUs: 200, NodesPerLink: 9})
	if err != nil {
		t.Fatal(err)
	}
	c := NewCluster(topology)
	o := c.Clone()
	if err := o.Take(1, Range{0, 100}); err != nil {
		t.Fatal(err)
	}
	if first, ok := c.FindBlock(128, Buddy, true); !ok || first != 0 || c.Free() != 200 {
		t.Errorf("the original: block at %d, %v; %d free", first, ok, c.Free())
	}
	if first, ok := o.FindBlock(72, Contiguous, true); !ok || first != 100 || o.Free() != 100 {
		t.Errorf("the clone: block at %d, %v; %d free", first, ok, o.Free())
	}
	if allocs := testing.AllocsPerRun(10, func() { c.CopyFrom(o) }); allocs != 0 {
		t.Errorf("CopyFrom allocates %v times", allocs)
	}
}
