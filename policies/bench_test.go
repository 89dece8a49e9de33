package policies_test

import (
	"context"
	"testing"
	"time"

	"berth/policies"
	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"
)

// mix is an stream of jobs of 1 to 32 GPUs that keeps 128 GPUs
// about 85 % busy, made without allocating.
type mix struct {
	left int
	seed uint64
	at   sim.Time
}

func (m *mix) Next(j *sim.Job) (bool, error) {
	if m.left == 0 {
		return false, nil
	}
	m.left--
	m.seed = m.seed*6364136223846793005 + 1442695040888963407
	n := 1 << (m.seed >> 40 % 6)
	m.at += sim.Time(m.seed>>33%1000) * 93 * time.Millisecond
	d := sim.Time(1+m.seed>>50%1000) * time.Second
	*j = sim.Job{ID: int64(m.left), Submit: m.at, MinGPUs: n, MaxGPUs: n, Priority: 1, Duration: d, Estimate: d}
	return true, nil
}

// BenchmarkRun simulates a synthetic stream of 20,000 jobs on 128 GPUs, with
// all that a replay measures; jobs/s is what to look at.
func BenchmarkRun(b *testing.B) {
	topology, err := hardware.NewTopology(hardware.Pool{GPUs: 128, NodesPerLink: 4})
	if err != nil {
		b.Fatal(err)
	}
	for _, policy := range []string{"fcfs", "easy", "sjf", "priority", "fifo"} {
		for _, alignment := range []hardware.Alignment{hardware.Scattered, hardware.Buddy} {
			b.Run(policy+"/"+alignment.String(), func(b *testing.B) {
				b.ReportAllocs()
				jobs, used := 0, 0.0
				for b.Loop() {
					p, err := policies.New(policy, policies.Config{})
					if err != nil {
						b.Fatal(err)
					}
					c := metrics.NewCollector(128, metrics.Objective{Gamma: 1, Step: time.Hour})
					w := &sim.Workload{Topology: topology, Alignment: alignment, Jobs: &mix{left: 20_000}}
					if err := sim.Run(context.Background(), w, p, c); err != nil {
						b.Fatal(err)
					}
					r := c.Report()
					jobs, used = jobs+r.Jobs.Completed, r.Utilization
				}
				b.ReportMetric(float64(jobs)/b.Elapsed().Seconds(), "jobs/s")
				b.ReportMetric(100*used, "%used")
			})
		}
	}
}
