package placement

import (
	"math/rand/v2"

	"berth/sim/hardware"
)

// random takes any node with room, and any GPU with room for a share.
type random struct{ r *rand.Rand }

func newRandom(_ *hardware.Topology, p *Placement, _ Options) Scorer {
	p.uniform = true
	return random{p.random}
}

// Score implements Scorer: all nodes are alike.
func (random) Score(*hardware.Node, *Shape) int { return 0 }

// GPU is any that has the share left.
func (x random) GPU(n *hardware.Node, s *Shape) int {
	at, seen := -1, 0
	for i, left := range n.Left {
		if left < s.Share() {
			continue
		}
		if seen++; x.r.IntN(seen) == 0 {
			at = i
		}
	}
	return at
}
