package traces

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"time"

	"berth/sim"
)

// Summary describes the jobs of a workload. Load is what they would hold on a
// machine without limits, each started at its submission; a share of a GPU
// counts as that.
type Summary struct {
	Jobs    int64 `json:"jobs"`
	Tenants int   `json:"tenants"` // distinct, the unnamed one not counted

	Epoch           string  `json:"epoch,omitempty"` // calendar time of time 0, RFC 3339; absent when unknown
	FirstSubmission float64 `json:"first_submission_seconds"`
	LastSubmission  float64 `json:"last_submission_seconds"`
	LastEnd         float64 `json:"last_end_seconds"` // of the load
	SpanDays        float64 `json:"span_days"`        // from the first submission to the last

	GPUHours   float64     `json:"gpu_hours"`
	MeanLoad   float64     `json:"mean_load_gpus"` // from the first submission to the last end
	PeakLoad   int64       `json:"peak_load_gpus"`
	LargestJob int         `json:"largest_job_gpus"`
	Sizes      []SizeCount `json:"sizes"` // by GPUs

	Shared    int64   `json:"jobs_on_shares_of_a_gpu,omitempty"` // they count with their share
	MeanShare float64 `json:"mean_share_of_a_gpu,omitempty"`     // of those jobs
	CPUHours  float64 `json:"cpu_hours,omitempty"`               // of the CPUs asked for
	Picky     int64   `json:"jobs_that_name_models,omitempty"`

	ClusterGPUs int     `json:"cluster_gpus,omitempty"`         // of Against
	MeanPercent float64 `json:"mean_load_percent,omitempty"`    // of the cluster
	PeakPercent float64 `json:"peak_load_percent,omitempty"`    // of the cluster
	Beyond      int64   `json:"jobs_beyond_cluster,omitempty"`  // that ask for more GPUs than it has
	FullestHour float64 `json:"jobs_in_fullest_hour,omitempty"` // of the week, mean a week

	Duration     Quantiles `json:"duration_seconds"`
	Interarrival float64   `json:"mean_interarrival_seconds"`
	ByHour       [168]int  `json:"jobs_by_hour_of_week"` // from Monday 0:00 in the epoch's zone; from time 0 when the epoch is unknown
	ByDay        []int     `json:"jobs_by_day"`          // days of 24 hours from the first submission
}

// SizeCount is how many jobs ask for one number of GPUs, and the GPU-hours
// that they take.
type SizeCount struct {
	GPUs     int     `json:"gpus"`
	Jobs     int64   `json:"jobs"`
	GPUHours float64 `json:"gpu_hours"`
}

// Quantiles are nearest-rank: the smallest value that at least the given
// share is not above.
type Quantiles struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Summarize reads a source to its end. Moldable jobs count with their smallest
// size. It keeps eight bytes a job, and the jobs of the load that overlap.
func Summarize(src sim.Source) (*Summary, error) {
	c := census{sizes: map[int]*size{}, tenants: map[string]bool{}}
	var j sim.Job
	for {
		ok, err := src.Next(&j)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if j.Submit < c.last {
			return nil, fmt.Errorf("traces: job %s is submitted at %v, before the job above; accepted are times from 0 on, in order", j.Label(), j.Submit)
		}
		if len(c.durations) == 0 {
			c.start(src, j.Submit)
		}
		c.add(&j)
	}
	return c.summary(), nil
}

// census is a Summary in the making, in integers.
type census struct {
	out       Summary
	sizes     map[int]*size
	tenants   map[string]bool
	durations []sim.Time
	first     sim.Time
	last      sim.Time
	end       sim.Time
	week      sim.Time // added to a time, it counts from a Monday 0:00
	running   ends
	load      int64 // thousandths of a GPU
	peak      int64
	shares    int64 // sum of the shares below one, in thousandths
}

// size adds up run times, weighted by the share of each GPU in thousandths.
type size struct{ jobs, milliSeconds, milliNanos int64 }

func (c *census) start(src sim.Source, first sim.Time) {
	c.first = first
	t, ok := src.(interface{ Epoch() (time.Time, bool) })
	if !ok {
		return
	}
	if epoch, known := t.Epoch(); known {
		h, m, s := epoch.Clock()
		day := (int(epoch.Weekday()) + 6) % 7
		c.week = sim.Time(day*86400+h*3600+m*60+s) * time.Second
		c.out.Epoch = epoch.Format(time.RFC3339)
	}
}

