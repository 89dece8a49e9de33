package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"berth/plots"
	"berth/plots/report"
	"berth/policies"
	"berth/policies/allocator"
	"berth/policies/milp"
	"berth/policies/plan"
	"berth/sim/experiment"
	"berth/workloads"
)

// Against the clock, the study measures; without, it is the same every time.
// Proving takes the time, so that it has fewer seeds than other studies.
const (
	gapSeeds      = 6
	gapNodeLimit  = 300 // of the exact solver, an instance
	gapClockSeeds = 30
	gapTimeLimit  = 10 * time.Second
)

// gapPlanner is a planner and its budget.
type gapPlanner struct {
	planner, budget string
	plan            func(*plan.Problem, uint64) *plan.Plan
}

// gapPlanners are the planners, at budgets of evaluations or of time.
func gapPlanners(gpus int, clock bool) []gapPlanner {
	search := func(name string, b allocator.Budget) gapPlanner {
		return gapPlanner{"search", name, func(p *plan.Problem, seed uint64) *plan.Plan {
			pl, _ := allocator.Solve(context.Background(), p, allocator.Options{Seed: seed, Budget: b})
			return pl
		}}
	}
	list := []gapPlanner{
		{"fifo", "", func(p *plan.Problem, _ uint64) *plan.Plan { return allocator.FIFO(p) }},
		{"greedy", "", func(p *plan.Problem, _ uint64) *plan.Plan { return allocator.Greedy(p) }},
	}
	if !clock {
		for _, n := range gapEvaluations {
			list = append(list, search(strconv.Itoa(n), allocator.Budget{Evaluations: n}))
		}
		return list
	}
	for _, d := range gapTimes {
		list = append(list, search(d.String(), allocator.Budget{Time: d}))
	}
	published := 2 * time.Millisecond // the article's latency on its contended scenarios, and at 64 GPUs
	if gpus >= 64 {
		published = 15 * time.Millisecond
	}
	return append(list, search("published", allocator.Budget{Time: published}))
}

// Budgets of the search.
var (
	gapEvaluations = []int{10, 100, 1_000, 10_000}
	gapTimes       = []time.Duration{100 * time.Microsecond, time.Millisecond, 10 * time.Millisecond}
)

// gapInstance is one scenario and seed, and what is proven about it.
type gapInstance struct {
	scenario string
	seed     uint64
	problem  *plan.Problem
	full     *milp.Outcome
	took     time.Duration
}

// gapRow is one planner on one instance.
type gapRow struct {
	of              *gapInstance
	planner, budget string
	objective, gap  float64
}

// gap measures how far planners are from a proven bound.
func (p *paper) gap(dir *experiment.Dir) (*report.Section, error) {
	if _, err := milp.Select("auto"); err != nil {
		return nil, fmt.Errorf("%w: %w", errAbsent, err)
	}
	seeds := uint64(gapSeeds)
	switch {
	case p.cmd.Flags().Changed("seeds"):
		seeds = uint64(p.seeds)
	case p.clock:
		seeds = gapClockSeeds
	}
	instances, err := gapInstances(seeds)
	if err != nil {
		return nil, err
	}
	done, finish := progress(p.cmd, len(instances), "proving bounds")
	err = experiment.Each(p.ctx, len(instances), p.parallel, func(ctx context.Context, i int) error {
		defer done()
		return instances[i].prove(ctx, p.clock)
	})
	finish()
	if err != nil {
		return nil, err
	}
	if err := p.ctx.Err(); err != nil {
		return nil, err
	}
	var rows []gapRow
	for _, in := range instances { // one at a time: budgets are times
		for _, g := range gapPlanners(in.problem.GPUs, p.clock) {
			objective := in.problem.Score(g.plan(in.problem, in.seed)).Objective
			rows = append(rows, gapRow{in, g.planner, g.budget, objective, plan.Gap(in.full.Bound, objective)})
		}
		rows = append(rows, gapRow{in, "full", "", in.full.Objective, in.full.Gap})
	}
	err = errors.Join(dir.WriteFile("gap.csv", gapCSV(rows)), dir.WriteFile("timings.csv", gapTimings(instances)))
	if err != nil {
		return nil, err
	}
	if err := drawGap(dir.Path("."), rows, p.clock); err != nil {
		return nil, err
	}
	section := gapSection(rows, int(seeds), p.clock)
	return section, section.Tables[0].Text(p.cmd.OutOrStdout())
}

