package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"berth/plots"
	"berth/plots/report"
	"berth/sim/experiment"
	"berth/sim/metrics"
	"berth/workloads"
)

// paperSeeds is the number of seeds behind every figure of the paper.
const paperSeeds = 100

// scenarioResult is FIFO and the allocator on one scenario.
type scenarioResult struct {
	name            string
	in              *input
	published       workloads.Published
	fifo, allocator experiment.Comparison
}

// scenarios compares FIFO and the allocator on the seven scenarios: one table,
// one figure, and a folder of figures for each scenario.
func (p *paper) scenarios(dir *experiment.Dir) (*report.Section, error) {
	names := workloads.Names()
	var comparers []*comparer
	var setups []experiment.Setup
	for _, name := range names {
		in, err := load(name, nil)
		if err != nil {
			return nil, err
		}
		c := &comparer{in: in, policies: []string{"fifo", "horizon"}, seeds: p.seeds, out: dir.Path(name), figures: true}
		s, err := c.setups()
		if err != nil {
			return nil, err
		}
		comparers, setups = append(comparers, c), append(setups, s...)
	}
	done, finish := progress(p.cmd, len(setups), "scenarios")
	reports, err := experiment.RunAll(p.ctx, setups, p.parallel, done)
	finish()
	if err != nil {
		return nil, err
	}
	var results []scenarioResult
	for i, c := range comparers {
		of := reports[i*2*p.seeds : (i+1)*2*p.seeds]
		c.comparison = experiment.Compare(c.policies, [][]*metrics.Report{of[:p.seeds], of[p.seeds:]})
		sub, err := experiment.OpenDir(c.out)
		if err != nil {
			return nil, err
		}
		if err := c.write(p.ctx, sub, of); err != nil {
			return nil, err
		}
		results = append(results, scenarioResult{names[i], c.in, workloads.PublishedFigures(names[i]), c.comparison[0], c.comparison[1]})
	}
	if err := drawScenarios(dir.Path("."), results); err != nil {
		return nil, err
	}
	printScenarios(p.cmd.OutOrStdout(), results, p.seeds)
	return &report.Section{
		Tables: []*report.Table{scenariosTable(results, p.seeds)},
		Figures: []report.Figure{{
			Name:    "scenarios",
			Caption: "Utilization of FIFO and the allocator, and the gain in decayed value, with its 95 % interval; hollow marks are published figures.",
			Alt:     "One row a scenario: utilization under FIFO and under the allocator on a common scale, and the allocator's gain with its interval, beside the published figures where there are any. The table has the numbers.",
			Data:    "scenarios.csv",
		}},
		Grids: scenarioGrids(comparers),
	}, nil
}

// scenarioGrids are the grids of the first seed.
func scenarioGrids(list []*comparer) []*report.Grid {
	var out []*report.Grid
	for _, c := range list {
		for _, o := range c.shown {
			out = append(out, &report.Grid{
				Name:  c.in.Name + "-" + o.report.Policy,
				Title: fmt.Sprintf("%s under %s, seed %d", c.in.Name, o.report.Policy, o.report.Seed),
				GPUs:  o.report.GPUs, DomainSize: c.in.Cluster.DomainSize(), Spans: o.spans, End: o.timeline.End,
			})
		}
	}
	return out
}

// printScenarios writes our figures and the published ones side by side.
func printScenarios(w io.Writer, results []scenarioResult, seeds int) {
	fmt.Fprintf(w, "FIFO with peak reservation and the allocator (horizon), %d seeds.\n", seeds)
	fmt.Fprintf(w, "ours ± 95 %% interval | published; only FIFO's utilization was calibrated\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tFIFO util. %\tallocator util. %\tgain in decayed value %")
	for _, r := range results {
		fmt.Fprintf(t, "%s\t%s | %s\t%s | %s\t%+.1f ± %.1f | %s\n", r.name,
			percent(r.fifo.Utilization.Mean), publishedText(r.published.FIFO, "52–85", ""),
			percent(r.allocator.Utilization.Mean), publishedText(r.published.Allocator, "72–88", ""),
			100**r.allocator.DecayedValue.Gain, 100**r.allocator.DecayedValue.GainCI95,
			publishedText(r.published.ValueGain, "24.6–105.1", "+"))
	}
	t.Flush()
}

