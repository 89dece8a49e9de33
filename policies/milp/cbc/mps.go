package cbc

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"berth/policies/milp/mip"
)

// writeMPS writes the model in free MPS format, as a minimisation: cbc's
// readers know no other direction. Column i is named Ci, row i Ri.
func writeMPS(w io.Writer, m *mip.Model) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "NAME model FREE")
	fmt.Fprintln(b, "ROWS\n N OBJ")
	for i := range m.Rows {
		fmt.Fprintf(b, " %s R%d\n", rowKind(m.RowLower[i], m.RowUpper[i]), i)
	}
	fmt.Fprintln(b, "COLUMNS")
	writeColumns(b, m)
	fmt.Fprintln(b, "RHS")
	for i := range m.Rows {
		lo, hi := m.RowLower[i], m.RowUpper[i]
		switch rowKind(lo, hi) {
		case "G":
			fmt.Fprintf(b, " RHS R%d %s\n", i, number(lo))
		case "L", "E":
			fmt.Fprintf(b, " RHS R%d %s\n", i, number(hi))
		}
	}
	fmt.Fprintln(b, "RANGES")
	for i := range m.Rows {
		lo, hi := m.RowLower[i], m.RowUpper[i]
		if rowKind(lo, hi) == "L" && !math.IsInf(lo, 0) {
			fmt.Fprintf(b, " RNG R%d %s\n", i, number(hi-lo))
		}
	}
	fmt.Fprintln(b, "BOUNDS")
	for i := range m.Cost {
		writeBounds(b, i, m.Lower[i], m.Upper[i])
	}
	fmt.Fprintln(b, "ENDATA")
	return b.Flush()
}

func rowKind(lo, hi float64) string {
	switch {
	case math.IsInf(lo, -1) && math.IsInf(hi, 1):
		return "N"
	case lo == hi:
		return "E"
	case math.IsInf(hi, 1):
		return "G"
	}
	return "L"
}

func writeColumns(b *bufio.Writer, m *mip.Model) {
	type entry struct {
		row   int
		value float64
	}
	columns := make([][]entry, len(m.Cost))
	for i, r := range m.Rows {
		for k, c := range r.Cols {
			columns[c] = append(columns[c], entry{i, r.Values[k]})
		}
	}
	marks, whole := 0, false
	mark := func(want bool) {
		if want == whole {
			return
		}
		kind := "INTORG"
		if whole {
			kind = "INTEND"
		}
		fmt.Fprintf(b, " M%d 'MARKER' '%s'\n", marks, kind)
		marks, whole = marks+1, want
	}
	for i, entries := range columns {
		mark(m.Integer[i])
		// A column must be named at least once; the objective does that.
		fmt.Fprintf(b, " C%d OBJ %s\n", i, number(-m.Cost[i]))
		for _, e := range entries {
			fmt.Fprintf(b, " C%d R%d %s\n", i, e.row, number(e.value))
		}
	}
	mark(false)
}

func writeBounds(b *bufio.Writer, i int, lo, hi float64) {
	switch {
	case math.IsInf(lo, -1) && math.IsInf(hi, 1):
		fmt.Fprintf(b, " FR BND C%d\n", i)
		return
	case lo == hi:
		fmt.Fprintf(b, " FX BND C%d %s\n", i, number(lo))
		return
	case math.IsInf(lo, -1):
		fmt.Fprintf(b, " MI BND C%d\n", i)
	default:
		fmt.Fprintf(b, " LO BND C%d %s\n", i, number(lo))
	}
	if !math.IsInf(hi, 1) {
		fmt.Fprintf(b, " UP BND C%d %s\n", i, number(hi))
	} else {
		fmt.Fprintf(b, " PL BND C%d\n", i)
	}
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