func gapInstances(seeds uint64) ([]*gapInstance, error) {
	var out []*gapInstance
	for _, name := range workloads.Names() {
		in, err := load(name, nil)
		if err != nil {
			return nil, err
		}
		gamma, lambda := in.Weights()
		for seed := uint64(1); seed <= seeds; seed++ {
			w, err := in.workload(seed, nil)
			if err != nil {
				return nil, err
			}
			problem, err := policies.Offline(w, gamma, lambda)
			if err != nil {
				return nil, err
			}
			out = append(out, &gapInstance{scenario: name, seed: seed, problem: problem})
		}
	}
	return out, nil
}

// prove solves the instance in full mode, from a fast plan.
func (g *gapInstance) prove(ctx context.Context, clock bool) (err error) {
	limit := milp.Options{NodeLimit: gapNodeLimit}
	if clock {
		limit = milp.Options{TimeLimit: gapTimeLimit}
	}
	began := time.Now()
	g.full, _, err = fullMode(ctx, g.problem, g.seed, limit)
	g.took = time.Since(began)
	return err
}

func gapCSV(rows []gapRow) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"scenario", "seed", "planner", "budget", "objective", "bound", "gap", "proven"})
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }
	for _, r := range rows {
		w.Write([]string{r.of.scenario, strconv.FormatUint(r.of.seed, 10), r.planner, r.budget,
			number(r.objective), number(r.of.full.Bound), number(r.gap), strconv.FormatBool(r.of.full.Proven)})
	}
	w.Flush()
	return b.Bytes()
}

// gapTimings is how long each proof took, which no other file has.
func gapTimings(instances []*gapInstance) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"scenario", "seed", "seconds", "nodes"})
	for _, in := range instances {
		w.Write([]string{in.scenario, strconv.FormatUint(in.seed, 10), strconv.FormatFloat(in.took.Seconds(), 'f', 3, 64), strconv.Itoa(in.full.Nodes)})
	}
	w.Flush()
	return b.Bytes()
}

// drawGap shows the mean gap against what the search is given, a line a size of
// cluster, and the distribution of the gap by planner.
func drawGap(dir string, rows []gapRow, clock bool) error {
	f := plots.ResponseFigure{Title: "mean gap to the proven bound", Factor: "plans tried by the search", Percent: true, XLog: true}
	budgets := map[string]float64{}
	for _, n := range gapEvaluations {
		budgets[strconv.Itoa(n)] = float64(n)
	}
	if clock {
		f.Factor, budgets = "time of the search (ms)", map[string]float64{}
		for _, d := range gapTimes {
			budgets[d.String()] = float64(d) / float64(time.Millisecond)
		}
	}
	for _, gpus := range []int{8, 16, 64} {
		series := plots.Response{Label: fmt.Sprintf("%d GPUs", gpus)}
		for _, g := range gapPlanners(gpus, clock) {
			x, ok := budgets[g.budget]
			var gaps []float64
			for _, r := range rows {
				if ok && r.of.problem.GPUs == gpus && r.budget == g.budget {
					gaps = append(gaps, r.gap)
				}
			}
			if len(gaps) == 0 {
				continue
			}
			m := experiment.MeanOf(gaps)
			series.X = append(series.X, x)
			series.Mean, series.Half = append(series.Mean, m.Mean), append(series.Half, m.Half)
		}
		if len(series.X) > 0 {
			f.Series = append(f.Series, series)
		}
	}
	if err := saveFigure(dir, "gap", f); err != nil {
		return err
	}
	return drawGapByPlanner(dir, rows)
}

// drawGapByPlanner shows every instance, a row a planner and budget.
func drawGapByPlanner(dir string, rows []gapRow) error {
	var list []plots.GapSeries
	for _, r := range rows {
		label := r.planner
		if r.budget != "" {
			label += " " + r.budget
		}
		i := slices.IndexFunc(list, func(g plots.GapSeries) bool { return g.Label == label })
		if i < 0 {
			i = len(list)
			list = append(list, plots.GapSeries{Label: label})
		}
		list[i].Gaps = append(list[i].Gaps, max(0, r.gap))
	}
	if i := slices.IndexFunc(list, func(g plots.GapSeries) bool { return g.Label == "full" }); i >= 0 {
		full := list[i] // last, below every budget
		list = append(slices.Delete(list, i, i+1), full)
	}
	f, err := plots.GapByPlanner(list)
	if err != nil {
		return err
	}
	_, err = f.Save(dir, "gap-by-planner")
	return err
}
