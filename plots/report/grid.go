package report

import (
	"berth/sim"
	"berth/sim/metrics"
)

// Grid is one run's allocation grid: who held which GPU when.
type Grid struct {
	Name       string // unique in its section
	Title      string // such as "mixed-control under fifo, seed 1"
	GPUs       int    // of the cluster
	DomainSize int    // GPUs in a link domain, whose borders are marked; 0 marks none
	Spans      *metrics.Spans
	End        sim.Time // of the run
}
