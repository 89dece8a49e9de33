package main

import (
	"math"

	"berth/plots"
	"berth/sim/experiment"
)

// studyFigure is one figure of the study: a measure against the levels of one
// or two factors.
type studyFigure struct {
	name, title, axis string
	factors           map[string]string // factor → label, in the order of order
	order             []string
	of                func(*response) experiment.Mean
	references        bool
	percent           bool
}

var (
	net         = func(r *response) experiment.Mean { return r.net }
	interiorNet = func(r *response) experiment.Mean { return r.interiorNet }
)

// studyFigures are drawn as far as the study has their factors.
var studyFigures = []studyFigure{
	{name: "window", title: "net value (GPU-hours × priority), last day left out", axis: "window (steps)", order: []string{"window"},
		factors: map[string]string{"window": "horizon"}, of: interiorNet, references: true},
	{name: "window-whole", title: "net value (GPU-hours × priority), whole run", axis: "window (steps)", order: []string{"window"},
		factors: map[string]string{"window": "horizon"}, of: net, references: true},
	{name: "commit", title: "net value (GPU-hours × priority), last day left out", axis: "commitment (steps)", order: []string{"commit"},
		factors: map[string]string{"commit": "horizon"}, of: interiorNet, references: true},
	{name: "boundary", title: "net value (GPU-hours × priority), last day left out", axis: "boundary of the window", order: []string{"boundary", "boundary@24"},
		factors: map[string]string{"boundary": "commit 1", "boundary@24": "commit 24"}, of: interiorNet},
	{name: "duration-error", title: "net value (GPU-hours × priority), last day left out", axis: "error of durations (σ)", order: []string{"duration_error", "duration_error@24"},
		factors: map[string]string{"duration_error": "commit 1", "duration_error@24": "commit 24"}, of: interiorNet},
	{name: "demand-error", title: "net value (GPU-hours × priority), last day left out", axis: "error of demand (σ)", order: []string{"demand_error", "demand_error@24"},
		factors: map[string]string{"demand_error": "commit 1", "demand_error@24": "commit 24"}, of: interiorNet},
	{name: "nervousness", title: "share of next-step cells that a plan changed", axis: "error of durations (σ)", order: []string{"duration_error"},
		factors: map[string]string{"duration_error": "commit 1"}, of: func(r *response) experiment.Mean { return r.nervousness }, percent: true},
	{name: "replan", title: "share of next-step cells that a plan changed", axis: "minutes between plans", order: []string{"replan_minutes"},
		factors: map[string]string{"replan_minutes": "horizon"}, of: func(r *response) experiment.Mean { return r.nervousness }, percent: true},
}

// draw writes the figures of the study.
func (s *study) draw(dir string, list []response) error {
	for _, figure := range studyFigures {
		f := plots.ResponseFigure{Title: figure.title, Factor: figure.axis, Percent: figure.percent}
		for _, factor := range figure.order {
			series := plots.Response{Label: figure.factors[factor]}
			var levels []string
			for i := range list {
				if r := &list[i]; r.cell.Factor == factor {
					m := figure.of(r)
					if math.IsNaN(m.Mean) { // the level has no such measure
						continue
					}
					levels = append(levels, r.cell.Level)
					series.Mean, series.Half = append(series.Mean, m.Mean), append(series.Half, m.Half)
				}
			}
			if len(levels) > 0 && (f.Levels == nil || len(levels) == len(f.Levels)) {
				f.Levels, f.Series = levels, append(f.Series, series)
			}
		}
		if len(f.Series) == 0 {
			continue
		}
		if figure.references {
			for i := range list {
				if r := &list[i]; r.cell.Factor == "reference" {
					f.References = append(f.References, plots.Reference{Label: r.cell.Level, Value: figure.of(r).Mean})
				}
			}
		}
		if err := saveFigure(dir, figure.name, f); err != nil {
			return err
		}
	}
	return nil
}

func saveFigure(dir, name string, f plots.ResponseFigure) error {
	drawn, err := plots.Responses(f)
	if err != nil {
		return err
	}
	_, err = drawn.Save(dir, name)
	return err
}

// drawByHour shows utilization by hour of the day, which for a commitment of
// 24 is the hour within the plan: is there a dip at the end of its world?
func drawByHour(dir string, hours []plots.HourSeries) error {
	if len(hours) == 0 {
		return nil
	}
	f, err := plots.ByHour("utilization, first and last day left out", "hour of the day", hours)
	if err != nil {
		return err
	}
	_, err = f.Save(dir, "by-hour")
	return err
}

// byHour is the utilization of the commitments that the study has of 1 and 24.
func byHour(list []response) (hours []plots.HourSeries) {
	for i := range list {
		r := &list[i]
		if r.cell.Factor != "commit" || (r.cell.Level != "1" && r.cell.Level != "24") {
			continue
		}
		series := plots.HourSeries{Label: "commit " + r.cell.Level}
		for h := range 24 {
			xs := make([]float64, len(r.points))
			for k, p := range r.points {
				xs[k] = p.byHour[h]
			}
			m := experiment.MeanOf(xs)
			series.Mean, series.Half = append(series.Mean, m.Mean), append(series.Half, m.Half)
		}
		hours = append(hours, series)
	}
	return hours
}
