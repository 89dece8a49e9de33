package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"berth/plots"
	"berth/sim/experiment"
)

// figureKinds are what --figure accepts.
var figureKinds = []string{"lines", "map", "pareto", "none"}

// What a figure of printed width has room for.
const maxDrawnLevels, maxDrawnPolicies = 12, 5

// kinds are the figures to draw: those asked for, or one that suits the axes.
func (s *summary) kinds() []string {
	if s.figures != nil {
		return s.figures
	}
	var kinds []string
	switch n := len(s.dims); {
	case n == 1 && !s.dims[0].Latin, n > 2:
		kinds = append(kinds, "lines")
	case n == 2 && !s.dims[1].Latin:
		kinds = append(kinds, "map")
	}
	if len(s.measures) == 2 {
		kinds = append(kinds, "pareto")
	}
	return kinds
}

// draw draws the figures into a folder, and says what could not be drawn.
func (s *summary) draw(dir string, notes io.Writer) error {
	save := func(f *plots.Figure, err error, name string) error {
		if err == nil {
			_, err = f.Save(dir, name)
			return err
		}
		fmt.Fprintf(notes, "no figure %s: %s\n", name, strings.TrimPrefix(err.Error(), "plots: "))
		return nil
	}
	suffix := ""
	if s.difference {
		suffix = "-difference"
	}
	for _, kind := range s.kinds() {
		switch kind {
		case "pareto":
			if len(s.measures) != 2 {
				return usage(fmt.Errorf("--figure pareto: it needs two measures, as --measure utilization,wait_mean_seconds"))
			}
			f, err := s.pareto()
			if err := save(f, err, "pareto-"+s.measures[0].Name+"-"+s.measures[1].Name); err != nil {
				return err
			}
		case "lines", "map":
			for i, m := range s.measures {
				draw := s.lines
				if kind == "map" {
					draw = s.heatMap
				}
				f, err := draw(m, s.rows[i])
				if err := save(f, err, kind+"-"+m.Name+suffix); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// title is a measure in words, or its difference to the first policy.
func (s *summary) title(m experiment.Measure) string {
	if !s.difference {
		return m.Title
	}
	name, unit, ok := strings.Cut(m.Title, " (")
	if !ok || m.Percent {
		return name + ", difference to " + s.policies[0]
	}
	return name + ", difference to " + s.policies[0] + " (" + unit
}

// shown is the mean that figures show, in their unit; ok is false where there
// is none: the first policy has no difference to itself.
func (s *summary) shown(m experiment.Measure, r summaryRow) (mean experiment.Mean, ok bool) {
	mean = r.mean
	if s.difference {
		mean = r.gain
		if r.pairs == 0 {
			return mean, false
		}
	}
	return experiment.Mean{Mean: mean.Mean / m.Unit, Half: mean.Half / m.Unit}, true
}

// drawn are the policies of a figure, in the sweep's order.
func (s *summary) drawn() []string {
	if s.difference {
		return s.policies[1:]
	}
	return s.policies
}

// lines draws a measure over the axes, a line a policy. Of one axis of numbers,
// the levels lie where they are and intervals are bands; otherwise every
// combination of levels stands beside the others, in the sweep's order.
func (s *summary) lines(m experiment.Measure, rows []summaryRow) (*plots.Figure, error) {
	f := plots.ResponseFigure{Title: s.title(m), Percent: m.Percent, Factor: s.axisTitle()}
	if len(s.keys) == 0 {
		return nil, fmt.Errorf("the sweep has no axis")
	}
	if n := len(s.drawn()); n == 0 || n > maxDrawnPolicies {
		return nil, fmt.Errorf("%d policies; 1 to %d can be told apart (--policies chooses)", n, maxDrawnPolicies)
	}
	numeric := len(s.dims) == 1 && s.dims[0].Numeric()
	var levels, outer []string // every combination, and that of all axes but the last
	inner := len(s.keys)
	if len(s.dims) > 1 {
		inner -= len(s.dims[len(s.dims)-1].Keys)
	}
	for _, r := range rows {
		level, group := strings.Join(r.levels, ", "), strings.Join(r.levels[:inner], ", ")
		if slices.Contains(levels, level) {
			continue
		}
		if n := len(levels); len(s.dims) > 1 && n > 0 && group != outer[n-1] {
			f.Groups = append(f.Groups, n)
		}
		levels, outer = append(levels, level), append(outer, group)
	}
	if len(levels) < 2 || !numeric && len(levels) > maxDrawnLevels {
		return nil, fmt.Errorf("%d combinations of levels; 2 to %d find room", len(levels), maxDrawnLevels)
	}
	for _, policy := range s.drawn() {
		line := plots.Response{Label: policy}
		for _, r := range rows {
			mean, ok := s.shown(m, r)
			if r.policy != policy || !ok {
				continue
			}
			if numeric {
				x, _ := strconv.ParseFloat(r.levels[0], 64)
				line.X = append(line.X, x)
			}
			line.Mean, line.Half = append(line.Mean, mean.Mean), append(line.Half, mean.Half)
		}
		if len(line.Mean) == 0 || !numeric && len(line.Mean) != len(levels) {
			return nil, fmt.Errorf("%s has results at %d of %d combinations of levels", policy, len(line.Mean), len(levels))
		}
		f.Series = append(f.Series, line)
	}
	if numeric {
		f.Bands, f.XLog = true, s.dims[0].Log
		for i := range f.Series {
			ascending(&f.Series[i])
		}
	} else {
		f.Levels = levels
	}
	if s.difference {
		f.References = []plots.Reference{{Label: s.policies[0], Value: 0}}
	}
	return plots.Responses(f)
}

// ascending sorts a line by X.
func ascending(r *plots.Response) {
	order := make([]int, len(r.X))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.X[a], r.X[b]) })
	sorted := plots.Response{Label: r.Label}
	for _, i := range order {
		sorted.X, sorted.Mean, sorted.Half = append(sorted.X, r.X[i]), append(sorted.Mean, r.Mean[i]), append(sorted.Half, r.Half[i])
	}
	*r = sorted
}

// axisTitle is all axes in words.
func (s *summary) axisTitle() string {
	var all []string
	for _, d := range s.dims {
		all = append(all, d.Labels...)
	}
	return strings.Join(all, ", ")
}

// heatMap draws a measure over two axes, a map a policy.
func (s *summary) heatMap(m experiment.Measure, rows []summaryRow) (*plots.Figure, error) {
	f, err := s.heatData(m, rows)
	if err != nil {
		return nil, err
	}
	return plots.Heat(f)
}

func (s *summary) heatData(m experiment.Measure, rows []summaryRow) (f plots.HeatMap, err error) {
	if len(s.dims) != 2 || s.dims[1].Latin {
		return f, fmt.Errorf("a map needs two axes, and the sweep has %d", len(s.dims))
	}
	axis := func(d *experiment.Dimension) plots.HeatAxis {
		a := plots.HeatAxis{Label: strings.Join(d.Labels, ", ")}
		for _, p := range d.Levels {
			a.Levels = append(a.Levels, pointText(p))
		}
		return a
	}
	f = plots.HeatMap{Title: s.title(m), X: axis(s.dims[0]), Y: axis(s.dims[1]), Percent: m.Percent, Difference: s.difference}
	if !s.difference {
		f.Better = m.Better
	}
	cut := len(s.dims[0].Keys)
	for _, policy := range s.drawn() {
		panel := plots.HeatPanel{Title: policy}
		for range f.Y.Levels {
			panel.Mean = append(panel.Mean, slices.Repeat([]float64{math.NaN()}, len(f.X.Levels)))
		}
		for _, r := range rows {
			if mean, ok := s.shown(m, r); ok && r.policy == policy {
				x := slices.Index(f.X.Levels, strings.Join(r.levels[:cut], ", "))
				y := slices.Index(f.Y.Levels, strings.Join(r.levels[cut:], ", "))
				panel.Mean[y][x] = mean.Mean
			}
		}
		f.Panels = append(f.Panels, panel)
	}
	return f, nil
}

// pointText is the levels of a point.
func pointText(p experiment.Point) string {
	var all []string
	for _, l := range p {
		all = append(all, l.Text)
	}
	return strings.Join(all, ", ")
}
