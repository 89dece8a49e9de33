package traces

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"berth/sim"
	"berth/sim/hardware"
)

// written writes jobs in a format.
func written(t testing.TB, format string, about About, jobs []sim.Job) (string, Losses) {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, format, about)
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs {
		if err := w.Write(&jobs[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.Losses()
}

// anyJobs draws jobs with every field at whatever is legal.
func anyJobs(t *rapid.T) []sim.Job {
	span := rapid.Int64Range(0, int64(100*365*24*time.Hour))
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "None", `a"b,c`, "two\nlines\r", `back\nslash\\`, " x ", "#"}))
	var jobs []sim.Job
	submit := sim.Time(0)
	for i := range rapid.IntRange(0, 20).Draw(t, "n") {
		submit += sim.Time(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "gap"))
		least := rapid.IntRange(0, 64).Draw(t, "min")
		jobs = append(jobs, sim.Job{
			ID: int64(i) - 5, Name: text.Draw(t, "name"), Tenant: text.Draw(t, "tenant"),
			Kind:     rapid.SampledFrom(sim.Kinds()).Draw(t, "kind"),
			Priority: rapid.Float64Range(1e-9, 1e12).Draw(t, "priority"),
			Submit:   submit, Earliest: sim.Time(span.Draw(t, "earliest")),
			MinGPUs: least, MaxGPUs: least + rapid.IntRange(0, 64).Draw(t, "more"), Parallel: rapid.Float64Range(0, 1).Draw(t, "parallel"),
			Duration: sim.Time(span.Draw(t, "duration") + 1), Estimate: sim.Time(span.Draw(t, "estimate") + 1),
			Across: rapid.Bool().Draw(t, "across"),
			Request: hardware.Request{
				GPUMilli: rapid.IntRange(0, 1000).Draw(t, "milli"), CPUMilli: rapid.IntRange(0, math.MaxInt32).Draw(t, "cpu"),
				MemoryMiB: rapid.IntRange(0, math.MaxInt32).Draw(t, "memory"), Models: hardware.Models(text.Draw(t, "models")),
			},
		})
	}
	return jobs
}

// TestBerthRoundTrip: what is written in berth's own CSV is read back exactly,
// field by field, and so are epoch and machine.
func TestBerthRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		jobs := anyJobs(rt)
		epoch := time.Unix(rapid.Int64Range(0, 4e9).Draw(rt, "epoch"), rapid.Int64Range(0, 999_999_999).Draw(rt, "nano")).In(time.FixedZone("", 3600))
		text, losses := written(t, "berth", About{Epoch: epoch, Machine: 77}, jobs)
		if len(losses) > 0 {
			rt.Fatalf("losses %v", losses)
		}
		tr, err := NewReader(strings.NewReader(text), "x", Options{CPUOnly: true})
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		got, err := drainErr(tr)
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		if d := cmp.Diff(jobs, got); d != "" {
			rt.Fatalf("%s\n%s", d, text)
		}
		if at, ok := tr.Epoch(); len(jobs) > 0 && (!ok || !at.Equal(epoch)) || tr.Machine() != 77 {
			rt.Fatalf("epoch %v, machine %d", at, tr.Machine())
		}
	})
}

// TestOtherRoundTrips: of jobs in whole seconds, SWF keeps what it has a place
// for; Batsim keeps times to the nanosecond.
func TestOtherRoundTrips(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		for _, format := range []string{"swf", "batsim"} {
			jobs := anyJobs(rt)
			var want []sim.Job
			for i := range jobs {
				j := &jobs[i]
				j.MinGPUs = max(j.MinGPUs, 1)
				j.ID, j.Name, j.Tenant = int64(i+1), "", ""
				if format == "swf" {
					for _, p := range []*sim.Time{&j.Submit, &j.Duration, &j.Estimate} {
						*p = p.Truncate(time.Second) + time.Second
					}
				}
				w := sim.Job{ID: j.ID, Submit: j.Submit, Duration: j.Duration, Estimate: max(j.Estimate, j.Duration), MinGPUs: j.MinGPUs, MaxGPUs: j.MinGPUs, Priority: 1, Across: true}
				if format == "batsim" {
					w.Name = w.Label()
				}
				want = append(want, w)
			}
			text, _ := written(t, format, About{Epoch: time.Unix(1e9, 0), Machine: 9}, jobs)
			if len(jobs) == 0 {
				continue // SWF without a row has its header only
			}
			tr, err := NewReader(strings.NewReader(text), "x", Options{})
			if err != nil {
				rt.Fatalf("%v\n%s", err, text)
			}
			got, err := drainErr(tr)
			if err != nil {
				rt.Fatalf("%v\n%s", err, text)
			}
			if format == "swf" && jobs[0].Submit > tenYears*time.Second {
				first := got[0].Submit - want[0].Submit // its times are taken as counted from 1970
				for i := range want {
					want[i].Submit += first
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				rt.Fatalf("%s: %s\n%s", format, d, text)
			}
		}
	})
}

func TestLosses(t *testing.T) {
	jobs := []sim.Job{
		{ID: 1, Tenant: "a", Priority: 1, MinGPUs: 1, MaxGPUs: 2, Duration: 1, Estimate: 1},
		{ID: 2, Name: "n", Tenant: "7", Priority: 2, MinGPUs: 1, MaxGPUs: 1, Duration: time.Second, Estimate: time.Second, Earliest: time.Second,
			Request: hardware.Request{Models: "A"}},
	}
	text, losses := written(t, "swf", About{}, jobs)
	want := "; Version: 2.2\n" +
		"1 0 -1 1 1 -1 -1 1 1 -1 1 1000001 -1 -1 -1 -1 -1 -1\n" +
		"2 0 -1 1 1 -1 -1 1 1 -1 1 7 -1 -1 -1 -1 -1 -1\n"
	if d := cmp.Diff(want, text); d != "" {
		t.Error(d)
	}
	got := map[string][]int64{}
	for _, l := range losses {
		got[l.What] = l.Lines
	}
	if d := cmp.Diff(map[string][]int64{
		lostElastic.what: {1}, lostTime.what: {1}, lostTenant.what: {1},
		lostName.what: {2}, lostPriority.what: {2}, lostEarliest.what: {2}, lostRequest.what: {2},
	}, got); d != "" {
		t.Error(d)
	}
	text, _ = written(t, "batsim", About{}, []sim.Job{{Name: "\xff\"", MinGPUs: 2, Duration: 1, Estimate: 1, Submit: 1500 * time.Millisecond}})
	if want := "{\"id\": \"\uFFFD\\\"\", \"subtime\": 1.5, \"res\": 2, \"walltime\": 0.000000001, \"profile\": \"delay0.000000001\"}"; !strings.Contains(text, want) || !strings.Contains(text, `"nb_res": 2`) {
		t.Errorf("%s in %s", want, text)
	}
	if _, err := NewWriter(&bytes.Buffer{}, "philly-csv", About{}); err == nil || !strings.Contains(err.Error(), "accepted are batsim, berth, swf") {
		t.Errorf("error %v", err)
	}
}

// TestJobCodeAny: the sorter's encoding keeps jobs whatever is 0 in them.
func TestJobCodeAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, want := range append(anyJobs(t), sim.Job{}, sim.Job{Priority: 1, MinGPUs: 3, MaxGPUs: 3, Duration: 5, Estimate: 5}) {
			var got sim.Job
			if err := decodeJob(appendJob(nil, &want), &got, interner{}); err != nil || got != want {
				t.Fatalf("got %+v, %v\nwant %+v", got, err, want)
			}
		}
	})
}