func percent(x float64) string { return fmt.Sprintf("%.1f", 100*x) }

func publishedText(x float64, otherwise, sign string) string {
	if x == 0 {
		return otherwise
	}
	return sign + percent(x)
}

// scenariosTable is our figures beside the published ones. What the article
// gives as a range is shown as one and is no number of the data.
func scenariosTable(results []scenarioResult, seeds int) *report.Table {
	t := &report.Table{
		Name:    "scenarios",
		Caption: "FIFO and the allocator on seven scenarios, beside the published figures",
		Notes: []string{
			fmt.Sprintf("Means over %d seeds ± half-width of the 95 %% interval (Student's t). Gains are paired by seed: the allocator's decayed value over FIFO's, less one.", seeds),
			"Published: the article's figures; where it gives a range over several workloads, the range. Only FIFO's utilization was calibrated to it.",
		},
		Columns: []report.Column{
			{Key: "scenario", Head: "scenario", Text: true},
			{Key: "seeds", Head: "seeds", DataOnly: true},
			{Key: "gpus", Head: "GPUs"},
			{Key: "fifo_utilization", Head: "FIFO utilization (%)", Percent: true, Decimals: 1, Interval: true, Tolerance: 0.002},
			{Key: "published_fifo_utilization", Head: "published", Percent: true, Decimals: 1},
			{Key: "allocator_utilization", Head: "allocator utilization (%)", Percent: true, Decimals: 1, Interval: true, Tolerance: 0.002},
			{Key: "published_allocator_utilization", Head: "published", Percent: true, Decimals: 1},
			{Key: "decayed_value_gain", Head: "gain in decayed value (%)", Percent: true, Signed: true, Decimals: 1, Interval: true, Tolerance: 0.005},
			{Key: "published_value_gain", Head: "published", Percent: true, Signed: true, Decimals: 1},
			{Key: "value_gain", DataOnly: true, Interval: true, Tolerance: 0.005},
			{Key: "fifo_jobs_completed", DataOnly: true, Tolerance: 0.05},
			{Key: "allocator_jobs_completed", DataOnly: true, Tolerance: 0.05},
			{Key: "allocator_shortfall_gpu_hours", DataOnly: true, Tolerance: 0.05},
			{Key: "published_note", Text: true, DataOnly: true},
		},
	}
	published := func(x float64, otherwise string) report.Cell {
		if x == 0 {
			return report.Words(otherwise)
		}
		return report.Number(x)
	}
	estimate := func(e *experiment.Estimate) report.Cell { return report.Estimate(e.Mean, *e.CI95) }
	gain := func(e *experiment.Estimate) report.Cell { return report.Estimate(*e.Gain, *e.GainCI95) }
	for _, r := range results {
		f, a := &r.fifo, &r.allocator
		t.Rows = append(t.Rows, []report.Cell{
			report.Words(r.name), report.Number(float64(f.Seeds)), report.Number(float64(r.in.Cluster.GPUs)),
			estimate(f.Utilization), published(r.published.FIFO, "52–85"),
			estimate(a.Utilization), published(r.published.Allocator, "72–88"),
			gain(a.DecayedValue), published(r.published.ValueGain, "24.6–105.1"), gain(a.Value),
			report.Number(f.JobsCompleted.Mean), report.Number(a.JobsCompleted.Mean), report.Number(a.ShortfallGPUHours.Mean),
			report.Words(r.published.Note),
		})
	}
	return t
}

func drawScenarios(dir string, results []scenarioResult) error {
	unknown := func(x float64) float64 {
		if x == 0 {
			return math.NaN()
		}
		return x
	}
	var rows []plots.ScenarioRow
	for _, r := range results {
		rows = append(rows, plots.ScenarioRow{
			Name: r.name, Fifo: r.fifo.Utilization.Mean, Allocator: r.allocator.Utilization.Mean,
			PublishedFifo: unknown(r.published.FIFO), PublishedAllocator: unknown(r.published.Allocator),
			ValueGain: *r.allocator.DecayedValue.Gain, ValueGainHalf: *r.allocator.DecayedValue.GainCI95,
			PublishedGain: unknown(r.published.ValueGain),
		})
	}
	f, err := plots.Scenarios(rows)
	if err != nil {
		return err
	}
	_, err = f.Save(dir, "scenarios")
	return err
}
