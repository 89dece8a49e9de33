package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"berth/sim/experiment"
)

// summary is what berth sweep summary was asked for, and what it found.
type summary struct {
	*results
	measures   []experiment.Measure
	rows       [][]summaryRow // by measure
	figures    []string       // kinds asked for; nil: those that follow from the axes
	difference bool           // figures show differences to the first policy
}

func newSweepSummary() *cobra.Command {
	var measures, policies, figures []string
	var difference bool
	cmd := &cobra.Command{
		Use:   "summary DIR",
		Short: "Means, intervals, paired differences and figures of a sweep",
		Long: `summary reads a sweep's results and writes summary.csv: means over seeds and
differences to the first policy, paired by seed, each with 95 % intervals by
Student's t and by bootstrap. One axis is drawn as lines, two as a map; of two
measures, the Pareto front is drawn and written to pareto.csv.`,
		Example: `  berth sweep summary out/sizes --measure wait_mean_seconds
  berth sweep summary out/sizes --measure utilization,wait_mean_seconds
  berth sweep summary out/sizes --difference --policies fifo,easy`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := summary{figures: figures, difference: difference}
			if err := s.read(args[0], measures, policies); err != nil {
				return err
			}
			if err := s.write(args[0], cmd.ErrOrStderr()); err != nil {
				return err
			}
			s.print(cmd.OutOrStdout())
			s.warn(cmd.ErrOrStderr())
			return nil
		},
	}
	f := cmd.Flags()
	f.StringSliceVarP(&measures, "measure", "m", []string{"utilization"}, "columns of results.csv to summarize; of two, the Pareto front")
	f.StringSliceVarP(&policies, "policies", "p", nil, "only these policies, the baseline first (default all)")
	f.StringSliceVar(&figures, "figure", nil, "lines, map, pareto or none (default by the axes)")
	f.BoolVar(&difference, "difference", false, "draw differences to the first policy, paired by seed")
	return cmd
}

// read reads the results and reduces every measure.
func (s *summary) read(folder string, measures, policies []string) (err error) {
	for _, kind := range s.figures {
		if !slices.Contains(figureKinds, kind) {
			return usage(fmt.Errorf("--figure %s: accepted are %s", kind, strings.Join(figureKinds, ", ")))
		}
	}
	if len(measures) == 0 {
		return usage(errors.New("--measure names no measure"))
	}
	if s.results, err = readResults(folder); err != nil {
		return err
	}
	if policies != nil {
		if err := s.only(policies); err != nil {
			return err
		}
	}
	for _, name := range measures {
		m, err := s.measure(name)
		if err != nil {
			return err
		}
		rows, err := s.summarize(name)
		if err != nil {
			return err
		}
		s.measures, s.rows = append(s.measures, m), append(s.rows, rows)
	}
	return nil
}

// write writes the tables and the figures; what cannot be drawn is said.
func (s *summary) write(folder string, notes io.Writer) error {
	dir, err := experiment.OpenDir(folder)
	if err != nil {
		return err
	}
	if err := dir.WriteFile("summary.csv", s.csv()); err != nil {
		return err
	}
	if len(s.measures) == 2 {
		if err := dir.WriteFile("pareto.csv", s.paretoCSV()); err != nil {
			return err
		}
	}
	return s.draw(dir.Path("figures"), notes)
}

// csvNumber is a number in full precision, empty for NaN.
func csvNumber(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

func (s *summary) csv() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(slices.Concat([]string{"measure"}, s.keys, []string{"policy", "runs", "mean", "ci95", "bootstrap_low", "bootstrap_high",
		"pairs", "difference", "difference_ci95", "difference_bootstrap_low", "difference_bootstrap_high"}))
	for i, rows := range s.rows {
		for _, r := range rows {
			row := slices.Concat([]string{s.measures[i].Name}, r.levels, []string{r.policy, strconv.Itoa(r.n),
				csvNumber(r.mean.Mean), csvNumber(r.mean.Half), csvNumber(r.low), csvNumber(r.high), strconv.Itoa(r.pairs)})
			if r.pairs > 0 {
				row = append(row, csvNumber(r.gain.Mean), csvNumber(r.gain.Half), csvNumber(r.gainLow), csvNumber(r.gainHigh))
			} else {
				row = append(row, "", "", "", "")
			}
			w.Write(row)
		}
	}
	w.Flush()
	return b.Bytes()
}

