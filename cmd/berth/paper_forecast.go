package main

import (
	"fmt"
	"time"

	"berth/plots/report"
	"berth/policies/forecast"
	"berth/sim/experiment"
)

// Samples of the accuracy reports, and their seed.
const (
	forecastSeed    = 1
	forecastSamples = 1200
)

// forecast scores the forecasters on data that they had not seen: synthetic
// jobs and synthetic weeks, since no public trace records the features.
// TestRecordedRequests and TestRecordedRates score traffic that was recorded.
func (p *paper) forecast(*experiment.Dir) (*report.Section, error) {
	var rows []forecast.Scored
	blocks, err := scoreJobs(&rows)
	if err != nil {
		return nil, err
	}
	if err := scoreTraffic(&rows); err != nil {
		return nil, err
	}
	out := p.cmd.OutOrStdout()
	if err := forecast.WriteTable(out, rows); err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "\ntraining, corrected: %v\ntraining, base:      %v\ntraining, size only: %v\n", blocks.CorrectedBlock, blocks.BaseBlock, blocks.BySizeBlock)
	return &report.Section{Tables: []*report.Table{forecastTable(rows)}}, nil
}

// scoreJobs scores estimates of training, batch inference and quantization.
func scoreJobs(rows *[]forecast.Scored) (*forecast.TrainingReport, error) {
	samples := forecast.SyntheticTraining(forecastSeed, forecastSamples, time.Hour)
	training, err := forecast.ScoreTraining(samples, samples[len(samples)/2].Submit, forecast.TrainerOptions{})
	if err != nil {
		return nil, err
	}
	*rows = append(*rows, training.Rows()...)
	corrected, base, err := forecast.ScoreBatch(forecast.SyntheticBatch(forecastSeed, forecastSamples), 0.5, 0.9)
	if err != nil {
		return nil, err
	}
	*rows = append(*rows, forecast.Scored{Name: "batch, corrected", Accuracy: corrected}, forecast.Scored{Name: "batch, base", Accuracy: base})
	reserved, tier, err := forecast.ScoreQuantization(forecast.SyntheticQuantization(forecastSeed, forecastSamples), 0)
	if err != nil {
		return nil, err
	}
	*rows = append(*rows, forecast.Scored{Name: "quantization, reserved", Accuracy: reserved}, forecast.Scored{Name: "quantization, tier", Accuracy: tier})
	return training, nil
}

// scoreTraffic scores the weekly profile on the second half of twelve weeks.
func scoreTraffic(rows *[]forecast.Scored) error {
	for _, c := range []struct {
		name  string
		trend float64
	}{{"weeks", 0}, {"weeks growing 3 %", 0.03}} {
		series, err := forecast.Traffic{Weeks: 12, Peak: 100, Floor: 0.3, Weekend: 0.5, Noise: 0.1, Trend: c.trend}.Series(forecastSeed)
		if err != nil {
			return err
		}
		scored, err := forecast.ScoreProfile(series, len(series)/2, 0.9, []int{1, 6, 24}, forecast.ProfileOptions{})
		if err != nil {
			return err
		}
		for _, r := range scored {
			r.Name = c.name + ": " + r.Name
			*rows = append(*rows, r)
		}
	}
	return nil
}

// forecastTable is the accuracy of every forecast.
func forecastTable(rows []forecast.Scored) *report.Table {
	share := func(key, head string) report.Column {
		return report.Column{Key: key, Head: head + " (%)", Percent: true, Decimals: 1, Tolerance: 0.01}
	}
	t := &report.Table{
		Name:    "forecast",
		Caption: "Accuracy of forecasts on held-out data",
		Notes: []string{
			"Synthetic jobs and weeks; docs/policies.md says what is forecast from what. Errors are relative: MAPE is the mean of their sizes, bias their mean with sign, WAPE the sum of sizes over the sum of truths.",
			"Coverage is the share of truths at or below the forecast of a quantile.",
		},
		Columns: []report.Column{
			{Key: "forecast", Head: "forecast", Text: true}, {Key: "n", Head: "n"},
			share("mape", "MAPE"), share("median", "median error"), share("bias", "bias"), share("wape", "WAPE"),
			share("quantile", "quantile"), share("coverage", "coverage"),
		},
	}
	for _, r := range rows {
		row := []report.Cell{report.Words(r.Name), report.Number(float64(r.N))}
		for _, x := range []float64{r.MAPE, r.Median, r.Bias, r.WAPE, r.Quantile, r.Coverage} {
			row = append(row, report.Number(x))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
