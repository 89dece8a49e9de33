package placement

import (
	"math"
	"slices"
	"testing"

	"berth/sim/hardware"

	"pgregory.net/rapid"
)

// scene is two nodes: the first with four GPUs, of which one has 600
// thousandths left, one 300, one is held and one free; the second, of eight
// GPUs, is free. Five of the first's 16 CPUs are left.
func scene(t *testing.T) (*hardware.Topology, [2]hardware.Node) {
	topology, err := hardware.NewTopology(
		hardware.Pool{SKU: hardware.SKU{Name: "A"}, GPUs: 4, GPUsPerNode: 4, CPUMilli: 16_000},
		hardware.Pool{SKU: hardware.SKU{Name: "B"}, GPUs: 8, GPUsPerNode: 8, CPUMilli: 32_000})
	if err != nil {
		t.Fatal(err)
	}
	c := hardware.NewCluster(topology)
	for _, err := range []error{c.TakeShare(1, 0, 400), c.TakeShare(2, 1, 700), c.Take(3, hardware.Range{First: 2, N: 1}), c.TakeRoom(0, 11_000, 0)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var nodes [2]hardware.Node
	c.Look(0, &nodes[0])
	c.Look(1, &nodes[1])
	return topology, nodes
}

// Scores by hand, of the two nodes of a scene.
func TestScores(t *testing.T) {
	share := func(milli int) Shape {
		return Shape{1, hardware.Request{GPUMilli: milli, CPUMilli: 4000}}
	}
	whole := func(n int) Shape { return Shape{n, hardware.Request{GPUMilli: 1000, CPUMilli: 4000}} }
	cpu := Shape{0, hardware.Request{CPUMilli: 4000}}
	for _, c := range []struct {
		name string
		s    Shape
		want [2]int
	}{
		// 1 − ½ (5 − 4)/32 − ½ (1.9 − 0.3)/8 = 0.884…; 1 − ½ 28/32 − ½ 7.7/8 = 0.081…
		{"bestfit", share(300), [2]int{88, 8}},
		{"bestfit", cpu, [2]int{86, 6}},
		// 1 − (5/32 · 4/32 + 1.9/8 · 0.3/8)/2 = 0.985…; 1 − (4/32 + 0.3/8)/2 = 0.918…
		{"dotproduct", share(300), [2]int{98, 91}},
		{"dotproduct", whole(1), [2]int{97, 87}},
		{"packing", share(300), [2]int{97, 25}}, // 30 % are left of the GPU
		{"packing", share(301), [2]int{94, 25}},
		{"packing", share(601), [2]int{49, 25}},
		{"packing", whole(1), [2]int{49, 25}},
		{"packing", cpu, [2]int{0, 0}},
		// Inside its quarter a node with 1.9 of at most 8 GPUs left gets ⌊25 · 6.1/8⌋ = 19.
		{"clustering", share(300), [2]int{50 + 19, 25}},
		{"clustering", whole(1), [2]int{50 + 19, 25}},
		{"clustering", whole(2), [2]int{19, 25}},
		{"clustering", cpu, [2]int{0, 0}},
		{"random", whole(1), [2]int{0, 0}},
		{"firstfit", whole(1), [2]int{0, 0}},
	} {
		topology, nodes := scene(t)
		p, err := New(c.name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.open(topology)
		if got := [2]int{p.scorer.Score(&nodes[0], &c.s), p.scorer.Score(&nodes[1], &c.s)}; got != c.want {
			t.Errorf("%s, %+v: scores %v, want %v", c.name, c.s, got, c.want)
		}
	}
}

// F and the score of fgd by hand. Half of the typical jobs ask for 500
// thousandths, a quarter for two GPUs, a quarter for CPUs alone.
func TestFGDByHand(t *testing.T) {
	typical := []Typical{
		{Shape{1, hardware.Request{GPUMilli: 500, CPUMilli: 1000}}, 0.5},
		{Shape{2, hardware.Request{GPUMilli: 1000, CPUMilli: 1000, Models: "A"}}, 0.25},
		{Shape{0, hardware.Request{GPUMilli: 1000, CPUMilli: 1000}}, 0.25},
	}
	topology, nodes := scene(t)
	f := newFragmentation(typical)
	of := func(n *hardware.Node) float64 { return f.of(n.Pool.SKU.Name, n.CPUMilli, n.Left) }
	// The share can use 600 and 1000 of 1900, the pair and the CPUs none.
	if got, want := of(&nodes[0]), 0.5*300+0.25*1900+0.25*1900; got != want {
		t.Errorf("F of the first node is %v, want %v", got, want)
	}
	// The pair does not accept B.
	if got, want := of(&nodes[1]), 0.5*0+0.25*8000+0.25*8000; got != want {
		t.Errorf("F of the second node is %v, want %v", got, want)
	}
	// 300 thousandths go on GPU 1: F falls by 0.5 · 300 + 0.5 · 300; on GPU 0
	// they would leave 300 that a share cannot use: it would fall by
	// −0.5 · 300 + 0.5 · 300.
	p, err := New("fgd", Options{Typical: typical})
	if err != nil {
		t.Fatal(err)
	}
	p.open(topology)
	s := Shape{1, hardware.Request{GPUMilli: 300, CPUMilli: 100}}
	if got, want := p.scorer.Score(&nodes[0], &s), int(100/(1+math.Exp(-0.3))); got != want {
		t.Errorf("score %d, want %d", got, want)
	}
	if got := p.chooser.GPU(&nodes[0], &s); got != 1 {
		t.Errorf("it goes on GPU %d", got)
	}
	// With too few CPUs left for any typical job, all that is left is wasted.
	s.CPUMilli = 4500
	if got, want := p.scorer.Score(&nodes[0], &s), int(100/(1+math.Exp((1600-1100)/1000.0))); got != want {
		t.Errorf("score %d, want %d", got, want)
	}
}

// F is between nothing and all that is left, grows with every typical job that
// loses its place, and does not depend on the order of GPUs.
func TestFragmentationIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var shapes []Shape
		for range rapid.IntRange(1, 30).Draw(t, "jobs") {
			s := Shape{GPUs: rapid.IntRange(0, 4).Draw(t, "gpus")}
			s.CPUMilli = 1000 * rapid.IntRange(0, 4).Draw(t, "CPU")
			if s.GPUs == 1 {
				s.GPUMilli = rapid.IntRange(1, 1000).Draw(t, "milli")
			}
			s.Models = rapid.SampledFrom([]hardware.Models{"", "A", "B"}).Draw(t, "models")
			shapes = append(shapes, s)
		}
		f := newFragmentation(TypicalOf(shapes))
		left := rapid.SliceOfN(rapid.SampledFrom([]int{0, 100, 500, 900, 1000, 1000}), 1, 8).Draw(t, "left")
		total := 0
		for _, l := range left {
			total += l
		}
		cpu := 1000 * rapid.IntRange(0, 5).Draw(t, "free CPU")
		got := f.of("A", cpu, left)
		if got < 0 || got > float64(total)*(1+1e-12) {
			t.Fatalf("F is %v of %d", got, total)
		}
		if cpu > 0 && f.of("A", cpu-1000, left) < got-1e-9 {
			t.Fatal("F falls with fewer CPUs")
		}
		turned := slices.Clone(left)
		slices.Reverse(turned)
		if f.of("A", cpu, turned) != got {
			t.Fatal("F depends on the order of GPUs")
		}
	})
}
