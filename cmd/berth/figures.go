package main

import (
	"fmt"
	"math"

	"berth/plots"
	"berth/sim"
	"berth/sim/experiment"
	"berth/sim/metrics"
)

// observed is one run with what its figures need.
type observed struct {
	report   *metrics.Report
	timeline *metrics.Timeline
	spans    *metrics.Spans
	delays   *metrics.Delays
}

// newObserved is what will be observed of a run.
func newObserved() observed {
	return observed{timeline: metrics.NewTimeline(), spans: &metrics.Spans{}, delays: &metrics.Delays{}}
}

// observers are those to hand to the run.
func (o *observed) observers() []sim.Observer {
	return []sim.Observer{o.timeline, o.spans, o.delays}
}

// drawRun writes the figures of one run.
func drawRun(dir string, in *input, o ...observed) ([]string, error) {
	var panels []plots.Panel
	var courses []plots.Course
	var delays []plots.DelayRun
	waited := false
	for _, r := range o {
		panels = append(panels, plots.Panel{
			Title:      r.report.Policy,
			Subtitle:   fmt.Sprintf("utilization %.1f %%, value %.0f", 100*r.report.Utilization, r.report.Value),
			GPUs:       r.report.GPUs,
			DomainSize: in.Cluster.DomainSize(),
			Spans:      r.spans,
			To:         r.timeline.End,
		})
		courses = append(courses, plots.Course{Label: r.report.Policy, GPUs: r.report.GPUs, Timeline: r.timeline})
		delays = append(delays, plots.DelayRun{Label: r.report.Policy, Delays: r.delays})
		waited = waited || r.delays.Wait.N() > 0 && r.delays.Wait.Quantile(1) > 0
	}
	var drawn []string
	save := func(name string, f *plots.Figure, err error) error {
		if err != nil {
			return err
		}
		paths, err := f.Save(dir, name)
		drawn = append(drawn, paths...)
		return err
	}
	whole := true
	for _, r := range o {
		whole = whole && !r.spans.Truncated && r.report.HorizonHours > 0
	}
	if whole {
		f, err := plots.AllocationGrids(panels)
		if err := save("allocation", f, err); err != nil {
			return drawn, err
		}
	}
	for _, figure := range []struct {
		name string
		draw func([]plots.Course) (*plots.Figure, error)
	}{
		{"utilization", plots.UtilizationOverTime},
		{"value", plots.CumulativeValue},
		{"queue", plots.QueueLength},
	} {
		f, err := figure.draw(courses)
		if err := save(figure.name, f, err); err != nil {
			return drawn, err
		}
	}
	if waited {
		f, err := plots.WaitsAndSlowdowns(delays)
		if err := save("delays", f, err); err != nil {
			return drawn, err
		}
	}
	return drawn, nil
}

// drawComparison writes value and utilization by policy, with intervals.
func drawComparison(dir string, list []experiment.Comparison) ([]string, error) {
	var estimates []plots.PolicyEstimate
	for _, c := range list {
		value := c.DecayedValue
		if value == nil {
			value = c.Value
		}
		estimates = append(estimates, plots.PolicyEstimate{
			Label: c.Policy,
			Value: value.Mean, ValueHalf: orNaN(value.CI95),
			Utilization: c.Utilization.Mean, Half: orNaN(c.Utilization.CI95),
		})
	}
	f, err := plots.ValueAndUtilization(estimates)
	if err != nil {
		return nil, err
	}
	return f.Save(dir, "policies")
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}
