package hardware

// Node is what is left of one node. Cluster.Look fills it in.
type Node struct {
	Index     int
	Pool      *Pool
	GPUs      Range
	CPUMilli  int // free CPUs in thousandths; Uncounted where they are not counted
	MemoryMiB int // free memory; Uncounted where it is not counted
	Free      int // GPUs that nobody holds
	Milli     int // thousandths of GPUs left in all

	Left    []int    // thousandths left of each GPU; written anew by Look
	Holders []Holder // of each GPU; the cluster's own, to be read only
}

// Look writes the state of node i to n, whose storage it uses again.
func (c *Cluster) Look(i int, n *Node) {
	n.Index, n.Pool, n.GPUs = i, c.topology.PoolOf(i), c.topology.nodes[i]
	n.CPUMilli, n.MemoryMiB = c.rooms.cpu[i], c.rooms.memory[i]
	n.Holders = c.holder[n.GPUs.First:n.GPUs.End():n.GPUs.End()]
	n.Free, n.Milli, n.Left = 0, 0, n.Left[:0]
	for g := n.GPUs.First; g < n.GPUs.End(); g++ {
		left := c.Left(g)
		if left == Whole {
			n.Free++
		}
		n.Milli += left
		n.Left = append(n.Left, left)
	}
}

// Fits reports whether a job on so many GPUs finds room on this node alone:
// CPUs, memory, an accepted model, and as many free GPUs or one with its share
// left.
func (n *Node) Fits(gpus int, q *Request) bool {
	if q.CPUMilli > n.CPUMilli || q.MemoryMiB > n.MemoryMiB {
		return false
	}
	switch share := q.Share(); {
	case gpus == 0:
		return true
	case share < Whole:
		return n.BestGPU(share) >= 0 && q.Models.Accepts(n.Pool.SKU.Name)
	}
	return gpus <= n.Free && q.Models.Accepts(n.Pool.SKU.Name)
}

// BestGPU is the GPU with the least left among those with so many thousandths
// left, the lowest of equals, as a place in Left; −1 when there is none.
func (n *Node) BestGPU(milli int) int {
	best := -1
	for i, left := range n.Left {
		if left >= milli && (best < 0 || left < n.Left[best]) {
			best = i
		}
	}
	return best
}

// AppendFree appends the lowest-numbered free GPUs of the node, so many
// or all that there are, as ascending ranges, each as long as can be.
func (n *Node) AppendFree(dst []Range, gpus int) []Range {
	mine := len(dst)
	for i := 0; i < len(n.Left) && gpus > 0; i++ {
		if n.Left[i] < Whole {
			continue
		}
		g := n.GPUs.First + i
		if k := len(dst); k > mine && dst[k-1].End() == g {
			dst[k-1].N++
		} else {
			dst = append(dst, Range{g, 1})
		}
		gpus--
	}
	return dst
}
