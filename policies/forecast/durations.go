package forecast

import (
	"fmt"
	"math"

	"berth/sim"
)

// Durations is what a planning policy is told of how long jobs run. A
// Durations serves one run and is not safe for concurrent use.
type Durations interface {
	// Estimate is the expected execution time on the job's MinGPUs, at least
	// 1 ns. The same job has the same estimate until something is observed.
	Estimate(*sim.Job) sim.Time
	// Observe tells how long a job that has completed took, on its MinGPUs.
	Observe(j *sim.Job, actual sim.Time)
}

// PerfectDurations knows how long jobs run.
type PerfectDurations struct{}

// Estimate implements Durations.
func (PerfectDurations) Estimate(j *sim.Job) sim.Time { return max(j.Duration, 1) }

// Observe implements Durations; there is nothing to learn.
func (PerfectDurations) Observe(*sim.Job, sim.Time) {}

// StatedDurations believes the estimate that comes with the job.
type StatedDurations struct{}

// Estimate implements Durations.
func (StatedDurations) Estimate(j *sim.Job) sim.Time { return max(j.Estimate, 1) }

// Observe implements Durations; there is nothing to learn.
func (StatedDurations) Observe(*sim.Job, sim.Time) {}

// LearnedDurations corrects what inner says by how wrong it was: ridge
// regression of log(actual ÷ inner) on an intercept, the logarithm of inner's
// estimate, and kind and tenant, each a coefficient of its own. Without
// history it is inner.
type LearnedDurations struct {
	inner   Durations
	fit     *ridge
	tenants map[string]int
	x       []float64
}

// NewLearnedDurations corrects inner.
func NewLearnedDurations(inner Durations) *LearnedDurations {
	penalty := []float64{weakPenalty, numericPenalty}
	for range len(sim.Kinds()) + maxTenants + 1 {
		penalty = append(penalty, 1)
	}
	return &LearnedDurations{inner: inner, fit: newRidge(penalty), tenants: map[string]int{}, x: make([]float64, len(penalty))}
}

func (l *LearnedDurations) design(j *sim.Job, inner sim.Time) []float64 {
	clear(l.x)
	l.x[0], l.x[1] = 1, math.Log(inner.Hours())
	l.x[2+int(j.Kind)] = 1
	k, known := l.tenants[j.Tenant]
	if !known {
		k = maxTenants
	}
	l.x[2+len(sim.Kinds())+k] = 1
	return l.x
}

// Estimate implements Durations: the median.
func (l *LearnedDurations) Estimate(j *sim.Job) sim.Time {
	inner := l.inner.Estimate(j)
	if l.fit.n == 0 {
		return inner
	}
	l.fit.refresh()
	mean, _ := l.fit.predict(l.design(j, inner))
	return scaleTime(inner, math.Exp(mean))
}

// Observe implements Durations.
func (l *LearnedDurations) Observe(j *sim.Job, actual sim.Time) {
	inner := l.inner.Estimate(j)
	l.inner.Observe(j, actual)
	if actual <= 0 {
		return
	}
	if _, known := l.tenants[j.Tenant]; !known && len(l.tenants) < maxTenants {
		l.tenants[j.Tenant] = len(l.tenants)
	}
	l.fit.observe(l.design(j, inner), math.Log(float64(actual)/float64(inner)))
}

// DurationErrors are errors to multiply durations by: exp(Sigma·z), z standard
// normal and drawn once a job. The factor has median 1, so half of the jobs
// are estimated too long, and mean exp(Sigma²/2); with MeanOne it is divided
// by that, so that the sum of estimates stays right and more than half are too
// short. The zero value adds none.
type DurationErrors struct {
	Sigma   float64 // ≥ 0
	MeanOne bool
}

// Check reports a setting that makes no sense.
func (e DurationErrors) Check() error {
	if !(e.Sigma >= 0 && e.Sigma <= 5) {
		return fmt.Errorf("forecast: duration error is %v; accepted are 0 to 5", e.Sigma)
	}
	return nil
}

// NoisyDurations is a Durations with errors. A job, known by its ID, is always
// wrong by the same factor.
type NoisyDurations struct {
	inner Durations
	e     DurationErrors
	z     draws
}

// NewNoisyDurations adds errors to what inner says.
func NewNoisyDurations(inner Durations, e DurationErrors, seed uint64) (*NoisyDurations, error) {
	return &NoisyDurations{inner, e, newDraws(seed, "forecast/durations")}, e.Check()
}

// Factor is what the estimate of a job is multiplied by.
func (n *NoisyDurations) Factor(job int64) float64 {
	z := n.e.Sigma * n.z.normal(0, job)
	if n.e.MeanOne {
		z -= n.e.Sigma * n.e.Sigma / 2
	}
	return math.Exp(z)
}

// Estimate implements Durations.
func (n *NoisyDurations) Estimate(j *sim.Job) sim.Time {
	d := n.inner.Estimate(j)
	if n.e.Sigma == 0 {
		return d
	}
	return scaleTime(d, n.Factor(j.ID))
}

// Observe implements Durations.
func (n *NoisyDurations) Observe(j *sim.Job, actual sim.Time) { n.inner.Observe(j, actual) }

// longest bounds estimates so that sums of them stay below sim.Forever: about
// 36 years.
const longest = sim.Forever / 8

// scaleTime multiplies a time, rounds to the nanosecond, and keeps it within
// 1 ns and longest.
func scaleTime(d sim.Time, by float64) sim.Time {
	v := float64(d) * by
	if v >= float64(longest) {
		return longest
	}
	return max(sim.Time(math.Round(v)), 1)
}
