package forecast

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"berth/sim"
)

// DemandErrors are errors to add to a forecast of demand, each with a random
// stream of its own, so that dialling one moves no draw of another. The zero
// value adds none.
//
//	forecast = truth × (1 + Bias) × exp(g·Level·z) × exp(g·Noise·z′)
//
// z is drawn once a service and day, z′ once a service and step; both are
// standard normal, so that each factor has median 1 and mean exp(g²σ²/2). g
// grows with the lead as √(lead ÷ Settle), to 1. On a missed day every step
// above the day's mean is forecast at that mean. Results are rounded to the
// nearest whole GPU.
type DemandErrors struct {
	Bias   float64 // of every step, > −1: 0.2 forecasts a fifth too much
	Level  float64 // σ of a factor drawn by day, ≥ 0
	Noise  float64 // σ of a factor drawn by step, ≥ 0
	Missed float64 // share of days whose peak is not seen coming, 0 … 1

	// Settle is how many steps ahead Level and Noise reach their full size;
	// 0 means at every lead. The step that begins now has lead 0, so it is
	// free of both when Settle is above 0. Missed peaks are seen when they are
	// closer than Settle.
	Settle int
}

// Check reports the first setting that makes no sense.
func (e DemandErrors) Check() error {
	switch {
	case !(e.Bias > -1 && e.Bias <= 100):
		return fmt.Errorf("forecast: demand bias is %v; accepted are above -1, at most 100", e.Bias)
	case !(e.Level >= 0 && e.Level <= 5) || !(e.Noise >= 0 && e.Noise <= 5):
		return fmt.Errorf("forecast: demand level and noise are %v and %v; accepted are 0 to 5", e.Level, e.Noise)
	case !(e.Missed >= 0 && e.Missed <= 1):
		return fmt.Errorf("forecast: missed peaks are %v; accepted are 0 to 1", e.Missed)
	case e.Settle < 0 || e.Settle > 1<<20:
		return fmt.Errorf("forecast: demand errors settle in %d steps; accepted are 0 to %d", e.Settle, 1<<20)
	}
	return nil
}

// NoisyDemand is a Demand with errors. The same step of the same service is
// always wrong the same way, up to the lead, whenever and however often it is
// asked for.
type NoisyDemand struct {
	inner               Demand
	e                   DemandErrors
	step                sim.Time
	level, noise, peaks draws
	whole               []int // a day, for missPeaks
}

// NewNoisyDemand adds errors to the forecasts of inner, whose steps are of a
// length that divides a day (0 means one hour).
func NewNoisyDemand(inner Demand, e DemandErrors, step sim.Time, seed uint64) (*NoisyDemand, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	if step = cmp.Or(step, time.Hour); step <= 0 || 24*time.Hour%step != 0 {
		return nil, fmt.Errorf("forecast: step is %v; accepted are divisors of a day", step)
	}
	return &NoisyDemand{
		inner: inner, e: e, step: step, level: newDraws(seed, "forecast/demand/level"),
		noise: newDraws(seed, "forecast/demand/noise"), peaks: newDraws(seed, "forecast/demand/peaks"),
		whole: make([]int, 24*time.Hour/step),
	}, nil
}

// Observe implements Demand.
func (n *NoisyDemand) Observe(service int, at sim.Time, gpus int) { n.inner.Observe(service, at, gpus) }

// Forecast implements Demand.
func (n *NoisyDemand) Forecast(service int, from sim.Time, dst []int) {
	n.inner.Forecast(service, from, dst)
	e := n.e
	e.Settle = 0
	if e == (DemandErrors{}) {
		return
	}
	if n.e.Missed > 0 {
		n.missPeaks(service, from, dst)
	}
	for i := range dst {
		g, slot := n.growth(i), floorDiv(from, n.step)+int64(i)
		z := n.e.Level * n.level.normal(service, floorDiv(from+sim.Time(i)*n.step, 24*time.Hour))
		z += n.e.Noise * n.noise.normal(service, slot)
		dst[i] = int(min(math.Floor(float64(dst[i])*(1+n.e.Bias)*math.Exp(g*z)+0.5), mostGPUs))
	}
}

func (n *NoisyDemand) growth(lead int) float64 {
	if lead >= n.e.Settle {
		return 1
	}
	return math.Sqrt(float64(lead) / float64(n.e.Settle))
}

// missPeaks cuts the steps of missed days down to the mean of inner's forecast
// for the whole day.
func (n *NoisyDemand) missPeaks(service int, from sim.Time, dst []int) {
	const day = 24 * time.Hour
	perDay := int(day / n.step)
	for i := n.e.Settle; i < len(dst); {
		at := from + sim.Time(i)*n.step
		d := floorDiv(at, day)
		end := min(i+int((sim.Time(d+1)*day-at+n.step-1)/n.step), len(dst))
		if n.peaks.uniform(service, d) < n.e.Missed {
			n.inner.Forecast(service, sim.Time(d)*day, n.whole)
			sum := 0
			for _, v := range n.whole {
				sum += v
			}
			mean := (sum + perDay/2) / perDay
			for k := i; k < end; k++ {
				dst[k] = min(dst[k], mean)
			}
		}
		i = end
	}
}

// Exceed implements Risk, as far as the dialled factors go: what inner says is
// taken for the truth, so that given a forecast F, demand is F ÷ (1 + Bias)
// times a log-normal factor. Missed peaks
// are not in it: who misses a peak does not know. Without errors it is what
// inner says, or 0 and 1 about its forecast when it says nothing.
func (n *NoisyDemand) Exceed(service int, from sim.Time, held []int, dst []float64) {
	inner, knows := n.inner.(Risk)
	if knows && n.e.Bias == 0 && n.e.Level == 0 && n.e.Noise == 0 {
		inner.Exceed(service, from, held, dst)
		return
	}
	forecast := make([]int, len(held))
	n.Forecast(service, from, forecast)
	for i, h := range held {
		sigma := n.growth(i) * math.Hypot(n.e.Level, n.e.Noise)
		center, edge := float64(forecast[i])/(1+n.e.Bias), float64(h)+0.5
		switch {
		case sigma > 0 && center > 0:
			dst[i] = distuv.UnitNormal.CDF(math.Log(center/edge) / sigma)
		case center > edge:
			dst[i] = 1
		default:
			dst[i] = 0
		}
	}
}

// draws are random numbers that are looked up by number instead of being drawn
// in turn, so that they do not depend on the order of questions.
type draws struct{ key uint64 }

func newDraws(seed uint64, name string) draws { return draws{sim.Stream(seed, name).Uint64()} }

// at is the generator of one place.
func (d draws) at(service int, n int64) rand.PCG {
	var g rand.PCG
	g.Seed(d.key^mix(uint64(service)+1), mix(d.key+uint64(n)))
	return g
}

func (d draws) normal(service int, n int64) float64 {
	g := d.at(service, n)
	// Box and Muller; 1 − u is never 0.
	u, v := unit(g.Uint64()), unit(g.Uint64())
	return math.Sqrt(-2*math.Log(1-u)) * math.Cos(2*math.Pi*v)
}

func (d draws) uniform(service int, n int64) float64 {
	g := d.at(service, n)
	return unit(g.Uint64())
}

// unit is a number in [0, 1) from 53 bits.
func unit(u uint64) float64 { return float64(u>>11) / (1 << 53) }

// mix scatters the bits of a number (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func floorDiv(a, b sim.Time) int64 {
	n := int64(a / b)
	if a%b < 0 {
		n--
	}
	return n
}
