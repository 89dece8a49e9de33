package hardware

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTopologyNumbering(t *testing.T) {
	for _, test := range []struct {
		name                  string
		pools                 []Pool
		nodes, domains, racks string
	}{
		{"defaults", []Pool{{GPUs: 40}}, "0-7 8-15 16-23 24-31 32-39", "0-7 8-15 16-23 24-31 32-39", "0-31 32-39"},
		{"one GPU", []Pool{{GPUs: 1}}, "0", "0", "0"},
		{"last node is partial", []Pool{{GPUs: 10, GPUsPerNode: 4}}, "0-3 4-7 8-9", "0-3 4-7 8-9", "0-9"},
		{"last domain is partial", []Pool{{GPUs: 20, GPUsPerNode: 4, NodesPerLink: 2, DomainsPerRack: 2}},
			"0-3 4-7 8-11 12-15 16-19", "0-7 8-15 16-19", "0-15 16-19"},
		{"72 in a domain", []Pool{{GPUs: 144, GPUsPerNode: 72, DomainsPerRack: 1}}, "0-71 72-143", "0-71 72-143", "0-71 72-143"},
		{"nothing spans pools", []Pool{{GPUs: 6, GPUsPerNode: 4, NodesPerLink: 2}, {GPUs: 3, GPUsPerNode: 2}},
			"0-3 4-5 6-7 8", "0-5 6-7 8", "0-5 6-8"},
		{"sizes whose product overflows", []Pool{{GPUs: 8, GPUsPerNode: 1 << 32, NodesPerLink: math.MaxInt, DomainsPerRack: math.MaxInt}},
			"0-7", "0-7", "0-7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			top, err := NewTopology(test.pools...)
			if err != nil {
				t.Fatal(err)
			}
			for _, level := range []struct {
				name   string
				ranges []Range
				of     func(int) int
				want   string
			}{
				{"nodes", top.Nodes(), top.Node, test.nodes},
				{"domains", top.Domains(), top.Domain, test.domains},
				{"racks", top.Racks(), top.Rack, test.racks},
			} {
				if d := cmp.Diff(level.want, FormatRanges(level.ranges)); d != "" {
					t.Errorf("%s: %s", level.name, d)
				}
				if n := Size(level.ranges); n != top.GPUs() {
					t.Errorf("%s have %d of %d GPUs", level.name, n, top.GPUs())
				}
				for i, r := range level.ranges {
					for g := r.First; g < r.End(); g++ {
						if level.of(g) != i {
							t.Errorf("%s: GPU %d is in %d, want %d", level.name, g, level.of(g), i)
						}
					}
				}
			}
		})
	}
}

func TestTopologyErrors(t *testing.T) {
	for _, test := range []struct {
		pools []Pool
		want  string
	}{
		{nil, "at least one pool"},
		{[]Pool{{GPUs: 0, SKU: SKU{Name: "A100"}}}, "pool 1 (A100) has 0 GPUs"},
		{[]Pool{{GPUs: 8}, {GPUs: -1}}, "pool 2 () has -1 GPUs"},
		{[]Pool{{GPUs: 8, GPUsPerNode: -1}}, "must not be negative"},
		{[]Pool{{GPUs: 8}, {GPUs: 8, NodesPerLink: -2}}, "pool 2 (): sizes"},
		{[]Pool{{GPUs: 8, DomainsPerRack: -1}}, "must not be negative"},
		{[]Pool{{GPUs: 8}, {GPUs: math.MaxInt32}}, "more than 2147483647 GPUs"},
	} {
		if _, err := NewTopology(test.pools...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("NewTopology(%v): error %v, want one with %q", test.pools, err, test.want)
		}
	}
}
