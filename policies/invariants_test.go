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

// world is a random workload, as data, so that it can be run many times.
type world struct {
	pools     []hardware.Pool
	alignment hardware.Alignment
	services  []sim.Service
	jobs      []sim.Job
	horizon   sim.Time
	closed    bool
}

func (w *world) workload(t *rapid.T) *sim.Workload {
	topology, err := hardware.NewTopology(w.pools...)
	if err != nil {
		t.Fatal(err)
	}
	return &sim.Workload{
		Name: "random", Topology: topology, Alignment: w.alignment, Services: w.services,
		Jobs: &sim.Jobs{List: w.jobs}, Horizon: w.horizon, Closed: w.closed,
	}
}

func drawWorld(t *rapid.T) *world {
	integer := func(lo, hi int, name string) int { return rapid.IntRange(lo, hi).Draw(t, name) }
	w := &world{
		pools:     []hardware.Pool{{GPUs: integer(2, 24, "gpus"), GPUsPerNode: rapid.SampledFrom([]int{4, 8}).Draw(t, "node")}},
		alignment: rapid.SampledFrom([]hardware.Alignment{hardware.Contiguous, hardware.Buddy, hardware.Scattered}).Draw(t, "alignment"),
	}
	gpus := w.pools[0].GPUs
	if rapid.Bool().Draw(t, "horizon") {
		w.horizon = time.Duration(integer(4, 30, "hours")) * time.Hour
		w.closed = rapid.Bool().Draw(t, "closed")
	}
	for i := range integer(0, 2, "services") {
		s := sim.Service{Name: fmt.Sprint("s", i), Priority: 1, Max: integer(0, gpus, "max"), SwapCap: integer(0, 3, "cap")}
		s.Min = integer(0, min(1, s.Max), "min")
		s.Demand = sim.Curve{Step: time.Hour, Levels: rapid.SliceOfN(rapid.IntRange(0, gpus/2+1), 1, 30).Draw(t, "demand")}
		w.services = append(w.services, s)
	}
	at := sim.Time(0)
	for i := range integer(0, 25, "jobs") {
		at += time.Duration(integer(0, 90, "gap")) * time.Minute
		j := sim.Job{ID: int64(i + 1), Submit: at, Priority: float64(integer(1, 5, "priority")), Kind: sim.Kind(integer(0, 3, "kind"))}
		j.MinGPUs = integer(1, 9, "size")
		j.MaxGPUs, j.Parallel = j.MinGPUs+integer(0, 8, "more")*integer(0, 1, "moldable"), 0.9
		j.Duration = time.Duration(integer(1, 400, "minutes")) * time.Minute
		j.Estimate = j.Duration * time.Duration(integer(5, 20, "estimate")) / 10
		j.Earliest = at + time.Duration(integer(0, 200, "later")*integer(0, 1, "earliest"))*time.Minute
		j.Across = rapid.Bool().Draw(t, "across")
		w.jobs = append(w.jobs, j)
	}
	return w
}

func drawPolicy(t *rapid.T) (string, policies.Config) {
	all := policies.All()
	name := all[rapid.IntRange(0, len(all)-1).Draw(t, "policy")].Name
	c := policies.Config{Gamma: 0.97, Lambda: 8, Seed: 1, Budget: "20"}
	c.Reserve = rapid.SampledFrom([]string{"", "peak", "curve"}).Draw(t, "reserve")
	c.Commit = rapid.SampledFrom([]int{1, 1, 3}).Draw(t, "commit")
	c.Replan = rapid.SampledFrom([]string{"", "step", "arrival"}).Draw(t, "replan")
	c.Forecast = rapid.SampledFrom([]string{"", "learned"}).Draw(t, "forecast")
	c.DurationSigma = rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "sigma")
	c.DemandNoise = rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "noise")
	return name, c
}

// outcome is what a run left behind.
type outcome struct {
	report                   *metrics.Report
	jobs, services, timeline bytes.Buffer
}

