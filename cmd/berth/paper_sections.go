package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"berth/plots/report"
	"berth/policies/forecast"
	"berth/sim/experiment"
)

// horizonSection is what the study of the horizon found.
func horizonSection(s *study, dir *experiment.Dir) (*report.Section, error) {
	t := &report.Table{
		Name:    "horizon-responses",
		Caption: "Responses of the policy horizon to one setting at a time",
		Notes: []string{fmt.Sprintf("Means over %d seeds ± half-width of the 95 %% interval. Net value: value less the penalty of shortfall; inner: the last day left out. Nervousness: share of next-step cells that a plan changed.",
			s.seeds)},
		Columns: []report.Column{
			{Key: "factor", Head: "factor", Text: true},
			{Key: "level", Head: "level", Text: true},
			{Key: "net_value", Head: "net value", Interval: true, Tolerance: 20},
			{Key: "interior_net_value", Head: "net value, inner", Interval: true, Tolerance: 20},
			{Key: "utilization", Head: "utilization (%)", Percent: true, Decimals: 1, Interval: true, Tolerance: 0.002},
			{Key: "shortfall_gpu_hours", Head: "shortfall (GPU-h)", Decimals: 1, Tolerance: 0.5},
			{Key: "nervousness", Head: "nervousness", Decimals: 2, Tolerance: 0.01},
		},
	}
	estimate := func(m experiment.Mean) report.Cell { return report.Estimate(m.Mean, m.Half) }
	for _, r := range s.found {
		t.Rows = append(t.Rows, []report.Cell{report.Words(r.cell.Factor), report.Words(r.cell.Level), estimate(r.net), estimate(r.interiorNet),
			estimate(r.utilization), report.Number(r.shortfall.Mean), report.Number(r.nervousness.Mean)})
	}
	files, err := filepath.Glob(dir.Path(filepath.Join("figures", "*.svg")))
	if err != nil {
		return nil, err
	}
	section := &report.Section{Tables: []*report.Table{t}}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".svg")
		caption := strings.ReplaceAll(name, "-", " ")
		if i := slices.IndexFunc(studyFigures, func(f studyFigure) bool { return f.name == name }); i >= 0 {
			caption = fmt.Sprintf("%s, against %s", studyFigures[i].title, studyFigures[i].axis)
		}
		caption = strings.ToUpper(caption[:1]) + caption[1:] + "."
		section.Figures = append(section.Figures, report.Figure{
			Name: "figures/" + name, Caption: caption, Data: "horizon.csv",
			Alt: "Lines with 95 % intervals. " + caption + " The table has the numbers.",
		})
	}
	return section, nil
}

// forecastSection is how accurate the forecasts are.
func forecastSection(rows []forecast.Scored) *report.Section {
	t := &report.Table{
		Name:    "forecast",
		Caption: "Accuracy of the forecasts on data that they had not seen",
		Notes:   []string{"n pairs of forecast and outcome, synthetic. MAPE: mean absolute relative error; WAPE: sum of absolute errors over the sum of outcomes; coverage: share of outcomes at or below the high forecast, which aims at the quantile."},
		Columns: []report.Column{
			{Key: "forecast", Head: "forecast", Text: true},
			{Key: "n", Head: "n"},
			{Key: "mape", Head: "MAPE (%)", Percent: true, Decimals: 1, Tolerance: 0.005},
			{Key: "median", Head: "median error (%)", Percent: true, Decimals: 1, Tolerance: 0.005},
			{Key: "bias", Head: "bias (%)", Percent: true, Signed: true, Decimals: 1, Tolerance: 0.005},
			{Key: "wape", Head: "WAPE (%)", Percent: true, Decimals: 1, Tolerance: 0.005},
			{Key: "quantile", Head: "quantile (%)", Percent: true},
			{Key: "coverage", Head: "coverage (%)", Percent: true, Decimals: 1, Tolerance: 0.01},
		},
	}
	for _, r := range rows {
		quantile, coverage := report.Number(r.Quantile), report.Number(r.Coverage)
		if r.Quantile == 0 {
			quantile, coverage = report.Missing(), report.Missing()
		}
		t.Rows = append(t.Rows, []report.Cell{report.Words(r.Name), report.Number(float64(r.N)), report.Number(r.MAPE), report.Number(r.Median),
			report.Number(r.Bias), report.Number(r.WAPE), quantile, coverage})
	}
	return &report.Section{Tables: []*report.Table{t}}
}

// packingSection is what the experiment on fragmentation found.
func packingSection(results []*packingResult, dir *experiment.Dir) *report.Section {
	t := &report.Table{
		Name:    "fragmentation-summary",
		Caption: "GPUs given away and GPUs in pieces, beside the published figures (% of the cluster's)",
		Notes: []string{fmt.Sprintf("Means over %d seeds. Pods of the openb trace arrive and stay; load is what arrived, as a share of the cluster. Published: Weng et al., USENIX ATC 2023, means over their seeds.",
			packingSeeds)},
		Columns: []report.Column{{Key: "pods", Head: "pods", Text: true}, {Key: "placement", Head: "placement", Text: true}},
	}
	for _, c := range [][2]string{{"allocation_100", "given at load 100 %"}, {"allocation_130", "given at load 130 %"}, {"fragmentation_130", "in pieces at load 130 %"}} {
		t.Columns = append(t.Columns,
			report.Column{Key: c[0], Head: c[1], Decimals: 2, Tolerance: 0.1},
			report.Column{Key: "published_" + c[0], Head: "published", Decimals: 2})
	}
	section := &report.Section{Tables: []*report.Table{t}}
	for _, r := range results {
		published := [3]float64{math.NaN(), math.NaN(), math.NaN()}
		if p := r.published; p != nil {
			published = [3]float64{p.Allocation[100], p.Allocation[130], p.Fragmentation[130]}
		}
		row := []report.Cell{report.Words(r.variant), report.Words(r.policy)}
		for i, ours := range []float64{r.allocation(100), r.allocation(130), r.fragmentation(130)} {
			row = append(row, report.Number(ours), report.Number(published[i]))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, v := range packingVariants {
		name := "fragmentation"
		if v != packingVariants[0] {
			name += "-" + v
		}
		if _, err := os.Stat(dir.Path(name + ".svg")); err == nil {
			section.Figures = append(section.Figures, report.Figure{
				Name: name, Caption: fmt.Sprintf("Allocation and fragmentation by placement as pods arrive, list %s; ours and published.", v),
				Alt: "A line a placement: GPUs given away and GPUs in pieces against the load. The table has the ends.", Data: "fragmentation.csv",
			})
		}
	}
	return section
}
