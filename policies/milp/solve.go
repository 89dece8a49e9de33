// Package milp is the full mode of planning: it proves how good a plan can be,
// and finds plans that come as close to it as limits allow.
//
// An aggregated model decides when each job starts and in which link domain,
// and how many GPUs each service holds, but not on which GPUs. It is a
// relaxation (it lets work migrate), so its optimum bounds the formal model of
// package plan from above. Its starts are placed on blocks by a search, and the
// services by flows into what that leaves. Where jobs are proven not to fit
// together, or not to leave the services what they ask for, a cut forbids the
// combination and the model is solved again; where placing merely fails, the
// next best solution is asked for, and the bound stays. Small problems that
// remain open go to the per-GPU model, which is exact.
package milp

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"berth/policies/milp/cbc"
	"berth/policies/milp/highs"
	"berth/policies/milp/mip"
	"berth/policies/plan"
	"berth/sim/hardware"
)

// Options steer Solve. The zero value stops at DefaultNodeLimit and
// DefaultGap, and is reproducible.
type Options struct {
	Solver    string        // "auto" (the default), "highs" or "cbc"
	NodeLimit int           // nodes of the solver's trees together; 0 means DefaultNodeLimit
	TimeLimit time.Duration // wall clock; 0 means none. With it results are not reproducible
	Seed      int32
	Gap       float64 // relative gap at which to stop; 0 means DefaultGap
}

const (
	DefaultNodeLimit = 50_000
	DefaultGap       = 1e-4
)

// maxRounds bounds how often an aggregated model is solved again.
const maxRounds = 6

// Outcome is a plan and what is proven about it.
type Outcome struct {
	Plan      *plan.Plan
	Objective float64
	Bound     float64 // no legal plan is worth more
	Gap       float64 // plan.Gap(Bound, Objective)
	Proven    bool    // the gap is at most the one asked for
	Nodes     int     // of the solver's search trees
	Rounds    int     // times that the aggregated model was solved
	Limit     string  // what stopped it: "" when proven, else "nodes", "time", "cancelled" or "rounds"
	Solver    string
}

// Solvers are the names that Select accepts.
func Solvers() []string { return []string{"auto", "highs", "cbc"} }

// Select finds a solver by name. The error says how to get the one that is not
// there.
func Select(name string) (mip.Solver, error) {
	switch name {
	case "", "auto":
		s, err := highs.New()
		if err == nil {
			return s, nil
		}
		if c, cbcErr := cbc.New(); cbcErr == nil {
			return c, nil
		}
		return nil, err
	case "highs":
		return highs.New()
	case "cbc":
		return cbc.New()
	}
	return nil, fmt.Errorf("solver %q is unknown; accepted are %s", name, strings.Join(Solvers(), ", "))
}

// Solve plans a valid problem. start is a legal plan to begin with; the
// outcome is never worse. When ctx ends, the best plan and bound so far come
// back, without an error.
func Solve(ctx context.Context, p *plan.Problem, start *plan.Plan, o Options) (*Outcome, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if v := p.Check(start); len(v) > 0 {
		return nil, fmt.Errorf("milp: the plan to start from is not legal: %w", v[0])
	}
	solver, err := Select(o.Solver)
	if err != nil {
		return nil, err
	}
	if o.NodeLimit == 0 {
		o.NodeLimit = DefaultNodeLimit
	}
	if o.Gap == 0 {
		o.Gap = DefaultGap
	}
	s := &solving{ctx: ctx, p: p, o: o, solver: solver, began: time.Now()}
	s.out = Outcome{Plan: start, Objective: p.Score(start).Objective, Bound: math.Inf(1), Solver: solver.Name()}
	if o.TimeLimit > 0 {
		var cancel context.CancelFunc
		s.searching, cancel = context.WithDeadline(ctx, s.began.Add(o.TimeLimit))
		defer cancel()
	} else {
		s.searching = ctx
	}
	s.offer(exchange(p, start))
	if err := s.aggregated(false); err != nil {
		return nil, err
	}
	if n := len(p.Domains); !s.closed() && n > 1 && n <= maxRegions && p.Alignment != hardware.Scattered && !s.spent() {
		if err := s.aggregated(true); err != nil {
			return nil, err
		}
	}
	if !s.closed() && s.out.Limit != "cancelled" && perGPUSize(p) <= maxPerGPU {
		if err := s.perGPU(); err != nil {
			return nil, err
		}
	}
	s.finish()
	return &s.out, nil
}

