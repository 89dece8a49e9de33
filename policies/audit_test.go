package policies_test

// An audit of a run by someone who knows the workload and reads the tables that
// the run wrote, and rebuilds everything else from these: who held what, when,
// whether that was allowed, and what the report must therefore say. Times are
// whole nanoseconds, so sums are exact.

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"

	"pgregory.net/rapid"
)

// stay is somebody on some GPUs in [from, to).
type stay struct {
	who      string
	gpus     []hardware.Range
	from, to sim.Time
}

// fate is what became of a job, by its row.
type fate struct {
	job         *sim.Job
	state       string
	start, left sim.Time // start is −1 for a job that never did
	gpus        []hardware.Range
}

// holding is what a service has from a time on.
type holding struct {
	at   sim.Time
	gpus []hardware.Range
}

// auditor is the state of an audit.
type auditor struct {
	t        *rapid.T
	w        *world
	o        *outcome
	domains  []hardware.Range
	fates    []fate
	held     map[string][]holding
	stays    []stay
	swaps    int
	instants []sim.Time
}

func audit(t *rapid.T, w *world, o *outcome) {
	a := &auditor{t: t, w: w, o: o, domains: w.linkDomains(), held: map[string][]holding{}}
	a.readJobs()
	a.readServices()
	a.exclusive()
	a.readTimeline()
	a.checkReport()
}

func (a *auditor) must(ok bool, format string, args ...any) {
	if !ok {
		a.t.Helper()
		a.t.Fatalf(a.o.policy+": "+format, args...)
	}
}

func (a *auditor) rows(table *bytes.Buffer) [][]string {
	all, err := csv.NewReader(bytes.NewReader(table.Bytes())).ReadAll()
	a.must(err == nil, "%v", err)
	return all[1:]
}

// seconds reads decimal seconds as nanoseconds, without loss.
func (a *auditor) seconds(text string) sim.Time {
	whole, fraction, _ := strings.Cut(text, ".")
	a.must(len(fraction) <= 9 && !strings.HasSuffix(fraction, "0"), "%q is no plain time", text)
	ns, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 9-len(fraction)), 10, 64)
	a.must(err == nil, "%q is no time", text)
	return sim.Time(ns)
}

func (a *auditor) number(text string) int {
	n, err := strconv.Atoi(text)
	a.must(err == nil, "%q is no number", text)
	return n
}

func (a *auditor) ranges(text string) []hardware.Range {
	rs, err := hardware.ParseRanges(text)
	a.must(err == nil, "%v", err)
	return rs
}

// readJobs checks each row by itself, and that every job has one.
func (a *auditor) readJobs() {
	left := map[string]*sim.Job{}
	for i := range a.w.jobs {
		if j := &a.w.jobs[i]; a.w.horizon == 0 || j.Submit < a.w.horizon {
			left[j.Label()] = j
		}
	}
	for _, r := range a.rows(&a.o.jobs) {
		j := left[r[0]]
		a.must(j != nil, "job %s is not of this workload, or has two rows", r[0])
		delete(left, r[0])
		a.must(a.seconds(r[4]) == j.Submit, "job %s: submitted at %s", r[0], r[4])
		f := fate{job: j, state: r[13], start: -1, left: a.o.left[r[0]], gpus: a.ranges(r[12])}
		if len(f.gpus) > 0 {
			a.checkRun(&f, r)
		} else {
			a.must(r[5] == "" && r[6] == "" && (f.state == "rejected" || f.state == "unscheduled"), "job %s: row %v", r[0], r)
		}
		a.must((f.state == "rejected") == !a.possible(j), "job %s (%+v) is %s", r[0], j, f.state)
		a.fates = append(a.fates, f)
	}
	a.must(len(left) == 0, "%d jobs have no row", len(left))
}

