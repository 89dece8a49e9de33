package policies_test

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"berth/policies"
	"berth/sim"
	"berth/sim/experiment"
	"berth/sim/hardware"
	"berth/sim/metrics"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// finishes notes when jobs end and how often they were preempted, by ID.
type finishes struct {
	sim.IgnoreAll
	at        map[int64]sim.Time
	preempted map[int64]int
}

func (f finishes) JobEnded(now sim.Time, j *sim.ActiveJob) {
	f.at[j.ID], f.preempted[j.ID] = now, j.Preempted
}

// finish runs jobs on so many GPUs that are all alike.
func finish(t fataler, policy string, c policies.Config, gpus int, jobs []sim.Job, restart sim.Time) finishes {
	t.Helper()
	topology, err := hardware.NewTopology(hardware.Pool{GPUs: gpus})
	if err != nil {
		t.Fatalf("%v", err)
	}
	p, err := policies.New(policy, c)
	if err != nil {
		t.Fatalf("%v", err)
	}
	f := finishes{at: map[int64]sim.Time{}, preempted: map[int64]int{}}
	w := &sim.Workload{Topology: topology, Alignment: hardware.Scattered, Jobs: &sim.Jobs{List: jobs}, Restart: restart}
	if err := sim.Run(context.Background(), w, p, f); err != nil {
		t.Fatalf("%v", err)
	}
	return f
}

func rigid(id int64, submit, duration sim.Time, gpus int) sim.Job {
	return sim.Job{ID: id, Submit: submit, MinGPUs: gpus, MaxGPUs: gpus, Priority: 1, Duration: duration, Estimate: duration}
}

// On one GPU, srtf is what a loop that gives each second to the job with the
// least left to do says, ties going to the job that runs and then by arrival.
func TestSRTFSecondBySecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var jobs []sim.Job
		at := 0
		for i := range rapid.IntRange(1, 12).Draw(t, "jobs") {
			at += rapid.IntRange(0, 6).Draw(t, "gap")
			jobs = append(jobs, rigid(int64(i), sim.Time(at)*time.Second, sim.Time(rapid.IntRange(1, 12).Draw(t, "length"))*time.Second, 1))
		}
		want := map[int64]sim.Time{}
		left := make([]sim.Time, len(jobs))
		for i := range jobs {
			left[i] = jobs[i].Duration
		}
		last := -1
		for now := sim.Time(0); len(want) < len(jobs); now += time.Second {
			best := -1
			for i := range jobs {
				if jobs[i].Submit > now || left[i] == 0 {
					continue
				}
				if best < 0 || left[i] < left[best] || left[i] == left[best] && i == last {
					best = i
				}
			}
			if last = best; best < 0 {
				continue
			}
			if left[best] -= time.Second; left[best] == 0 {
				want[jobs[best].ID] = now + time.Second
			}
		}
		sum := func(m map[int64]sim.Time) (s sim.Time) {
			for _, v := range m {
				s += v
			}
			return s
		}
		// Jobs with as much left are alike, so the ends are the same as a set.
		got := finish(t, "srtf", policies.Config{}, 1, jobs, 0).at
		if d := cmp.Diff(sorted(want), sorted(got)); d != "" || sum(want) != sum(got) {
			t.Fatalf("%s", d)
		}
	})
}

func sorted(m map[int64]sim.Time) []sim.Time {
	var out []sim.Time
	for _, v := range m {
		out = append(out, v)
	}
	slices.Sort(out)
	return out
}

