package sim

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"berth/sim/hardware"
)

// Time is an instant, counted in nanoseconds since the workload's epoch, or a
// length of time.
type Time = time.Duration

// Forever is later than any event.
const Forever = Time(math.MaxInt64)

// Kind says what sort of work a job is.
type Kind uint8

const (
	Generic Kind = iota
	Training
	BatchInference
	Quantization
)

var kindNames = [...]string{"generic", "training", "batch-inference", "quantization"}

// Kinds are all kinds, in the order figures and tables use.
func Kinds() []Kind { return []Kind{Training, BatchInference, Quantization, Generic} }

func (k Kind) String() string { return kindNames[k] }

// MarshalText makes Kind usable in TOML, JSON and CSV.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// AppendText is MarshalText into given memory.
func (k Kind) AppendText(dst []byte) ([]byte, error) { return append(dst, k.String()...), nil }

// UnmarshalText accepts the four names of String.
func (k *Kind) UnmarshalText(text []byte) error {
	for i, name := range kindNames {
		if name == string(text) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("kind %q is unknown; accepted are training, batch-inference, quantization, generic", text)
}

// Job is a batch-like job as it is submitted. The simulator knows all of it;
// a policy should look at Estimate, never at Duration.
type Job struct {
	ID       int64  // unique in the workload
	Name     string // shown instead of ID when not empty
	Kind     Kind
	Tenant   string
	Priority float64 // weight of its GPU-hours in the value, > 0

	Submit   Time // when the scheduler hears of it
	Earliest Time // it may not start before; 0 or anything below Submit means Submit

	MinGPUs, MaxGPUs int     // accepted sizes; equal for a rigid job
	Parallel         float64 // share of the work that speeds up with size (Amdahl), 0 … 1; only read when MinGPUs < MaxGPUs

	Duration Time // true execution time on MinGPUs
	Estimate Time // the user's or forecaster's idea of it, on MinGPUs; never below 1 ns

	Across bool // a block may span link domains

	Request hardware.Request // what it asks of its nodes beside GPUs
}

// Label is the name, or the ID in decimal.
func (j *Job) Label() string {
	if j.Name != "" {
		return j.Name
	}
	return fmt.Sprint(j.ID)
}

// Eligible is the first instant at which the job may start.
func (j *Job) Eligible() Time { return max(j.Submit, j.Earliest) }

// Rigid reports whether the job has one size only.
func (j *Job) Rigid() bool { return j.MinGPUs == j.MaxGPUs }

// DurationOn is the true execution time on n GPUs, by Amdahl's law from
// MinGPUs, rounded up to the nanosecond.
func (j *Job) DurationOn(n int) Time { return j.scale(j.Duration, n) }

// EstimateOn is the estimated execution time on n GPUs.
func (j *Job) EstimateOn(n int) Time { return j.scale(j.Estimate, n) }

func (j *Job) scale(d Time, n int) Time {
	if n <= j.MinGPUs {
		return d
	}
	return Time(math.Ceil(float64(d) * j.share(n)))
}

// work is what is done in a time on n GPUs, as time on MinGPUs, rounded down to
// the nanosecond.
func (j *Job) work(d Time, n int) Time {
	if n <= j.MinGPUs {
		return d
	}
	return Time(math.Floor(float64(d) / j.share(n)))
}

// share is the time on n GPUs as a share of that on MinGPUs.
func (j *Job) share(n int) float64 {
	return (1 - j.Parallel) + j.Parallel*float64(j.MinGPUs)/float64(n)
}

// Sizes appends the sizes that the job may hold under an alignment: every one
// of its range when scattered, the powers of two in it otherwise. The smallest
// comes first.
func (j *Job) Sizes(dst []int, a hardware.Alignment) []int {
	for n := j.MinGPUs; n <= j.MaxGPUs; n++ {
		if a == hardware.Scattered || bits.OnesCount(uint(n)) == 1 {
			dst = append(dst, n)
		}
	}
	return dst
}

// Service is real-time work: it has no end, its demand moves, and what it
// holds may grow and shrink.
type Service struct {
	Name     string
	Tenant   string
	Priority float64
	Min, Max int   // GPUs: kept warm at least, held at most
	SwapCap  int   // GPUs gained at most and lost at most between two steps; 0 means no limit
	Demand   Curve // GPUs needed
	History  []int // GPUs needed before the run, a level a step of Demand; the last ends at 0
}

// Target is the GPUs that the service should hold at an instant: its demand,
// at least Min, at most Max.
func (s *Service) Target(t Time) int { return min(max(s.Demand.At(t), s.Min), s.Max) }

// Curve is a piecewise constant count of GPUs: Levels[i] holds in
// [i·Step, (i+1)·Step), and nothing is asked after the last level.
type Curve struct {
	Step   Time
	Levels []int
}

// At is the level at an instant.
func (c Curve) At(t Time) int {
	if t < 0 || len(c.Levels) == 0 {
		return 0
	}
	if i := int(t / c.Step); i < len(c.Levels) {
		return c.Levels[i]
	}
	return 0
}

// Peak is the highest level.
func (c Curve) Peak() int {
	peak := 0
	for _, n := range c.Levels {
		peak = max(peak, n)
	}
	return peak
}

// PeakIn is the highest level in [from, to).
func (c Curve) PeakIn(from, to Time) int {
	peak := 0
	if len(c.Levels) == 0 {
		return 0
	}
	for i := int(max(from, 0) / c.Step); i < len(c.Levels) && Time(i)*c.Step < to; i++ {
		peak = max(peak, c.Levels[i])
	}
	return peak
}

// Source yields jobs in the order of submission. It is read one job ahead, so
// a trace of millions is never held whole.
type Source interface {
	// Next reports the next job in *j, or false at the end. Submit never
	// decreases from one job to the next.
	Next(j *Job) (bool, error)
}

// Workload is everything that a run is fed: a machine, services, and a stream
// of jobs.
type Workload struct {
	Name      string
	Topology  *hardware.Topology
	Alignment hardware.Alignment
	Services  []Service
	Jobs      Source

	Step    Time // planning step Δ and window of the swap caps; 0 means one hour
	Horizon Time // the run ends here; 0 means when the last job has ended
	// Closed: a job that cannot end by the horizon is left unscheduled, and
	// starting it is illegal. Otherwise it is cut at the horizon and earns what
	// it got until then.
	Closed bool

	// Restart is the time that a preempted job spends without progress, on its
	// new GPUs, when it starts again: loading its checkpoint, and doing again
	// what was done after it was taken. 0 means that preemption costs nothing.
	Restart Time
}

// Jobs is a Source over a slice, which must be sorted by Submit.
type Jobs struct {
	List []Job
	next int
}

// Next implements Source.
func (s *Jobs) Next(j *Job) (bool, error) {
	if s.next == len(s.List) {
		return false, nil
	}
	*j = s.List[s.next]
	s.next++
	return true, nil
}