// checkRun checks the row of a job that started.
func (a *auditor) checkRun(f *fate, r []string) {
	j, n := f.job, hardware.Size(f.gpus)
	f.start, f.left = a.seconds(r[5]), a.seconds(r[6])
	a.stays = append(a.stays, stay{"job " + r[0], f.gpus, f.start, f.left})
	run, turnaround := f.left-f.start, f.left-j.Submit
	a.must(f.start >= j.Submit && f.start >= j.Earliest, "job %s starts before it may", r[0])
	a.must(a.seconds(r[7]) == f.start-j.Submit && a.seconds(r[8]) == run && a.seconds(r[9]) == turnaround, "job %s: times do not add up: %v", r[0], r)
	if run > 0 {
		stretch, err := strconv.ParseFloat(r[10], 64)
		a.must(err == nil && near(stretch, float64(turnaround)/float64(run), 1e-9), "job %s: stretch %s", r[0], r[10])
	}
	a.must(n >= j.MinGPUs && n <= j.MaxGPUs, "job %s has %d GPUs", r[0], n)
	a.checkBlock(j, f.gpus, n)
	full, estimate := onSize(j, j.Duration, n), onSize(j, j.Estimate, n)
	switch f.state {
	case "completed":
		a.must(math.Abs(float64(run)-full) <= 1+full*1e-12, "job %s ran for %v, not %v", r[0], run, sim.Time(full))
	case "unfinished":
		a.must(a.w.horizon > 0 && f.left == a.w.horizon && float64(run) < full, "job %s is unfinished at %v after %v of %v", r[0], f.left, run, sim.Time(full))
	default:
		a.must(false, "job %s ran and is %s", r[0], f.state)
	}
	if a.w.closed {
		a.must(float64(f.start)+estimate <= float64(a.w.horizon)+1, "job %s starts at %v, which is too late", r[0], f.start)
	}
}

// onSize is Amdahl's law.
func onSize(j *sim.Job, d sim.Time, n int) float64 {
	return float64(d) * (1 - j.Parallel + j.Parallel*float64(j.MinGPUs)/float64(n))
}

func (a *auditor) checkBlock(j *sim.Job, gpus []hardware.Range, n int) {
	if a.w.alignment == hardware.Scattered {
		return
	}
	first := gpus[0].First
	a.must(len(gpus) == 1 && bits.OnesCount(uint(n)) == 1, "job %s: %v is no block", j.Label(), gpus)
	a.must(a.w.alignment != hardware.Buddy || first%n == 0, "job %s: %v is not aligned", j.Label(), gpus)
	a.must(j.Across || slices.ContainsFunc(a.domains, func(d hardware.Range) bool { return first >= d.First && first+n <= d.End() }),
		"job %s: %v spans link domains", j.Label(), gpus)
}

// possible reports whether a job could run on the empty machine, by trying
// everything.
func (a *auditor) possible(j *sim.Job) bool {
	total := a.w.gpus()
	if a.w.alignment == hardware.Scattered {
		return j.MinGPUs <= total
	}
	regions := a.domains
	if j.Across {
		regions = []hardware.Range{{N: total}}
	}
	for n := 1; n <= total; n *= 2 {
		for _, d := range regions {
			for first := d.First; first+n <= d.End(); first++ {
				if n >= j.MinGPUs && n <= j.MaxGPUs && (a.w.alignment != hardware.Buddy || first%n == 0) {
					return true
				}
			}
		}
	}
	return false
}

