package main

import (
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

	"berth/sim/experiment"
)

// results is what a sweep's output folder holds.
type results struct {
	keys           []string
	dims           []*experiment.Dimension
	policies       []string // of the sweep, the baseline first
	absent, failed int      // cells without a result
	measures       []string // columns
	rows           []resultRow
	path           string // of the table
}

// resultRow is one cell.
type resultRow struct {
	levels       []string
	policy, seed string
	measures     []string // numbers, or empty
}

// readResults reads a sweep's manifest and table.
func readResults(folder string) (*results, error) {
	var m struct {
		Keys   []string          `json:"keys"`
		Sweep  sweepFile         `json:"sweep"`
		Absent int               `json:"absent"`
		Failed []json.RawMessage `json:"failed"`
	}
	text, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err == nil && len(m.Sweep.Policies) == 0 {
		err = errors.New("it names no policies")
	}
	if err != nil {
		return nil, invalid(fmt.Errorf("%s is no output folder of a sweep (manifest.json): %w", folder, err))
	}
	r := &results{keys: m.Keys, policies: m.Sweep.Policies, absent: m.Absent, failed: len(m.Failed), path: filepath.Join(folder, "results.csv")}
	if r.dims, err = experiment.Dimensions(m.Sweep.Axes, m.Sweep.Latin); err != nil {
		return nil, invalid(wrap(filepath.Join(folder, "manifest.json"), err))
	}
	f, err := os.Open(r.path)
	if err != nil {
		return nil, invalid(err)
	}
	defer f.Close()
	return r, invalid(wrap(r.path, r.table(csv.NewReader(f))))
}

func (r *results) table(from *csv.Reader) error {
	header, err := from.Read()
	if err != nil {
		return err
	}
	first := 3 + len(r.keys)
	if len(header) < first || !slices.Equal(header[3:first], r.keys) {
		return fmt.Errorf("its axes are not %s, as manifest.json has them", strings.Join(r.keys, ", "))
	}
	r.measures = header[first:]
	levels := r.knownLevels()
	for {
		row, err := from.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.checkRow(row[1], row[3:first], levels); err != nil {
			return fmt.Errorf("row %d: %w", len(r.rows)+1, err)
		}
		r.rows = append(r.rows, resultRow{row[3:first], row[1], row[2], row[first:]})
	}
}

// knownLevels are, of each dimension, the levels that manifest.json has.
func (r *results) knownLevels() []map[string]bool {
	known := make([]map[string]bool, len(r.dims))
	for i, d := range r.dims {
		known[i] = map[string]bool{}
		for _, p := range d.Levels {
			known[i][pointText(p)] = true
		}
	}
	return known
}

// checkRow reports what manifest.json does not have of a row.
func (r *results) checkRow(policy string, levels []string, known []map[string]bool) error {
	if !slices.Contains(r.policies, policy) {
		return fmt.Errorf("manifest.json has no policy %q", policy)
	}
	for i, d := range r.dims {
		at := strings.Join(levels[:len(d.Keys)], ", ")
		if !known[i][at] {
			return fmt.Errorf("manifest.json has no level %s of %s", at, strings.Join(d.Keys, ", "))
		}
		levels = levels[len(d.Keys):]
	}
	return nil
}

// only leaves the rows of some policies, the first of which is then the
// baseline.
func (r *results) only(policies []string) error {
	for _, p := range policies {
		if !slices.Contains(r.policies, p) {
			return usage(fmt.Errorf("--policies: %q is not in the sweep; accepted are %s", p, strings.Join(r.policies, ", ")))
		}
	}
	r.policies = policies
	r.rows = slices.DeleteFunc(r.rows, func(row resultRow) bool { return !slices.Contains(policies, row.policy) })
	return nil
}

// measure is what is known of a column of the table.
func (r *results) measure(name string) (experiment.Measure, error) {
	all := experiment.Measures()
	i := slices.IndexFunc(all, func(m experiment.Measure) bool { return m.Name == name })
	if i < 0 || !slices.Contains(r.measures, name) {
		return experiment.Measure{}, usage(fmt.Errorf("--measure %s: accepted are %s", name, strings.Join(r.measures, ", ")))
	}
	return all[i], nil
}

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

// sample is the runs of one policy at one point.
type sample struct {
	levels []string
	policy string
	bySeed map[string]float64
	seeds  []string // in the order of the rows
}

// summarize reduces a measure over seeds.
func (r *results) summarize(measure string) ([]summaryRow, error) {
	samples, err := r.samples(measure)
	if err != nil {
		return nil, err
	}
	base := map[string]*sample{}
	for _, s := range samples {
		if s.policy == r.policies[0] {
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
		row := summaryRow{levels: s.levels, policy: s.policy, n: len(xs), mean: experiment.MeanOf(xs), pairs: len(diff)}
		row.low, row.high = experiment.Bootstrap(xs, name)
		if len(diff) > 0 {
			row.gain = experiment.MeanOf(diff)
			row.gainLow, row.gainHigh = experiment.Bootstrap(diff, "difference "+name)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// samples groups the values of a measure by point and policy.
func (r *results) samples(measure string) (samples []*sample, err error) {
	at := slices.Index(r.measures, measure)
	index := map[string]*sample{}
	for i, row := range r.rows {
		if row.measures[at] == "" {
			continue
		}
		x, err := strconv.ParseFloat(row.measures[at], 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, invalid(fmt.Errorf("%s: row %d: %s is %q; a number is accepted", r.path, i+1, measure, row.measures[at]))
		}
		key := strings.Join(append([]string{row.policy}, row.levels...), "\x00")
		s := index[key]
		if s == nil {
			s = &sample{levels: row.levels, policy: row.policy, bySeed: map[string]float64{}}
			index[key] = s
			samples = append(samples, s)
		}
		s.bySeed[row.seed] = x
		s.seeds = append(s.seeds, row.seed)
	}
	if len(samples) == 0 {
		return nil, invalid(fmt.Errorf("%s has no value of %s", r.path, measure))
	}
	return samples, nil
}
