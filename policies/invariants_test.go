package policies_test

// Invariants that hold for every policy on every workload.

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"berth/policies"
	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// outcome is what a run left behind.
type outcome struct {
	policy                   string
	report                   *metrics.Report
	decayed, objective       float64
	course                   *metrics.Timeline
	end                      sim.Time
	left                     map[string]sim.Time // when jobs left
	preempted                map[string][]stay   // where jobs were until they were preempted
	jobs, services, timeline bytes.Buffer
}

// ends notes when jobs leave, and when the run does: the tables keep neither
// of a job that never started.
type ends struct {
	sim.IgnoreAll
	o *outcome
}

func (e ends) JobEnded(now sim.Time, j *sim.ActiveJob) { e.o.left[j.Label()] = now }
func (e ends) JobPreempted(now sim.Time, j *sim.ActiveJob) {
	e.o.preempted[j.Label()] = append(e.o.preempted[j.Label()], stay{"job " + j.Label(), slices.Clone(j.GPUs), j.Resumed, now})
}
func (e ends) RunEnded(now sim.Time) error { e.o.end = now; return nil }

// run makes a run and audits it.
func run(t *rapid.T, w *world, name string, c policies.Config) *outcome {
	p, err := policies.New(name, c)
	if err != nil {
		t.Fatal(err)
	}
	o := &outcome{policy: name, course: metrics.NewTimeline(), left: map[string]sim.Time{}, preempted: map[string][]stay{}}
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

func (h *holders) JobPreempted(_ sim.Time, j *sim.ActiveJob) {
	h.move("preempt", j.GPUs, j.Label(), "")
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
	if d := j.DurationOn(hardware.Size(j.GPUs)); j.State == sim.Completed && j.Preempted == 0 && j.Ended-j.Started != d {
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
		w.horizon, w.closed, w.restart = 0, false, 0
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
