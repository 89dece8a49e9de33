package main

import (
	"fmt"

	"berth/plots/report"
	"berth/sim/experiment"
	"berth/workloads"
)

// gapSection is what the study of the gap found.
func gapSection(rows []gapRow, seeds int, clock bool) *report.Section {
	return &report.Section{
		Tables: []*report.Table{gapTable(rows, seeds, clock)},
		Figures: []report.Figure{
			{Name: "gap", Caption: "Mean gap to the proven bound against the budget of the search, by size of cluster, with 95 % intervals.",
				Alt: "One line a size of cluster, falling as the search is given more. The table has the means by scenario.", Data: "gap.csv"},
			{Name: "gap-by-planner", Caption: "Gap to the proven bound of every instance, a row a planner and budget.",
				Alt: "One row of points a planner, from FIFO over the greedy pass and the search to full mode, whose gaps are smallest.", Data: "gap.csv"},
		},
	}
}

// gapTable is the mean gap by scenario, planner and budget.
func gapTable(rows []gapRow, seeds int, clock bool) *report.Table {
	t := &report.Table{
		Name:    "gap-by-planner",
		Caption: "Mean gap to the proven bound by planner",
		Columns: []report.Column{{Key: "scenario", Head: "scenario", Text: true}},
	}
	t.Notes = []string{fmt.Sprintf("%d seeds a scenario; ± is the half-width of the 95 %% interval. Gap: bound − objective, over the bound. search N tries N plans. The bound is that of full mode, which was given %d nodes of branch and bound an instance; proven counts the instances where it closed the gap to 0.01 %%.", seeds, gapNodeLimit)}
	if clock {
		t.Notes = []string{fmt.Sprintf("%d seeds a scenario; ± is the half-width of the 95 %% interval. Gap: bound − objective, over the bound. search T is given time T, published the article's latency: 2 ms, and 15 ms at 64 GPUs. The bound is that of full mode, which was given %v an instance; a measurement that differs from run to run.", seeds, gapTimeLimit)}
	}
	type key struct{ scenario, planner string }
	gaps := map[key][]float64{}
	var planners []string
	for _, r := range rows {
		name := r.planner
		if r.budget != "" {
			name += " " + r.budget
		}
		k := key{r.of.scenario, name}
		if gaps[k] == nil && r.of.scenario == rows[0].of.scenario {
			planners = append(planners, name)
		}
		gaps[k] = append(gaps[k], r.gap)
	}
	for _, name := range planners {
		t.Columns = append(t.Columns, report.Column{Key: name, Head: name + " (%)", Percent: true, Decimals: 2, Interval: true, Tolerance: 0.002})
	}
	t.Columns = append(t.Columns, report.Column{Key: "proven", Head: "proven", Tolerance: 0})
	for _, scenario := range workloads.Names() {
		row := []report.Cell{report.Words(scenario)}
		for _, name := range planners {
			m := experiment.MeanOf(gaps[key{scenario, name}])
			row = append(row, report.Estimate(m.Mean, m.Half))
		}
		proven := 0
		for _, r := range rows {
			if r.of.scenario == scenario && r.planner == "full" && r.of.full.Proven {
				proven++
			}
		}
		t.Rows = append(t.Rows, append(row, report.Number(float64(proven))))
	}
	return t
}
