package policies_test

// The second half of the audit: figures over time, and the report.

import (
	"math"
	"slices"

	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"
)

// state is what the cluster does at an instant: the columns of the timeline.
type state struct{ batch, served, reserved, idle, missing, waiting, running int }

// at rebuilds the state of an instant from jobs and services.
func (a *auditor) at(t sim.Time) state {
	var s state
	for i := range a.fates {
		f := &a.fates[i]
		now := slices.IndexFunc(f.stays, func(s stay) bool { return s.from <= t && t < s.to })
		switch {
		case f.state == "rejected":
		case now >= 0:
			s.running++
			s.batch += hardware.Size(f.stays[now].gpus)
		case f.job.Eligible() <= t && t < f.left:
			s.waiting++
		}
	}
	for i := range a.w.services {
		v, held := &a.w.services[i], 0
		for _, h := range a.held[v.Name] {
			if h.at <= t {
				held = hardware.Size(h.gpus)
			}
		}
		wanted := v.Demand.At(t)
		s.served += min(held, wanted)
		s.reserved += max(0, held-wanted)
		s.missing += max(0, wanted-held)
	}
	s.idle = a.w.gpus() - s.batch - s.served - s.reserved
	return s
}

// readTimeline compares the timeline to what was rebuilt, at every instant at
// which anything changes.
func (a *auditor) readTimeline() {
	a.instants = append(a.instants, 0)
	for i := range a.fates {
		f := &a.fates[i]
		a.instants = append(a.instants, f.job.Eligible(), f.left)
		for _, s := range f.stays {
			a.instants = append(a.instants, s.from, s.to)
		}
	}
	for _, s := range a.w.services {
		for k := range s.Demand.Levels {
			a.instants = append(a.instants, sim.Time(k)*s.Demand.Step, sim.Time(k+1)*s.Demand.Step)
		}
	}
	rows := a.rows(&a.o.timeline)
	for _, r := range rows {
		a.instants = append(a.instants, a.seconds(r[0]))
	}
	slices.Sort(a.instants)
	a.instants = slices.DeleteFunc(slices.Compact(a.instants), func(t sim.Time) bool { return t < 0 || t >= a.o.end })
	row := -1
	for _, t := range a.instants {
		for row+1 < len(rows) && a.seconds(rows[row+1][0]) <= t {
			row++
		}
		want := a.at(t)
		got := state{idle: a.w.gpus()}
		if row >= 0 {
			r := rows[row]
			got = state{a.number(r[1]), a.number(r[2]), a.number(r[3]), a.number(r[4]), a.number(r[5]), a.number(r[6]), a.number(r[7])}
		}
		a.must(got == want, "at %v the timeline says %+v, jobs and services %+v", t, got, want)
	}
}

func near(x, y, tolerance float64) bool { return math.Abs(x-y) <= tolerance*max(1, math.Abs(y)) }

// checkReport integrates what was rebuilt and compares it to the report.
func (a *auditor) checkReport() {
	var sum struct{ batch, served, reserved, idle, missing, waiting int64 } // GPU- and job-nanoseconds
	for i, t := range a.instants {
		to := a.o.end
		if i+1 < len(a.instants) {
			to = a.instants[i+1]
		}
		s, d := a.at(t), int64(to-t)
		sum.batch += d * int64(s.batch)
		sum.served += d * int64(s.served)
		sum.reserved += d * int64(s.reserved)
		sum.idle += d * int64(s.idle)
		sum.missing += d * int64(s.missing)
		sum.waiting += d * int64(s.waiting)
	}
	total := int64(a.w.gpus()) * int64(a.o.end)
	a.must(sum.batch+sum.served+sum.reserved+sum.idle == total, "%+v do not add up to %d", sum, total)
	held := int64(0)
	for _, s := range a.stays {
		held += int64(hardware.Size(s.gpus)) * int64(s.to-s.from)
	}
	a.must(held == sum.batch+sum.served+sum.reserved, "rows of jobs and services add up to %d, the timeline to %+v", held, sum)

	// Little: the area under the queue is the sum of the waits.
	waits := int64(0)
	for i := range a.fates {
		f := &a.fates[i]
		if f.state != "rejected" {
			waits += int64(max(0, f.left-f.ran-f.job.Eligible()))
		}
	}
	a.must(waits == sum.waiting, "jobs wait for %d ns, the queue holds %d", waits, sum.waiting)
	course := struct{ batch, waiting, missing, value float64 }{}
	for i, b := range a.o.course.Bins {
		d := float64(min(a.o.course.Width, a.o.course.End-sim.Time(i)*a.o.course.Width))
		course.batch += d * b.Batch
		course.waiting += d * b.Waiting
		course.missing += d * b.Missing
		course.value += b.Value
	}
	a.must(near(course.waiting, float64(waits), 1e-9) && near(course.batch, float64(sum.batch), 1e-9) && near(course.missing, float64(sum.missing), 1e-9),
		"the course %+v is not %+v", course, sum)

	r := a.o.report
	same := func(what string, got, want float64) {
		a.must(near(got, want, 1e-9), "%s: %v, by the tables %v", what, got, want)
	}
	hours := func(ns int64) float64 { return float64(ns) / 3.6e12 }
	same("simulated hours", r.HorizonHours, a.o.end.Hours())
	same("batch", r.GPUHours.Batch, hours(sum.batch))
	same("real-time", r.GPUHours.Realtime, hours(sum.served))
	same("reserved idle", r.GPUHours.ReservedIdle, hours(sum.reserved))
	same("idle", r.GPUHours.Idle, hours(sum.idle))
	same("shortfall", r.ShortfallGPUHours, hours(sum.missing))
	if total > 0 {
		same("utilization", r.Utilization, float64(sum.batch+sum.served)/float64(total))
		same("occupancy", r.Occupancy, float64(held)/float64(total))
	}
	a.must(r.Swaps == a.swaps, "%d swaps, by the tables %d", r.Swaps, a.swaps)
	a.checkJobFigures(r, course.value)
}

