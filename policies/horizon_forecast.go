package policies

import (
	"berth/policies/forecast"
	"berth/sim"
)

// forecasts are what the policy is told of demand and durations.
type forecasts struct {
	demand    forecast.Demand
	durations forecast.Durations
}

// newForecasts makes the configured forecasters for a run.
func newForecasts(c *Config, r *sim.Round) (*forecasts, error) {
	f := &forecasts{}
	if c.Forecast != "perfect" {
		learned, err := forecast.NewLearned(len(r.Services()), forecast.LearnedOptions{Step: r.Step(), Quantile: c.Quantile})
		if err != nil {
			return nil, err
		}
		for i, s := range r.Services() {
			if c.Forecast == "learned" {
				remember(learned, i, s.Demand.Step, s.History)
			}
		}
		f.demand = learned
	} else {
		perfect := &forecast.Perfect{Step: r.Step()}
		for _, s := range r.Services() {
			perfect.Curves = append(perfect.Curves, s.Demand)
		}
		f.demand = perfect
	}
	if c.noisyDemand() {
		noisy, err := forecast.NewNoisyDemand(f.demand, c.demandErrors(), r.Step(), c.Seed)
		if err != nil {
			return nil, err
		}
		f.demand = noisy
	}
	durations, err := forecast.NewNoisyDurations(forecast.StatedDurations{}, forecast.DurationErrors{Sigma: c.DurationSigma}, c.Seed)
	f.durations = durations
	return f, err
}

// remember tells what a service wanted before the run, level by level; the last
// ends at time 0.
func remember(d forecast.Demand, service int, step sim.Time, history []int) {
	for i, gpus := range history {
		d.Observe(service, -sim.Time(len(history)-i)*step, gpus)
	}
}

// observe learns from what is seen now.
func (f *forecasts) observe(r *sim.Round) {
	step := r.Now() / r.Step() * r.Step()
	for i, s := range r.Services() {
		f.demand.Observe(i, step, s.Wanted)
	}
	for _, j := range r.Ended() {
		if j.State == sim.Completed {
			f.durations.Observe(&j.Job, j.Ended-j.Started)
		}
	}
}

// estimate is the expected duration of a job on n GPUs.
func (f *forecasts) estimate(j *sim.ActiveJob, n int) sim.Time {
	as := j.Job
	as.Estimate = f.durations.Estimate(&j.Job)
	return as.EstimateOn(n)
}

// exceed is the probability, step by step, that a service wants more than it
// is planned to hold; nil when the forecaster does not know.
func (f *forecasts) exceed(service int, from sim.Time, held []int) []float64 {
	risk, ok := f.demand.(forecast.Risk)
	if !ok {
		return nil
	}
	p := make([]float64, len(held))
	risk.Exceed(service, from, held, p)
	return p
}
