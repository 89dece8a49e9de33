package workloads

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"berth/sim"
)

// Generate draws the scenario's workload for a seed. The seed and the scenario
// fix every number; each service and each class of jobs has a random stream of
// its own, so that changing one leaves the others alone.
func (s *Scenario) Generate(seed uint64) (*sim.Workload, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	topology, err := s.Cluster.Topology()
	if err != nil {
		return nil, err
	}
	w := &sim.Workload{
		Name: s.Name, Topology: topology, Alignment: s.Cluster.Alignment,
		Step: s.Step(), Horizon: hours(s.HorizonHours), Closed: s.Closed(),
	}
	for i := range s.Services {
		v := &s.Services[i]
		w.Services = append(w.Services, s.service(v, seed))
	}
	w.Jobs = &sim.Jobs{List: s.jobs(seed)}
	return w, nil
}

func hours(h float64) sim.Time { return sim.Time(math.Round(h * 3.6e12)) }

// service draws one service.
func (s *Scenario) service(v *Service, seed uint64) sim.Service {
	rng := sim.Stream(seed, "service/"+v.Name)
	out := sim.Service{
		Name: v.Name, Tenant: v.Tenant, Priority: v.Priority,
		Min: v.Min, Max: v.Max, SwapCap: 2,
	}
	if v.SwapCap != nil {
		out.SwapCap = *v.SwapCap
	}
	if v.Max == 0 {
		out.Max = s.Cluster.GPUs
	}
	out.Demand = sim.Curve{Step: s.Step(), Levels: v.Demand}
	if v.Demand == nil {
		peak := v.PeakHour.draw(rng)
		out.Demand.Levels = v.bump(rng, peak, s.Step(), s.demandHours(), out.Max)
		if v.HistoryWeeks > 0 { // a stream of its own: what comes stays the same
			past := sim.Stream(seed, "history/"+v.Name)
			out.History = v.bump(past, peak, s.Step(), float64(v.HistoryWeeks)*7*24, out.Max)
		}
	}
	return out
}

// openEndedDays is for how long demand is drawn where a run has no horizon;
// after that it is 0.
const openEndedDays = 366

// demandHours is for how long demand is drawn.
func (s *Scenario) demandHours() float64 {
	if s.HorizonHours == 0 {
		return 24 * openEndedDays
	}
	return s.HorizonHours
}

// bump draws the daily curve with its peak at an hour, level by level.
func (v *Service) bump(rng *rand.Rand, peak float64, step sim.Time, hours float64, limit int) []int {
	width := v.WidthHours
	if width == 0 {
		width = 3
	}
	levels := make([]int, int(math.Ceil(hours/step.Hours())))
	for t := range levels {
		hour := (float64(t) + 0.5) * step.Hours()
		d := math.Mod(math.Abs(hour-peak), 24)
		d = min(d, 24-d)
		gpus := v.Base + (v.Peak-v.Base)*math.Exp(-d*d/(2*width*width))
		gpus *= max(0, 1+v.Noise*rng.NormFloat64())
		levels[t] = min(int(math.Round(gpus)), limit)
	}
	return levels
}

func (r Range) draw(rng *rand.Rand) float64 { return r.Low + (r.High-r.Low)*rng.Float64() }

// multiples are the first and the last whole multiple of a unit in the range,
// in units.
func (r Range) multiples(unit float64) (first, last int) {
	return int(math.Ceil(r.Low/unit - 1e-9)), int(math.Floor(r.High/unit + 1e-9))
}

// whole draws one of the whole multiples of a unit in the range.
func (r Range) whole(rng *rand.Rand, unit float64) float64 {
	first, last := r.multiples(unit)
	if last <= first {
		return float64(first) * unit
	}
	return float64(first+rng.IntN(last-first+1)) * unit
}

// jobs draws all jobs, shuffles them and puts them in order of submission.
func (s *Scenario) jobs(seed uint64) []sim.Job {
	var all []sim.Job
	for i := range s.Classes {
		c := &s.Classes[i]
		rng := sim.Stream(seed, fmt.Sprintf("jobs/%d", i))
		for k := range c.Count {
			all = append(all, c.job(rng, k+1, s.Step().Hours()))
		}
	}
	rng := sim.Stream(seed, "order")
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	slices.SortStableFunc(all, func(a, b sim.Job) int { return int(min(1, max(-1, a.Submit-b.Submit))) })
	for i := range all {
		all[i].ID = int64(i + 1)
	}
	return all
}

func (c *JobClass) job(rng *rand.Rand, number int, step float64) sim.Job {
	j := sim.Job{Name: fmt.Sprintf("%s-%d", c.label(), number), Kind: c.Kind, Across: c.Across, Parallel: c.Parallel}
	j.MinGPUs = c.GPUs[rng.IntN(len(c.GPUs))]
	j.MaxGPUs = max(j.MinGPUs, c.MaxGPUs)
	j.Duration = hours(c.Hours.whole(rng, step))
	j.Estimate = j.Duration
	j.Priority = c.Priority.whole(rng, 1)
	j.Submit = hours(c.Submit.whole(rng, step))
	j.Earliest = hours(c.Earliest.whole(rng, step))
	if len(c.Tenants) > 0 {
		j.Tenant = c.Tenants[rng.IntN(len(c.Tenants))]
	}
	return j
}