// solving is one call of Solve.
type solving struct {
	ctx    context.Context
	p      *plan.Problem
	o      Options
	solver mip.Solver
	began  time.Time
	out    Outcome
	// searching is ctx, ending with the time limit.
	searching context.Context
}

// closed reports whether the gap is proven.
func (s *solving) closed() bool { return plan.Gap(s.out.Bound, s.out.Objective) <= s.o.Gap }

// offer takes a plan if it is legal and better.
func (s *solving) offer(pl *plan.Plan) {
	if v := s.p.Score(pl).Objective; v > s.out.Objective && len(s.p.Check(pl)) == 0 {
		s.out.Plan, s.out.Objective = pl, v
	}
}

// solve runs the solver on a model within what is left of the limits.
func (s *solving) solve(m *mip.Model, start []float64) (*mip.Result, error) {
	o := mip.Options{Seed: s.o.Seed, RelGap: s.o.Gap * 3 / 4, Start: start, NodeLimit: max(1, s.o.NodeLimit-s.out.Nodes), TimeLimit: s.left()}
	r, err := s.solver.Solve(s.ctx, m, o)
	if err != nil {
		return nil, err
	}
	s.out.Nodes += r.Nodes
	switch r.Status {
	case mip.NodeLimit:
		s.out.Limit = "nodes"
	case mip.TimeLimit:
		s.out.Limit = "time"
	case mip.Cancelled:
		s.out.Limit = "cancelled"
	}
	return r, nil
}

// left is the time that remains, 0 without a limit.
func (s *solving) left() time.Duration {
	if s.o.TimeLimit == 0 {
		return 0
	}
	return max(time.Millisecond, s.o.TimeLimit-time.Since(s.began))
}

// spent reports whether a limit is reached.
func (s *solving) spent() bool {
	if s.ctx.Err() != nil {
		s.out.Limit = "cancelled"
	}
	if s.o.TimeLimit > 0 && time.Since(s.began) >= s.o.TimeLimit {
		s.out.Limit = "time"
	}
	return s.out.Limit != ""
}

func (s *solving) finish() {
	out := &s.out
	out.Bound = max(out.Bound, out.Objective) // a bound a hair below is rounding
	out.Gap = plan.Gap(out.Bound, out.Objective)
	if out.Proven = out.Gap <= s.o.Gap; out.Proven {
		out.Limit = ""
	} else if out.Limit == "" {
		out.Limit = "rounds"
	}
}

// aggregated solves the aggregated model and places its solutions, until the
// gap is closed or a limit is reached.
func (s *solving) aggregated(apart bool) error {
	a := newAggregate(s.p, apart)
	relaxed := true // no heuristic cut yet: the model's bound holds
	for range maxRounds {
		if s.closed() || s.spent() {
			return nil
		}
		r, err := s.solve(a.model, a.point(s.out.Plan))
		if err != nil {
			return err
		}
		s.out.Rounds++
		if relaxed && !math.IsInf(r.Bound, 1) {
			s.out.Bound = min(s.out.Bound, r.Bound+a.slack)
		}
		if r.X == nil || r.Status == mip.Infeasible || (!relaxed && r.Objective <= s.out.Objective) {
			return nil
		}
		d := a.decide(r.X)
		pl, placed := d.place(s.searching)
		if pl != nil {
			s.offer(pl)
		}
		if placed {
			if !relaxed || s.closed() {
				continue
			}
			return nil // the solver itself left a gap
		}
		c, whole, err := s.conflict(d, pl)
		if err != nil {
			return err
		}
		if whole != nil {
			s.offer(whole)
			continue
		}
		if pl == nil {
			s.repair(d)
		}
		a.forbid(d, c)
		relaxed = relaxed && c != nil
	}
	return nil
}

// repair drops the least valuable jobs of a decision until the rest can be
// placed, and offers what remains, as long as it would be worth more than the
// best plan.
func (s *solving) repair(d *decision) {
	for len(d.jobs) > 0 && !s.spent() {
		if d = d.without(d.leastValuable()); d.value() <= s.out.Objective {
			return
		}
		pl, placed := d.place(s.searching)
		if pl != nil {
			s.offer(pl)
		}
		if placed {
			return
		}
	}
}
