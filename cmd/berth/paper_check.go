package main

import (
	"bytes"
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"berth/plots/report"
	"berth/sim/experiment"
)

// kept are the expected tables, one CSV a table of the paper: a header, a row
// with each column's tolerance, and the numbers.
//
//go:embed expected
var kept embed.FS

// expectedFiles is where the expected tables are: kept, or a folder.
func (p *paper) expectedFiles() fs.FS {
	if p.expected != "" {
		return os.DirFS(p.expected)
	}
	sub, err := fs.Sub(kept, "expected")
	if err != nil {
		return kept
	}
	return sub
}

// check compares the tables with the expected ones and says what moved.
func (p *paper) check(page *report.Page) error {
	files := p.expectedFiles()
	w := p.cmd.OutOrStdout()
	moved, compared := 0, 0
	for _, s := range page.Sections {
		for _, t := range s.Tables {
			text, err := fs.ReadFile(files, t.Name+".csv")
			if err != nil {
				return invalid(fmt.Errorf("no expected figures of table %s; --accept writes them: %w", t.Name, err))
			}
			expected, err := parseExpected(text)
			if err != nil {
				return invalid(fmt.Errorf("expected figures of table %s: %w", t.Name, err))
			}
			differences := expected.compare(t)
			for _, d := range differences {
				fmt.Fprintf(w, "moved: %s: %s\n", t.Name, d)
			}
			moved, compared = moved+len(differences), compared+1
		}
	}
	if moved > 0 {
		return fmt.Errorf("%d %s moved beyond tolerance; when that is right, --accept cmd/berth/expected keeps what is there now", moved, plural(moved, "figure"))
	}
	fmt.Fprintf(w, "\nno figure of %d %s moved beyond its tolerance\n", compared, plural(compared, "table"))
	return nil
}

// accept writes the tables as the expected ones.
func (p *paper) accept(page *report.Page) error {
	dir, err := experiment.OpenDir(p.accepted)
	if err != nil {
		return err
	}
	for _, s := range page.Sections {
		for _, t := range s.Tables {
			if err := dir.WriteFile(t.Name+".csv", expectedText(t)); err != nil {
				return err
			}
		}
	}
	return nil
}

// expectedText is the table's CSV with a row of tolerances below its header.
func expectedText(t *report.Table) []byte {
	header, rest, _ := bytes.Cut(t.CSV(), []byte("\n"))
	var b bytes.Buffer
	b.Write(append(header, '\n'))
	w := csv.NewWriter(&b)
	_ = w.Write(t.Tolerances())
	w.Flush()
	b.Write(rest)
	return b.Bytes()
}

// expectedTable is a table that the repository keeps.
type expectedTable struct {
	header     []string
	tolerances []float64 // NaN: equal to the letter
	rows       [][]string
}

func parseExpected(text []byte) (*expectedTable, error) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 {
		return nil, errors.New("a header and a row of tolerances are needed")
	}
	e := &expectedTable{header: rows[0], rows: rows[2:]}
	if len(rows[0]) < 2 {
		return nil, errors.New("at least two columns are needed")
	}
	for i, t := range rows[1] {
		tolerance := math.NaN()
		if t != report.Exact {
			if tolerance, err = strconv.ParseFloat(t, 64); err != nil || !(tolerance >= 0) {
				return nil, fmt.Errorf("line 2: tolerance %q of %s; accepted are numbers from 0 on, and %q", t, e.header[i], report.Exact)
			}
		}
		e.tolerances = append(e.tolerances, tolerance)
	}
	return e, nil
}

// compare lists what differs beyond tolerance, row by row.
func (e *expectedTable) compare(t *report.Table) []string {
	rows, err := csv.NewReader(bytes.NewReader(t.CSV())).ReadAll()
	if err != nil {
		return []string{err.Error()}
	}
	if got, want := strings.Join(rows[0], ","), strings.Join(e.header, ","); got != want {
		return []string{fmt.Sprintf("its columns are %s, expected %s", got, want)}
	}
	if rows = rows[1:]; len(rows) != len(e.rows) {
		return []string{fmt.Sprintf("it has %d rows, expected %d", len(rows), len(e.rows))}
	}
	var out []string
	for i, row := range rows {
		for k, got := range row {
			if d := difference(got, e.rows[i][k], e.tolerances[k]); d != "" {
				name := row[0]
				if math.IsNaN(e.tolerances[1]) { // two columns of words name a row
					name += " " + row[1]
				}
				out = append(out, fmt.Sprintf("%s, %s: %s", name, e.header[k], d))
			}
		}
	}
	return out
}

// difference says how a cell differs, or "" when it does not beyond tolerance.
func difference(got, want string, tolerance float64) string {
	if got == want {
		return ""
	}
	g, gotErr := strconv.ParseFloat(got, 64)
	w, wantErr := strconv.ParseFloat(want, 64)
	if math.IsNaN(tolerance) || gotErr != nil || wantErr != nil {
		return fmt.Sprintf("%q, expected %q", got, want)
	}
	if math.Abs(g-w) <= tolerance {
		return ""
	}
	return fmt.Sprintf("%s, expected %s ± %g (moved by %+.4g)", got, want, tolerance, g-w)
}
