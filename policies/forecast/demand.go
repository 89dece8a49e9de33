package forecast

import (
	"cmp"
	"fmt"
	"time"

	"berth/policies/plan"
	"berth/sim"
)

// Demand is what a planning policy is told of the GPUs that services will want.
// Services are numbered as in the workload. Time is cut into steps of a length
// fixed when the Demand is made; at and from are beginnings of steps.
//
// A Demand serves one run and is not safe for concurrent use. Apart from what
// it observes, calls leave no trace: the same question has the same answer.
type Demand interface {
	// Observe tells the most that a service wanted in the step beginning at a
	// time. It may be called again for a step, with more; steps ascend.
	Observe(service int, at sim.Time, gpus int)
	// Forecast fills dst with the most that a service is expected to want in
	// each of the steps from one on. A step that was observed is as observed.
	// Counts are not put under the swap cap: see Capped.
	Forecast(service int, from sim.Time, dst []int)
}

// Risk is what a Demand may also know: how likely it is wrong.
type Risk interface {
	// Exceed fills dst with the probability that a service wants more than
	// held[i] GPUs in step i from one on; dst is as long as held.
	Exceed(service int, from sim.Time, held []int, dst []float64)
}

// Capped is the cheapest curve over a forecast that obeys a service's swap cap
// and maximum, from what it holds now. It is plan.Envelope.
func Capped(s *sim.Service, forecast []int, fresh bool, held int) []int {
	return plan.Envelope(forecast, s.SwapCap, s.Max, fresh, held)
}

// Perfect knows the curves that will come.
type Perfect struct {
	Step   sim.Time // of forecasts; 0 means one hour
	Curves []sim.Curve
}

// NewPerfect knows the demand of the services of a workload.
func NewPerfect(w *sim.Workload) *Perfect {
	p := &Perfect{Step: w.Step}
	for i := range w.Services {
		p.Curves = append(p.Curves, w.Services[i].Demand)
	}
	return p
}

func (p *Perfect) step() sim.Time { return cmp.Or(p.Step, time.Hour) }

// Observe implements Demand; there is nothing to learn.
func (p *Perfect) Observe(int, sim.Time, int) {}

// Forecast implements Demand: the peak of each step.
func (p *Perfect) Forecast(service int, from sim.Time, dst []int) {
	step := p.step()
	for i := range dst {
		at := from + sim.Time(i)*step
		dst[i] = p.Curves[service].PeakIn(at, at+step)
	}
}

// Exceed implements Risk: 0 or 1.
func (p *Perfect) Exceed(service int, from sim.Time, held []int, dst []float64) {
	step := p.step()
	for i, n := range held {
		at := from + sim.Time(i)*step
		dst[i] = 0
		if p.Curves[service].PeakIn(at, at+step) > n {
			dst[i] = 1
		}
	}
}

// DefaultQuantile is the quantile of demand that a learned forecast aims at.
const DefaultQuantile = 0.9

// LearnedOptions shape a Learned. Zero values mean the defaults.
type LearnedOptions struct {
	Step     sim.Time // of a forecast, a divisor of a day; 0 means one hour
	Quantile float64  // of demand that is forecast; 0 means DefaultQuantile
	Prior    []int    // GPUs forecast for each service before its first observation; a missing entry means 0
	Profile  ProfileOptions
}

// Learned forecasts demand by a WeeklyProfile for each service, from what it
// has observed. Slot 0 of the profiles is the step at time 0. What happened
// before a run can be told by observing steps at negative times first.
type Learned struct {
	o        LearnedOptions
	profiles []*WeeklyProfile
	latest   []latest
}

// latest is the step last observed, not yet handed to the profile: it may
// still rise.
type latest struct {
	slot int64
	gpus int
	any  bool
}

// NewLearned makes a Learned for a number of services.
func NewLearned(services int, o LearnedOptions) (*Learned, error) {
	o.Step, o.Quantile = cmp.Or(o.Step, time.Hour), cmp.Or(o.Quantile, DefaultQuantile)
	const day = 24 * time.Hour
	if o.Step <= 0 || day%o.Step != 0 {
		return nil, fmt.Errorf("forecast: step is %v; accepted are divisors of a day", o.Step)
	}
	if !(o.Quantile > 0 && o.Quantile < 1) {
		return nil, fmt.Errorf("forecast: quantile is %v; accepted is above 0 and below 1", o.Quantile)
	}
	if o.Profile.Slots == 0 {
		o.Profile.Slots, o.Profile.DaySlots = int(7*day/o.Step), int(day/o.Step)
	}
	l := &Learned{o: o, latest: make([]latest, services)}
	for range services {
		p, err := NewWeeklyProfile(o.Profile)
		if err != nil {
			return nil, err
		}
		l.profiles = append(l.profiles, p)
	}
	return l, nil
}

// Profile is the profile of a service: everything but the step last observed.
func (l *Learned) Profile(service int) *WeeklyProfile { return l.profiles[service] }

func (l *Learned) slot(at sim.Time) int64 {
	n := int64(at / l.o.Step)
	if at < 0 && at%l.o.Step != 0 {
		n--
	}
	return n
}

// Observe implements Demand.
func (l *Learned) Observe(service int, at sim.Time, gpus int) {
	slot, now := l.slot(at), &l.latest[service]
	switch {
	case now.any && slot < now.slot:
	case now.any && slot == now.slot:
		now.gpus = max(now.gpus, gpus)
	default:
		if now.any {
			l.profiles[service].Observe(now.slot, float64(now.gpus))
		}
		*now = latest{slot, gpus, true}
	}
}

// Forecast implements Demand: the chosen quantile, rounded up.
func (l *Learned) Forecast(service int, from sim.Time, dst []int) {
	slot, now, p := l.slot(from), l.latest[service], l.profiles[service]
	_, learned := p.Last()
	for i := range dst {
		switch at := slot + int64(i); {
		case now.any && at == now.slot:
			dst[i] = now.gpus
		case learned:
			dst[i] = wholeGPUs(p.Quantile(at, l.o.Quantile))
		case now.any:
			dst[i] = now.gpus
		case service < len(l.o.Prior):
			dst[i] = l.o.Prior[service]
		default:
			dst[i] = 0
		}
	}
}

// Exceed implements Risk. Before anything is learned it is 1 − Quantile where
// held covers the forecast, and 1 elsewhere.
func (l *Learned) Exceed(service int, from sim.Time, held []int, dst []float64) {
	slot, now, p := l.slot(from), l.latest[service], l.profiles[service]
	_, learned := p.Last()
	for i, n := range held {
		at := slot + int64(i)
		dst[i] = 0
		switch {
		case now.any && at == now.slot:
			if now.gpus > n {
				dst[i] = 1
			}
		case learned:
			dst[i] = p.Exceed(at, float64(n))
		default:
			var f [1]int
			l.Forecast(service, sim.Time(at)*l.o.Step, f[:])
			if dst[i] = 1; f[0] <= n {
				dst[i] = 1 - l.o.Quantile
			}
		}
	}
}
