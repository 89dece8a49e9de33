package main

import (
	"fmt"
	"slices"
	"strings"

	"berth/plots"
	"berth/plots/report"
	"berth/sim/experiment"
	"berth/sim/metrics"
	"berth/workloads"
)

// variant is one policy of the ablation. Each differs in one thing from the
// one it is measured against.
type variant struct {
	label, policy string
	against       int    // place in variants
	changes       string // what is different
}

// variants take the allocator apart: how services are held, in which order
// jobs go, and how far ahead and how well is planned.
var variants = []variant{
	{"fifo, peak", "fifo", 0, "baseline: fifo, peak"},
	{"fifo, curve", "fifo:reserve=curve", 0, "reservation: by demand"},
	{"easy, curve", "easy:reserve=curve", 1, "ordering: backfilling"},
	{"sjf, curve", "sjf:reserve=curve", 1, "ordering: shortest first"},
	{"priority, curve", "priority:reserve=curve", 1, "ordering: by priority"},
	{"greedy plan", "horizon:budget=1", 4, "planning: one greedy pass"},
	{"searched plan", "horizon", 5, "planning: 300 plans tried"},
	{"window 6 h", "horizon:window=6", 6, "planning: 6 h, not 24"},
	{"commit 24 h", "horizon:commit=24", 6, "planning: once a day"},
}

// ablation compares the variants on the seven scenarios.
func (p *paper) ablation(dir *experiment.Dir) (*report.Section, error) {
	names := workloads.Names()
	var list []string
	for _, v := range variants {
		list = append(list, v.policy)
	}
	var setups []experiment.Setup
	for _, name := range names {
		in, err := load(name, nil)
		if err != nil {
			return nil, err
		}
		s, err := (&comparer{in: in, policies: list, seeds: p.seeds}).setups()
		if err != nil {
			return nil, err
		}
		setups = append(setups, s...)
	}
	done, finish := progress(p.cmd, len(setups), "ablation")
	reports, err := experiment.RunAll(p.ctx, setups, p.parallel, done)
	finish()
	if err != nil {
		return nil, err
	}
	a := &ablated{names: names, seeds: p.seeds}
	for range names {
		byPolicy := make([][]*metrics.Report, len(variants))
		for v := range variants {
			byPolicy[v], reports = reports[:p.seeds], reports[p.seeds:]
		}
		a.reports = append(a.reports, byPolicy)
		a.comparisons = append(a.comparisons, experiment.Compare(list, byPolicy))
	}
	mean := a.meanTable()
	if err := mean.Text(p.cmd.OutOrStdout()); err != nil {
		return nil, err
	}
	if err := a.draw(dir.Path(".")); err != nil {
		return nil, err
	}
	return &report.Section{
		Tables: []*report.Table{mean, a.scenarioTable()},
		Figures: []report.Figure{{
			Name:    "ablation",
			Caption: "Gain in decayed value over FIFO with peak reservation, mean of the seven scenarios, with 95 % intervals. Colours part what was changed: how services are held, the order of jobs, how they are planned.",
			Alt:     "One row a variant, a dot for its gain and a bar for the interval; the rows of curve reservation lie far right of the baseline. The table has the numbers.",
			Data:    "ablation.csv",
		}},
	}, nil
}

// ablated is what the ablation found.
type ablated struct {
	names       []string
	seeds       int
	reports     [][][]*metrics.Report // [scenario][variant][seed]
	comparisons [][]experiment.Comparison
}

// gain is the decayed value of a variant over the baseline's mean, less that of
// another variant, averaged over the scenarios seed by seed.
func (a *ablated) gain(v, less int) experiment.Mean {
	return a.mean(func(scenario, seed int) float64 {
		diff := *a.reports[scenario][v][seed].DecayedValue - *a.reports[scenario][less][seed].DecayedValue
		return diff / a.comparisons[scenario][0].DecayedValue.Mean
	})
}

