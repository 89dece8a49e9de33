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
func (p *paper) forecast(_ *experiment.Dir) (*report.Section, error) {
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
	return forecastSection(rows), nil
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
