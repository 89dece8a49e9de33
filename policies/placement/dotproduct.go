package placement

import "berth/sim/hardware"

// dotProduct prefers the node whose free CPUs and GPUs have the least scalar
// product with the request, each as a part of the largest node's.
type dotProduct struct{ most most }

func newDotProduct(t *hardware.Topology, _ *Placement, _ Options) Scorer {
	return dotProduct{mostOf(t)}
}

// Score implements Scorer.
func (x dotProduct) Score(n *hardware.Node, s *Shape) int {
	free, asked := x.most.parts(n, s)
	return int((1 - (free[0]*asked[0]+free[1]*asked[1])/2) * 100)
}
