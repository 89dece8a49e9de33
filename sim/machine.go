package sim

import "berth/sim/hardware"

// Machine is who holds which GPU or share of one, to be looked at: policies see the cluster
// through it, and change it by their decisions only.
type Machine interface {
	Topology() *hardware.Topology
	GPUs() int
	Free() int
	Holder(g int) hardware.Holder
	Left(g int) int // thousandths of a GPU
	InShares() (held, left int)
	Look(node int, n *hardware.Node)
	Versions() []uint32 // by node
	IsFree(r hardware.Range) bool
	FindBlock(n int, a hardware.Alignment, across bool) (first int, ok bool)
	FindBlockFrom(from, n int, a hardware.Alignment, across bool) (first int, ok bool)
	AppendFree(dst []hardware.Range, n int) ([]hardware.Range, bool)
	Clone() *hardware.Cluster // for what-if questions
}
