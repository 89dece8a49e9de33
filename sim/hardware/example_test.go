package hardware_test

import (
	"fmt"

	"berth/sim/hardware"
)

func ExampleNewTopology() {
	t, err := hardware.NewTopology(
		hardware.Pool{SKU: hardware.SKU{Name: "H100"}, GPUs: 32, NodesPerLink: 2},
		hardware.Pool{SKU: hardware.SKU{Name: "L4"}, GPUs: 6, GPUsPerNode: 4},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.GPUs(), "GPUs in", len(t.Nodes()), "nodes")
	fmt.Println("link domains:", hardware.FormatRanges(t.Domains()))
	fmt.Println("racks:", hardware.FormatRanges(t.Racks()))
	fmt.Println("GPU 17 is in node", t.Node(17), "and domain", t.Domain(17))
	// Output:
	// 38 GPUs in 6 nodes
	// link domains: 0-15 16-31 32-35 36-37
	// racks: 0-31 32-37
	// GPU 17 is in node 2 and domain 1
}

func ExampleCluster_FindBlock() {
	t, err := hardware.NewTopology(hardware.Pool{GPUs: 16}) // two link domains of 8
	if err != nil {
		fmt.Println(err)
		return
	}
	c := hardware.NewCluster(t)
	if err := c.Take(1, hardware.Range{First: 0, N: 3}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.FindBlock(4, hardware.Contiguous, false))
	fmt.Println(c.FindBlock(4, hardware.Buddy, false))
	fmt.Println(c.FindBlock(8, hardware.Contiguous, false))
	fmt.Println(c.FindBlock(8, hardware.Contiguous, true))
	fmt.Println(c.FindBlock(16, hardware.Contiguous, true))
	// Output:
	// 3 true
	// 4 true
	// 8 true
	// 3 true
	// 0 false
}

func ExampleCluster_Take() {
	t, err := hardware.NewTopology(hardware.Pool{GPUs: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := hardware.NewCluster(t)
	fmt.Println(c.Take(1, hardware.Range{First: 4, N: 2}))
	fmt.Println(c.Take(2, hardware.Range{First: 2, N: 4}))
	fmt.Println(c.Free(), "free")
	// Output:
	// <nil>
	// hardware: holder 2 cannot take 4 GPUs from GPU 2: GPU 4 is held by 1
	// 6 free
}
