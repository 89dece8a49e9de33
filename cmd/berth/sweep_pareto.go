package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"berth/plots"
	"berth/sim/experiment"
)

// paretoRow is both measures of one policy at one point.
type paretoRow struct {
	first, second summaryRow
	front         bool
}

// paretoRows joins the two measures, and finds the front by their means. A
// measure of which neither more nor less is better counts as better when less.
func (s *summary) paretoRows() []paretoRow {
	key := func(r summaryRow) string { return strings.Join(append([]string{r.policy}, r.levels...), "\x00") }
	second := map[string]summaryRow{}
	for _, r := range s.rows[1] {
		second[key(r)] = r
	}
	var rows []paretoRow
	var points [][2]float64
	for _, r := range s.rows[0] {
		if other, ok := second[key(r)]; ok {
			rows = append(rows, paretoRow{first: r, second: other})
			points = append(points, [2]float64{r.mean.Mean, other.mean.Mean})
		}
	}
	front := experiment.Front(points, [2]bool{s.measures[0].Better > 0, s.measures[1].Better > 0})
	for i := range rows {
		rows[i].front = front[i]
	}
	return rows
}

func (s *summary) paretoCSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	x, y := s.measures[0].Name, s.measures[1].Name
	w.Write(slices.Concat(s.keys, []string{"policy", x, x + "_ci95", y, y + "_ci95", "front"}))
	for _, r := range s.paretoRows() {
		w.Write(slices.Concat(r.first.levels, []string{r.first.policy, csvNumber(r.first.mean.Mean), csvNumber(r.first.mean.Half),
			csvNumber(r.second.mean.Mean), csvNumber(r.second.mean.Half), strconv.FormatBool(r.front)}))
	}
	w.Flush()
	return b.Bytes()
}

// printFront lists the front, from the best of the first measure on.
func (s *summary) printFront(w io.Writer) {
	rows := s.paretoRows()
	all := len(rows)
	rows = slices.DeleteFunc(rows, func(r paretoRow) bool { return !r.front })
	slices.SortStableFunc(rows, func(a, b paretoRow) int {
		x, y := a.first.mean.Mean, b.first.mean.Mean
		if s.measures[0].Better > 0 {
			x, y = y, x
		}
		return cmp.Compare(x, y)
	})
	fmt.Fprintf(w, "\nPareto front of %s and %s: %d of %d\n", s.measures[0].Name, s.measures[1].Name, len(rows), all)
	for _, r := range rows {
		fmt.Fprintf(w, "  %16s %16s  %s %s\n", plusMinus(r.first.mean), plusMinus(r.second.mean), r.first.policy, s.at(r.first.levels))
	}
}

// pareto draws the first measure against the second.
func (s *summary) pareto() (*plots.Figure, error) {
	if len(s.policies) > maxDrawnPolicies {
		return nil, fmt.Errorf("%d policies; at most %d can be told apart (--policies chooses)", len(s.policies), maxDrawnPolicies)
	}
	axis := func(m experiment.Measure) plots.ParetoAxis {
		return plots.ParetoAxis{Label: m.Title, Percent: m.Percent, More: m.Better > 0}
	}
	x, y := s.measures[0], s.measures[1]
	f := plots.ParetoFigure{X: axis(x), Y: axis(y)}
	index := map[string]int{}
	for _, p := range s.policies {
		index[p] = len(f.Series)
		f.Series = append(f.Series, plots.ParetoSeries{Label: p})
	}
	front, rows := 0, s.paretoRows()
	for _, r := range rows {
		p := plots.ParetoPoint{
			X: r.first.mean.Mean / x.Unit, XHalf: r.first.mean.Half / x.Unit,
			Y: r.second.mean.Mean / y.Unit, YHalf: r.second.mean.Half / y.Unit,
			Label: strings.Join(r.first.levels, ", "), Front: r.front,
		}
		if r.front {
			front++
		}
		series := &f.Series[index[r.first.policy]]
		series.Points = append(series.Points, p)
	}
	f.Title = fmt.Sprintf("%d of %d settings are on the Pareto front", front, len(rows))
	if len(s.keys) > 0 {
		f.Title += "; they are named by " + s.axisTitle()
	}
	return plots.Pareto(f)
}
