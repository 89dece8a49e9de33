package hardware

import (
	"fmt"
	"math"
)

// Uncounted is the free CPUs or memory of a node that does not count them.
const Uncounted = math.MaxInt

// rooms knows the CPUs and memory left on each node, and how often anything on
// it has changed.
type rooms struct {
	cpu, memory []int // free; Uncounted where the pool counts none
	version     []uint32
}

func newRooms(t *Topology) rooms {
	n := len(t.nodes)
	r := rooms{make([]int, n), make([]int, n), make([]uint32, n)}
	for i := range n {
		p := t.PoolOf(i)
		r.cpu[i], r.memory[i] = counted(p.CPUMilli), counted(p.MemoryMiB)
	}
	return r
}

func counted(n int) int {
	if n == 0 {
		return Uncounted
	}
	return n
}

// touch notes a change of the GPUs of r.
func (s *rooms) touch(t *Topology, r Range) {
	for n := t.nodeOf[r.First]; n <= t.nodeOf[r.End()-1]; n++ {
		s.version[n]++
	}
}

func (s *rooms) copyFrom(o *rooms) {
	s.cpu, s.memory = append(s.cpu[:0], o.cpu...), append(s.memory[:0], o.memory...)
	s.version = append(s.version[:0], o.version...)
}

// TakeRoom takes CPUs (thousandths) and memory (MiB) of node n. It fails, and
// changes nothing, when less is left or one of them is negative.
func (c *Cluster) TakeRoom(n, cpuMilli, memoryMiB int) error {
	if cpuMilli < 0 || memoryMiB < 0 || cpuMilli > c.rooms.cpu[n] || memoryMiB > c.rooms.memory[n] {
		return fmt.Errorf("hardware: %d thousandths of a CPU and %d MiB are asked of node %d, of which %d and %d are left",
			cpuMilli, memoryMiB, n, c.rooms.cpu[n], c.rooms.memory[n])
	}
	c.changeRoom(n, -cpuMilli, -memoryMiB)
	return nil
}

// ReleaseRoom gives back CPUs and memory of node n. It fails, and changes
// nothing, when the node would have more than it was made with.
func (c *Cluster) ReleaseRoom(n, cpuMilli, memoryMiB int) error {
	p := c.topology.PoolOf(n)
	if cpuMilli < 0 || memoryMiB < 0 || p.CPUMilli > 0 && c.rooms.cpu[n]+cpuMilli > p.CPUMilli ||
		p.MemoryMiB > 0 && c.rooms.memory[n]+memoryMiB > p.MemoryMiB {
		return fmt.Errorf("hardware: %d thousandths of a CPU and %d MiB are given back to node %d, which has not given as much", cpuMilli, memoryMiB, n)
	}
	c.changeRoom(n, cpuMilli, memoryMiB)
	return nil
}

func (c *Cluster) changeRoom(n, cpuMilli, memoryMiB int) {
	if c.rooms.cpu[n] != Uncounted {
		c.rooms.cpu[n] += cpuMilli
	}
	if c.rooms.memory[n] != Uncounted {
		c.rooms.memory[n] += memoryMiB
	}
	c.rooms.version[n]++
}

// Versions has a number for each node that moves whenever anything changes on
// it, so that what was worked out from its state can be kept until then. It is
// the cluster's own, to be read only.
func (c *Cluster) Versions() []uint32 { return c.rooms.version }
