package hardware

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func ExampleNewTopology() {
	t, _ := NewTopology(
		Pool{SKU: SKU{Name: "H100"}, GPUs: 32, NodesPerLink: 2},
		Pool{SKU: SKU{Name: "L4"}, GPUs: 6, GPUsPerNode: 4},
	)
	fmt.Println(t.GPUs(), len(t.Nodes()), t.Domains(), t.Racks())
	fmt.Println(t.Node(17), t.Domain(17), t.Domain(37))
	// Output:
	// 38 6 [{0 16} {16 16} {32 4} {36 2}] [{0 32} {32 6}]
	// 2 1 3
}

func ExampleCluster_FindBlock() {
	t, _ := NewTopology(Pool{GPUs: 16})
	c := NewCluster(t)
	c.Take(1, Range{First: 0, N: 3})
	fmt.Println(c.FindBlock(4, Contiguous, false))
	fmt.Println(c.FindBlock(4, Buddy, false))
	fmt.Println(c.FindBlock(8, Contiguous, true))
	fmt.Println(c.FindBlock(16, Contiguous, true))
	// Output:
	// 3 true
	// 4 true
	// 3 true
	// 0 false
}

func TestTopologyErrors(t *testing.T) {
	for _, pools := range [][]Pool{nil, {{GPUs: 0}}, {{GPUs: -1}}, {{GPUs: 8, GPUsPerNode: -1}}, {{GPUs: 8}, {GPUs: 8, NodesPerLink: -2}}} {
		if _, err := NewTopology(pools...); err == nil {
			t.Errorf("NewTopology(%v) did not fail", pools)
		}
	}
}

func TestRangesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rs []Range
		at := 0
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			r := Range{at + rapid.IntRange(0, 9).Draw(t, "gap"), rapid.IntRange(1, 9).Draw(t, "size")}
			rs, at = append(rs, r), r.End()
		}
		got, err := ParseRanges(FormatRanges(rs))
		if err != nil || cmp.Diff(rs, got) != "" {
			t.Fatalf("%v became %v, %v", rs, got, err)
		}
	})
	for _, text := range []string{"x", "3-1", "-1", "0-7 4", "1-", "0-9223372036854775807"} {
		if rs, err := ParseRanges(text); err == nil {
			t.Errorf("ParseRanges(%q) = %v", text, rs)
		}
	}
}

// The judge is a set of GPUs.
func TestRangeSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (rs []Range, set [64]bool) {
			at := 0
			for range rapid.IntRange(0, 5).Draw(t, name) {
				r := Range{at + rapid.IntRange(0, 6).Draw(t, "gap"), rapid.IntRange(1, 5).Draw(t, "size")}
				rs, at = append(rs, r), r.End()
				for g := r.First; g < r.End(); g++ {
					set[g] = true
				}
			}
			return rs, set
		}
		a, inA := draw("a")
		b, inB := draw("b")
		check := func(name string, rs []Range, want func(g int) bool) {
			var got [64]bool
			for _, r := range rs {
				for g := r.First; g < r.End(); g++ {
					got[g] = true
				}
			}
			for g := range got {
				if got[g] != want(g) {
					t.Fatalf("%s of %v and %v is %v: GPU %d is wrong", name, a, b, rs, g)
				}
			}
		}
		check("union", Union(a, b), func(g int) bool { return inA[g] || inB[g] })
		check("difference", Subtract(a, b), func(g int) bool { return inA[g] && !inB[g] })
	})
}
