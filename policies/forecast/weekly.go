package forecast

import (
	"cmp"
	"fmt"
	"math"
)

// ProfileOptions shape a WeeklyProfile. Zero values mean the defaults, which
// are for hourly traffic; a "week" of other slots scales the same model to
// minutes or half-hours.
type ProfileOptions struct {
	Slots     int     // in a week; 0 means 168
	DaySlots  int     // in a day, a divisor of Slots; 0 means 24, or Slots when that is not a multiple of 24
	Forget    float64 // weight of the newest week in a cell, at least; 0 means 0.3
	Level     float64 // weight of the newest slot in the level correction; 0 means 0.3
	Hold      float64 // share of the level correction, as a logarithm, that outlives one more slot ahead; 0 means 0.97
	Residuals int     // errors remembered for quantiles, by lead and kind of forecast; 0 means 4 weeks of slots
}

func (o ProfileOptions) withDefaults() (ProfileOptions, error) {
	o.Slots = cmp.Or(o.Slots, 168)
	if o.DaySlots == 0 {
		o.DaySlots = 24
		if o.Slots%24 != 0 {
			o.DaySlots = o.Slots
		}
	}
	o.Forget, o.Level, o.Hold = cmp.Or(o.Forget, 0.3), cmp.Or(o.Level, 0.3), cmp.Or(o.Hold, 0.97)
	o.Residuals = cmp.Or(o.Residuals, 4*o.Slots)
	switch {
	case o.Slots < 1 || o.Slots > 1<<20 || o.DaySlots < 1 || o.Slots%o.DaySlots != 0:
		return o, fmt.Errorf("forecast: profile of %d slots a week and %d a day; accepted are 1 to %d a week, and a divisor of that a day", o.Slots, o.DaySlots, 1<<20)
	case !(o.Forget > 0 && o.Forget <= 1) || !(o.Level > 0 && o.Level <= 1) || !(o.Hold > 0 && o.Hold <= 1):
		return o, fmt.Errorf("forecast: profile weights %v, %v, %v; accepted are above 0, at most 1", o.Forget, o.Level, o.Hold)
	case o.Residuals < 1 || o.Residuals > 1<<20:
		return o, fmt.Errorf("forecast: profile remembers %d errors; accepted are 1 to %d", o.Residuals, 1<<20)
	}
	return o, nil
}

// WeeklyProfile learns a quantity that repeats by the week, and forecasts it.
// It is recalibrated with every slot observed.
//
// The forecast of a slot is shape × level. Shape is the exponentially weighted
// mean of its cell, the same slot of earlier weeks; where that has no history,
// of the same slot of any day; where that has none, of everything. Level is
// the ratio of what the latest slots brought to what their shape said, at most
// 5; it counts less the farther ahead the forecast is (Hold).
//
// Quantiles come from the profile's own errors: ratios of actual to forecast,
// remembered by lead (1–2, 3–8, 9–24, more slots ahead) and by what the shape
// rested on. The quantile of n errors is the ⌈q(n+1)⌉-th smallest, which covers
// a new error with probability q at least if it is exchangeable with the n.
//
// A profile does not know its first week: it then rests on days, and on its
// first day on the level alone.
type WeeklyProfile struct {
	o       ProfileOptions
	week    []ewMean // by slot of the week
	day     []ewMean // by slot of the day
	overall ewMean

	levels [3]level // by basis
	last   int64    // slot last observed
	any    bool

	pools   [3][len(leads)]pool // by basis and lead
	pending [len(leads)][]issued
	skipped int
}

// leads are how many slots ahead errors are sampled, one for each class of
// lead; leadEnd is the end of each class.
var (
	leads   = [4]int64{1, 5, 16, 48}
	leadEnd = [4]int64{3, 9, 25, math.MaxInt64}
)

// basis is what a shape rests on.
type basis uint8

const (
	byWeek basis = iota
	byDay
	byNothing
)

// issued is a forecast that waits for its slot.
type issued struct {
	slot  int64
	value float64
	basis basis
	set   bool
}

// NewWeeklyProfile makes a profile without history, which forecasts 0.
func NewWeeklyProfile(o ProfileOptions) (*WeeklyProfile, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	p := &WeeklyProfile{o: o, week: make([]ewMean, o.Slots), day: make([]ewMean, o.DaySlots)}
	for b := range p.pools {
		for l := range p.pools[b] {
			p.pools[b][l].most = o.Residuals
		}
	}
	for l := range p.pending {
		p.pending[l] = make([]issued, leads[l])
	}
	return p, nil
}

