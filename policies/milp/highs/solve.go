package highs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tetratelabs/wazero/api"

	"berth/policies/milp/mip"
)

// New is a solver, or an error that says how to get one.
func New() (mip.Solver, error) {
	if _, _, err := load(); err != nil {
		return nil, err
	}
	return solver{}, nil
}

type solver struct{}

func (solver) Name() string { return "highs" }

// grace is how long a cancelled solve may take to hand over what it has
// before it is left behind; it then ends on its own.
const grace = 150 * time.Millisecond

// Solve implements mip.Solver: one instance of the module a call, one thread.
func (solver) Solve(ctx context.Context, m *mip.Model, o mip.Options) (*mip.Result, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nothing(mip.Cancelled), nil
	}
	c := &clock{start: time.Now()}
	type outcome struct {
		result *mip.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := solveOne(c, m, o)
		done <- outcome{r, err}
	}()
	select {
	case out := <-done:
		return out.result, out.err
	case <-ctx.Done():
	}
	c.jumped.Store(true)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case out := <-done:
		return out.result, out.err
	case <-timer.C:
		return nothing(mip.Cancelled), nil
	}
}

func nothing(s mip.Status) *mip.Result {
	return &mip.Result{Status: s, Objective: math.Inf(-1), Bound: math.Inf(1)}
}

func solveOne(c *clock, m *mip.Model, o mip.Options) (_ *mip.Result, err error) {
	if len(m.Cost) == 0 {
		return solveEmpty(m), nil
	}
	in, err := newInstance(c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	h := in.call("Highs_create")
	a := &arena{in: in}
	setOptions(a, h, m, o)
	pass(a, h, m)
	if o.Start != nil && m.Fault(o.Start) <= startTolerance {
		x := a.floats(o.Start)
		in.status("Highs_setSolution", h, x, 0, 0, 0)
	}
	a.free()
	in.status("Highs_run", h)
	r := read(in, a, h, m)
	a.free()
	in.call("Highs_destroy", h)
	if in.err != nil {
		return nil, in.err
	}
	return r, nil
}

// startTolerance is how far a start may break the model.
const startTolerance = 1e-6

// solveEmpty judges a model without columns, whose rows are all 0.
func solveEmpty(m *mip.Model) *mip.Result {
	for i := range m.Rows {
		if m.RowLower[i] > 0 || m.RowUpper[i] < 0 {
			return nothing(mip.Infeasible)
		}
	}
	return &mip.Result{Status: mip.Optimal, X: []float64{}, Objective: m.Offset, Bound: m.Offset}
}

// off are habits of the solver that cost more than they bring on models of a
// few hundred starts: heuristics that solve models of their own, restarts, and
// cuts below the root. Without them the aggregated models of the scenarios
// take a third of the time.
var off = []string{
	"mip_heuristic_run_rins", "mip_heuristic_run_rens", "mip_heuristic_run_root_reduced_cost",
	"mip_allow_restart", "mip_allow_cut_separation_at_nodes",
}

func setOptions(a *arena, h uint64, m *mip.Model, o mip.Options) {
	boolean := func(name string, v uint64) {
		a.in.status("Highs_setBoolOptionValue", h, a.text(name), v)
	}
	integer := func(name string, v int32) {
		a.in.status("Highs_setIntOptionValue", h, a.text(name), api.EncodeI32(v))
	}
	number := func(name string, v float64) {
		a.in.status("Highs_setDoubleOptionValue", h, a.text(name), api.EncodeF64(v))
	}
	boolean("output_flag", 0)
	integer("threads", 1)
	integer("random_seed", o.Seed&math.MaxInt32)
	for _, name := range off {
		boolean(name, 0)
	}
	number("mip_rel_gap", o.RelGap)
	number("mip_abs_gap", o.AbsGap)
	number("mip_feasibility_tolerance", 1e-7)
	number("primal_feasibility_tolerance", 1e-8)
	if o.NodeLimit > 0 {
		integer("mip_max_nodes", int32(min(o.NodeLimit, math.MaxInt32)))
	}
	// A finite limit, so that a jump of the clock passes it.
	limit := farFuture / 10
	if o.TimeLimit > 0 {
		limit = o.TimeLimit.Seconds()
	}
	number("time_limit", limit)
}

const (
	rowWise  = 2  // kHighsMatrixFormatRowwise
	maximize = -1 // kHighsObjSenseMaximize
)

func pass(a *arena, h uint64, m *mip.Model) {
	var starts, index, kinds []int32
	var values []float64
	for _, r := range m.Rows {
		starts = append(starts, int32(len(index)))
		for k, c := range r.Cols {
			index = append(index, int32(c))
			values = append(values, r.Values[k])
		}
	}
	for _, whole := range m.Integer {
		kind := int32(0)
		if whole {
			kind = 1
		}
		kinds = append(kinds, kind)
	}
	sense := int32(maximize)
	a.in.status("Highs_passMip", h,
		uint64(len(m.Cost)), uint64(len(m.Rows)), uint64(len(index)), rowWise,
		api.EncodeI32(sense), api.EncodeF64(m.Offset),
		a.floats(m.Cost), a.floats(m.Lower), a.floats(m.Upper),
		a.floats(m.RowLower), a.floats(m.RowUpper),
		a.ints(starts), a.ints(index), a.floats(values), a.ints(kinds))
}

// Model statuses of HiGHS (kHighsModelStatus…).
var statuses = map[int32]mip.Status{
	6: mip.Optimal, // the model is empty
	7: mip.Optimal, 8: mip.Infeasible, 9: mip.Unbounded, 10: mip.Unbounded,
	13: mip.TimeLimit,
	14: mip.NodeLimit, // iteration limit; unused
	16: mip.NodeLimit, // solution limit: also nodes
	17: mip.Cancelled,
}

const feasiblePoint = 2 // kHighsSolutionStatusFeasible

func read(in *instance, a *arena, h uint64, m *mip.Model) *mip.Result {
	r := nothing(statuses[api.DecodeI32(in.call("Highs_getModelStatus", h))])
	if r.Status == mip.TimeLimit && in.clock.jumped.Load() {
		r.Status = mip.Cancelled
	}
	info := func(name string, kind string) uint32 {
		p := a.take(8)
		in.status("Highs_get"+kind+"InfoValue", h, a.text(name), uint64(p))
		return p
	}
	if r.Status == mip.Infeasible {
		r.Bound = math.Inf(-1)
		return r
	}
	if int32(in.readInt64(info("primal_solution_status", "Int"))) == feasiblePoint {
		x := a.take(8 * len(m.Cost))
		in.status("Highs_getSolution", h, uint64(x), 0, 0, 0)
		r.X = in.readFloats(x, len(m.Cost))
		if r.X != nil {
			r.Objective = m.Value(r.X)
		}
	}
	if isMixed(m) {
		if b := in.readFloats(info("mip_dual_bound", "Double"), 1); len(b) == 1 && !math.IsNaN(b[0]) {
			r.Bound = b[0]
		}
		r.Nodes = int(max(0, in.readInt64(info("mip_node_count", "Int64"))))
	} else if r.Status == mip.Optimal {
		r.Bound = r.Objective
	}
	if in.err == nil && r.Status == mip.Unknown && r.X == nil {
		in.err = fmt.Errorf("solver highs: it stopped without a result")
	}
	return r
}

func isMixed(m *mip.Model) bool {
	for _, whole := range m.Integer {
		if whole {
			return true
		}
	}
	return false
}
