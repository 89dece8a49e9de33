package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"berth/sim/experiment"
)

// summaryRow is one measure of one policy at one point, over the seeds. Gain
// is the mean difference to the first policy, in the measure's own unit, of
// runs paired by seed.
type summaryRow struct {
	levels            []string
	policy            string
	mean              experiment.Mean
	low, high         float64 // bootstrap
	n                 int
	gain              experiment.Mean
	gainLow, gainHigh float64
	pairs             int // 0: no gain
}

func newSweepSummary() *cobra.Command {
	var measure string
	cmd := &cobra.Command{
		Use:   "summary DIR",
		Short: "Means, intervals and paired differences of a sweep",
		Long: `summary reads a sweep's results and writes summary.csv: means over seeds and
differences to the first policy, paired by seed, each with 95 % intervals by
Student's t and by bootstrap.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			rows, keys, err := summarize(args[0], measure)
			if err != nil {
				return err
			}
			dir, err := experiment.OpenDir(args[0])
			if err != nil {
				return err
			}
			if err := dir.WriteFile("summary.csv", summaryCSV(rows, keys)); err != nil {
				return err
			}
			drawn, err := drawSweep(dir.Path("figures"), rows, keys, measure)
			if err != nil {
				return err
			}
			if drawn == nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "no figure: it needs 2 to %d levels, at most %d policies, and results of each at every level\n", maxDrawnLevels, maxDrawnPolicies)
			}
			printSummary(cmd.OutOrStdout(), rows, keys, measure)
			least := math.MaxInt
			for _, r := range rows {
				least = min(least, r.n)
			}
			if least < experiment.FewSeeds {
				fmt.Fprintf(cmd.ErrOrStderr(), "warning: as few as %d seeds a mean; read intervals with caution below %d\n", least, experiment.FewSeeds)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&measure, "measure", "m", "utilization", "column of results.csv to summarize")
	return cmd
}

// sample is the runs of one policy at one point.
type sample struct {
	levels []string
	policy string
	bySeed map[string]float64
	seeds  []string // in the order of the rows
}

// summarize reads the results and reduces them over seeds.
func summarize(folder, measure string) ([]summaryRow, []string, error) {
	samples, keys, baseline, err := readSamples(folder, measure)
	if err != nil {
		return nil, nil, err
	}
	base := map[string]*sample{}
	for _, s := range samples {
		if s.policy == baseline {
			base[strings.Join(s.levels, "\x00")] = s
		}
	}
	var rows []summaryRow
	for _, s := range samples {
		var xs, diff []float64
		b := base[strings.Join(s.levels, "\x00")]
		for _, seed := range s.seeds {
			xs = append(xs, s.bySeed[seed])
			if b == nil || b == s {
				continue
			}
			if y, ok := b.bySeed[seed]; ok {
				diff = append(diff, s.bySeed[seed]-y)
			}
		}
		name := measure + " " + s.policy + " " + strings.Join(s.levels, " ")
		r := summaryRow{levels: s.levels, policy: s.policy, n: len(xs), mean: experiment.MeanOf(xs), pairs: len(diff)}
		r.low, r.high = experiment.Bootstrap(xs, name)
		if len(diff) > 0 {
			r.gain = experiment.MeanOf(diff)
			r.gainLow, r.gainHigh = experiment.Bootstrap(diff, "difference "+name)
		}
		rows = append(rows, r)
	}
	return rows, keys, nil
}

func readSamples(folder, measure string) (samples []*sample, keys []string, baseline string, err error) {
	var m struct {
		Keys  []string  `json:"keys"`
		Sweep sweepFile `json:"sweep"`
	}
	text, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil || len(m.Sweep.Policies) == 0 {
		return nil, nil, "", invalid(fmt.Errorf("%s is no output folder of a sweep (manifest.json): %w", folder, cmpErr(err)))
	}
	path := filepath.Join(folder, "results.csv")
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, "", invalid(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	header, err := r.Read()
	if err != nil {
		return nil, nil, "", invalid(wrap(path, err))
	}
	first := 3 + len(m.Keys)
	at := slices.Index(header, measure)
	if len(header) < first || at < first {
		return nil, nil, "", usage(fmt.Errorf("--measure %s: accepted are %s", measure, strings.Join(header[min(first, len(header)):], ", ")))
	}
	index := map[string]*sample{}
	for line := 2; ; line++ {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, "", invalid(wrap(path, err))
		}
		if row[at] == "" {
			continue
		}
		x, err := strconv.ParseFloat(row[at], 64)
		if err != nil {
			return nil, nil, "", invalid(fmt.Errorf("%s:%d: %s is %q; a number is accepted", path, line, measure, row[at]))
		}
		key := strings.Join(append([]string{row[1]}, row[3:first]...), "\x00")
		s := index[key]
		if s == nil {
			s = &sample{levels: slices.Clone(row[3:first]), policy: row[1], bySeed: map[string]float64{}}
			index[key] = s
			samples = append(samples, s)
		}
		s.bySeed[row[2]] = x
		s.seeds = append(s.seeds, row[2])
	}
	if len(samples) == 0 {
		return nil, nil, "", invalid(fmt.Errorf("%s has no value of %s", path, measure))
	}
	return samples, m.Keys, m.Sweep.Policies[0], nil
}

// cmpErr is err, or what is wrong with a manifest that could be read.
func cmpErr(err error) error {
	if err == nil {
		return errors.New("it names no policies")
	}
	return err
}

func summaryCSV(rows []summaryRow, keys []string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(append(slices.Clone(keys), "policy", "runs", "mean", "ci95", "bootstrap_low", "bootstrap_high",
		"pairs", "difference", "difference_ci95", "difference_bootstrap_low", "difference_bootstrap_high"))
	number := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	for _, r := range rows {
		row := append(slices.Clone(r.levels), r.policy, strconv.Itoa(r.n), number(r.mean.Mean), number(r.mean.Half),
			number(r.low), number(r.high), strconv.Itoa(r.pairs))
		if r.pairs > 0 {
			row = append(row, number(r.gain.Mean), number(r.gain.Half), number(r.gainLow), number(r.gainHigh))
		} else {
			row = append(row, "", "", "", "")
		}
		w.Write(row)
	}
	w.Flush()
	return b.Bytes()
}

func printSummary(w io.Writer, rows []summaryRow, keys []string, measure string) {
	fmt.Fprintf(w, "%s, means over seeds ± 95 %% (t); differences to the first policy, paired by seed\n", measure)
	pm := func(m experiment.Mean) string {
		if math.IsNaN(m.Half) {
			return fmt.Sprintf("%.5g", m.Mean)
		}
		return fmt.Sprintf("%.5g ± %.2g", m.Mean, m.Half)
	}
	point := "\x00"
	for _, r := range rows {
		var at []string
		for i, key := range keys {
			at = append(at, key+" = "+r.levels[i])
		}
		if here := strings.Join(at, ", "); here != point {
			point = here
			fmt.Fprintln(w, here)
		}
		fmt.Fprintf(w, "  %-24s %5d runs %20s", r.policy, r.n, pm(r.mean))
		if r.pairs > 0 {
			fmt.Fprintf(w, " %20s", pm(r.gain))
		}
		fmt.Fprintln(w)
	}
}