func run(t *rapid.T, w *sim.Workload, name string, c policies.Config) *outcome {
	p, err := policies.New(name, c)
	if err != nil {
		t.Fatal(err)
	}
	o := &outcome{}
	collector := metrics.NewCollector(w.Topology.GPUs(), metrics.Objective{Gamma: 0.97, Lambda: 8, Step: time.Hour})
	judge := &holders{gpus: make([]string, w.Topology.GPUs())}
	recorder := sim.NewRecorder(&o.jobs, &o.services, &o.timeline)
	if err := sim.Run(context.Background(), w, p, recorder, judge, collector); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if judge.fault != "" {
		t.Fatalf("%s: %s", name, judge.fault)
	}
	if !collector.Conserved() {
		t.Fatalf("%s: GPU-time is not conserved", name)
	}
	o.report = collector.Report()
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
// time is lost, and the tables say the same as the report.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		name, c := drawPolicy(t)
		o := run(t, w.workload(t), name, c)
		n := o.report.Jobs
		submitted := 0
		for _, j := range w.jobs {
			if w.horizon == 0 || j.Submit < w.horizon {
				submitted++
			}
		}
		if n.Submitted != submitted || n.Completed+n.Unfinished+n.Unscheduled+n.Rejected != submitted {
			t.Fatalf("%s: of %d jobs %+v", name, submitted, n)
		}
		if w.horizon == 0 && n.Unfinished > 0 {
			t.Fatalf("%s: %d jobs are unfinished in a run without horizon", name, n.Unfinished)
		}
		compareTables(t, w, o)
	})
}

// compareTables adds up GPU-hours from the CSV tables.
func compareTables(t *rapid.T, w *world, o *outcome) {
	rows := func(b *bytes.Buffer) [][]string {
		all, err := csv.NewReader(bytes.NewReader(b.Bytes())).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return all[1:]
	}
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	same := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-6*max(1, want) {
			t.Fatalf("%s: %v in the tables, %v in the report", what, got, want)
		}
	}
	batch, value := 0.0, 0.0
	for _, r := range rows(&o.jobs) {
		if r[12] == "" {
			continue
		}
		gpus, err := hardware.ParseRanges(r[12])
		if err != nil {
			t.Fatal(err)
		}
		hours := float64(hardware.Size(gpus)) * number(r[8]) / 3600
		batch += hours
		value += number(r[3]) * hours
	}
	same("batch GPU-hours", batch, o.report.GPUHours.Batch)
	same("value", value, o.report.Value)
	var sums [3]float64
	lines := rows(&o.timeline)
	for i, r := range lines {
		end := o.report.HorizonHours * 3600
		if i+1 < len(lines) {
			end = number(lines[i+1][0])
		}
		for k := range sums {
			sums[k] += number(r[k+1]) * (end - number(r[0])) / 3600
		}
	}
	same("batch in the timeline", sums[0], o.report.GPUHours.Batch)
	same("real-time in the timeline", sums[1], o.report.GPUHours.Realtime)
	same("reserved idle in the timeline", sums[2], o.report.GPUHours.ReservedIdle)
}

// Same inputs, same seed: the same bytes.
func TestRunsAreReproducible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		name, c := drawPolicy(t)
		a, b := run(t, w.workload(t), name, c), run(t, w.workload(t), name, c)
		if d := cmp.Diff(a.jobs.String()+a.services.String()+a.timeline.String(), b.jobs.String()+b.services.String()+b.timeline.String()); d != "" {
			t.Fatalf("%s: %s", name, d)
		}
	})
}

// A job that can never run changes nothing else.
func TestImpossibleJobChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		name, c := drawPolicy(t)
		before := run(t, w.workload(t), name, c)
		giant := sim.Job{ID: 999, Name: "giant", MinGPUs: 1000, MaxGPUs: 1000, Priority: 9, Duration: 1, Estimate: 1}
		if n := len(w.jobs); n > 0 {
			giant.Submit = w.jobs[n/2].Submit
			w.jobs = append(w.jobs[:n/2:n/2], append([]sim.Job{giant}, w.jobs[n/2:]...)...)
		} else {
			w.jobs = []sim.Job{giant}
		}
		after := run(t, w.workload(t), name, c)
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
		name, c := drawPolicy(t)
		c.DemandNoise = 0
		before := run(t, w.workload(t), name, c)
		const by = 5 * time.Hour
		for i := range w.jobs {
			w.jobs[i].Submit += by
			w.jobs[i].Earliest += by
		}
		after := run(t, w.workload(t), name, c)
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
		name, c := drawPolicy(t)
		first := run(t, w.workload(t), name, c)
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
		second := run(t, w.workload(t), name, c)
		if d := cmp.Diff(first.jobs.String(), second.jobs.String()); d != "" {
			t.Fatalf("%s: %s", name, d)
		}
	})
}