// checkJobFigures compares what the report says of jobs.
func (a *auditor) checkJobFigures(r *metrics.Report, course float64) {
	var n metrics.JobCounts
	var wait, slowdown, turnaround []float64
	value, decayed, preemptions := 0.0, 0.0, 0
	first, last := sim.Forever, sim.Time(0)
	for i := range a.fates {
		f := &a.fates[i]
		n.Submitted++
		first = min(first, f.job.Submit)
		switch f.state {
		case "completed":
			n.Completed++
			turnaround = append(turnaround, (f.left - f.job.Submit).Seconds())
			slowdown = append(slowdown, max(1, (f.left-f.job.Submit).Seconds()/max(f.ran.Seconds(), 10)))
		case "unfinished":
			n.Unfinished++
		case "unscheduled":
			n.Unscheduled++
		case "rejected":
			n.Rejected++
		}
		if f.start < 0 {
			continue
		}
		last = max(last, f.left)
		wait = append(wait, (f.left - f.ran - f.job.Submit).Seconds())
		preemptions += len(a.o.preempted[f.job.Label()])
		if len(a.o.preempted[f.job.Label()]) > 0 {
			n.Preempted++
		}
		for _, s := range f.stays {
			rate := f.job.Priority * float64(hardware.Size(s.gpus))
			value += rate * (s.to - s.from).Hours()
			step := a.w.stepLength()
			for k := s.from / step; k*step < s.to; k++ {
				d := min(s.to, (k+1)*step) - max(s.from, k*step)
				decayed += rate * d.Hours() * math.Pow(worldGamma, float64(k)*step.Hours())
			}
		}
	}
	a.must(preemptions == r.Preemptions, "%d preemptions, by the stays %d", r.Preemptions, preemptions)
	a.must(n == r.Jobs, "jobs %+v, by the tables %+v", r.Jobs, n)
	same := func(what string, got, want float64) {
		a.must(near(got, want, 1e-9), "%s: %v, by the tables %v", what, got, want)
	}
	same("value", r.Value, value)
	same("value of the course", course, value)
	same("decayed value", a.o.decayed, decayed)
	penalty := 0.0
	for _, s := range a.w.services {
		penalty += worldLambda * s.Priority * a.missing(&s)
	}
	same("objective", a.o.objective, decayed-penalty)
	if last > 0 {
		same("makespan", r.MakespanSeconds, (last - first).Seconds())
	}
	a.distribution("wait", r.WaitSeconds, wait)
	a.distribution("slowdown", r.BoundedSlowdown, slowdown)
	a.distribution("turnaround", r.TurnaroundSeconds, turnaround)
}

// missing is the GPU-hours that one service lacks.
func (a *auditor) missing(s *sim.Service) float64 {
	sum := 0.0
	for i, t := range a.instants {
		to := a.o.end
		if i+1 < len(a.instants) {
			to = a.instants[i+1]
		}
		held := 0
		for _, h := range a.held[s.Name] {
			if h.at <= t {
				held = hardware.Size(h.gpus)
			}
		}
		sum += float64(max(0, s.Demand.At(t)-held)) * (to - t).Hours()
	}
	return sum
}

// distribution checks a summary: at least a share p of the sample is at most
// the quantile of p, and less than p is below it.
func (a *auditor) distribution(what string, d *metrics.Distribution, xs []float64) {
	if len(xs) == 0 {
		a.must(d == nil, "%s of no job: %+v", what, d)
		return
	}
	a.must(d != nil, "no %s of %d jobs", what, len(xs))
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	a.must(near(d.Mean, sum/float64(len(xs)), 1e-9) && near(d.Max, slices.Max(xs), 1e-12), "%s: %+v of %v", what, d, xs)
	for p, q := range map[float64]float64{0.5: d.P50, 0.95: d.P95, 0.99: d.P99} {
		below, upTo := 0, 0
		for _, x := range xs {
			if x < q-1e-9*max(1, q) {
				below++
			}
			if x <= q+1e-9*max(1, q) {
				upTo++
			}
		}
		n := float64(len(xs))
		a.must(float64(upTo) >= p*n-1e-9 && float64(below) < p*n, "%s: quantile %v is %v of %v", what, p, q, xs)
	}
}
