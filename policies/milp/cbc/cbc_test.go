package cbc

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"berth/policies/milp/mip"
)

// need skips the test when the module has not been fetched, unless the
// environment says that it must be there.
func need(t testing.TB) mip.Solver {
	t.Helper()
	s, err := New()
	if err != nil {
		if os.Getenv("BERTH_REQUIRE_SOLVER") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return s
}

// knapsack is max value·x, weight·x ≤ room, x binary.
func knapsack(value, weight []float64, room float64) *mip.Model {
	m := &mip.Model{}
	var r mip.Row
	for i, v := range value {
		r.Add(m.AddBinary(v), weight[i])
	}
	m.AddRow(math.Inf(-1), room, r)
	return m
}

// hard is a multi-dimensional knapsack that takes a solver minutes.
func hard(n, rows int) *mip.Model {
	rng := rand.New(rand.NewPCG(1, 2))
	m := &mip.Model{}
	for range n {
		m.AddBinary(float64(500 + rng.IntN(500)))
	}
	for range rows {
		var r mip.Row
		sum := 0.0
		for i := range n {
			w := float64(1 + rng.IntN(1000))
			r.Add(i, w)
			sum += w
		}
		m.AddRow(math.Inf(-1), sum/2, r)
	}
	return m
}

func TestSmallModels(t *testing.T) {
	s := need(t)
	infeasible := &mip.Model{}
	infeasible.AddRow(2, math.Inf(1), mip.Row{Cols: []int{infeasible.AddBinary(1)}, Values: []float64{1}})
	unbounded := &mip.Model{}
	unbounded.AddCol(1, 0, math.Inf(1), true)
	lp := &mip.Model{Offset: 10}
	x, y := lp.AddCol(3, 0, math.Inf(1), false), lp.AddCol(2, 0, 4, false)
	lp.AddRow(math.Inf(-1), 6, mip.Row{Cols: []int{x, y}, Values: []float64{1, 1}})
	tests := []struct {
		name   string
		m      *mip.Model
		status mip.Status
		value  float64
	}{
		{"knapsack", knapsack([]float64{10, 13, 7, 8}, []float64{3, 4, 2, 3}, 7), mip.Optimal, 23},
		{"linear", lp, mip.Optimal, 28},
		{"infeasible", infeasible, mip.Infeasible, math.Inf(-1)},
		{"unbounded", unbounded, mip.Unbounded, math.Inf(-1)},
		{"empty", &mip.Model{Offset: 4}, mip.Optimal, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := s.Solve(context.Background(), tt.m, mip.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != tt.status || math.Abs(r.Objective-tt.value) > 1e-7 && tt.status == mip.Optimal {
				t.Errorf("got %v with %v; want %v with %v", r.Status, r.Objective, tt.status, tt.value)
			}
			if tt.status == mip.Optimal && math.Abs(r.Bound-tt.value) > 1e-7 {
				t.Errorf("bound %v; want %v", r.Bound, tt.value)
			}
		})
	}
}

func TestStart(t *testing.T) {
	s := need(t)
	m := hard(60, 5)
	free, err := s.Solve(context.Background(), m, mip.Options{NodeLimit: 200})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(context.Background(), m, mip.Options{NodeLimit: 1, Start: free.X})
	if err != nil {
		t.Fatal(err)
	}
	if r.Objective < free.Objective-1e-6 {
		t.Errorf("started from %v it ends at %v", free.Objective, r.Objective)
	}
	if r.Status != mip.NodeLimit && r.Status != mip.Optimal {
		t.Errorf("status %v; want node limit", r.Status)
	}
	bad := make([]float64, len(m.Cost))
	for i := range bad {
		bad[i] = 1
	}
	if _, err := s.Solve(context.Background(), m, mip.Options{NodeLimit: 1, Start: bad}); err != nil {
		t.Errorf("a start that breaks the model: %v", err)
	}
}

func TestLimitsAndCancel(t *testing.T) {
	s := need(t)
	m := hard(150, 20)
	r, err := s.Solve(context.Background(), m, mip.Options{TimeLimit: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != mip.TimeLimit || r.Bound < r.Objective {
		t.Errorf("status %v, objective %v, bound %v; want a time limit and bound ≥ objective", r.Status, r.Objective, r.Bound)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond)
	defer cancel()
	begin := time.Now()
	r, err = s.Solve(ctx, m, mip.Options{})
	late := time.Since(begin) - 400*time.Millisecond
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("cancelled: answered %v after, objective %v, bound %v", late, r.Objective, r.Bound)
	if r.Status != mip.Cancelled {
		t.Errorf("status %v; want cancelled", r.Status)
	}
	if late > 2*time.Second {
		t.Errorf("cancelling took %v", late)
	}
}
