package policies_test

// Invariants that hold for every policy on every workload.

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"berth/policies"
	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"

	"github.com/google/go-cmp/cmp"
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

func (w *world) workload(t *rapid.T) *sim.Workload {
	topology, err := hardware.NewTopology(w.pools...)
	if err != nil {
		t.Fatal(err)
	}
	return &sim.Workload{
		Name: "random", Topology: topology, Alignment: w.alignment, Services: w.services,
		Jobs: &sim.Jobs{List: w.jobs}, Step: w.step, Horizon: w.horizon, Closed: w.closed,
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
	w.step = rapid.SampledFrom([]sim.Time{0, time.Hour, 15 * time.Minute, 90 * time.Minute}).Draw(t, "step")
	if rapid.Bool().Draw(t, "horizon") {
		w.horizon = time.Duration(integer(4, 30, "hours"))*time.Hour + time.Duration(integer(0, 1, "odd")*integer(0, 59, "minutes"))*time.Minute
		w.closed = rapid.Bool().Draw(t, "closed")
	}
	for i := range integer(0, 2, "services") {
		s := sim.Service{Name: fmt.Sprint("s", i), Priority: float64(1 + i), Max: integer(0, gpus, "max"), SwapCap: integer(0, 3, "cap")}
		s.Min = integer(0, min(1, s.Max), "min")
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

func drawPolicy(t *rapid.T, w *world) (string, policies.Config) {
	all := policies.All()
	name := all[rapid.IntRange(0, len(all)-1).Draw(t, "policy")].Name
	c := policies.Config{Gamma: worldGamma, Lambda: worldLambda, Seed: 1, Budget: "20"}
	c.Reserve = rapid.SampledFrom([]string{"", "peak", "curve"}).Draw(t, "reserve")
	switch name {
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

// outcome is what a run left behind.
type outcome struct {
	policy                   string
	report                   *metrics.Report
	decayed, objective       float64
	course                   *metrics.Timeline
	end                      sim.Time
	left                     map[string]sim.Time // when jobs left
	jobs, services, timeline bytes.Buffer
}

// ends notes when jobs leave, and when the run does: the tables keep neither
// of a job that never started.
type ends struct {
	sim.IgnoreAll
	o *outcome
}

func (e ends) JobEnded(now sim.Time, j *sim.ActiveJob) { e.o.left[j.Label()] = now }
func (e ends) RunEnded(now sim.Time) error             { e.o.end = now; return nil }

// run makes a run and audits it.
func run(t *rapid.T, w *world, name string, c policies.Config) *outcome {
	p, err := policies.New(name, c)
	if err != nil {
		t.Fatal(err)
	}
	o := &outcome{policy: name, course: metrics.NewTimeline(), left: map[string]sim.Time{}}
	collector := metrics.NewCollector(w.gpus(), metrics.Objective{Gamma: worldGamma, Lambda: worldLambda, Step: w.stepLength()})
	judge := &holders{gpus: make([]string, w.gpus())}
	recorder := sim.NewRecorder(&o.jobs, &o.services, &o.timeline)
	if err := sim.Run(context.Background(), w.workload(t), p, recorder, judge, collector, o.course, ends{o: o}); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if judge.fault != "" {
		t.Fatalf("%s: %s", name, judge.fault)
	}
	if !collector.Conserved() {
		t.Fatalf("%s: GPU-time is not conserved", name)
	}
	o.report = collector.Report()
	o.decayed, o.objective = collector.Weighted()
	audit(t, w, o)
	return o
}

// holders follows who holds each GPU by what observers are told alone.
type holders struct {
	sim.IgnoreAll
	gpus  []string
	ended map[int64]bool
	fault string
}

func (h *holders) move(who string, ranges []hardware.Range, from, to string) {
	for _, r := range ranges {
		for g := r.First; g < r.End(); g++ {
			if h.gpus[g] != from {
				h.fault = fmt.Sprintf("%s: GPU %d is held by %q, not %q", who, g, h.gpus[g], from)
			}
			h.gpus[g] = to
		}
	}
}

func (h *holders) JobStarted(now sim.Time, j *sim.ActiveJob) {
	h.move("start", j.GPUs, "", j.Label())
	if now < j.Submit || now < j.Earliest {
		h.fault = "job " + j.Label() + " started before it may"
	}
	if n := hardware.Size(j.GPUs); n < j.MinGPUs || n > j.MaxGPUs {
		h.fault = "job " + j.Label() + " has a size it does not accept"
	}
}

func (h *holders) JobEnded(_ sim.Time, j *sim.ActiveJob) {
	h.move("end", j.GPUs, j.Label(), "")
	if h.ended == nil {
		h.ended = map[int64]bool{}
	}
	if h.ended[j.ID] {
		h.fault = "job " + j.Label() + " ended twice"
	}
	h.ended[j.ID] = true
	if d := j.DurationOn(hardware.Size(j.GPUs)); j.State == sim.Completed && j.Ended-j.Started != d {
		h.fault = "job " + j.Label() + " did not run for its duration"
	}
}

func (h *holders) ServiceChanged(_ sim.Time, s *sim.ActiveService, gained, lost []hardware.Range) {
	h.move("gain", gained, "", s.Name)
	h.move("loss", lost, s.Name, "")
	if s.Held > s.Max {
		h.fault = "service " + s.Name + " holds more than its maximum"
	}
}

// Every job ends in one final state, every GPU serves one at a time, no GPU
// time is lost, and the tables say the same as the report: see audit.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		name, c := drawPolicy(t, w)
		run(t, w, name, c)
	})
}

// Same inputs, same seed: the same bytes.
func TestRunsAreReproducible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		name, c := drawPolicy(t, w)
		a, b := run(t, w, name, c), run(t, w, name, c)
		if d := cmp.Diff(a.jobs.String()+a.services.String()+a.timeline.String(), b.jobs.String()+b.services.String()+b.timeline.String()); d != "" {
			t.Fatalf("%s: %s", name, d)
		}
	})
}

