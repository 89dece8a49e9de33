package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/stat"

	"berth/plots"
	"berth/plots/report"
	"berth/policies"
	"berth/policies/allocator"
	"berth/policies/milp"
	"berth/policies/plan"
	"berth/sim/experiment"
	"berth/workloads"
)

const (
	gapSeeds     = 30
	gapTimeLimit = 10 * time.Second // of the exact solver, an instance
)

// gapPlanner is a planner and its budget.
type gapPlanner struct {
	planner, budget string
	plan            func(*plan.Problem, uint64) *plan.Plan
}

func gapPlanners(gpus int) []gapPlanner {
	search := func(d time.Duration) gapPlanner {
		return gapPlanner{"search", d.String(), func(p *plan.Problem, seed uint64) *plan.Plan {
			pl, _ := allocator.Solve(context.Background(), p, allocator.Options{Seed: seed, Budget: allocator.Budget{Time: d}})
			return pl
		}}
	}
	published := 2 * time.Millisecond // the article's latency on its contended scenarios, and at 64 GPUs
	if gpus >= 64 {
		published = 15 * time.Millisecond
	}
	return []gapPlanner{
		{"fifo", "", func(p *plan.Problem, _ uint64) *plan.Plan { return allocator.FIFO(p) }},
		{"greedy", "", func(p *plan.Problem, _ uint64) *plan.Plan { return allocator.Greedy(p) }},
		search(100 * time.Microsecond), search(time.Millisecond), search(published), search(10 * time.Millisecond),
	}
}

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

// gap measures how far planners are from a proven bound. Budgets in time make
// its table a measurement: two runs differ a little.
func (p *paper) gap(dir *experiment.Dir) (*report.Section, error) {
	if _, err := milp.Select("auto"); err != nil {
		return nil, fmt.Errorf("%w: %w", errAbsent, err)
	}
	instances, err := gapInstances()
	if err != nil {
		return nil, err
	}
	done, finish := progress(p.cmd, len(instances), "proving bounds")
	err = experiment.Each(p.ctx, len(instances), p.parallel, func(ctx context.Context, i int) error {
		defer done()
		return instances[i].prove(ctx)
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
		for _, g := range gapPlanners(in.problem.GPUs) {
			objective := in.problem.Score(g.plan(in.problem, in.seed)).Objective
			rows = append(rows, gapRow{in, g.planner, g.budget, objective, plan.Gap(in.full.Bound, objective)})
		}
		rows = append(rows, gapRow{in, "full", "", in.full.Objective, in.full.Gap})
	}
	if err := dir.WriteFile("gap.csv", gapCSV(rows)); err != nil {
		return nil, err
	}
	printGap(p.cmd.OutOrStdout(), instances, rows)
	if err := drawGap(dir.Path("."), rows); err != nil {
		return nil, err
	}
	return gapSection(rows), nil
}

func gapInstances() ([]*gapInstance, error) {
	var out []*gapInstance
	for _, name := range workloads.Names() {
		in, err := load(name, nil)
		if err != nil {
			return nil, err
		}
		gamma, lambda := in.Weights()
		for seed := uint64(1); seed <= gapSeeds; seed++ {
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
func (g *gapInstance) prove(ctx context.Context) (err error) {
	start, _ := allocator.Solve(ctx, g.problem, allocator.Options{Seed: g.seed, Budget: allocator.Budget{Evaluations: fullStart}})
	began := time.Now()
	g.full, err = milp.Solve(ctx, g.problem, start, milp.Options{TimeLimit: gapTimeLimit})
	g.took = time.Since(began)
	return err
}

// fullStart is how many evaluations the plan is given that full mode starts
// from.
const fullStart = 2_000

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

// printGap writes the mean gap by scenario and planner, and how often the
// optimum is proven.
func printGap(w io.Writer, instances []*gapInstance, rows []gapRow) {
	fmt.Fprintf(w, "mean gap to the proven bound in %%, %d seeds a scenario\n\n", gapSeeds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "scenario\tfifo\tgreedy\t0.1 ms\t1 ms\t2 | 15 ms\t10 ms\tfull\tproven\tslowest\t\n")
	for _, name := range workloads.Names() {
		fmt.Fprintf(t, "%s\t", name)
		for k := range gapPlanners(8) {
			fmt.Fprintf(t, "%.2f\t", 100*meanGap(rows, name, k))
		}
		proven, slowest := 0, time.Duration(0)
		for _, in := range instances {
			if in.scenario == name {
				slowest = max(slowest, in.took)
				if in.full.Proven {
					proven++
				}
			}
		}
		fmt.Fprintf(t, "%.3f\t%d/%d\t%.1fs\t\n", 100*meanGap(rows, name, len(gapPlanners(8))), proven, gapSeeds, slowest.Seconds())
	}
	t.Flush()
}

// meanGap is over the seeds of a scenario, of the planner at a place in the
// list.
func meanGap(rows []gapRow, scenario string, place int) float64 {
	each := len(gapPlanners(8)) + 1
	var gaps []float64
	for i, r := range rows {
		if r.of.scenario == scenario && i%each == place {
			gaps = append(gaps, r.gap)
		}
	}
	return stat.Mean(gaps, nil)
}

// drawGap shows the mean gap against the time given to planning, a line a size
// of cluster, and the distribution of the gap by planner.
func drawGap(dir string, rows []gapRow) error {
	f := plots.ResponseFigure{Title: "mean gap to the proven bound", Factor: "time of the search (ms)", Percent: true, XLog: true}
	budgets := []time.Duration{100 * time.Microsecond, time.Millisecond, 10 * time.Millisecond}
	for _, gpus := range []int{8, 16, 64} {
		series := plots.Response{Label: fmt.Sprintf("%d GPUs", gpus)}
		for _, budget := range budgets {
			var gaps []float64
			for _, r := range rows {
				if r.of.problem.GPUs == gpus && r.budget == budget.String() {
					gaps = append(gaps, r.gap)
				}
			}
			if len(gaps) == 0 {
				continue
			}
			m := experiment.MeanOf(gaps)
			series.X = append(series.X, float64(budget)/float64(time.Millisecond))
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
