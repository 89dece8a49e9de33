package metrics

import (
	"berth/sim"
)

// Bin is what the cluster did in one slice of the run, as means over it.
type Bin struct {
	Batch, Served, ReservedIdle, Idle, Missing float64 // GPUs
	Waiting                                    float64 // jobs
	Value                                      float64 // gained in the slice: priority × GPU-hours
}

// maxBins bounds a Timeline: when a run outgrows it, neighbours are merged.
const maxBins = 2048

// Timeline is a sim.Observer that keeps the course of a run in bounded memory:
// equal slices, whose width doubles whenever there would be too many.
type Timeline struct {
	sim.IgnoreAll
	Width sim.Time // of a slice
	Bins  []Bin    // once the run has ended
	End   sim.Time // the last slice may be shorter

	last   sim.Time
	counts sim.Counts
	rate   float64 // Σ priority × GPUs of running jobs
}

// NewTimeline starts with slices of a minute.
func NewTimeline() *Timeline {
	return &Timeline{Width: 60e9}
}

// JobStarted implements sim.Observer.
func (t *Timeline) JobStarted(now sim.Time, j *sim.ActiveJob) {
	t.advance(now)
	t.rate += j.Priority * j.HeldGPUs()
}

// JobEnded implements sim.Observer.
func (t *Timeline) JobEnded(now sim.Time, j *sim.ActiveJob) {
	if n := j.HeldGPUs(); n > 0 {
		t.advance(now)
		t.rate -= j.Priority * n
	}
}

// RoundEnded implements sim.Observer.
func (t *Timeline) RoundEnded(now sim.Time, c *sim.Counts) error {
	t.advance(now)
	t.counts = *c
	return nil
}

// RunEnded implements sim.Observer: sums become means.
func (t *Timeline) RunEnded(now sim.Time) error {
	t.advance(now)
	t.End = now
	for i := range t.Bins {
		b := &t.Bins[i]
		d := float64(min(t.Width, now-sim.Time(i)*t.Width))
		for _, x := range []*float64{&b.Batch, &b.Served, &b.ReservedIdle, &b.Idle, &b.Missing, &b.Waiting} {
			*x /= d
		}
	}
	return nil
}

// advance adds what held since the last change to the slices it fell in.
func (t *Timeline) advance(now sim.Time) {
	for now > sim.Time(maxBins)*t.Width {
		t.merge()
	}
	for t.last < now {
		i := int(t.last / t.Width)
		for i >= len(t.Bins) {
			t.Bins = append(t.Bins, Bin{})
		}
		until := min(now, sim.Time(i+1)*t.Width)
		d, b, c := float64(until-t.last), &t.Bins[i], &t.counts
		b.Batch += d * c.BatchGPUs()
		b.Served += d * float64(c.Served)
		b.ReservedIdle += d * float64(c.Realtime-c.Served)
		b.Idle += d * c.IdleGPUs()
		b.Missing += d * float64(c.Missing)
		b.Waiting += d * float64(c.Waiting)
		b.Value += d / 3.6e12 * t.rate
		t.last = until
	}
}

// merge doubles the width of the slices.
func (t *Timeline) merge() {
	half := t.Bins[:0]
	for i := 0; i < len(t.Bins); i += 2 {
		b := t.Bins[i]
		if i+1 < len(t.Bins) {
			o := &t.Bins[i+1]
			b.Batch += o.Batch
			b.Served += o.Served
			b.ReservedIdle += o.ReservedIdle
			b.Idle += o.Idle
			b.Missing += o.Missing
			b.Waiting += o.Waiting
			b.Value += o.Value
		}
		half = append(half, b)
	}
	t.Bins = half
	t.Width *= 2
}
