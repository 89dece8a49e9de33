package experiment

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"berth/sim/metrics"
)

// Table writes the results of a sweep, a row a cell, in the order of the cells
// whatever order they were run in. It holds one outcome at a time.
type Table struct {
	Keys  []string // the axes
	Cells []SweepCell
	Store *Store
}

// Missing lists cells without a result by what is wrong with them.
type Missing struct {
	Absent   []SweepCell // not run
	Failed   []Failure
	Versions map[string]int // cells that have a result, by the version of the program that ran them
}

// Failure is a cell that failed.
type Failure struct {
	Cell  SweepCell
	Error string
}

// Write writes both tables.
func (t *Table) Write(csvTo, parquetTo io.Writer) (Missing, error) {
	missing := Missing{Versions: map[string]int{}}
	text := csv.NewWriter(csvTo)
	text.Write(t.header()) // its errors come back from Error
	columns := newColumns(t)
	binary := parquet.NewWriter(parquetTo, columns.schema,
		parquet.CreatedBy("berth", strconv.Itoa(ResultSchema), "sweep"),
		parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(1<<16))
	for _, c := range t.Cells {
		o, err := t.Store.Get(c.ID)
		switch {
		case err != nil:
			return missing, err
		case o == nil:
			missing.Absent = append(missing.Absent, c)
			continue
		case o.Error != "":
			missing.Failed = append(missing.Failed, Failure{c, o.Error})
			continue
		}
		missing.Versions[o.Version]++
		text.Write(t.record(c, o.Report))
		if _, err := binary.WriteRows([]parquet.Row{columns.row(c, o.Report)}); err != nil {
			return missing, err
		}
	}
	text.Flush()
	return missing, errors.Join(text.Error(), binary.Close())
}

func (t *Table) header() []string {
	header := append([]string{"cell", "policy", "seed"}, t.Keys...)
	for _, c := range countColumns {
		header = append(header, c.Name)
	}
	for _, c := range runColumns {
		header = append(header, c.Name)
	}
	return header
}

func (t *Table) record(c SweepCell, r *metrics.Report) []string {
	row := []string{c.ID, c.Policy, strconv.FormatUint(c.Seed, 10)}
	for _, l := range c.Point {
		row = append(row, l.Text)
	}
	for _, n := range countColumns {
		row = append(row, strconv.Itoa(n.of(r)))
	}
	for _, m := range runColumns {
		row = append(row, number(m.of(r)))
	}
	return row
}

// number is a measure in full precision, empty where there is none.
func number(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// columns is the Parquet table: columns in alphabetical order, as the format's
// library lays out a group.
type columns struct {
	schema  *parquet.Schema
	names   []string
	numeric []bool // by axis: all its levels are numbers
	keys    []string
}

func newColumns(t *Table) *columns {
	c := &columns{keys: t.Keys}
	g := parquet.Group{"cell": parquet.String(), "policy": parquet.String(), "seed": parquet.Uint(64)}
	for k, key := range t.Keys {
		numeric := !slices.ContainsFunc(t.Cells, func(c SweepCell) bool { return !c.Point[k].Number })
		c.numeric = append(c.numeric, numeric)
		g[key] = parquet.String()
		if numeric {
			g[key] = parquet.Leaf(parquet.DoubleType)
		}
	}
	for _, n := range countColumns {
		g[n.Name] = parquet.Int(64)
	}
	for _, m := range runColumns {
		g[m.Name] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
	}
	for name := range g {
		c.names = append(c.names, name)
	}
	slices.Sort(c.names)
	c.schema = parquet.NewSchema("sweep", g)
	return c
}

func (c *columns) row(cell SweepCell, r *metrics.Report) parquet.Row {
	row := make(parquet.Row, len(c.names))
	put := func(name string, v parquet.Value, definition int) {
		at, _ := slices.BinarySearch(c.names, name)
		row[at] = v.Level(0, definition, at)
	}
	put("cell", parquet.ValueOf(cell.ID), 0)
	put("policy", parquet.ValueOf(cell.Policy), 0)
	put("seed", parquet.ValueOf(cell.Seed), 0)
	for k, l := range cell.Point {
		v := parquet.ValueOf(l.Text)
		if c.numeric[k] {
			x, _ := strconv.ParseFloat(l.Text, 64)
			v = parquet.ValueOf(x)
		}
		put(c.keys[k], v, 0)
	}
	for _, n := range countColumns {
		put(n.Name, parquet.ValueOf(int64(n.of(r))), 0)
	}
	for _, m := range runColumns {
		if x := m.of(r); x != nil {
			put(m.Name, parquet.ValueOf(*x), 1)
		} else {
			put(m.Name, parquet.NullValue(), 0)
		}
	}
	return row
}
