package placement

import "berth/sim/hardware"

// firstFit takes the first node in the order of the cluster.
type firstFit struct{}

func newFirstFit(_ *hardware.Topology, p *Placement, _ Options) Scorer {
	for i := range p.order {
		p.order[i] = int32(i)
	}
	return firstFit{}
}

// Score implements Scorer: all nodes are alike, and the order decides.
func (firstFit) Score(*hardware.Node, *Shape) int { return 0 }
