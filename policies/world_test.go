package policies_test

// Random workloads and policies, of which the invariants must hold.

import (
	"fmt"
	"slices"
	"time"

	"berth/policies"
	"berth/sim"
	"berth/sim/hardware"

	"pgregory.net/rapid"
)

// Weights of the measures in random worlds.
const worldGamma, worldLambda = 0.97, 8.0

// world is a random workload, as data, so that it can be run many times.
type world struct {
	pools     []hardware.Pool
	alignment hardware.Alignment
	services  []sim.Service
	jobs      []sim.Job
	step      sim.Time // 0: the default of an hour
	horizon   sim.Time
	closed    bool
	restart   sim.Time
}

func (w *world) stepLength() sim.Time {
	if w.step == 0 {
		return time.Hour
	}
	return w.step
}

func (w *world) gpus() int {
	n := 0
	for _, p := range w.pools {
		n += p.GPUs
	}
	return n
}

// linkDomains cuts each pool into runs of whole nodes.
func (w *world) linkDomains() []hardware.Range {
	var out []hardware.Range
	first := 0
	for _, p := range w.pools {
		size := p.GPUsPerNode * max(1, p.NodesPerLink)
		for g := 0; g < p.GPUs; g += size {
			out = append(out, hardware.Range{First: first + g, N: min(size, p.GPUs-g)})
		}
		first += p.GPUs
	}
	return out
}

// fataler is a test that is going on, of either kind.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func (w *world) workload(t fataler) *sim.Workload {
	topology, err := hardware.NewTopology(w.pools...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return &sim.Workload{
		Name: "random", Topology: topology, Alignment: w.alignment, Services: w.services,
		Jobs: &sim.Jobs{List: w.jobs}, Step: w.step, Horizon: w.horizon, Closed: w.closed, Restart: w.restart,
	}
}

// drawWorld draws machines of one or two pools, services with and without swap
// caps, and jobs of all sorts; times often coincide, and often lie between the
// planning steps.
func drawWorld(t *rapid.T) *world {
	integer := func(lo, hi int, name string) int { return rapid.IntRange(lo, hi).Draw(t, name) }
	w := &world{alignment: rapid.SampledFrom([]hardware.Alignment{hardware.Contiguous, hardware.Buddy, hardware.Scattered}).Draw(t, "alignment")}
	for range integer(1, 2, "pools") {
		w.pools = append(w.pools, hardware.Pool{GPUs: integer(1, 16, "gpus"),
			GPUsPerNode: rapid.SampledFrom([]int{8, 4, 1, 3, 6}).Draw(t, "node"), NodesPerLink: integer(0, 2, "link")})
	}
	gpus := w.gpus()
	w.restart = rapid.SampledFrom([]sim.Time{0, 0, 7 * time.Minute}).Draw(t, "restart")
	w.step = rapid.SampledFrom([]sim.Time{0, time.Hour, 15 * time.Minute, 90 * time.Minute}).Draw(t, "step")
	if rapid.Bool().Draw(t, "horizon") {
		w.horizon = time.Duration(integer(4, 30, "hours"))*time.Hour + time.Duration(integer(0, 1, "odd")*integer(0, 59, "minutes"))*time.Minute
		w.closed = rapid.Bool().Draw(t, "closed")
	}
	for i := range integer(0, 2, "services") {
		s := sim.Service{Name: fmt.Sprint("s", i), Priority: float64(1 + i), Max: integer(0, gpus, "max"), SwapCap: integer(0, 3, "cap")}
		if w.horizon > 0 { // kept warm for ever, a service can keep jobs waiting for ever
			s.Min = integer(0, min(1, s.Max), "min")
		}
		s.Demand.Step = rapid.SampledFrom([]sim.Time{w.stepLength(), time.Hour, 20 * time.Minute}).Draw(t, "demand step")
		s.Demand.Levels = rapid.SliceOfN(rapid.IntRange(0, gpus/2+1), 0, 30).Draw(t, "demand")
		w.services = append(w.services, s)
	}
	at := sim.Time(0)
	for i := range integer(0, 25, "jobs") {
		at += time.Duration(integer(0, 90, "gap"))*time.Minute + time.Duration(integer(0, 1, "uneven")*integer(0, 2_000_000_000, "ns"))
		w.jobs = append(w.jobs, drawJob(t, int64(i+1), at))
	}
	return w
}

