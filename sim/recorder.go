package sim

import (
	"bufio"
	"cmp"
	"io"
	"strconv"
	"strings"

	"berth/sim/hardware"
)

// Recorder is an Observer that writes every change of a run as it happens, as
// three CSV tables, and keeps none of it. Times are seconds since the
// workload's epoch, exact to the nanosecond; a field that does not apply is
// empty.
//
//	jobs      one row a job, when it reaches its final state
//	services  one row a change of a service's GPUs or demand
//	timeline  one row an instant: what the cluster does from then on
type Recorder struct {
	IgnoreAll
	jobs, services, timeline *bufio.Writer
	line                     []byte
	last                     Counts
	rows                     int
}

// NewRecorder writes the headers of the three tables. Errors of the writers
// surface in RoundEnded and RunEnded.
func NewRecorder(jobs, services, timeline io.Writer) *Recorder {
	r := &Recorder{
		jobs:     bufio.NewWriterSize(jobs, 1<<16),
		services: bufio.NewWriterSize(services, 1<<14),
		timeline: bufio.NewWriterSize(timeline, 1<<16),
	}
	r.jobs.WriteString("job_id,kind,tenant,priority,submission_time,starting_time,finish_time,waiting_time,execution_time,turnaround_time,stretch,requested_gpus,allocated_gpus,final_state,reason,preemptions,node\n")
	r.services.WriteString("time,service,demand_gpus,held_gpus,gained_gpus,lost_gpus,allocated_gpus\n")
	r.timeline.WriteString("time,batch_gpus,realtime_gpus,reserved_idle_gpus,idle_gpus,missing_gpus,waiting_jobs,running_jobs\n")
	return r
}

// JobEnded implements Observer.
func (r *Recorder) JobEnded(_ Time, j *ActiveJob) {
	b := r.line[:0]
	if j.Name != "" {
		b = appendField(b, j.Name)
	} else {
		b = strconv.AppendInt(b, j.ID, 10)
	}
	b = append(append(b, ','), j.Kind.String()...)
	b = appendField(append(b, ','), j.Tenant)
	b = strconv.AppendFloat(append(b, ','), j.Priority, 'g', -1, 64)
	b = AppendSeconds(append(b, ','), j.Submit)
	if j.ran() {
		run, turnaround := j.Ran, j.Ended-j.Submit
		b = AppendSeconds(append(b, ','), j.Started)
		b = AppendSeconds(append(b, ','), j.Ended)
		b = AppendSeconds(append(b, ','), turnaround-run)
		b = AppendSeconds(append(b, ','), run)
		b = AppendSeconds(append(b, ','), turnaround)
		b = append(b, ',')
		if run > 0 {
			b = strconv.AppendFloat(b, float64(turnaround)/float64(run), 'g', 10, 64)
		}
	} else {
		b = append(b, ",,,,,,"...)
	}
	b = appendGPUs(append(b, ','), j.MinGPUs, 0)
	if s := j.Request.Share(); s < hardware.Whole {
		b = appendGPUs(b[:len(b)-1], 0, s)
	}
	if !j.Rigid() {
		b = strconv.AppendInt(append(b, '-'), int64(j.MaxGPUs), 10)
	}
	b = hardware.AppendRanges(append(b, ','), j.GPUs)
	b = append(append(b, ','), j.State.String()...)
	b = appendField(append(b, ','), j.Reason)
	b = strconv.AppendInt(append(b, ','), int64(j.Preempted), 10)
	b = append(b, ',')
	if j.ran() && j.MaxGPUs == 0 && j.Node >= 0 {
		b = strconv.AppendInt(b, int64(j.Node), 10)
	}
	r.line = append(b, '\n')
	r.jobs.Write(r.line)
}

// ServiceChanged implements Observer.
func (r *Recorder) ServiceChanged(now Time, s *ActiveService, gained, lost []hardware.Range) {
	b := r.serviceRow(now, s)
	b = hardware.AppendRanges(append(b, ','), gained)
	b = hardware.AppendRanges(append(b, ','), lost)
	b = hardware.AppendRanges(append(b, ','), s.GPUs)
	r.line = append(b, '\n')
	r.services.Write(r.line)
}

// DemandChanged implements Observer.
func (r *Recorder) DemandChanged(now Time, s *ActiveService) {
	b := append(r.serviceRow(now, s), ",,,"...)
	b = hardware.AppendRanges(b, s.GPUs)
	r.line = append(b, '\n')
	r.services.Write(r.line)
}

func (r *Recorder) serviceRow(now Time, s *ActiveService) []byte {
	b := AppendSeconds(r.line[:0], now)
	b = appendField(append(b, ','), s.Name)
	b = strconv.AppendInt(append(b, ','), int64(s.Wanted), 10)
	return strconv.AppendInt(append(b, ','), int64(s.Held), 10)
}

// RoundEnded implements Observer.
func (r *Recorder) RoundEnded(now Time, c *Counts) error {
	if *c == r.last && r.rows > 0 {
		return r.failed()
	}
	r.last = *c
	r.rows++
	b := AppendSeconds(r.line[:0], now)
	b = appendGPUs(append(b, ','), c.Batch, c.Shares)
	for _, n := range [...]int{c.Served, c.Realtime - c.Served} {
		b = strconv.AppendInt(append(b, ','), int64(n), 10)
	}
	b = appendGPUs(append(b, ','), c.Free, c.Remnants)
	for _, n := range [...]int{c.Missing, c.Waiting, c.Running} {
		b = strconv.AppendInt(append(b, ','), int64(n), 10)
	}
	r.line = append(b, '\n')
	r.timeline.Write(r.line)
	return r.failed()
}

// failed is an earlier error of a table, as of a full disk: writing nothing
// reports it.
func (r *Recorder) failed() error {
	for _, w := range [...]*bufio.Writer{r.jobs, r.services, r.timeline} {
		if _, err := w.Write(nil); err != nil {
			return err
		}
	}
	return nil
}

// RunEnded implements Observer: it flushes the tables, each whatever became of
// the others.
func (r *Recorder) RunEnded(Time) error {
	var first error
	for _, w := range [...]*bufio.Writer{r.jobs, r.services, r.timeline} {
		first = cmp.Or(first, w.Flush())
	}
	return first
}

// appendGPUs appends GPUs and thousandths of one as a decimal, without loss.
func appendGPUs(dst []byte, gpus, milli int) []byte {
	return AppendSeconds(dst, Time(gpus)*1e9+Time(milli)*1e6)
}

// AppendSeconds appends a time in seconds as a decimal, without loss.
func AppendSeconds(dst []byte, t Time) []byte {
	if t < 0 {
		dst, t = append(dst, '-'), -t
	}
	dst = strconv.AppendInt(dst, int64(t/1e9), 10)
	rest := t % 1e9
	if rest > 0 {
		dst = append(dst, '.')
	}
	for unit := Time(1e8); rest > 0; unit /= 10 {
		dst = append(dst, '0'+byte(rest/unit))
		rest %= unit
	}
	return dst
}

// appendField appends text as a CSV field (RFC 4180). It stands in for
// encoding/csv because a row a job is on the hot path of a replay.
func appendField(dst []byte, text string) []byte {
	if !strings.ContainsAny(text, "\",\r\n") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(text, `"`, `""`)...)
	return append(dst, '"')
}
