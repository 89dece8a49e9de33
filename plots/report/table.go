package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
	"strings"
)

// Table is a table of a section.
type Table struct {
	Name    string // of its files
	Caption string
	Notes   []string // below the table: samples, intervals, sources
	Columns []Column
	Rows    [][]Cell // as wide as Columns
}

// Column says what a column holds and how it is shown.
type Column struct {
	Key  string // its name in the CSV, with the unit when there is one
	Head string // its heading
	Text bool   // words, not numbers

	Decimals int  // shown
	Percent  bool // shown times 100
	Signed   bool // shown with its sign
	Interval bool // its cells have half-widths, of 95 % intervals
	DataOnly bool // in the CSV alone

	// Tolerance is how far a number may be from the expected one, in the unit of
	// the key. Words have to be equal.
	Tolerance float64
}

// Cell is one entry: words, or a number with or without the half-width of its
// interval, or words that stand for a number ("52–85").
type Cell struct {
	Text        string
	Value, Half float64 // NaN: none
}

// Words is a cell of text.
func Words(text string) Cell { return Cell{text, math.NaN(), math.NaN()} }

// Number is a cell with a number; NaN is shown as a dash.
func Number(x float64) Cell { return Cell{"", x, math.NaN()} }

// Estimate is a cell with a mean and the half-width of its 95 % interval.
func Estimate(mean, half float64) Cell { return Cell{"", mean, half} }

// Missing is a cell without a number.
func Missing() Cell { return Number(math.NaN()) }

// missing is how an absent number is shown.
const missing = "–"

// shown are the places of the columns that are not DataOnly.
func (t *Table) shown() []int {
	var out []int
	for i, c := range t.Columns {
		if !c.DataOnly {
			out = append(out, i)
		}
	}
	return out
}

// show is a cell's number and half-width as they are printed.
func (c *Column) show(cell Cell) (value, half string) {
	if c.Text || cell.Text != "" {
		return cell.Text, ""
	}
	if math.IsNaN(cell.Value) {
		return missing, ""
	}
	scale := 1.0
	if c.Percent {
		scale = 100
	}
	value = strconv.FormatFloat(scale*cell.Value, 'f', c.Decimals, 64)
	if strings.Trim(value, "-0.") == "" {
		value = strings.TrimPrefix(value, "-") // no negative zero
	}
	if c.Signed && !strings.HasPrefix(value, "-") {
		value = "+" + value
	}
	value = strings.Replace(value, "-", "−", 1)
	if c.Interval && !math.IsNaN(cell.Half) {
		half = strconv.FormatFloat(scale*cell.Half, 'f', c.Decimals, 64)
	}
	return value, half
}

// CSV is the table with ten digits, one column a key and one for each
// interval. Absent numbers, and those that words stand for, are empty.
func (t *Table) CSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(t.Header())
	for _, row := range t.Rows {
		_ = w.Write(t.record(row))
	}
	w.Flush()
	return b.Bytes()
}

// Header are the columns of the CSV.
func (t *Table) Header() []string {
	var out []string
	for _, c := range t.Columns {
		if out = append(out, c.Key); c.Interval {
			out = append(out, c.Key+"_ci95")
		}
	}
	return out
}

func (t *Table) record(row []Cell) []string {
	number := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', 10, 64)
	}
	var out []string
	for i, c := range t.Columns {
		if c.Text {
			out = append(out, row[i].Text)
			continue
		}
		if out = append(out, number(row[i].Value)); c.Interval {
			out = append(out, number(row[i].Half))
		}
	}
	return out
}

// Exact is the tolerance of words.
const Exact = "exact"

// Tolerances are those of the columns of the CSV. An interval may move as far
// as its mean.
func (t *Table) Tolerances() []string {
	var out []string
	for _, c := range t.Columns {
		tolerance := strconv.FormatFloat(c.Tolerance, 'g', -1, 64)
		if c.Text {
			tolerance = Exact
		}
		if out = append(out, tolerance); c.Interval {
			out = append(out, tolerance)
		}
	}
	return out
}
