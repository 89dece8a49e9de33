package placement

import (
	"math"

	"berth/sim/hardware"
)

// fgd is fragmentation gradient descent: the node whose fragmentation grows
// least, or shrinks most, once the job is there; and on it, for a share, the
// GPU for which that is so.
type fgd struct {
	*fragmentation
	after []int // left of each GPU, with the job

	counts map[Shape]int // of the jobs seen; nil when the typical ones are given
	seen   int
	next   int // jobs seen at which they are counted anew
}

func newFGD(_ *hardware.Topology, _ *Placement, o Options) Scorer {
	x := &fgd{fragmentation: newFragmentation(o.Typical)}
	if o.Typical == nil {
		x.counts, x.next = map[Shape]int{}, 1
	}
	return x
}

// Learn counts a job. Whenever the number of jobs seen has grown by a half,
// the typical ones are those seen so far.
func (x *fgd) Learn(s *Shape) bool {
	if x.counts == nil {
		return false
	}
	k := *s
	k.MemoryMiB = 0
	x.counts[k]++
	if x.seen++; x.seen < x.next {
		return false
	}
	x.next = x.seen + (x.seen+1)/2
	x.fragmentation = newFragmentation(typicalOf(x.counts, x.seen))
	return true
}

// Score implements Scorer: the logistic function of how much F falls, in GPUs.
func (x *fgd) Score(n *hardware.Node, s *Shape) int {
	score, _ := x.best(n, s)
	return score
}

// GPU is the GPU for a share, the lowest of equals.
func (x *fgd) GPU(n *hardware.Node, s *Shape) int {
	_, at := x.best(n, s)
	return at
}

func (x *fgd) best(n *hardware.Node, s *Shape) (score, gpu int) {
	model := n.Pool.SKU.Name
	before, cpu := x.of(model, n.CPUMilli, n.Left), n.CPUMilli
	if cpu != hardware.Uncounted {
		cpu -= s.CPUMilli
	}
	x.after = append(x.after[:0], n.Left...)
	value := func() int {
		return int(100 / (1 + math.Exp((x.of(model, cpu, x.after)-before)/hardware.Whole)))
	}
	if share := s.Share(); s.GPUs > 0 && share < hardware.Whole {
		score, gpu = -1, -1
		for i, left := range n.Left {
			if left < share || i > 0 && left == n.Left[i-1] { // as good as the GPU before it
				continue
			}
			x.after[i] = left - share
			if v := value(); v > score {
				score, gpu = v, i
			}
			x.after[i] = left
		}
		return score, gpu
	}
	missing := s.GPUs
	for i, left := range n.Left {
		if missing > 0 && left == hardware.Whole {
			x.after[i] = 0
			missing--
		}
	}
	return value(), -1
}
