package placement

import "berth/sim/hardware"

// bestFit prefers the node that has least left once the job is there: CPUs and
// GPUs, each as a part of the largest node's, weigh one half. (Stretching the
// scores so that they span 0 to 100 would change no order among them.)
type bestFit struct{ most most }

func newBestFit(t *hardware.Topology, _ *Placement, _ Options) Scorer { return bestFit{mostOf(t)} }

// Score implements Scorer.
func (x bestFit) Score(n *hardware.Node, s *Shape) int {
	free, asked := x.most.parts(n, s)
	return int((1 - (free[0]-asked[0])/2 - (free[1]-asked[1])/2) * 100)
}

// most is the CPUs and GPUs of the largest nodes, in thousandths.
type most struct{ cpu, gpu float64 }

func mostOf(t *hardware.Topology) most {
	var m most
	for _, p := range t.Pools() {
		m.cpu = max(m.cpu, float64(p.CPUMilli))
		m.gpu = max(m.gpu, float64(hardware.Whole*min(p.GPUsPerNode, p.GPUs)))
	}
	return m
}

// parts is what a node has left and what a job asks, CPUs and GPUs, as parts of
// the largest node's. CPUs that are not counted are 0.
func (m most) parts(n *hardware.Node, s *Shape) (free, asked [2]float64) {
	if n.CPUMilli != hardware.Uncounted {
		free[0], asked[0] = float64(n.CPUMilli)/m.cpu, float64(s.CPUMilli)/m.cpu
	}
	free[1], asked[1] = float64(n.Milli)/m.gpu, float64(s.GPUs*s.Share())/m.gpu
	return free, asked
}
