package experiment

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"berth/sim/metrics"
)

// Comparison is one policy beside the first one, over the same seeds.
type Comparison struct {
	Policy            string    `json:"policy"`
	Seeds             int       `json:"seeds"`
	Utilization       *Estimate `json:"utilization,omitempty"` // a fraction; its gain is in points (hundredths)
	Occupancy         *Estimate `json:"occupancy,omitempty"`
	Value             *Estimate `json:"value,omitempty"`
	DecayedValue      *Estimate `json:"decayed_value,omitempty"`
	WaitMeanSeconds   *Estimate `json:"wait_mean_seconds,omitempty"`
	ShortfallGPUHours *Estimate `json:"shortfall_gpu_hours,omitempty"`
	JobsCompleted     *Estimate `json:"jobs_completed,omitempty"`
}

// Estimate is a mean over seeds. Half-widths are of two-sided 95 % intervals
// by Student's t; they are absent for a single seed. Gain is the relative
// difference of the means to the first policy, with the interval of the
// differences paired by seed; it is absent for the first policy, and where the
// first policy's mean is 0.
type Estimate struct {
	Mean     float64  `json:"mean"`
	CI95     *float64 `json:"ci95,omitempty"`
	Gain     *float64 `json:"gain,omitempty"`
	GainCI95 *float64 `json:"gain_ci95,omitempty"`
}

// FewSeeds is the number of seeds below which an interval should be read with
// caution.
const FewSeeds = 10

// Compare sets policies side by side. reports[p][s] is the run of policy p
// under seed s.
func Compare(policies []string, reports [][]*metrics.Report) []Comparison {
	out := make([]Comparison, len(policies))
	for p, name := range policies {
		c := &out[p]
		c.Policy, c.Seeds = name, len(reports[p])
		for _, m := range c.measures() {
			*m.into = estimate(reports, p, m)
		}
	}
	return out
}

// measure is one row of a comparison.
type measure struct {
	into   **Estimate
	of     func(*metrics.Report) (float64, bool)
	points bool // the gain is a difference in hundredths
}

func (c *Comparison) measures() []measure {
	return []measure{
		{&c.Utilization, func(r *metrics.Report) (float64, bool) { return r.Utilization, true }, true},
		{&c.Occupancy, func(r *metrics.Report) (float64, bool) { return r.Occupancy, true }, false},
		{&c.Value, func(r *metrics.Report) (float64, bool) { return r.Value, true }, false},
		{&c.DecayedValue, func(r *metrics.Report) (float64, bool) {
			if r.DecayedValue == nil {
				return 0, false
			}
			return *r.DecayedValue, true
		}, false},
		{&c.WaitMeanSeconds, func(r *metrics.Report) (float64, bool) {
			if r.WaitSeconds == nil {
				return 0, false
			}
			return r.WaitSeconds.Mean, true
		}, false},
		{&c.ShortfallGPUHours, func(r *metrics.Report) (float64, bool) { return r.ShortfallGPUHours, true }, false},
		{&c.JobsCompleted, func(r *metrics.Report) (float64, bool) { return float64(r.Jobs.Completed), true }, false},
	}
}

// estimate is a measure of policy p; nil when some run does not have it.
func estimate(reports [][]*metrics.Report, p int, m measure) *Estimate {
	n := len(reports[p])
	xs, base, diff := make([]float64, n), make([]float64, n), make([]float64, n)
	for s := range n {
		x, ok := m.of(reports[p][s])
		b, okBase := m.of(reports[0][s])
		if !ok || !okBase {
			return nil
		}
		xs[s], base[s], diff[s] = x, b, x-b
	}
	e := &Estimate{Mean: stat.Mean(xs, nil), CI95: halfWidth(xs)}
	if p == 0 {
		return e
	}
	scale := 100.0
	if !m.points {
		mean := math.Abs(stat.Mean(base, nil))
		if mean == 0 {
			return e
		}
		scale = 1 / mean
	}
	gain := scale * stat.Mean(diff, nil)
	e.Gain = &gain
	if h := halfWidth(diff); h != nil {
		*h *= scale
		e.GainCI95 = h
	}
	return e
}

// Mean is a mean over seeds and the half-width of its 95 % interval, NaN for a
// single seed.
type Mean struct{ Mean, Half float64 }

// MeanOf is the mean of a sample.
func MeanOf(xs []float64) Mean {
	m := Mean{stat.Mean(xs, nil), math.NaN()}
	if h := halfWidth(xs); h != nil {
		m.Half = *h
	}
	return m
}

// halfWidth is half the 95 % interval of a mean, or nil for a single sample. A
// spread that is no more than rounding is none.
func halfWidth(xs []float64) *float64 {
	n := float64(len(xs))
	if n < 2 {
		return nil
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	h := t * stat.StdDev(xs, nil) / math.Sqrt(n)
	if h < 1e-13*max(math.Abs(slices.Min(xs)), math.Abs(slices.Max(xs))) {
		h = 0
	}
	return &h
}
