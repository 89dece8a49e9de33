package policies_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"berth/policies"
	"berth/policies/allocator"
	"berth/policies/milp"
	"berth/policies/plan"
	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"

	"pgregory.net/rapid"
)

// drawKnown draws a world in which everything is known at time 0 and falls on
// whole steps, and a commitment to the whole run.
func drawKnown(t *rapid.T) (*world, policies.Config) {
	w := drawWorld(t)
	w.step = 0
	w.pools = []hardware.Pool{{GPUs: w.pools[0].GPUs, GPUsPerNode: w.pools[0].GPUs}} // one domain: what fits the cluster fits
	steps := rapid.IntRange(4, 30).Draw(t, "steps")
	w.horizon = time.Duration(steps) * time.Hour
	for i := range w.services {
		w.services[i].Demand.Step = time.Hour
	}
	kept := w.jobs[:0]
	for _, j := range w.jobs {
		j.Submit, j.Earliest = 0, j.Earliest.Truncate(time.Hour)
		j.Duration = (j.Duration + time.Hour - 1).Truncate(time.Hour)
		j.MaxGPUs = j.MinGPUs // a larger size would not end on a step
		j.Estimate = j.Duration
		if len(j.Sizes(nil, w.alignment)) > 0 && j.MinGPUs <= w.gpus() && j.Earliest < w.horizon && (!w.closed || j.Earliest+j.Duration <= w.horizon) {
			kept = append(kept, j)
		}
	}
	w.jobs = kept
	return w, policies.Config{Gamma: worldGamma, Lambda: worldLambda, Seed: 3, Budget: "30", Window: steps, Commit: steps}
}

// A perfect forecast and a commitment to the whole run reproduce the offline
// plan exactly: every job's start and GPUs, and the objective.
func TestAPerfectForecastIsTheOfflinePlan(t *testing.T) {
	planned := 0
	rapid.Check(t, func(t *rapid.T) {
		w, c := drawKnown(t)
		problem, err := policies.Offline(w.workload(t), worldGamma, worldLambda)
		if err != nil {
			t.Fatal(err)
		}
		if err := problem.Validate(); err != nil {
			t.Fatal(err)
		}
		pl, _ := allocator.Solve(context.Background(), problem, allocator.Options{Seed: c.Seed, Budget: allocator.Budget{Evaluations: 30}})
		ran, objective := runHorizon(t, context.Background(), w, c)
		for i, at := range pl.Jobs {
			want := ""
			if at.Start != plan.Unscheduled {
				planned++
				want = fmt.Sprint(sim.Time(at.Start)*time.Hour, " on ", hardware.FormatRanges(at.GPUs))
			}
			if id := problem.Jobs[i].ID; ran[id] != want {
				t.Fatalf("%vjob %s runs %q, planned %q", w, id, ran[id], want)
			}
		}
		if want := problem.Score(pl).Objective; !near(objective, want, 1e-9) {
			t.Fatalf("%vobjective %v in the run, %v in the plan", w, objective, want)
		}
	})
	if planned == 0 {
		t.Error("no job was ever planned")
	}
}

// runHorizon runs the policy and says where each job ran, and the objective.
func runHorizon(t fataler, ctx context.Context, w *world, c policies.Config) (map[string]string, float64) {
	t.Helper()
	p, err := policies.New("horizon", c)
	if err != nil {
		t.Fatalf("%v", err)
	}
	spans := &metrics.Spans{}
	collector := metrics.NewCollector(w.gpus(), metrics.Objective{Gamma: worldGamma, Lambda: worldLambda, Step: w.stepLength()})
	if err := sim.Run(ctx, w.workload(t), p, spans, collector); err != nil {
		t.Fatalf("%v%v", w, err)
	}
	ran := map[string]string{}
	for _, j := range spans.Jobs {
		ran[j.Label] = fmt.Sprint(j.Start, " on ", hardware.FormatRanges(j.GPUs))
	}
	_, objective := collector.Weighted()
	return ran, objective
}

// crowded is a world in which a single greedy pass is far from the best plan.
func crowded() *world {
	w := &world{pools: []hardware.Pool{{GPUs: 4, GPUsPerNode: 4}}, horizon: 8 * time.Hour, closed: true}
	for i, size := range []int{4, 2, 1, 2, 1, 4, 2, 1} {
		d := time.Duration(2+i%4) * time.Hour
		w.jobs = append(w.jobs, sim.Job{ID: int64(i + 1), MinGPUs: size, MaxGPUs: size, Duration: d, Estimate: d, Priority: float64(1 + (i*5)%7)})
	}
	return w
}