// mean is over the seeds of the mean over the scenarios.
func (a *ablated) mean(of func(scenario, seed int) float64) experiment.Mean {
	xs := make([]float64, a.seeds)
	for seed := range xs {
		for scenario := range a.names {
			xs[seed] += of(scenario, seed) / float64(len(a.names))
		}
	}
	return experiment.MeanOf(xs)
}

// meanTable has one row a variant, over all scenarios.
func (a *ablated) meanTable() *report.Table {
	t := &report.Table{
		Name:    "ablation",
		Caption: "The allocator taken apart: reservation, ordering, planning",
		Notes: []string{
			fmt.Sprintf("Means over seven scenarios and %d seeds ± half-width of the 95 %% interval over seeds, paired by seed.", a.seeds),
			"Gain: decayed value over that of FIFO with peak reservation, less one. Step: the gain less that of the row named in the column before it; both are points of the same baseline.",
		},
		Columns: []report.Column{
			{Key: "variant", Head: "variant", Text: true},
			{Key: "policy", Text: true, DataOnly: true},
			{Key: "changes", Head: "what is different", Text: true},
			{Key: "utilization", Head: "utilization (%)", Percent: true, Decimals: 1, Interval: true, Tolerance: 0.002},
			{Key: "gain", Head: "gain in decayed value (%)", Percent: true, Signed: true, Decimals: 1, Interval: true, Tolerance: 0.005},
			{Key: "against", Head: "against", Text: true},
			{Key: "step", Head: "step (points)", Percent: true, Signed: true, Decimals: 1, Interval: true, Tolerance: 0.005},
			{Key: "shortfall_gpu_hours", Head: "shortfall (GPU-h)", Decimals: 2, Tolerance: 0.05},
		},
	}
	cell := func(m experiment.Mean) report.Cell { return report.Estimate(m.Mean, m.Half) }
	for i, v := range variants {
		use := a.mean(func(s, seed int) float64 { return a.reports[s][i][seed].Utilization })
		shortfall := a.mean(func(s, seed int) float64 { return a.reports[s][i][seed].ShortfallGPUHours })
		row := []report.Cell{report.Words(v.label), report.Words(v.policy), report.Words(v.changes), cell(use)}
		if i == 0 {
			row = append(row, report.Missing(), report.Words(""), report.Missing())
		} else {
			row = append(row, cell(a.gain(i, 0)), report.Words(variants[v.against].label), cell(a.gain(i, v.against)))
		}
		t.Rows = append(t.Rows, append(row, report.Number(shortfall.Mean)))
	}
	return t
}

// scenarioTable has one row a variant, and the scenarios as columns.
func (a *ablated) scenarioTable() *report.Table {
	t := &report.Table{
		Name:    "ablation-by-scenario",
		Caption: "Gain in decayed value over FIFO with peak reservation, by scenario (%)",
		Notes:   []string{fmt.Sprintf("Means over %d seeds ± half-width of the 95 %% interval, paired by seed.", a.seeds)},
		Columns: []report.Column{{Key: "variant", Head: "variant", Text: true}},
	}
	for _, name := range a.names {
		t.Columns = append(t.Columns, report.Column{Key: name, Head: name, Percent: true, Signed: true, Decimals: 1, Interval: true, Tolerance: 0.005})
	}
	for i, v := range variants[1:] {
		row := []report.Cell{report.Words(v.label)}
		for s := range a.names {
			e := a.comparisons[s][i+1].DecayedValue
			row = append(row, report.Estimate(*e.Gain, *e.GainCI95))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (a *ablated) draw(dir string) error {
	groups := []string{"baseline", "reservation", "ordering", "planning"}
	var list []plots.Estimate
	for i, v := range variants {
		m := a.gain(i, 0)
		kind, _, _ := strings.Cut(v.changes, ":")
		list = append(list, plots.Estimate{Label: v.changes, Mean: m.Mean, Half: m.Half, Group: slices.Index(groups, kind)})
	}
	f, err := plots.ByPolicy("gain in decayed value over FIFO", "%", list)
	if err != nil {
		return err
	}
	_, err = f.Save(dir, "ablation")
	return err
}
