package traces

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/sim"
)

// Filter takes part of a workload. The zero value takes all of it.
type Filter struct {
	From, Until Instant  // jobs submitted in [From, Until); From becomes time 0
	Tenants     []string // jobs of these tenants; none means of all
	Sample      float64  // share of the jobs kept, each by a draw of its own, 0 … 1; 0 means all
	ScaleLoad   float64  // the load becomes so many times as large: times since time 0 are divided by it; 0 means 1
	Seed        uint64   // of Sample
}

// Instant is a point in a trace: so long after time 0, or a calendar time. The
// zero value stands for no limit.
type Instant struct {
	Since sim.Time
	At    time.Time
	set   bool
}

// ParseInstant reads "36h", "2.5d", "3600" (seconds), or a calendar time as
// 2017-10-03, "2017-10-03 12:00:00" or 2017-10-03T12:00:00+08:00. Calendar
// times that name no zone are in the given one; nil means UTC.
func ParseInstant(text string, zone *time.Location) (Instant, error) {
	if zone == nil {
		zone = time.UTC
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return Instant{At: t, set: true}, nil
		}
	}
	if t, ok := ParseTime(text); ok && t >= 0 {
		return Instant{Since: t, set: true}, nil
	}
	return Instant{}, fmt.Errorf("time %q; accepted are a length as 36h or 2.5d, seconds since time 0, or a calendar time as 2017-10-03 or 2017-10-03T12:00:00Z", text)
}

// ParseTime reads a length of time: Go's units, days as "2.5d", or seconds.
func ParseTime(text string) (sim.Time, bool) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		v, err := strconv.ParseFloat(days, 64)
		return sim.Time(v * 24 * float64(time.Hour)), err == nil && math.Abs(v) < maxSeconds/86400
	}
	if n, ok := parseNumber([]byte(text)); ok {
		return n.seconds()
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d.Abs() < maxSeconds*time.Second
}

// since is the instant in simulated time.
func (i Instant) since(epoch time.Time) (sim.Time, error) {
	if i.At.IsZero() {
		return i.Since, nil
	}
	if epoch.IsZero() {
		return 0, fmt.Errorf("traces: %s is a calendar time, and the calendar time of the trace is not known; accepted is a length of time since its time 0", i.At.Format(time.RFC3339))
	}
	return i.At.Sub(epoch), nil
}

// Check reports the first setting that makes no sense.
func (f Filter) Check() error {
	if !(f.Sample >= 0 && f.Sample <= 1) {
		return fmt.Errorf("traces: sample is %v; accepted are shares from 0 (means all) to 1", f.Sample)
	}
	if f.ScaleLoad != 0 && !(f.ScaleLoad >= 1e-6 && f.ScaleLoad <= 1e6) {
		return fmt.Errorf("traces: scale of the load is %v; accepted are 1e-6 to 1e6", f.ScaleLoad)
	}
	return nil
}

// Filtered is a source that hands on part of another one.
type Filtered struct {
	f           Filter
	src         sim.Source
	rng         *rand.Rand
	started     bool
	from, until sim.Time
	epoch       time.Time
	left        int64
}

// Apply filters a source. A source with an Epoch, as a Trace is one, can be cut
// at calendar times.
func (f Filter) Apply(src sim.Source) (*Filtered, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	return &Filtered{f: f, src: src, rng: sim.Stream(f.Seed, "trace/sample")}, nil
}

// Next implements sim.Source. It reads no further than Until.
func (s *Filtered) Next(j *sim.Job) (bool, error) {
	for {
		ok, err := s.src.Next(j)
		if err != nil || !ok {
			return false, err
		}
		if !s.started {
			s.started = true
			if err := s.start(); err != nil {
				return false, err
			}
		}
		if j.Submit >= s.until {
			return false, nil
		}
		if s.keep(j) {
			s.move(j)
			return true, nil
		}
		s.left++
	}
}

// start turns limits into simulated time, once the epoch is known.
func (s *Filtered) start() (err error) {
	if e, ok := s.src.(interface{ Epoch() (time.Time, bool) }); ok {
		s.epoch, _ = e.Epoch()
	}
	s.until = sim.Forever
	if s.from, err = s.f.From.since(s.epoch); err != nil {
		return err
	}
	if s.f.Until.set {
		s.until, err = s.f.Until.since(s.epoch)
	}
	return err
}

// keep says whether a job is taken. Every job in the span draws a number, so
// that choosing tenants does not change who of them is sampled.
func (s *Filtered) keep(j *sim.Job) bool {
	if j.Submit < s.from {
		return false
	}
	drawn := s.f.Sample == 0 || s.rng.Float64() < s.f.Sample
	return drawn && (len(s.f.Tenants) == 0 || slices.Contains(s.f.Tenants, j.Tenant))
}

// move puts a job at its time after From, nearer by the scale.
func (s *Filtered) move(j *sim.Job) {
	later := j.Earliest - j.Submit
	j.Submit -= s.from
	if s.f.ScaleLoad != 0 {
		j.Submit = sim.Time(float64(j.Submit) / s.f.ScaleLoad)
	}
	if j.Earliest != 0 {
		j.Earliest = j.Submit + later
	}
}

// Epoch is the calendar time of time 0 of what is handed on, and whether it is
// known. With ScaleLoad, later times are no calendar times any more.
func (s *Filtered) Epoch() (time.Time, bool) {
	if s.epoch.IsZero() {
		return time.Time{}, false
	}
	return s.epoch.Add(s.from), true
}

// Left is how many jobs were read and not handed on.
func (s *Filtered) Left() int64 { return s.left }
