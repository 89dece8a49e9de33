package placement

import "berth/sim/hardware"

// packing prefers GPUs in part use, then free GPUs of nodes in use, then free
// nodes, the smallest first. Jobs without GPUs find all nodes alike.
type packing struct{}

func newPacking(*hardware.Topology, *Placement, Options) Scorer { return packing{} }

// Score implements Scorer: 50 to 100, 33 to 49, or below.
func (packing) Score(n *hardware.Node, s *Shape) int {
	switch {
	case s.GPUs == 0:
		return 0
	case n.Free == len(n.Left):
		return max(33-n.Free, min(n.Free, 33))
	}
	if share := s.Share(); share < hardware.Whole {
		if left := n.Left[n.BestGPU(share)]; left < hardware.Whole {
			return max(100-left*100/hardware.Whole/10, 50)
		}
	}
	return max(50-s.GPUs, 33)
}
