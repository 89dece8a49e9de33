package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"

	"berth/plots"
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
func (p *paper) scenarios(dir *experiment.Dir) error {
	names := workloads.Names()
	var comparers []*comparer
	var setups []experiment.Setup
	for _, name := range names {
		in, err := load(name, nil)
		if err != nil {
			return err
		}
		c := &comparer{in: in, policies: []string{"fifo", "horizon"}, seeds: paperSeeds, out: dir.Path(name), figures: true}
		s, err := c.setups()
		if err != nil {
			return err
		}
		comparers, setups = append(comparers, c), append(setups, s...)
	}
	done, finish := progress(p.cmd, len(setups), "scenarios")
	reports, err := experiment.RunAll(p.ctx, setups, p.parallel, done)
	finish()
	if err != nil {
		return err
	}
	var results []scenarioResult
	for i, c := range comparers {
		of := reports[i*2*paperSeeds : (i+1)*2*paperSeeds]
		c.comparison = experiment.Compare(c.policies, [][]*metrics.Report{of[:paperSeeds], of[paperSeeds:]})
		sub, err := experiment.OpenDir(c.out)
		if err != nil {
			return err
		}
		if err := c.write(p.ctx, sub, of); err != nil {
			return err
		}
		results = append(results, scenarioResult{names[i], c.in, workloads.PublishedFigures(names[i]), c.comparison[0], c.comparison[1]})
	}
	if err := dir.WriteFile("scenarios.csv", scenariosCSV(results)); err != nil {
		return err
	}
	if err := drawScenarios(dir.Path("."), results); err != nil {
		return err
	}
	printScenarios(p.cmd.OutOrStdout(), results)
	return nil
}

// printScenarios writes our figures and the published ones side by side.
func printScenarios(w io.Writer, results []scenarioResult) {
	fmt.Fprintf(w, "FIFO with peak reservation and the allocator (horizon), %d seeds.\n", paperSeeds)
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

// scenariosCSV is the table with all digits.
func scenariosCSV(results []scenarioResult) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"scenario", "seeds", "gpus", "fifo_utilization", "fifo_utilization_ci95", "published_fifo_utilization",
		"allocator_utilization", "allocator_utilization_ci95", "published_allocator_utilization",
		"decayed_value_gain", "decayed_value_gain_ci95", "published_value_gain", "value_gain", "value_gain_ci95",
		"fifo_jobs_completed", "allocator_jobs_completed", "allocator_shortfall_gpu_hours", "published_note"})
	number := func(x float64) string {
		if x == 0 {
			return ""
		}
		return strconv.FormatFloat(x, 'g', 10, 64)
	}
	for _, r := range results {
		f, a := &r.fifo, &r.allocator
		w.Write([]string{r.name, strconv.Itoa(f.Seeds), strconv.Itoa(r.in.Cluster.GPUs),
			number(f.Utilization.Mean), number(*f.Utilization.CI95), number(r.published.FIFO),
			number(a.Utilization.Mean), number(*a.Utilization.CI95), number(r.published.Allocator),
			number(*a.DecayedValue.Gain), number(*a.DecayedValue.GainCI95), number(r.published.ValueGain),
			number(*a.Value.Gain), number(*a.Value.GainCI95),
			number(f.JobsCompleted.Mean), number(a.JobsCompleted.Mean), number(a.ShortfallGPUHours.Mean), r.published.Note})
	}
	w.Flush()
	return b.Bytes()
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
