package placement

import (
	"cmp"
	"slices"

	"berth/sim"
	"berth/sim/hardware"
)

// Typical is a shape of job and the share of jobs that have it.
type Typical struct {
	Shape
	Share float64
}

// typicalCover is the part of all jobs that the typical ones make up.
const typicalCover = 0.95

// TypicalOf is the most frequent shapes that make up 95 % of the jobs, with
// shares that add up to 1. Memory does not tell shapes apart. Equally frequent
// shapes stand in the order of their CPUs, GPUs, shares and models.
func TypicalOf(shapes []Shape) []Typical {
	count := map[Shape]int{}
	for _, s := range shapes {
		s.MemoryMiB, s.GPUMilli = 0, s.Request.Share()
		count[s]++
	}
	return typicalOf(count, len(shapes))
}

func typicalOf(count map[Shape]int, total int) []Typical {
	list := make([]Typical, 0, len(count))
	for s, n := range count {
		list = append(list, Typical{s, float64(n)})
	}
	slices.SortFunc(list, func(a, b Typical) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.CPUMilli, b.CPUMilli),
			cmp.Compare(a.GPUs, b.GPUs), cmp.Compare(a.GPUMilli, b.GPUMilli), cmp.Compare(a.Models, b.Models))
	})
	covered, n := 0.0, 0
	for n < len(list) && covered < typicalCover*float64(total) {
		covered += list[n].Share
		n++
	}
	list = list[:n]
	for i := range list {
		list[i].Share /= covered
	}
	return list
}

// fragmentation is the measure F of Weng et al.: the thousandths of GPUs on a
// node that a typical job could not use, on average over these.
type fragmentation struct {
	typical []Typical
	accepts map[string][]bool // model → whether each typical job accepts it
}

func newFragmentation(typical []Typical) *fragmentation {
	return &fragmentation{typical: typical, accepts: map[string][]bool{}}
}

func (f *fragmentation) acceptsOf(model string) []bool {
	a, ok := f.accepts[model]
	if !ok {
		for _, t := range f.typical {
			a = append(a, t.Models.Accepts(model))
		}
		f.accepts[model] = a
	}
	return a
}

// of is F of a node with so many CPUs and so much left on its GPUs. A job that
// could not run there, or needs no GPU, can use nothing; another can use the
// GPUs that have its share left.
func (f *fragmentation) of(model string, cpuMilli int, left []int) float64 {
	accepts := f.acceptsOf(model)
	total, most, free := 0, 0, 0
	for _, l := range left {
		total += l
		most = max(most, l)
		if l == hardware.Whole {
			free++
		}
	}
	if total == 0 {
		return 0
	}
	sum := 0.0
	for i := range f.typical {
		t := &f.typical[i]
		wasted := total
		if t.GPUs > 0 && t.CPUMilli <= cpuMilli && accepts[i] && (t.GPUMilli < hardware.Whole && t.GPUMilli <= most || t.GPUMilli == hardware.Whole && t.GPUs <= free) {
			wasted = 0
			for _, l := range left {
				if l < t.GPUMilli {
					wasted += l
				}
			}
		}
		sum += t.Share * float64(wasted)
	}
	return sum
}

// Fragmentation follows F over a whole cluster, in thousandths of GPUs. It
// looks again only at the nodes that have changed.
type Fragmentation struct {
	f       *fragmentation
	version []uint32
	of      []float64
	node    hardware.Node
}

// NewFragmentation measures against typical jobs.
func NewFragmentation(typical []Typical) *Fragmentation {
	return &Fragmentation{f: newFragmentation(typical)}
}

// Of is the sum of F over the nodes of a cluster, always the same one.
func (m *Fragmentation) Of(c sim.Machine) float64 {
	fresh := m.of == nil
	if n := len(c.Topology().Nodes()); fresh {
		m.version, m.of = make([]uint32, n), make([]float64, n)
	}
	sum := 0.0
	for i, v := range c.Versions() {
		if fresh || v != m.version[i] {
			c.Look(i, &m.node)
			m.version[i], m.of[i] = v, m.f.of(m.node.Pool.SKU.Name, m.node.CPUMilli, m.node.Left)
		}
		sum += m.of[i]
	}
	return sum
}
