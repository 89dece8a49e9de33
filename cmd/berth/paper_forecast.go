package main

import (
	"fmt"
	"math"
	"time"

	"berth/plots"
	"berth/plots/report"
	"berth/policies/forecast"
	"berth/sim/experiment"
)

// Samples of the accuracy reports, and their seed.
const (
	forecastSeed    = 1
	forecastSamples = 1200
)

// forecastLeads are the hours ahead at which the weekly profile is scored.
var forecastLeads = []int{1, 6, 24}

// forecast scores the forecasters on data that they had not seen: synthetic
// jobs and synthetic weeks, since no public trace records the features.
// TestRecordedRequests and TestRecordedRates score traffic that was recorded.
func (p *paper) forecast(dir *experiment.Dir) (*report.Section, error) {
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
	if err := drawAccuracy(dir.Path("."), rows); err != nil {
		return nil, err
	}
	return &report.Section{
		Tables: []*report.Table{forecastTable(rows)},
		Figures: []report.Figure{{Name: "forecast-accuracy", Data: "forecast.csv",
			Caption: "Relative errors of the forecasts and of what they are compared with, and how many truths lie at or below the forecast of the 0.9 quantile. Grey: where that share lies with a probability of 95 % if the quantile is right and errors are independent, which those of neighbouring hours are not.",
			Alt:     "One row a forecast. The forecast's own mark is left of the others in every row; the table has the numbers."}},
	}, nil
}

// forecastQuantile is the quantile that all forecasts of one are scored at.
const forecastQuantile = 0.9

// drawAccuracy shows the errors a row a thing that is forecast, by method.
func drawAccuracy(dir string, rows []forecast.Scored) error {
	scored := map[string]forecast.Accuracy{}
	for _, r := range rows {
		scored[r.Name] = r.Accuracy
	}
	methods := [][2]string{{"forecast", "corrected"}, {"physical base alone", "base"}, {"size of the model only", "size only"}}
	weekly := [][2]string{{"forecast", "profile"}, {"a week before", "a week before"}, {"latest value", "latest value"}}
	var list []plots.AccuracyRow
	add := func(name, format string, methods [][2]string) {
		row := plots.AccuracyRow{Name: name, Coverage: math.NaN()}
		for _, m := range methods {
			a, ok := scored[fmt.Sprintf(format, m[1])]
			if !ok {
				continue
			}
			row.Errors = append(row.Errors, plots.MethodError{Method: m[0], Error: a.MAPE})
			if a.Quantile == forecastQuantile && m[0] == "forecast" {
				row.Coverage = a.Coverage
				row.Low, row.High = a.Interval()
			}
		}
		list = append(list, row)
	}
	add("training, hours", "training, %s", methods)
	add("batch inference, hours", "batch, %s", methods)
	add("quantization, tier", "quantization, %s", [][2]string{{"forecast", "tier"}})
	for _, series := range [][2]string{{"traffic", "weeks"}, {"growing traffic", "weeks growing 3 %%"}} {
		for _, lead := range forecastLeads {
			add(fmt.Sprintf("%s, %d h ahead", series[0], lead), series[1]+fmt.Sprintf(": %%s, %d ahead", lead), weekly)
		}
	}
	f, err := plots.Accuracy(forecastQuantile, list)
	if err != nil {
		return err
	}
	_, err = f.Save(dir, "forecast-accuracy")
	return err
}

// scoreJobs scores estimates of training, batch inference and quantization.
func scoreJobs(rows *[]forecast.Scored) (*forecast.TrainingReport, error) {
	samples := forecast.SyntheticTraining(forecastSeed, forecastSamples, time.Hour)
	training, err := forecast.ScoreTraining(samples, samples[len(samples)/2].Submit, forecast.TrainerOptions{})
	if err != nil {
		return nil, err
	}
	*rows = append(*rows, training.Rows()...)
	corrected, base, err := forecast.ScoreBatch(forecast.SyntheticBatch(forecastSeed, forecastSamples), 0.5, forecastQuantile)
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
		scored, err := forecast.ScoreProfile(series, len(series)/2, forecastQuantile, forecastLeads, forecast.ProfileOptions{})
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
			"Synthetic jobs and weeks; docs/forecasts.md says what is forecast from what. Errors are relative: MAPE is the mean of their sizes, bias their mean with sign, WAPE the sum of sizes over the sum of truths.",
			"Coverage is the share of truths at or below the forecast of a quantile; a dash stands where no quantile is forecast.",
		},
		Columns: []report.Column{
			{Key: "forecast", Head: "forecast", Text: true}, {Key: "n", Head: "n"},
			share("mape", "MAPE"), share("median", "median error"), share("bias", "bias"), share("wape", "WAPE"),
			share("quantile", "quantile"), share("coverage", "coverage"),
		},
	}
	for _, r := range rows {
		row := []report.Cell{report.Words(r.Name), report.Number(float64(r.N))}
		for _, x := range []float64{r.MAPE, r.Median, r.Bias, r.WAPE} {
			row = append(row, report.Number(x))
		}
		if r.Quantile > 0 {
			row = append(row, report.Number(r.Quantile), report.Number(r.Coverage))
		} else {
			row = append(row, report.Missing(), report.Missing())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
