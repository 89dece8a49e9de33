package policies_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"berth/policies"
	"berth/sim"
	"berth/sim/experiment"
	"berth/sim/hardware"
	"berth/sim/metrics"
)

// poisson is a stream of one-GPU jobs with exponential gaps, in seconds.
type poisson struct {
	rng     *rand.Rand
	left    int
	at      float64
	arrival float64 // a second
	service func(*rand.Rand) float64
}

func (p *poisson) Next(j *sim.Job) (bool, error) {
	if p.left == 0 {
		return false, nil
	}
	p.left--
	p.at += p.rng.ExpFloat64() / p.arrival
	d := max(sim.Time(p.service(p.rng)*1e9), 1)
	*j = sim.Job{ID: int64(p.left), Submit: sim.Time(p.at * 1e9), MinGPUs: 1, MaxGPUs: 1, Priority: 1, Duration: d, Estimate: d}
	return true, nil
}

// wait is the mean wait in seconds of one replication under fcfs, and how far
// Little's law is off: mean queue length against arrivals × mean wait.
func wait(t *testing.T, servers int, arrival float64, service func(*rand.Rand) float64, seed uint64) (mean, little float64) {
	t.Helper()
	topology, err := hardware.NewTopology(hardware.Pool{GPUs: servers})
	if err != nil {
		t.Fatal(err)
	}
	const jobs = 40_000
	w := &sim.Workload{Topology: topology, Alignment: hardware.Scattered,
		Jobs: &poisson{rng: sim.Stream(seed, "theory"), left: jobs, arrival: arrival, service: service}}
	p, err := policies.New("fcfs", policies.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c := metrics.NewCollector(servers, metrics.Objective{Gamma: 1, Step: 3600e9})
	timeline := metrics.NewTimeline()
	if err := sim.Run(context.Background(), w, p, c, timeline); err != nil {
		t.Fatal(err)
	}
	queue := 0.0 // job-seconds
	for i, b := range timeline.Bins {
		queue += b.Waiting * min(timeline.Width, timeline.End-sim.Time(i)*timeline.Width).Seconds()
	}
	mean = c.Report().WaitSeconds.Mean
	return mean, math.Abs(queue-mean*jobs) / max(1, queue)
}

// erlangC is the mean wait in an M/M/k queue with unit mean service time.
func erlangC(k int, load float64) float64 {
	b := 1.0 // Erlang B by its recursion
	for n := 1; n <= k; n++ {
		b = load * b / (float64(n) + load*b)
	}
	c := float64(k) * b / (float64(k) - load*(1-b))
	return c / (float64(k) - load)
}

// The mean of replications must lie within 2.5 half-widths of its 95 % interval
// around the closed form, which a right simulator misses less than once in a
// million times; and Little's law holds on every one.
func TestQueueingTheory(t *testing.T) {
	fixed := func(*rand.Rand) float64 { return 1 }
	for _, c := range []struct {
		name    string
		servers int
		load    float64 // arrivals a second at unit service time
		service func(*rand.Rand) float64
		want    float64
	}{
		{"M/M/1", 1, 0.7, expFloat, erlangC(1, 0.7)},
		{"M/M/4", 4, 3.2, expFloat, erlangC(4, 3.2)},
		{"M/M/16", 16, 14, expFloat, erlangC(16, 14)},
		{"M/D/1", 1, 0.7, fixed, 0.7 / (2 * (1 - 0.7))}, // Pollaczek and Khinchine
	} {
		t.Run(c.name, func(t *testing.T) {
			var means []float64
			for seed := range uint64(12) {
				mean, little := wait(t, c.servers, c.load, c.service, seed)
				if little > 1e-6 {
					t.Errorf("seed %d: Little's law is off by %.2g", seed, little)
				}
				means = append(means, mean)
			}
			got := experiment.MeanOf(means)
			t.Logf("%s: mean wait %.4f ± %.4f, closed form %.4f", c.name, got.Mean, got.Half, c.want)
			if math.Abs(got.Mean-c.want) > 2.5*got.Half {
				t.Errorf("mean wait %.4f ± %.4f, closed form %.4f", got.Mean, got.Half, c.want)
			}
		})
	}
}

func expFloat(r *rand.Rand) float64 { return r.ExpFloat64() }
