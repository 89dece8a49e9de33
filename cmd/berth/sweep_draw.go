package main

import (
	"slices"
	"strings"

	"berth/plots"
)

// drawSweep draws a measure over the axes, a line a policy. Of several axes,
// every combination of levels stands beside the others, in the sweep's order.
func drawSweep(dir string, rows []summaryRow, keys []string, measure string) ([]string, error) {
	f := plots.ResponseFigure{Title: measure, Factor: strings.Join(keys, " × ")}
	var policies []string
	for _, r := range rows {
		level := strings.Join(r.levels, " × ")
		if !slices.Contains(f.Levels, level) {
			f.Levels = append(f.Levels, level)
		}
		i := slices.Index(policies, r.policy)
		if i < 0 {
			i = len(policies)
			policies = append(policies, r.policy)
			f.Series = append(f.Series, plots.Response{Label: r.policy})
		}
		f.Series[i].Mean = append(f.Series[i].Mean, r.mean.Mean)
		f.Series[i].Half = append(f.Series[i].Half, r.mean.Half)
	}
	for _, s := range f.Series {
		if len(s.Mean) != len(f.Levels) {
			return nil, nil // a policy has no result at some level
		}
	}
	if len(keys) == 0 || len(f.Levels) < 2 || len(f.Levels) > maxDrawnLevels || len(policies) > maxDrawnPolicies {
		return nil, nil
	}
	figure, err := plots.Responses(f)
	if err != nil {
		return nil, err
	}
	return figure.Save(dir, "sweep-"+measure)
}

// What a figure of printed width has room for.
const maxDrawnLevels, maxDrawnPolicies = 12, 5