func (c *census) add(j *sim.Job) {
	c.durations = append(c.durations, j.Duration)
	c.last = j.Submit
	c.end = max(c.end, j.Submit+j.Duration)
	if j.Tenant != "" && !c.tenants[j.Tenant] {
		c.tenants[j.Tenant] = true
	}

	s := c.sizes[j.MinGPUs]
	if s == nil {
		s = &size{}
		c.sizes[j.MinGPUs] = s
	}
	share := int64(1000)
	if m := int64(j.Request.GPUMilli); m > 0 && m < 1000 {
		share = m
		c.out.Shared++
		c.shares += m
	}
	if j.Request.Models != "" {
		c.out.Picky++
	}
	c.out.CPUHours += float64(j.Request.CPUMilli) / 1000 * j.Duration.Hours()
	s.jobs++
	s.milliSeconds += share * int64(j.Duration/time.Second)
	s.milliNanos += share * int64(j.Duration%time.Second)

	c.out.ByHour[uint64(c.week+j.Submit)/uint64(time.Hour)%168]++
	day := int((j.Submit - c.first) / (24 * time.Hour))
	for len(c.out.ByDay) <= day {
		c.out.ByDay = append(c.out.ByDay, 0)
	}
	c.out.ByDay[day]++

	for len(c.running) > 0 && c.running[0].at <= j.Submit {
		c.load -= heap.Pop(&c.running).(ending).milli
	}
	milli := share * int64(j.MinGPUs)
	heap.Push(&c.running, ending{j.Submit + j.Duration, milli})
	c.load += milli
	c.peak = max(c.peak, c.load)
}

func (c *census) summary() *Summary {
	o := &c.out
	o.Jobs, o.Tenants = int64(len(c.durations)), len(c.tenants)
	o.FirstSubmission, o.LastSubmission, o.LastEnd = c.first.Seconds(), c.last.Seconds(), c.end.Seconds()
	o.SpanDays = (c.last - c.first).Hours() / 24
	for gpus, s := range c.sizes {
		hours := (float64(s.milliSeconds) + float64(s.milliNanos)/1e9) / 3600 * float64(gpus) / 1000
		o.Sizes = append(o.Sizes, SizeCount{gpus, s.jobs, hours})
	}
	slices.SortFunc(o.Sizes, func(a, b SizeCount) int { return cmp.Compare(a.GPUs, b.GPUs) })
	for _, s := range o.Sizes { // in order, so that the sum is always the same
		o.GPUHours += s.GPUHours
		o.LargestJob = s.GPUs
	}
	if c.end > c.first {
		o.MeanLoad = o.GPUHours / (c.end - c.first).Hours()
	}
	if o.Jobs > 1 {
		o.Interarrival = (c.last - c.first).Seconds() / float64(o.Jobs-1)
	}
	o.PeakLoad = (c.peak + 999) / 1000
	if o.Shared > 0 {
		o.MeanShare = float64(c.shares) / float64(o.Shared) / 1000
	}
	if weeks := (c.last - c.first).Hours() / 168; o.Jobs > 0 {
		o.FullestHour = float64(slices.Max(o.ByHour[:])) / max(1, weeks)
	}
	o.Duration = quantiles(c.durations)
	return o
}

// Against compares the load with a cluster of so many GPUs.
func (o *Summary) Against(gpus int) {
	if o.ClusterGPUs = gpus; gpus <= 0 {
		return
	}
	o.MeanPercent, o.PeakPercent = 100*o.MeanLoad/float64(gpus), 100*float64(o.PeakLoad)/float64(gpus)
	o.Beyond = 0
	for _, s := range o.Sizes {
		if s.GPUs > gpus {
			o.Beyond += s.Jobs
		}
	}
}

// quantiles sorts its argument.
func quantiles(d []sim.Time) Quantiles {
	if len(d) == 0 {
		return Quantiles{}
	}
	slices.Sort(d)
	sum := 0.0
	for _, t := range d {
		sum += t.Seconds()
	}
	at := func(percent int) float64 { return d[(len(d)*percent+99)/100-1].Seconds() }
	return Quantiles{
		Min: d[0].Seconds(), Mean: sum / float64(len(d)), P50: at(50), P90: at(90),
		P95: at(95), P99: at(99), Max: d[len(d)-1].Seconds(),
	}
}

// ends is a heap of the instants at which GPUs of the load are released.
type ends []ending

type ending struct {
	at    sim.Time
	milli int64 // thousandths of a GPU
}

func (e ends) Len() int           { return len(e) }
func (e ends) Less(a, b int) bool { return e[a].at < e[b].at }
func (e ends) Swap(a, b int)      { e[a], e[b] = e[b], e[a] }
func (e *ends) Push(x any)        { *e = append(*e, x.(ending)) }
func (e *ends) Pop() any {
	old := *e
	last := old[len(old)-1]
	*e = old[:len(old)-1]
	return last
}
