package main

import (
	"fmt"
	"os"

	"berth/plots/report"
	"berth/sim/experiment"
)

// horizonFigures are the figures of the study, in the order of the paper.
var horizonFigures = []string{
	"figures/by-hour", "figures/commit", "figures/window", "figures/duration-error", "figures/demand-error",
	"figures/boundary", "figures/replan", "figures/nervousness", "figures/forecast",
}

// horizon is the project's own study, as `berth horizon` makes it.
func (p *paper) horizon(dir *experiment.Dir) (*report.Section, error) {
	s := &study{cmd: p.cmd, ctx: p.ctx, parallel: p.parallel}
	if err := s.load(nil); err != nil {
		return nil, err
	}
	list, err := s.run(dir)
	if err != nil {
		return nil, err
	}
	section := &report.Section{
		Notes:  []string{"docs/horizon.md says what the data say, and where the claim does not hold."},
		Tables: []*report.Table{studyTable(list, s.seeds)},
	}
	captions := map[string]string{"figures/by-hour": "Utilization by hour of the day, planned once a day and every hour.",
		"figures/forecast": "What plans were told of one service an hour ahead, its traffic, and the GPUs held."}
	for _, f := range studyFigures {
		captions["figures/"+f.name] = "Against " + f.axis + ": " + f.title + "."
	}
	for _, name := range horizonFigures {
		if _, err := os.Stat(dir.Path(name + ".svg")); err != nil {
			continue
		}
		f := report.Figure{Name: name, Caption: captions[name], Data: "horizon.csv"}
		f.Alt = f.Caption + " Means over the seeds with 95 % intervals; the table has the values."
		switch name {
		case "figures/by-hour":
			f.Data, f.Alt = "by-hour.csv", f.Caption+" Means over the seeds with 95 % intervals."
		case "figures/forecast":
			f.Data, f.Alt = "forecast.csv", f.Caption
		}
		section.Figures = append(section.Figures, f)
	}
	return section, nil
}

// studyTable is the responses of a study, a row a level.
func studyTable(list []response, seeds int) *report.Table {
	t := &report.Table{
		Name:    "horizon-summary",
		Caption: "The rolling horizon, one setting varied at a time",
		Notes: []string{
			fmt.Sprintf("Means over %d seeds ± half-width of the 95 %% interval. Net value is value less the penalty of shortfall, in priority-weighted GPU-hours.", seeds),
		},
		Columns: []report.Column{
			{Key: "factor", Head: "factor", Text: true}, {Key: "level", Head: "level", Text: true},
			{Key: "net_value", Head: "net value", Interval: true, Tolerance: 5},
			{Key: "interior_net_value", Head: "the same but the last day", Interval: true, Tolerance: 5},
			{Key: "utilization", Head: "utilization (%)", Percent: true, Decimals: 1, Tolerance: 0.002},
			{Key: "shortfall_gpu_hours", Head: "shortfall (GPU-hours)", Decimals: 1, Tolerance: 0.5},
			{Key: "nervousness", Head: "nervousness", Decimals: 2, Tolerance: 0.02},
		},
	}
	for _, r := range list {
		row := []report.Cell{
			report.Words(r.cell.Factor), report.Words(r.cell.Level),
			report.Estimate(r.net.Mean, r.net.Half), report.Estimate(r.interiorNet.Mean, r.interiorNet.Half),
			report.Number(r.utilization.Mean), report.Number(r.shortfall.Mean), report.Number(r.nervousness.Mean),
		}
		if referenceOf(r.cell) == bound {
			row[4], row[5], row[6] = report.Missing(), report.Missing(), report.Missing()
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
