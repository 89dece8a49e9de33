package main

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The study of recorded traces makes the same bytes twice and the kept figures.
// What theory says of its orders holds: shortest first and backfilling lower the
// mean wait of first come, first served, and least attained service lets the
// median job through.
func TestRecordedTraces(t *testing.T) {
	if testing.Short() {
		t.Skip("replays two whole traces: left out by -short")
	}
	data, err := filepath.Abs(recordedData(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, run := range []string{"-o a -j 1", "-o b -j 4"} {
		args := append(strings.Fields("paper --only traces --check "+run), "--data", data)
		if stdout, stderr, status := berth(t, dir, args...); status != 0 {
			t.Fatalf("status %d: %s%s", status, stdout, stderr)
		}
	}
	madeTwice(t, dir, "traces")
	text, err := os.ReadFile(filepath.Join(dir, "a", "traces", "traces.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	figure := func(trace, policy, key string) float64 {
		for _, row := range rows[1:] {
			if row[0] == trace && row[1] == policy {
				for i, head := range rows[0] {
					if head == key {
						x, err := strconv.ParseFloat(row[i], 64)
						if err != nil {
							t.Fatal(err)
						}
						return x
					}
				}
			}
		}
		t.Fatalf("no %s of %s under %s", key, trace, policy)
		return math.NaN()
	}
	for _, trace := range []string{"philly", "openb"} {
		wait := func(policy string) float64 { return figure(trace, policy, "wait_mean_hours") }
		for _, policy := range []string{"sjf", "easy", "las"} {
			if wait(policy) >= wait("fcfs") {
				t.Errorf("%s: mean wait %v h under %s, %v h under fcfs", trace, wait(policy), policy, wait("fcfs"))
			}
		}
		if got := figure(trace, "las", "slowdown_p50"); got != 1 {
			t.Errorf("%s: the median slowdown under las is %v; most jobs are short and find no queue", trace, got)
		}
		// Little's law without limits: jobs that wait, summed over time, are the
		// waits of all jobs.
		for _, policy := range replayPolicies {
			want := wait(policy) * figure(trace, policy, "jobs")
			if got := jobSeconds(t, filepath.Join(dir, "a", "traces", "queue.csv"), trace, policy) / 3600; math.Abs(got-want) > 1e-3*want {
				t.Errorf("%s under %s: queue.csv has %v job-hours of waiting, the jobs waited %v", trace, policy, got, want)
			}
		}
	}
}

// jobSeconds is the time that jobs wait, in job-seconds, by the course of the queue.
func jobSeconds(t *testing.T, path, trace, policy string) (sum float64) {
	t.Helper()
	rows := csvRows(t, path)
	for _, row := range rows[1:] {
		if row[0] != trace || row[1] != policy {
			continue
		}
		var x [3]float64
		var err error
		for i := range x {
			if x[i], err = strconv.ParseFloat(row[2+i], 64); err != nil {
				t.Fatal(err)
			}
		}
		sum += (x[1] - x[0]) * x[2]
	}
	return sum
}
