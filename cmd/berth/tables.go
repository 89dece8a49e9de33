package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"berth/sim/experiment"
	"berth/sim/metrics"
)

// print writes a run's report, at most 80 columns wide.
func (r *runner) print(w io.Writer) {
	p := r.report
	fmt.Fprintf(w, "%s under %s, seed %d: %d GPUs, %.5g hours\n\n", p.Scenario, shorten(p.Policy, widestPolicy), p.Seed, p.GPUs, p.HorizonHours)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, values ...any) {
		fmt.Fprintf(t, "  %s\t%s\n", name, fmt.Sprintf(format, values...))
	}
	row("utilization", "%.1f %% doing work, %.1f %% held", 100*p.Utilization, 100*p.Occupancy)
	row("value", "%.1f priority × GPU-hours", p.Value)
	if p.DecayedValue != nil {
		row("decayed value", "%.1f, objective %.1f", *p.DecayedValue, *p.Objective)
	}
	if p.GPUHours.Realtime+p.GPUHours.ReservedIdle+p.ShortfallGPUHours > 0 {
		row("shortfall", "%.2f GPU-hours, in %.1f %% of service-time", p.ShortfallGPUHours, 100*p.ShortfallShare)
		row("swaps", "%d GPUs gained or lost by services", p.Swaps)
	}
	row("jobs", "%s", jobCounts(p.Jobs))
	distribution(row, "wait", p.WaitSeconds, duration)
	distribution(row, "slowdown", p.BoundedSlowdown, func(x float64) string { return fmt.Sprintf("%.2f", x) })
	distribution(row, "turnaround", p.TurnaroundSeconds, duration)
	row("makespan", "%s", duration(p.MakespanSeconds))
	h := p.GPUHours
	row("GPU-hours", "%.1f batch, %.1f real-time, %.1f reserved idle, %.1f idle", h.Batch, h.Realtime, h.ReservedIdle, h.Idle)
	t.Flush()
	fmt.Fprintf(w, "\nwritten to %s\n", r.out)
}

func jobCounts(j metrics.JobCounts) string {
	text := fmt.Sprintf("%d submitted, %d completed", j.Submitted, j.Completed)
	for _, c := range []struct {
		n    int
		what string
	}{{j.Unfinished, "unfinished"}, {j.Unscheduled, "unscheduled"}, {j.Rejected, "rejected"}, {j.Preempted, "preempted"}} {
		if c.n > 0 {
			text += fmt.Sprintf(", %d %s", c.n, c.what)
		}
	}
	return text
}

func distribution(row func(name, format string, values ...any), name string, d *metrics.Distribution, show func(float64) string) {
	if d != nil {
		row(name, "mean %s, p50 %s, p95 %s, p99 %s, max %s", show(d.Mean), show(d.P50), show(d.P95), show(d.P99), show(d.Max))
	}
}

// duration shows seconds in the unit that reads best.
func duration(s float64) string {
	switch {
	case s < 120:
		return fmt.Sprintf("%.4g s", s)
	case s < 2*3600:
		return fmt.Sprintf("%.3g min", s/60)
	case s < 3*86400:
		return fmt.Sprintf("%.3g h", s/3600)
	}
	return fmt.Sprintf("%.4g d", s/86400)
}

// widestPolicy is the room for a policy and its options in a table, in letters.
const widestPolicy = 28

// print writes the comparison as a table, at most 80 columns wide.
func (c *comparer) print(w io.Writer) {
	intervals := fmt.Sprintf("%d seeds; ± is the 95 %% interval", c.seeds)
	if c.seeds == 1 {
		intervals = "1 seed, so no intervals"
	}
	fmt.Fprintf(w, "%s, %s, (…) against %s\n\n", c.in.Name, intervals, shorten(c.policies[0], widestPolicy))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, section := range []struct {
		title string
		of    func(*experiment.Comparison) *experiment.Estimate
		show  func(float64) string
		unit  string // of the gain
	}{
		{"utilization %", func(c *experiment.Comparison) *experiment.Estimate { return c.Utilization }, func(x float64) string { return fmt.Sprintf("%.1f", 100*x) }, " points"},
		{"decayed value", func(c *experiment.Comparison) *experiment.Estimate { return c.DecayedValue }, func(x float64) string { return fmt.Sprintf("%.1f", x) }, " %"},
		{"value", func(c *experiment.Comparison) *experiment.Estimate { return c.Value }, func(x float64) string { return fmt.Sprintf("%.1f", x) }, " %"},
		{"mean wait", func(c *experiment.Comparison) *experiment.Estimate { return c.WaitMeanSeconds }, duration, " %"},
		{"shortfall GPU-h", func(c *experiment.Comparison) *experiment.Estimate { return c.ShortfallGPUHours }, func(x float64) string { return fmt.Sprintf("%.2f", x) }, " %"},
		{"jobs completed", func(c *experiment.Comparison) *experiment.Estimate { return c.JobsCompleted }, func(x float64) string { return fmt.Sprintf("%.1f", x) }, " %"},
	} {
		for i := range c.comparison {
			e := section.of(&c.comparison[i])
			if e == nil {
				continue
			}
			title := ""
			if i == 0 {
				title = section.title
			}
			fmt.Fprintf(t, "%s\t%s\t%s\n", title, shorten(c.comparison[i].Policy, widestPolicy), estimateText(e, section.show, section.unit))
		}
	}
	t.Flush()
	if c.seeds > 1 && c.seeds < experiment.FewSeeds {
		fmt.Fprintf(w, "\n%d seeds are few for an interval; --seeds %d or more says more\n", c.seeds, defaultSeeds)
	}
	fmt.Fprintf(w, "\nwritten to %s\n", c.out)
}

// estimateText is "84.2 ± 0.9 (+32.1 ± 1.2 points)".
func estimateText(e *experiment.Estimate, show func(float64) string, unit string) string {
	text := show(e.Mean)
	if e.CI95 != nil {
		text += " ± " + show(*e.CI95)
	}
	if e.Gain == nil {
		return text
	}
	scale := 1.0
	if unit == " %" {
		scale = 100
	}
	text += fmt.Sprintf("\t(%+.1f", scale**e.Gain)
	if e.GainCI95 != nil {
		text += fmt.Sprintf(" ± %.1f", scale**e.GainCI95)
	}
	return text + unit + ")"
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
