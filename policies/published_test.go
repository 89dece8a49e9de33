package policies_test

import (
	"context"
	"fmt"

	"os"
	"path/filepath"
	"testing"
	"time"

	"berth/policies"
	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"
	"berth/traces"
)

// recorded is the path of a recorded trace, or skips the test.
func recorded(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("BERTH_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("recorded trace %s is not here; BERTH_DATA names its folder", name)
	}
	return path
}

// replay runs a trace on a machine where all GPUs are alike.
func replay(t testing.TB, path string, gpus int, policy string) *metrics.Report {
	t.Helper()
	trace, err := traces.Open(path, traces.Options{MaxGPUs: gpus})
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	topology, err := hardware.NewTopology(hardware.Pool{GPUs: gpus})
	if err != nil {
		t.Fatal(err)
	}
	p, err := policies.New(policy, policies.Config{Gamma: 1, Lambda: 8})
	if err != nil {
		t.Fatal(err)
	}
	c := metrics.NewCollector(gpus, metrics.Objective{Gamma: 1, Step: time.Hour})
	w := &sim.Workload{Topology: topology, Alignment: hardware.Scattered, Jobs: trace}
	if err := sim.Run(context.Background(), w, p, c); err != nil {
		t.Fatal(err)
	}
	return c.Report()
}

// Waits and slowdowns of recorded logs as published: NASA's fcfs wait agrees
// with AccaSim's (8.08 s on the same cleaned log).
func TestPublishedLogs(t *testing.T) {
	for _, c := range []struct {
		log            string
		gpus           int
		policy         string
		jobs           int
		wait, slowdown float64
		makespan       float64
	}{
		{"NASA-iPSC-1993-3.1-cln", 128, "fcfs", 18066, 8.081, 1.0262, 7_949_022},
		{"NASA-iPSC-1993-3.1-cln", 128, "easy", 18066, 4.067, 1.0119, 7_949_022},
		{"hpc2n-first3171", 240, "fcfs", 3145, 5627.883, 47.4055, 5_309_576},
		{"hpc2n-first3171", 240, "sjf", 3145, 3370.169, 29.4746, 5_393_159},
	} {
		t.Run(c.log+"/"+c.policy, func(t *testing.T) {
			r := replay(t, recorded(t, "swf/"+c.log+".swf.gz"), c.gpus, c.policy)
			got := fmt.Sprintf("%d jobs, wait %.3f, slowdown %.4f, makespan %.0f", r.Jobs.Completed, r.WaitSeconds.Mean, r.BoundedSlowdown.Mean, r.MakespanSeconds)
			want := fmt.Sprintf("%d jobs, wait %.3f, slowdown %.4f, makespan %.0f", c.jobs, c.wait, c.slowdown, c.makespan)
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// BenchmarkReplay reads and replays a whole log; jobs/s is what to look at.
func BenchmarkReplay(b *testing.B) {
	for _, c := range []struct {
		file   string
		gpus   int
		policy string
	}{
		{"swf/NASA-iPSC-1993-3.1-cln.swf.gz", 128, "fcfs"},
		{"swf/NASA-iPSC-1993-3.1-cln.swf.gz", 128, "easy"},
		{"swf/hpc2n-first3171.swf.gz", 240, "fcfs"},
		{"swf/lublin_256.swf.gz", 256, "fcfs"},
		{"swf/lublin_256.swf.gz", 256, "easy"},
		{"philly/philly_jobs.csv.gz", 2490, "fcfs"},
		{"philly/philly_jobs.csv.gz", 512, "fcfs"},
		{"philly/philly_jobs.csv.gz", 512, "easy"},
	} {
		b.Run(fmt.Sprintf("%s/gpus=%d/%s", filepath.Base(c.file), c.gpus, c.policy), func(b *testing.B) {
			path := recorded(b, c.file)
			b.ReportAllocs()
			jobs := 0
			for b.Loop() {
				jobs += replay(b, path, c.gpus, c.policy).Jobs.Submitted
			}
			b.ReportMetric(float64(jobs)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

// Planning between steps, when jobs come and go there, shortens waits.
func TestReplan(t *testing.T) {
	mean := func(replan string) float64 {
		rng := sim.Stream(1, "replan")
		var jobs []sim.Job
		at := sim.Time(0)
		for i := range 200 {
			at += sim.Time(rng.IntN(20)) * time.Minute
			d := sim.Time(5+rng.IntN(50)) * time.Minute
			jobs = append(jobs, sim.Job{ID: int64(i), Submit: at, Priority: 1, MinGPUs: 1, MaxGPUs: 1, Duration: d, Estimate: d})
		}
		topology, _ := hardware.NewTopology(hardware.Pool{GPUs: 4})
		p, err := policies.New("horizon", policies.Config{Gamma: 0.97, Replan: replan, Budget: "20"})
		if err != nil {
			t.Fatal(err)
		}
		c := metrics.NewCollector(4, metrics.Objective{Gamma: 1, Step: time.Hour})
		if err := sim.Run(context.Background(), &sim.Workload{Topology: topology, Jobs: &sim.Jobs{List: jobs}}, p, c); err != nil {
			t.Fatal(err)
		}
		return c.Report().WaitSeconds.Mean
	}
	step, arrival, event := mean("step"), mean("arrival"), mean("event")
	t.Logf("mean wait: %.0f s planning at steps, %.0f s also on arrivals, %.0f s also when jobs end", step, arrival, event)
	if !(event < arrival && arrival < step) {
		t.Errorf("mean waits %.0f, %.0f, %.0f s do not shrink", step, arrival, event)
	}
}