// By hand: 4 GPUs, a threshold of 4 GPU-minutes.
func TestLASByHand(t *testing.T) {
	c := policies.Config{ThresholdGPUHours: 4.0 / 60}
	jobs := []sim.Job{
		rigid(1, 0, 10*time.Minute, 4),             // has its threshold after 1 minute
		rigid(2, 30*time.Second, 3*time.Minute, 2), // takes over at 1 min, has its own at 3 min
	}
	f := finish(t, "las", c, 4, jobs, 0)
	// At 3 min both are in the second queue, where job 1 was started first: it
	// runs its other 9 minutes, and then job 2 its last one.
	want := map[int64]sim.Time{1: 12 * time.Minute, 2: 13 * time.Minute}
	if d := cmp.Diff(want, f.at); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[int64]int{1: 1, 2: 1}, f.preempted); d != "" {
		t.Error(d)
	}
	// With a restart of a minute each is a minute longer, and job 2 waits for
	// the other's too.
	f = finish(t, "las", c, 4, jobs, time.Minute)
	if d := cmp.Diff(map[int64]sim.Time{1: 13 * time.Minute, 2: 15 * time.Minute}, f.at); d != "" {
		t.Error(d)
	}
	// Promoted after waiting as long as it has run: job 1 ran 1 minute, waits
	// from 1 min to 2 min, and is back before job 2, which has not started
	// first; that one goes on once job 1 is in the second queue again, at 3 min.
	c.Promote = 1
	f = finish(t, "las", c, 4, jobs, 0)
	if f.at[2] >= 13*time.Minute || f.preempted[1] < 2 {
		t.Errorf("promotion changes nothing: %v, preempted %v", f.at, f.preempted)
	}
}

// responseOf is the mean response in one replication of M/M/1.
func responseOf(t *testing.T, policy string, load float64, seed uint64) float64 {
	t.Helper()
	topology, err := hardware.NewTopology(hardware.Pool{GPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	p, err := policies.New(policy, policies.Config{ThresholdGPUHours: 1.0 / 3600})
	if err != nil {
		t.Fatal(err)
	}
	rng := sim.Stream(seed, "theory")
	jobs := &poisson{rng: rng, left: 40_000, arrival: load, service: expFloat}
	c := metrics.NewCollector(1, metrics.Objective{Gamma: 1, Step: 3600e9})
	w := &sim.Workload{Topology: topology, Alignment: hardware.Scattered, Jobs: jobs}
	if err := sim.Run(context.Background(), w, p, c); err != nil {
		t.Fatal(err)
	}
	if !c.Conserved() {
		t.Error("GPU-time is not conserved")
	}
	if policy != "fcfs" && c.Report().Preemptions == 0 {
		t.Errorf("%s never preempted", policy)
	}
	return c.Report().TurnaroundSeconds.Mean
}

// srptResponse is the mean response of M/M/1 under shortest remaining
// processing time at unit service rate (Schrage and Miller, 1966):
// E[T(x)] = λ(∫₀ˣ t² f + x² F̄(x)) / 2(1−ρ(x))² + ∫₀ˣ dt/(1−ρ(t)), over f.
func srptResponse(load float64) float64 {
	const dx = 1e-3
	rho := func(x float64) float64 { return load * (1 - (1+x)*math.Exp(-x)) }
	mean, residence, second := 0.0, 0.0, 0.0
	for x := dx / 2; x < 40; x += dx {
		f := math.Exp(-x)
		second += x * x * f * dx
		residence += dx / (1 - rho(x))
		wait := load * (second + x*x*f) / (2 * (1 - rho(x)) * (1 - rho(x)))
		mean += (wait + residence) * f * dx
	}
	return mean
}

// With exponential service, a policy that never idles and knows no durations
// has the mean response of fcfs, 1/(1−ρ), however it preempts; one that serves
// the shortest remaining has the least there is.
func TestPreemptiveQueueingTheory(t *testing.T) {
	const load = 0.7
	for policy, want := range map[string]float64{"las": 1 / (1 - load), "srtf": srptResponse(load)} {
		var means []float64
		for seed := range uint64(12) {
			means = append(means, responseOf(t, policy, load, seed))
		}
		got := experiment.MeanOf(means)
		t.Logf("%s: mean response %.4f ± %.4f, closed form %.4f", policy, got.Mean, got.Half, want)
		if math.Abs(got.Mean-want) > 2.5*got.Half {
			t.Errorf("%s: mean response %.4f ± %.4f, closed form %.4f", policy, got.Mean, got.Half, want)
		}
	}
}
