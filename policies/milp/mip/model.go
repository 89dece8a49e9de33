// Package mip holds mixed-integer linear programs and what solvers say about
// them. It knows no scheduling; the numbers have the units of whoever builds
// the model.
package mip

import (
	"errors"
	"fmt"
	"math"
)

// Inf is the bound of a column or row that has none.
var Inf = math.Inf(1)

// Model is a mixed-integer linear program, to be maximised:
//
//	max Offset + Cost·x   where   RowLower ≤ A x ≤ RowUpper,
//	                              Lower ≤ x ≤ Upper, x whole where Integer
//
// A is stored by rows. The zero Model is empty and ready for AddCol.
type Model struct {
	Offset       float64
	Cost         []float64
	Lower, Upper []float64
	Integer      []bool

	RowLower, RowUpper []float64
	Rows               []Row
}

// Row is the left side of one constraint: columns, each at most once, and
// their coefficients.
type Row struct {
	Cols   []int
	Values []float64
}

// Add puts value·column into the row.
func (r *Row) Add(col int, value float64) {
	r.Cols = append(r.Cols, col)
	r.Values = append(r.Values, value)
}

// AddCol adds a column and returns its index.
func (m *Model) AddCol(cost, lower, upper float64, integer bool) int {
	m.Cost = append(m.Cost, cost)
	m.Lower = append(m.Lower, lower)
	m.Upper = append(m.Upper, upper)
	m.Integer = append(m.Integer, integer)
	return len(m.Cost) - 1
}

// AddBinary adds a column that is 0 or 1.
func (m *Model) AddBinary(cost float64) int { return m.AddCol(cost, 0, 1, true) }

// AddRow adds lower ≤ r ≤ upper.
func (m *Model) AddRow(lower, upper float64, r Row) {
	m.RowLower = append(m.RowLower, lower)
	m.RowUpper = append(m.RowUpper, upper)
	m.Rows = append(m.Rows, r)
}

// Value is the objective at x.
func (m *Model) Value(x []float64) float64 {
	v := m.Offset
	for i, c := range m.Cost {
		v += c * x[i]
	}
	return v
}

// Clone is a model that can grow without changing m.
func (m *Model) Clone() *Model {
	c := *m
	c.Cost = append([]float64(nil), m.Cost...)
	c.Lower = append([]float64(nil), m.Lower...)
	c.Upper = append([]float64(nil), m.Upper...)
	c.Integer = append([]bool(nil), m.Integer...)
	c.RowLower = append([]float64(nil), m.RowLower...)
	c.RowUpper = append([]float64(nil), m.RowUpper...)
	c.Rows = append([]Row(nil), m.Rows...)
	return &c
}

// Fault is what is wrong with a point: the largest amount by which it breaks
// a bound, a row, or wholeness.
func (m *Model) Fault(x []float64) float64 {
	if len(x) != len(m.Cost) {
		return Inf
	}
	worst := 0.0
	for i, v := range x {
		worst = max(worst, m.Lower[i]-v, v-m.Upper[i])
		if m.Integer[i] {
			worst = max(worst, math.Abs(v-math.Round(v)))
		}
	}
	for i, r := range m.Rows {
		sum := 0.0
		for k, c := range r.Cols {
			sum += r.Values[k] * x[c]
		}
		worst = max(worst, m.RowLower[i]-sum, sum-m.RowUpper[i])
	}
	return worst
}

// Validate reports the first thing that makes the model meaningless.
func (m *Model) Validate() error {
	n := len(m.Cost)
	if len(m.Lower) != n || len(m.Upper) != n || len(m.Integer) != n {
		return errors.New("mip: columns: cost, bounds and kinds differ in number")
	}
	if len(m.RowLower) != len(m.Rows) || len(m.RowUpper) != len(m.Rows) {
		return errors.New("mip: rows: sides and bounds differ in number")
	}
	for i, c := range m.Cost {
		if math.IsNaN(c) || math.IsInf(c, 0) || math.IsNaN(m.Lower[i]) || math.IsNaN(m.Upper[i]) {
			return fmt.Errorf("mip: column %d: cost %v, bounds %v … %v; finite costs and ordered bounds are needed", i, c, m.Lower[i], m.Upper[i])
		}
	}
	for i, r := range m.Rows {
		if len(r.Cols) != len(r.Values) {
			return fmt.Errorf("mip: row %d: %d columns but %d values", i, len(r.Cols), len(r.Values))
		}
		for k, c := range r.Cols {
			if c < 0 || c >= n {
				return fmt.Errorf("mip: row %d names column %d; there are %d", i, c, n)
			}
			if math.IsNaN(r.Values[k]) || math.IsInf(r.Values[k], 0) {
				return fmt.Errorf("mip: row %d has coefficient %v; finite ones are needed", i, r.Values[k])
			}
		}
	}
	return nil
}
