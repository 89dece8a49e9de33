package policies_test

import (
	"context"
	"math"
	"testing"

	"berth/policies"
	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
	"pgregory.net/rapid"
)

// No run of any policy is worth more than the bound.
func TestNoRunSurpassesTheBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		if w.horizon == 0 {
			return
		}
		bound, err := policies.Bound(w.workload(t), worldLambda, w.horizon)
		if err != nil {
			t.Fatal(err)
		}
		name, c := drawPolicy(t, w)
		p, err := policies.New(name, c)
		if err != nil {
			t.Fatal(err)
		}
		collector := metrics.NewCollector(w.gpus(), metrics.Objective{Gamma: 1, Lambda: worldLambda, Step: w.stepLength()})
		if err := sim.Run(context.Background(), w.workload(t), p, collector); err != nil {
			t.Fatalf("%v%v", w, err)
		}
		if _, objective := collector.Weighted(); objective > bound+1e-6*max(1, math.Abs(bound)) {
			t.Fatalf("%v%s is worth %v, the bound is %v", w, name, objective, bound)
		}
	})
}

// The bound is the optimum of its linear program, by gonum's simplex: what job
// j gets in step t is at most its size; what all get, the cluster.
func TestBoundIsItsLinearProgram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gpus, steps := rapid.IntRange(1, 8).Draw(t, "gpus"), rapid.IntRange(1, 5).Draw(t, "steps")
		n := rapid.IntRange(1, 5).Draw(t, "jobs")
		topology, err := hardware.NewTopology(hardware.Pool{GPUs: gpus, GPUsPerNode: gpus})
		if err != nil {
			t.Fatal(err)
		}
		var jobs []sim.Job
		for i := range n {
			size := rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "size")
			d := sim.Time(rapid.IntRange(1, 4).Draw(t, "hours")) * 3600e9
			jobs = append(jobs, sim.Job{ID: int64(i + 1), MinGPUs: size, MaxGPUs: size, Duration: d, Estimate: d,
				Priority: float64(rapid.IntRange(1, 9).Draw(t, "priority")), Submit: sim.Time(rapid.IntRange(0, steps-1).Draw(t, "submit")) * 3600e9})
		}
		service := sim.Service{Name: "s", Priority: 1, Max: gpus, Demand: sim.Curve{Step: 3600e9, Levels: rapid.SliceOfN(rapid.IntRange(0, gpus), steps, steps).Draw(t, "demand")}}
		got, err := policies.Bound(&sim.Workload{Topology: topology, Services: []sim.Service{service}, Jobs: &sim.Jobs{List: jobs}}, 4, sim.Time(steps)*3600e9)
		if err != nil {
			t.Fatal(err)
		}
		if want := linearProgram(t, gpus, steps, jobs, service.Demand.Levels, 4); math.Abs(got-want) > 1e-6 {
			t.Fatalf("%v, by simplex %v: %d GPUs, %d steps, demand %v, %+v", got, want, gpus, steps, service.Demand.Levels, jobs)
		}
	})
}

func linearProgram(t *rapid.T, gpus, steps int, jobs []sim.Job, demand []int, worth float64) float64 {
	n := len(jobs) + 1 // the last is the service
	vars := n * steps
	var rows [][]float64
	var limits []float64
	row := func(limit float64, cols ...int) {
		r := make([]float64, vars)
		for _, c := range cols {
			r[c] = 1
		}
		rows, limits = append(rows, r), append(limits, limit)
	}
	cost, total := make([]float64, vars), 0.0
	for i := range n {
		var all []int
		for s := range steps {
			c := i*steps + s
			all = append(all, c)
			switch {
			case i == len(jobs):
				cost[c], total = -worth, total+worth*float64(demand[s])
				row(float64(demand[s]), c)
			case int(jobs[i].Submit/3600e9) > s:
				cost[c] = -jobs[i].Priority
				row(0, c)
			default:
				cost[c] = -jobs[i].Priority
				row(float64(jobs[i].MinGPUs), c)
			}
		}
		if i < len(jobs) {
			row(float64(jobs[i].MinGPUs)*jobs[i].Duration.Hours(), all...)
		}
	}
	for s := range steps {
		var all []int
		for i := range n {
			all = append(all, i*steps+s)
		}
		row(float64(gpus), all...)
	}
	m := len(rows)
	a := mat.NewDense(m, vars+m, nil) // with a slack a row
	for i, r := range rows {
		for c, v := range r {
			a.Set(i, c, v)
		}
		a.Set(i, vars+i, 1)
	}
	basis := make([]int, m)
	for i := range basis {
		basis[i] = vars + i
	}
	optimum, _, err := lp.Simplex(append(cost, make([]float64, m)...), a, limits, 1e-10, basis)
	if err != nil {
		t.Fatal(err)
	}
	return -optimum - total
}