// A job that can never run changes nothing else.
func TestImpossibleJobChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		name, c := drawPolicy(t, w)
		before := run(t, w, name, c)
		giant := sim.Job{ID: 999, Name: "giant", MinGPUs: 1000, MaxGPUs: 1000, Priority: 9, Duration: 1, Estimate: 1}
		if n := len(w.jobs); n > 0 {
			giant.Submit = w.jobs[n/2].Submit
			w.jobs = append(w.jobs[:n/2:n/2], append([]sim.Job{giant}, w.jobs[n/2:]...)...)
		} else {
			w.jobs = []sim.Job{giant}
		}
		after := run(t, w, name, c)
		var kept []string
		for _, line := range bytes.SplitAfter(after.jobs.Bytes(), []byte("\n")) {
			if !bytes.HasPrefix(line, []byte("giant")) {
				kept = append(kept, string(line))
			}
		}
		if d := cmp.Diff(before.jobs.String(), string(bytes.Join(toBytes(kept), nil))); d != "" {
			t.Fatalf("%s: %s", name, d)
		}
		if d := cmp.Diff(before.services.String(), after.services.String()); d != "" {
			t.Fatalf("%s: %s", name, d)
		}
	})
}

func toBytes(lines []string) [][]byte {
	out := make([][]byte, len(lines))
	for i, l := range lines {
		out[i] = []byte(l)
	}
	return out
}

// Shifting all times by whole steps shifts the schedule and changes nothing
// else. Services start with the run, so there are none here.
func TestShift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.services, w.horizon, w.closed = nil, 0, false
		name, c := drawPolicy(t, w)
		c.DemandNoise = 0
		before := run(t, w, name, c)
		by := 5 * w.stepLength()
		for i := range w.jobs {
			w.jobs[i].Submit += by
			w.jobs[i].Earliest += by
		}
		after := run(t, w, name, c)
		if d := cmp.Diff(starts(t, before, 0), starts(t, after, by)); d != "" {
			t.Fatalf("%s: %s", name, d)
		}
	})
}

// starts is where and when jobs started, moved back by some time.
func starts(t *rapid.T, o *outcome, back sim.Time) map[string]string {
	rows, err := csv.NewReader(bytes.NewReader(o.jobs.Bytes())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, r := range rows[1:] {
		if r[5] == "" {
			out[r[0]] = r[13]
			continue
		}
		start, _ := strconv.ParseFloat(r[5], 64)
		out[r[0]] = fmt.Sprintf("%.3f on %s, %s", start-back.Seconds(), r[12], r[13])
	}
	return out
}

// A run that is exported as jobs.csv and replayed gives the same schedule.
func TestReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		for i := range w.jobs { // jobs.csv keeps neither estimates nor moldable work
			w.jobs[i].Estimate, w.jobs[i].MaxGPUs, w.jobs[i].Earliest = w.jobs[i].Duration, w.jobs[i].MinGPUs, 0
		}
		w.horizon, w.closed = 0, false
		name, c := drawPolicy(t, w)
		first := run(t, w, name, c)
		rows, err := csv.NewReader(bytes.NewReader(first.jobs.Bytes())).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		byID := map[string][]string{}
		for _, r := range rows[1:] {
			byID[r[0]] = r
		}
		var again []sim.Job
		for _, j := range w.jobs {
			r := byID[fmt.Sprint(j.ID)]
			if r[8] == "" {
				again = append(again, j)
				continue
			}
			submit, _ := strconv.ParseFloat(r[4], 64)
			seconds, _ := strconv.ParseFloat(r[8], 64)
			size, _ := strconv.Atoi(r[11])
			d := sim.Time(math.Round(seconds * 1e9))
			again = append(again, sim.Job{ID: j.ID, Kind: j.Kind, Priority: j.Priority, Across: j.Across,
				Submit: sim.Time(math.Round(submit * 1e9)), MinGPUs: size, MaxGPUs: size, Duration: d, Estimate: d})
		}
		w.jobs = again
		second := run(t, w, name, c)
		if d := cmp.Diff(first.jobs.String(), second.jobs.String()); d != "" {
			t.Fatalf("%s: %s", name, d)
		}
	})
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