func (s *summary) print(w io.Writer) {
	for i, rows := range s.rows {
		if i > 0 {
			fmt.Fprintln(w)
		}
		s.printMeasure(w, s.measures[i].Name, rows)
	}
	if len(s.measures) == 2 {
		s.printFront(w)
	}
}

func (s *summary) printMeasure(w io.Writer, measure string, rows []summaryRow) {
	fmt.Fprintf(w, "%s; ± is the 95 %% interval (t)\n", measure)
	if len(s.policies) > 1 {
		fmt.Fprintf(w, "differences are to %s, paired by seed\n", s.policies[0])
	}
	width := 10
	for _, p := range s.policies {
		width = min(max(width, len(p)), 24)
	}
	fmt.Fprintf(w, "  %-*s %4s %20s", width, "", "runs", "mean")
	if len(s.policies) > 1 {
		fmt.Fprintf(w, " %20s", "difference")
	}
	fmt.Fprintln(w)
	point := "\x00"
	for _, r := range rows {
		if here := s.at(r.levels); here != point {
			point = here
			if here != "" {
				fmt.Fprintln(w, here)
			}
		}
		fmt.Fprintf(w, "  %-*s %4d %20s", width, r.policy, r.n, plusMinus(r.mean))
		if r.pairs > 0 {
			fmt.Fprintf(w, " %20s", plusMinus(r.gain))
		}
		fmt.Fprintln(w)
	}
}

// at names a point, drawn numbers to four digits.
func (s *summary) at(levels []string) string {
	var at []string
	for i, key := range s.keys {
		level := levels[i]
		if x, err := strconv.ParseFloat(level, 64); err == nil && x != math.Trunc(x) && len(level) > 7 {
			level = strconv.FormatFloat(x, 'g', 4, 64)
		}
		at = append(at, key+" = "+level)
	}
	return strings.Join(at, ", ")
}

// plusMinus writes a mean to the second digit of its interval, or to five
// digits.
func plusMinus(m experiment.Mean) string {
	decimals := func(x float64, digits int) int {
		if x == 0 {
			return 0
		}
		return max(0, digits-1-int(math.Floor(math.Log10(math.Abs(x)))))
	}
	if math.IsNaN(m.Half) {
		return strconv.FormatFloat(m.Mean, 'f', decimals(m.Mean, 5), 64)
	}
	if m.Half == 0 {
		return strconv.FormatFloat(m.Mean, 'f', decimals(m.Mean, 5), 64) + " ± 0"
	}
	d := decimals(m.Half, 2)
	return fmt.Sprintf("%.*f ± %.*f", d, m.Mean, d, m.Half)
}

// warn says what the intervals cannot be trusted for.
func (s *summary) warn(w io.Writer) {
	if s.absent+s.failed > 0 {
		fmt.Fprintf(w, "warning: %d cells were not run and %d failed; the means are of the others\n", s.absent, s.failed)
	}
	least, few, all, unpaired := math.MaxInt, 0, 0, 0
	for _, rows := range s.rows {
		for _, r := range rows {
			all++
			least = min(least, r.n)
			if r.n < experiment.FewSeeds {
				few++
			}
			if r.policy != s.policies[0] && r.pairs < r.n {
				unpaired += r.n - r.pairs
			}
		}
	}
	if unpaired > 0 {
		fmt.Fprintf(w, "warning: %d runs have no run of %s with the same seed beside them; differences leave them out\n", unpaired, s.policies[0])
	}
	switch {
	case least == 1:
		fmt.Fprintf(w, "warning: %d of %d means are of fewer than %d seeds, some of one, which has no interval\n", few, all, experiment.FewSeeds)
	case few > 0:
		fmt.Fprintf(w, "warning: %d of %d means are of fewer than %d seeds, down to %d; read their intervals with caution\n", few, all, experiment.FewSeeds, least)
	}
}
