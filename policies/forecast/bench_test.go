package forecast

import (
	"testing"
	"time"

	"berth/sim"
)

func learned(b *testing.B) *Learned {
	b.Helper()
	l, err := NewLearned(1, LearnedOptions{})
	if err != nil {
		b.Fatal(err)
	}
	series, err := Traffic{Weeks: 8, Peak: 60, Floor: 0.2, Noise: 0.2}.Series(1)
	if err != nil {
		b.Fatal(err)
	}
	for h, v := range series {
		l.Observe(0, sim.Time(h-len(series))*time.Hour, int(v))
	}
	return l
}

// A window of 24 steps.
func BenchmarkForecast(b *testing.B) {
	l, dst := learned(b), make([]int, 24)
	noise, err := NewNoisyDemand(l, DemandErrors{Level: 0.1, Noise: 0.2, Missed: 0.2}, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	perfect := &Perfect{Curves: []sim.Curve{{Step: time.Hour, Levels: make([]int, 1000)}}}
	for _, c := range []struct {
		name string
		Demand
	}{{"perfect", perfect}, {"learned", l}, {"noisy", noise}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Forecast(0, time.Hour, dst)
			}
		})
	}
}

func BenchmarkObserve(b *testing.B) {
	l := learned(b)
	b.ReportAllocs()
	h := 0
	for b.Loop() {
		l.Observe(0, sim.Time(h)*time.Hour, h*h%60)
		h++
	}
}

func BenchmarkNoisyDuration(b *testing.B) {
	n, err := NewNoisyDurations(PerfectDurations{}, DurationErrors{Sigma: 0.3}, 1)
	if err != nil {
		b.Fatal(err)
	}
	j := &sim.Job{ID: 1, Duration: time.Hour}
	b.ReportAllocs()
	for b.Loop() {
		j.ID++
		n.Estimate(j)
	}
}

// One job completes and the next is estimated; history keeps growing, so most
// estimates do not fit again.
func BenchmarkTrainer(b *testing.B) {
	t, err := NewTrainer(TrainerOptions{})
	if err != nil {
		b.Fatal(err)
	}
	samples := SyntheticTraining(1, 1000, time.Hour)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		s := &samples[i%len(samples)]
		i++
		if err := t.Observe(&s.Features, s.GPUs, s.Hours, s.MemoryGiB); err != nil {
			b.Fatal(err)
		}
		// A few fit no block with the margin that a Trainer keeps.
		if _, err := t.Estimate(&s.Features); err != nil && t.Jobs() == 0 {
			b.Fatal(err)
		}
	}
}