// readServices follows each service by its gains and losses.
func (a *auditor) readServices() {
	byName := map[string]*sim.Service{}
	for i := range a.w.services {
		byName[a.w.services[i].Name] = &a.w.services[i]
	}
	type window struct{ step, gained, lost int }
	windows, last := map[string]window{}, sim.Time(0)
	for _, r := range a.rows(&a.o.services) {
		at, s := a.seconds(r[0]), byName[r[1]]
		a.must(s != nil && at >= last, "services, row %v", r)
		last = at
		a.must(a.number(r[2]) == s.Demand.At(at), "%s at %v: demand %s, not %d", s.Name, at, r[2], s.Demand.At(at))
		gained, lost, now := a.ranges(r[4]), a.ranges(r[5]), a.ranges(r[6])
		var before []hardware.Range
		if h := a.held[s.Name]; len(h) > 0 {
			before = h[len(h)-1].gpus
		}
		after := cells(before)
		for g := range cells(gained) {
			a.must(!after[g], "%s at %v gains GPU %d, which it has", s.Name, at, g)
			after[g] = true
		}
		for g := range cells(lost) {
			a.must(after[g], "%s at %v loses GPU %d, which it has not", s.Name, at, g)
			delete(after, g)
		}
		a.must(fmt.Sprint(after) == fmt.Sprint(cells(now)) && len(after) == a.number(r[3]), "%s at %v holds %s, by its gains and losses %v", s.Name, at, r[6], after)
		a.must(len(after) <= s.Max, "%s at %v holds %d of at most %d", s.Name, at, len(after), s.Max)
		step := int(at / a.w.stepLength())
		k := windows[s.Name]
		if k.step != step {
			k = window{step: step}
		}
		k.gained, k.lost = k.gained+hardware.Size(gained), k.lost+hardware.Size(lost)
		windows[s.Name] = k
		if step > 0 {
			a.swaps += hardware.Size(gained) + hardware.Size(lost)
			a.must(s.SwapCap == 0 || k.gained <= s.SwapCap && k.lost <= s.SwapCap, "%s gains %d and loses %d in step %d", s.Name, k.gained, k.lost, step)
		}
		a.held[s.Name] = append(a.held[s.Name], holding{at, now})
	}
	for name, hs := range a.held {
		for i, h := range hs {
			to := a.o.end
			if i+1 < len(hs) {
				to = hs[i+1].at
			}
			a.stays = append(a.stays, stay{"service " + name, h.gpus, h.at, to})
			a.instants = append(a.instants, h.at)
		}
	}
}

func cells(rs []hardware.Range) map[int]bool {
	out := map[int]bool{}
	for _, r := range rs {
		for g := r.First; g < r.End(); g++ {
			out[g] = true
		}
	}
	return out
}

// exclusive checks that no GPU serves two at once.
func (a *auditor) exclusive() {
	byGPU := make([][]stay, a.w.gpus())
	for _, s := range a.stays {
		for g := range cells(s.gpus) {
			if s.from < s.to {
				byGPU[g] = append(byGPU[g], s)
			}
		}
	}
	for g, stays := range byGPU {
		slices.SortFunc(stays, func(x, y stay) int { return int(min(1, max(-1, x.from-y.from))) })
		for i := 1; i < len(stays); i++ {
			a.must(stays[i-1].to <= stays[i].from, "GPU %d serves %v and %v", g, stays[i-1], stays[i])
		}
	}
}

// state is what the cluster does at an instant: the columns of the timeline.
type state struct{ batch, served, reserved, idle, missing, waiting, running int }

// at rebuilds the state of an instant from jobs and services.
func (a *auditor) at(t sim.Time) state {
	var s state
	for i := range a.fates {
		f := &a.fates[i]
		switch {
		case f.state == "rejected":
		case f.start >= 0 && f.start <= t:
			if t < f.left {
				s.running++
				s.batch += hardware.Size(f.gpus)
			}
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
		a.instants = append(a.instants, f.job.Eligible(), f.start, f.left)
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
		until := f.start
		if until < 0 {
			until = f.left
		}
		if f.state != "rejected" {
			waits += int64(max(0, until-f.job.Eligible()))
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
	value, decayed := 0.0, 0.0
	first, last := sim.Forever, sim.Time(0)
	for i := range a.fates {
		f := &a.fates[i]
		n.Submitted++
		first = min(first, f.job.Submit)
		switch f.state {
		case "completed":
			n.Completed++
			turnaround = append(turnaround, (f.left - f.job.Submit).Seconds())
			slowdown = append(slowdown, max(1, (f.left-f.job.Submit).Seconds()/max((f.left-f.start).Seconds(), 10)))
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
		wait = append(wait, (f.start - f.job.Submit).Seconds())
		rate := f.job.Priority * float64(hardware.Size(f.gpus))
		value += rate * (f.left - f.start).Hours()
		step := a.w.stepLength()
		for k := f.start / step; k*step < f.left; k++ {
			d := min(f.left, (k+1)*step) - max(f.start, k*step)
			decayed += rate * d.Hours() * math.Pow(worldGamma, float64(k)*step.Hours())
		}
	}
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
