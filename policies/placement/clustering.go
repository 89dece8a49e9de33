package placement

import "berth/sim/hardware"

// clustering prefers nodes that hold jobs of the same class: shares, or the
// same number of whole GPUs. A quarter of the scale each is for nodes that hold
// this class alone, this class among others, nothing, and others alone; inside
// it, more is for nodes with less left. Jobs without GPUs find all nodes alike.
type clustering struct{ most int } // thousandths of GPUs on the largest node

func newClustering(t *hardware.Topology, _ *Placement, _ Options) Scorer {
	return clustering{int(mostOf(t).gpu)}
}

// Score implements Scorer.
func (x clustering) Score(n *hardware.Node, s *Shape) int {
	if s.GPUs == 0 {
		return 0
	}
	same, other := hosts(n, s)
	quarter := 0
	switch {
	case same && !other:
		quarter = 3
	case same:
		quarter = 2
	case !other:
		quarter = 1
	}
	return 25*quarter + 25*(x.most-n.Milli)/x.most
}

// hosts reports whether a node holds jobs of the class of s, and of another.
func hosts(n *hardware.Node, s *Shape) (same, other bool) {
	class := s.GPUs
	if s.Share() < hardware.Whole {
		class = 0
	}
	for _, h := range n.Holders {
		size := 0 // of the job that holds this GPU here
		switch h {
		case hardware.Nobody:
			continue
		case hardware.Shared:
		default:
			for _, o := range n.Holders {
				if o == h {
					size++
				}
			}
		}
		if size == class {
			same = true
		} else {
			other = true
		}
	}
	return same, other
}