// Observe learns what a slot brought. Slots are counted from the epoch and may
// be negative; slot 0 begins a week. They come in ascending order, with gaps
// where nothing is known. A value that is negative or not finite, and a slot
// that is not after the last one, are left out and counted in Skipped.
func (p *WeeklyProfile) Observe(slot int64, value float64) {
	if !(value >= 0) || math.IsInf(value, 0) || p.any && slot <= p.last {
		p.skipped++
		return
	}
	margin := p.margin()
	for l := range p.pending {
		if f := &p.pending[l][floorMod(slot, leads[l])]; f.set && f.slot == slot {
			p.pools[f.basis][l].add(ratio(value, f.value, margin))
		}
	}
	for b := range p.levels {
		if c := p.cell(slot, basis(b)); c.n > 0 {
			p.levels[b].add(value, c.mean, p.o.Level)
		}
	}
	p.week[floorMod(slot, int64(p.o.Slots))].add(value, p.o.Forget)
	p.day[floorMod(slot, int64(p.o.DaySlots))].add(value, p.o.Forget*float64(p.o.DaySlots)/float64(p.o.Slots))
	p.overall.add(value, p.o.Forget/float64(p.o.Slots))
	p.last, p.any = slot, true
	for l, ahead := range leads {
		at := slot + ahead
		v, b := p.point(at)
		p.pending[l][floorMod(at, ahead)] = issued{at, v, b, true}
	}
}

// Last is the slot last observed, and whether there is one.
func (p *WeeklyProfile) Last() (int64, bool) { return p.last, p.any }

// Skipped is the number of observations left out.
func (p *WeeklyProfile) Skipped() int { return p.skipped }

// Point is the forecast of a slot's middle.
func (p *WeeklyProfile) Point(slot int64) float64 {
	v, _ := p.point(slot)
	return v
}

// Quantile is the value that a slot stays at or below with probability q, 0 to
// 1.
func (p *WeeklyProfile) Quantile(slot int64, q float64) float64 {
	v, b := p.point(slot)
	margin := p.margin()
	return max((v+margin)*p.errors(slot, b).quantile(q)-margin, 0)
}

// Forecast fills dst with the quantile q of the slots from one on.
func (p *WeeklyProfile) Forecast(from int64, q float64, dst []float64) {
	for i := range dst {
		dst[i] = p.Quantile(from+int64(i), q)
	}
}

// Exceed is the probability that a slot brings more than a value.
func (p *WeeklyProfile) Exceed(slot int64, value float64) float64 {
	v, b := p.point(slot)
	return p.errors(slot, b).above(ratio(value, v, p.margin()))
}

func (p *WeeklyProfile) point(slot int64) (float64, basis) {
	shape, b := p.shape(slot)
	level := p.levels[b].ratio(levelMargin * p.overall.mean)
	ahead := max(slot-p.last, 1) - 1
	return shape * math.Pow(level, math.Pow(p.o.Hold, float64(ahead))), b
}

// shape is the mean of the best cell that has history.
func (p *WeeklyProfile) shape(slot int64) (float64, basis) {
	for b := byWeek; b < byNothing; b++ {
		if c := p.cell(slot, b); c.n > 0 {
			return c.mean, b
		}
	}
	return p.overall.mean, byNothing
}

func (p *WeeklyProfile) cell(slot int64, b basis) *ewMean {
	switch b {
	case byWeek:
		return &p.week[floorMod(slot, int64(p.o.Slots))]
	case byDay:
		return &p.day[floorMod(slot, int64(p.o.DaySlots))]
	}
	return &p.overall
}

// level is how much more than its shape recent traffic was: weighted sums of
// both. Each basis has its own, as a level over days says nothing of weeks.
type level struct{ actual, shape float64 }

func (l *level) add(actual, shape, weight float64) {
	l.actual += weight * (actual - l.actual)
	l.shape += weight * (shape - l.shape)
}

func (l *level) ratio(margin float64) float64 {
	if !(l.shape+margin > 0) {
		return 1
	}
	return min((l.actual+margin)/(l.shape+margin), levelMost)
}

// A level is at most levelMost, and measured with this share of the mean added
// on both sides, lest a surprise in an hour without traffic multiply a peak.
const (
	levelMost   = 5
	levelMargin = 0.005
)

// margin keeps ratios finite where traffic is near 0.
func (p *WeeklyProfile) margin() float64 { return 0.05 * p.overall.mean }

// ratio is actual to forecast; two zeros are equal.
func ratio(actual, forecast, margin float64) float64 {
	if actual == forecast {
		return 1
	}
	return (actual + margin) / max(forecast+margin, math.SmallestNonzeroFloat64)
}

// errors is the pool of errors for a forecast: its own, or one that is near
// where its own has too few.
func (p *WeeklyProfile) errors(slot int64, b basis) *pool {
	l := 0
	for slot-p.last >= leadEnd[l] {
		l++
	}
	for _, basis := range [...]basis{b, byWeek, byDay, byNothing} {
		for near := l; near >= 0; near-- {
			if pool := &p.pools[basis][near]; len(pool.sorted) >= fewErrors {
				return pool
			}
		}
	}
	return &p.pools[b][l]
}

func floorMod(a, n int64) int64 {
	if m := a % n; m < 0 {
		return m + n
	} else {
		return m
	}
}

// ewMean is a mean whose newest value weighs 1/n, or a least weight once that
// is more.
type ewMean struct {
	n    int
	mean float64
}

func (m *ewMean) add(v, least float64) {
	m.n++
	m.mean += max(1/float64(m.n), least) * (v - m.mean)
}
