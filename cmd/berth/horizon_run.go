package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"math"
	"strconv"
	"time"

	"berth/plots"
	"berth/policies"
	"berth/sim"
	"berth/sim/experiment"
	"berth/sim/hardware"
	"berth/sim/metrics"
)

// lastWindow is how many hours before the end of the run are left out of the
// interior measures: a run's own end is an end effect too.
const lastWindow = 24

// studyPoint is a seed of a cell, and its run. Points that come to the same
// settings share one: the defaults are a level of most factors.
type studyPoint struct {
	cell experiment.Cell
	*studyRun
}

// studyRun is one run of a study and what it responded.
type studyRun struct {
	reference  string // clairvoyant or bound, which are not simulated; else empty
	setup      experiment.Setup
	interior   sim.Time           // end of the interior
	priorities map[string]float64 // of the services
	forecasts  *forecastLog       // kept for a figure; may be nil
	done       bool

	report             *metrics.Report
	value, utilization float64      // in the interior
	penalty            float64      // λ × priority × shortfall, of the whole run
	interiorPenalty    float64      // and of the interior
	byHour             [24]float64  // utilization by hour of the day, in the interior, without the first day
	nervousness        float64      // NaN where no step was planned twice
	track              *plots.Track // of the first service, where a figure needs it
	planning           time.Duration
}

// run makes the run.
func (s *studyRun) run(ctx context.Context) error {
	if s.reference != "" {
		return s.refer(ctx)
	}
	var policy sim.Policy
	make := s.setup.NewPolicy
	s.setup.NewPolicy = func() (p sim.Policy, err error) {
		policy, err = make()
		return policy, err
	}
	timeline := metrics.NewTimeline()
	spans := &metrics.Spans{Limit: math.MaxInt}
	report, err := s.setup.Run(ctx, timeline, spans)
	if err != nil {
		return err
	}
	s.report, s.nervousness = report, math.NaN()
	if p, ok := policy.(policies.Planner); ok {
		s.nervousness, s.planning = p.Nervousness(), p.PlanningTime()
	}
	s.measure(timeline)
	s.penalty = *report.DecayedValue - *report.Objective
	s.interiorPenalty = s.penaltyOf(spans)
	if s.forecasts != nil {
		s.track = s.forecasts.track(spans)
	}
	s.done = true
	return nil
}

// penaltyOf is what shortfall in the interior costs.
func (s *studyRun) penaltyOf(spans *metrics.Spans) float64 {
	sum := 0.0
	for i := range spans.Services {
		v := &spans.Services[i]
		if missing := v.Wanted - hardware.Size(v.GPUs); missing > 0 && v.Start < s.interior {
			sum += s.setup.Objective.Lambda * s.priorities[v.Service] * float64(missing) * (min(v.End, s.interior) - v.Start).Hours()
		}
	}
	return sum
}

// measure reads the interior off the course of the run.
func (s *studyRun) measure(t *metrics.Timeline) {
	var hours [24]float64
	total := 0.0
	for i, b := range t.Bins {
		at := sim.Time(i) * t.Width
		if at+t.Width > s.interior {
			break
		}
		used := (b.Batch + b.Served) / float64(s.report.GPUs)
		s.value += b.Value
		s.utilization += used
		total++
		if day := 24 * time.Hour; at >= day {
			h := int(at % day / time.Hour)
			s.byHour[h] += used
			hours[h]++
		}
	}
	if total > 0 {
		s.utilization /= total
	}
	for h, n := range hours {
		if n > 0 {
			s.byHour[h] /= n
		}
	}
}

// studyCSV is every response of every run. Wall-clock time is not in it.
func studyCSV(points []studyPoint) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"factor", "level", "seed", "value", "utilization", "shortfall_gpu_hours", "swaps", "nervousness",
		"penalty", "interior_value", "interior_utilization", "interior_penalty", "jobs_completed"})
	for _, r := range points {
		if r.reference == bound { // of value less penalty; it has no other measure
			w.Write([]string{r.cell.Factor, bound, strconv.FormatUint(r.setup.Seed, 10), number(r.report.Value), "", "", "", "", "", number(r.value), "", "", ""})
			continue
		}
		w.Write([]string{r.cell.Factor, r.cell.Level, strconv.FormatUint(r.setup.Seed, 10),
			number(r.report.Value), number(r.report.Utilization), number(r.report.ShortfallGPUHours),
			strconv.Itoa(r.report.Swaps), number(r.nervousness),
			number(r.penalty), number(r.value), number(r.utilization), number(r.interiorPenalty), strconv.Itoa(r.report.Jobs.Completed)})
	}
	w.Flush()
	return b.Bytes()
}

// number is a number in a study's CSV; empty when it is NaN.
func number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 10, 64)
}

// byHourCSV is the data of the figure by-hour.
func byHourCSV(hours []plots.HourSeries) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"series", "hour", "utilization", "utilization_ci95"})
	for _, s := range hours {
		for h := range s.Mean {
			w.Write([]string{s.Label, strconv.Itoa(h), number(s.Mean[h]), number(s.Half[h])})
		}
	}
	w.Flush()
	return b.Bytes()
}

// trackCSV is the data of the figure forecast.
func trackCSV(t *plots.Track) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"service", "start_hours", "forecast_gpus", "demand_gpus", "held_gpus"})
	for i := range t.Demand {
		start := t.From + sim.Time(i)*t.Step
		w.Write([]string{t.Service, number(start.Hours()), number(t.Forecast[i]), number(t.Demand[i]), number(t.Held[i])})
	}
	w.Flush()
	return b.Bytes()
}

// timingsCSV is the wall-clock time of planning, which no other file has. A run
// that points share is in it with each.
func timingsCSV(points []studyPoint) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"factor", "level", "seed", "planning_seconds"})
	for _, r := range points {
		w.Write([]string{r.cell.Factor, r.cell.Level, strconv.FormatUint(r.setup.Seed, 10), strconv.FormatFloat(r.planning.Seconds(), 'f', 4, 64)})
	}
	w.Flush()
	return b.Bytes()
}