// Full mode reaches the proven optimum where one pass of the search does not,
// and stops when the run is cancelled.
func TestFullMode(t *testing.T) {
	if _, err := milp.Select("auto"); err != nil {
		t.Skip(err)
	}
	w := crowded()
	c := policies.Config{Gamma: worldGamma, Lambda: worldLambda, Budget: "1", Window: 8, Commit: 8}
	_, fast := runHorizon(t, context.Background(), w, c)
	problem, err := policies.Offline(w.workload(t), worldGamma, worldLambda)
	if err != nil {
		t.Fatal(err)
	}
	best, err := milp.Solve(context.Background(), problem, allocator.Greedy(problem), milp.Options{})
	if err != nil || !best.Proven {
		t.Fatalf("no proof: %v, %+v", err, best)
	}
	c.Mode = "full"
	_, full := runHorizon(t, context.Background(), w, c)
	if !near(full, best.Objective, 1e-4) || full <= fast {
		t.Errorf("full mode %v, fast %v, optimum %v", full, fast, best.Objective)
	}

	c.Commit = 1
	ctx, cancel := context.WithCancel(context.Background())
	c.OnOutlook = func(policies.Outlook) { cancel() } // after the first plan
	p, err := policies.New("horizon", c)
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Run(ctx, w.workload(t), p); !errors.Is(err, sim.ErrInterrupted) {
		t.Errorf("a cancelled run ends with %v", err)
	}
}

// A learned forecast knows, at the first step, what services wanted before the
// run; a cold one knows only what they want now.
func TestHistoryIsLearned(t *testing.T) {
	day := make([]int, 24)
	for h := range day {
		day[h] = 1 + 4*(h/12)
	}
	w := &world{pools: []hardware.Pool{{GPUs: 8, GPUsPerNode: 8}}, horizon: 24 * time.Hour}
	service := sim.Service{Name: "s", Priority: 1, Max: 8, Demand: sim.Curve{Step: time.Hour, Levels: day}}
	for range 21 {
		service.History = append(service.History, day...)
	}
	w.services = []sim.Service{service}
	for forecast, want := range map[string]int{"learned": 5, "cold": 1} {
		var first []int
		c := policies.Config{Gamma: worldGamma, Lambda: worldLambda, Forecast: forecast, OnOutlook: func(o policies.Outlook) {
			if o.MadeAt == 0 {
				first = o.Services[0].Forecast
			}
		}}
		runHorizon(t, context.Background(), w, c)
		if len(first) != 24 || first[18] != want {
			t.Errorf("%s: the first plan expects %v; %d at 18 h is wanted", forecast, first, want)
		}
	}
}

// Without an end of the run, jobs that no window can hold end as unscheduled
// once nothing else is to come, in no more rounds than the others need.
func TestJobsBeyondTheWindowAreUnscheduled(t *testing.T) {
	topology, err := hardware.NewTopology(hardware.Pool{GPUs: 8})
	if err != nil {
		t.Fatal(err)
	}
	job := func(id int64, hours int) sim.Job {
		d := sim.Time(hours) * time.Hour
		return sim.Job{ID: id, Priority: 1, MinGPUs: 4, MaxGPUs: 4, Duration: d, Estimate: d}
	}
	for _, minutes := range []float64{0, 20} {
		p, err := policies.New("horizon", policies.Config{Gamma: 1, Boundary: "closed", ReplanMinutes: minutes})
		if err != nil {
			t.Fatal(err)
		}
		c := metrics.NewCollector(8, metrics.Objective{Gamma: 1, Step: time.Hour})
		w := &sim.Workload{Topology: topology, Jobs: &sim.Jobs{List: []sim.Job{job(1, 25), job(2, 3)}}}
		if err := sim.Run(context.Background(), w, p, c); err != nil {
			t.Fatal(err)
		}
		r := c.Report()
		if r.Jobs.Completed != 1 || r.Jobs.Unscheduled != 1 || r.HorizonHours > 4 {
			t.Errorf("replan_minutes %v: %+v after %v hours", minutes, r.Jobs, r.HorizonHours)
		}
	}
}
