package mip

import (
	"context"
	"fmt"
	"time"
)

// Solver solves models. An implementation may be used by several goroutines
// at once, and gives equal answers to equal questions as long as no clock
// stops it.
type Solver interface {
	// Name is how the solver is asked for on a command line.
	Name() string
	// Solve maximises the model. A limit is no error: the result says what
	// was found and what stopped the search. When ctx ends, Solve comes back
	// within about 0.2 s with Status Cancelled and what is known.
	Solve(ctx context.Context, m *Model, o Options) (*Result, error)
}

// Options steer one solve. The zero value asks for a proven optimum, without
// limits.
type Options struct {
	NodeLimit int           // nodes of the search tree; 0 means no limit
	TimeLimit time.Duration // 0 means none; results are then not reproducible
	Seed      int32
	RelGap    float64 // stop when bound − objective is at most this share of the objective
	AbsGap    float64 // … or at most this
	// Start is a solution to begin with, one value a column; nil for none. It
	// is ignored when it breaks the model.
	Start []float64
}

// Status is how a solve ended.
type Status uint8

const (
	Unknown    Status = iota // stopped for a reason of the solver's own
	Optimal                  // proven, within the gap asked for
	Infeasible               // proven: nothing satisfies the model
	Unbounded                // the objective has no limit, or the model is infeasible
	NodeLimit                // Options.NodeLimit stopped the search
	TimeLimit                // Options.TimeLimit stopped the search
	Cancelled                // the context ended
)

var statusNames = [...]string{"unknown", "optimal", "infeasible", "unbounded", "node limit", "time limit", "cancelled"}

func (s Status) String() string {
	if int(s) >= len(statusNames) {
		return fmt.Sprintf("status(%d)", uint8(s))
	}
	return statusNames[s]
}

// Result is what a solver found.
type Result struct {
	Status Status
	// X is the best solution known, one value a column; nil when there is
	// none. Integer columns are whole up to the solver's tolerance.
	X         []float64
	Objective float64 // of X; −Inf when there is none
	Bound     float64 // no solution is worth more; +Inf when nothing is proven
	Nodes     int     // of the search tree
}
