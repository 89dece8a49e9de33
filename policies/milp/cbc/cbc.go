// Package cbc runs COIN-OR's cbc, when it is on PATH, by way of files in a
// temporary folder. Written for cbc 2.10 (Debian package coinor-cbc).
package cbc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"berth/policies/milp/mip"
)

// ErrMissing is returned when cbc is not on PATH.
var ErrMissing = errors.New("solver cbc is not on PATH; Debian has it as package coinor-cbc")

// New is a solver, or an error that says how to get one.
func New() (mip.Solver, error) {
	path, err := exec.LookPath("cbc")
	if err != nil {
		return nil, ErrMissing
	}
	return solver{path}, nil
}

type solver struct{ path string }

func (solver) Name() string { return "cbc" }

// grace is how long a cancelled cbc may take to write what it has.
const grace = 150 * time.Millisecond

// Solve implements mip.Solver.
func (s solver) Solve(ctx context.Context, m *mip.Model, o mip.Options) (_ *mip.Result, err error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nothing(mip.Cancelled), nil
	}
	if len(m.Cost) == 0 {
		m = m.Clone() // cbc wants a column
		m.AddCol(0, 0, 0, false)
		r, err := s.Solve(ctx, m, o)
		if r != nil && r.X != nil {
			r.X = r.X[:0]
		}
		return r, err
	}
	dir, err := os.MkdirTemp("", "berth-cbc-")
	if err != nil {
		return nil, fmt.Errorf("solver cbc: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	args, err := prepare(dir, m, o)
	if err != nil {
		return nil, fmt.Errorf("solver cbc: %w", err)
	}
	cmd := exec.CommandContext(ctx, s.path, args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = grace
	out, err := cmd.Output()
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("solver cbc: %w\n%s", err, tail(out))
	}
	solution, err := os.ReadFile(filepath.Join(dir, solutionFile))
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("solver cbc wrote no solution\n%s", tail(out))
	}
	r := parse(out, solution, m)
	if ctx.Err() != nil && r.Status != mip.Optimal && r.Status != mip.Infeasible {
		r.Status = mip.Cancelled
	}
	return r, nil
}

const (
	modelFile    = "model.mps"
	startFile    = "start.txt"
	solutionFile = "solution.txt"
)

// prepare writes the files and returns the arguments.
func prepare(dir string, m *mip.Model, o mip.Options) ([]string, error) {
	f, err := os.Create(filepath.Join(dir, modelFile))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(writeMPS(f, m), f.Close()); err != nil {
		return nil, err
	}
	args := []string{
		modelFile, "-threads", "0", "-ratioGap", number(o.RelGap), "-allowableGap", number(max(o.AbsGap, 1e-9)),
		"-randomCbcSeed", strconv.Itoa(int(o.Seed & math.MaxInt32)),
	}
	if o.NodeLimit > 0 {
		args = append(args, "-maxNodes", strconv.Itoa(min(o.NodeLimit, math.MaxInt32)))
	}
	if o.TimeLimit > 0 {
		args = append(args, "-timeMode", "elapsed", "-seconds", number(o.TimeLimit.Seconds()))
	}
	if o.Start != nil && m.Fault(o.Start) <= 1e-6 {
		var b bytes.Buffer
		fmt.Fprintln(&b, "start")
		for i, v := range o.Start {
			if !m.Integer[i] || v == 0 {
				continue // cbc completes the others
			}
			fmt.Fprintf(&b, "%d C%d %s\n", i, i, number(v))
		}
		if err := os.WriteFile(filepath.Join(dir, startFile), b.Bytes(), 0o600); err != nil {
			return nil, err
		}
		// cbc 2.10.8 ends with "Illegal index" when its preprocessing adds
		// columns to a model that has a start.
		args = append(args, "-preprocess", "off", "-mipstart", startFile)
	}
	return append(args, "-solve", "-solution", solutionFile), nil
}

func nothing(s mip.Status) *mip.Result {
	return &mip.Result{Status: s, Objective: math.Inf(-1), Bound: math.Inf(1)}
}

// parse reads the log, which has the status, the bound and the nodes, and the
// solution file, which has the columns.
func parse(log, solution []byte, m *mip.Model) *mip.Result {
	r := nothing(mip.Unknown)
	head, rest, _ := strings.Cut(string(solution), "\n")
	status := strings.ToLower(head + "\n" + string(log))
	switch {
	case strings.Contains(status, "unbounded"):
		r.Status = mip.Unbounded
		return r
	case strings.Contains(status, "infeasible"):
		r.Status, r.Bound = mip.Infeasible, math.Inf(-1)
		return r
	case strings.HasPrefix(head, "Optimal"):
		r.Status = mip.Optimal
	case strings.Contains(status, "stopped on time"):
		r.Status = mip.TimeLimit
	case strings.Contains(status, "stopped on nodes"), strings.Contains(status, "on node limit"):
		r.Status = mip.NodeLimit
	}
	if head != "" && !strings.Contains(strings.ToLower(head), "no integer solution") {
		readColumns(r, rest, m)
	}
	r.Nodes = int(field(string(log), "Enumerated nodes:", 0))
	// The log's bound leaves out the model's constant and has few digits; it
	// is rounded away from the optimum.
	if b := field(string(log), "Lower bound:", math.NaN()); !math.IsNaN(b) {
		r.Bound = m.Offset - b + math.Abs(b)*1e-6 + 1e-6
	}
	if r.Status == mip.Optimal && r.X != nil && math.IsInf(r.Bound, 1) {
		r.Bound = r.Objective
	}
	return r
}

// readColumns reads lines such as "  3 C3  1  -10": number, name, value and
// reduced cost; columns at 0 may be missing.
func readColumns(r *mip.Result, lines string, m *mip.Model) {
	x := make([]float64, len(m.Cost))
	for line := range strings.Lines(lines) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "**"))
		if len(f) < 3 {
			continue
		}
		i, err := strconv.Atoi(strings.TrimPrefix(f[1], "C"))
		v, err2 := strconv.ParseFloat(f[2], 64)
		if err != nil || err2 != nil || i < 0 || i >= len(x) {
			return
		}
		x[i] = v
	}
	if m.Fault(x) > 1e-5 {
		return
	}
	r.X, r.Objective = x, m.Value(x)
}

// field is the number after the last occurrence of a label.
func field(log, label string, missing float64) float64 {
	k := strings.LastIndex(log, label)
	if k < 0 {
		return missing
	}
	f := strings.Fields(log[k+len(label):])
	if len(f) == 0 {
		return missing
	}
	v, err := strconv.ParseFloat(f[0], 64)
	if err != nil {
		return missing
	}
	return v
}

func tail(out []byte) []byte { return bytes.TrimSpace(out[max(0, len(out)-2000):]) }
