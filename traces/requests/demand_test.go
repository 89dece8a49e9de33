package requests

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestBurstGPT(t *testing.T) {
	r, err := Open("testdata/burstgpt.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := drain(r)
	if err != nil {
		t.Fatal(err)
	}
	want := []Request{{5 * time.Second, 472, 18}, {45 * time.Second, 1087, 230}, {45500 * time.Millisecond, 417, 0}, {130 * time.Second, 10, 20}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if r.Format() != "burstgpt-csv" {
		t.Errorf("format %s", r.Format())
	}
	for text, says := range map[string]string{
		"Timestamp,Request tokens,Response tokens\nNone,1,1\n":   `x:2: Timestamp is "None"`,
		"Timestamp,Request tokens,Response tokens\n1,-1,1\n":     `x:2: Request tokens is "-1"`,
		"Timestamp,Request tokens,Response tokens\n2,1\n":        "x:2: 2 fields",
		"Request tokens,Response tokens\n2,1\n":                  `x:1: header lacks column "Timestamp"`,
		"Timestamp,Request tokens,Response tokens\n2,1,1\n1,1,1": "x:3: time is 1s before",
	} {
		r, err := NewReader(strings.NewReader(text), "x")
		if err == nil {
			_, err = drain(r)
		}
		if err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestDemand works one minute out by hand: 472+1087+417 tokens read and 18+230
// written by 3 requests in 60 s.
func TestDemand(t *testing.T) {
	s, err := OpenSeries("testdata/burstgpt.csv", Sampling{}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	// (1976/60)/10 + (248/60)/2 + (3/60)*4 = 3.293 + 2.067 + 0.2 = 5.56 busy, 7.94 held, 8 in fours
	c, err := s.Demand(Model{Prefill: 10, Decode: 2, PerRequest: 4, Replica: 4}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]int{8, 0}, c.Levels); d != "" || c.Step != time.Minute {
		t.Error(d)
	}
	rates, err := OpenSeries("testdata/qps.csv", Sampling{Type: "Generative Requests", Every: 57 * time.Second}, 114*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	// 0.27 a second for 57 of 114 s, 40 GPU-seconds each, all of the time: 5.4
	if c, err = rates.Demand(Model{PerRequest: 40, Target: 1}, 1); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]int{6, 0}, c.Levels); d != "" {
		t.Error(d)
	}
}

// TestModel: what is held is a whole number of replicas that keeps the busy
// share at the target or below, and one replica less would not.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Model{
			Prefill: rapid.Float64Range(1, 1e5).Draw(t, "prefill"), Decode: rapid.Float64Range(1, 1e4).Draw(t, "decode"),
			PerRequest: rapid.Float64Range(0, 10).Draw(t, "request"), Target: rapid.Float64Range(0.01, 1).Draw(t, "target"),
			Replica: rapid.IntRange(1, 64).Draw(t, "replica"),
		}
		requests, read, wrote := rapid.Float64Range(0, 1e3).Draw(t, "r"), rapid.Float64Range(0, 1e6).Draw(t, "c"), rapid.Float64Range(0, 1e6).Draw(t, "g")
		n := m.GPUs(requests, read, wrote)
		busy := read/m.Prefill + wrote/m.Decode + requests*m.PerRequest
		if n%m.Replica != 0 {
			t.Fatalf("%d GPUs in replicas of %d", n, m.Replica)
		}
		const slack = 1 + 1e-6
		if busy > float64(n)*m.Target*slack+1e-6 || n > 0 && busy*slack+1e-6 < float64(n-m.Replica)*m.Target {
			t.Fatalf("%d GPUs for %v busy at %v", n, busy, m.Target)
		}
	})
	for _, m := range []Model{{}, {Prefill: -1}, {Decode: math.NaN()}, {Decode: 1, Target: 2}, {Decode: 1, Replica: -1}} {
		if m.Check() == nil {
			t.Errorf("%+v is accepted", m)
		}
	}
}