func drawJob(t *rapid.T, id int64, at sim.Time) sim.Job {
	integer := func(lo, hi int, name string) int { return rapid.IntRange(lo, hi).Draw(t, name) }
	j := sim.Job{ID: id, Submit: at, Priority: float64(integer(1, 5, "priority")), Kind: sim.Kind(integer(0, 3, "kind"))}
	j.MinGPUs = integer(1, 9, "size")
	j.MaxGPUs = j.MinGPUs + integer(0, 8, "more")*integer(0, 1, "moldable")
	j.Parallel = rapid.SampledFrom([]float64{0.9, 1, 0}).Draw(t, "parallel")
	j.Duration = time.Duration(integer(1, 400, "minutes")) * time.Minute
	j.Estimate = j.Duration * time.Duration(integer(5, 20, "estimate")) / 10
	j.Earliest = at + time.Duration(integer(0, 200, "later")*integer(0, 1, "earliest"))*time.Minute
	j.Across = rapid.Bool().Draw(t, "across")
	return j
}

// within are the policies that need no program.
func within() []policies.Entry {
	return slices.DeleteFunc(policies.All(), func(e policies.Entry) bool { return e.Name == "exec" })
}

func drawPolicy(t *rapid.T, w *world) (string, policies.Config) {
	all := within()
	name := all[rapid.IntRange(0, len(all)-1).Draw(t, "policy")].Name
	c := policies.Config{Gamma: worldGamma, Lambda: worldLambda, Seed: 1, Budget: "20"}
	c.Reserve = rapid.SampledFrom([]string{"", "peak", "curve"}).Draw(t, "reserve")
	c.Placement = rapid.SampledFrom([]string{"", "", "", "random", "firstfit", "bestfit", "dotproduct", "packing", "clustering", "fgd"}).Draw(t, "placement")
	switch name {
	case "las":
		c.ThresholdGPUHours = rapid.SampledFrom([]float64{0, 0.1, 5}).Draw(t, "threshold")
		c.Promote = rapid.SampledFrom([]float64{0, 0.5, 4}).Draw(t, "promote")
	case "reservation":
		c.Partition = rapid.SampledFrom([]int{0, 3}).Draw(t, "partition")
	case "horizon":
		c.Window = rapid.SampledFrom([]int{0, 3, 30}).Draw(t, "window")
		c.Commit = rapid.SampledFrom([]int{1, 1, 3}).Draw(t, "commit")
		c.Replan = rapid.SampledFrom([]string{"", "step", "arrival"}).Draw(t, "replan")
		c.ReplanMinutes = rapid.SampledFrom([]float64{0, 0, 20}).Draw(t, "replan minutes")
		boundaries := []string{"", "salvage", "closed"}
		if w.horizon == 0 {
			boundaries = boundaries[:2] // no plan would ever start a job longer than its window
		}
		c.Boundary = rapid.SampledFrom(boundaries).Draw(t, "boundary")
		c.Sigma = 0.5
		c.Forecast = rapid.SampledFrom([]string{"", "learned"}).Draw(t, "forecast")
		c.DurationSigma = rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "sigma")
		c.DemandNoise = rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "noise")
	}
	return name, c
}

// String shows a world in a few lines.
func (w *world) String() string {
	s := fmt.Sprintf("%+v %v, step %v, horizon %v, closed %v\n", w.pools, w.alignment, w.stepLength(), w.horizon, w.closed)
	for i := range w.services {
		s += fmt.Sprintf("%+v\n", w.services[i])
	}
	for i := range w.jobs {
		j := &w.jobs[i]
		s += fmt.Sprintf("job %s: eligible %v (submitted %v), %d-%d GPUs, %v, estimated %v, priority %v\n",
			j.Label(), j.Eligible(), j.Submit, j.MinGPUs, j.MaxGPUs, j.Duration, j.Estimate, j.Priority)
	}
	return s
}
