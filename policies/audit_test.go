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
	stays       []stay   // one more than it was preempted, or as many when it ended waiting
	ran         sim.Time // in all of them
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
		if r[5] != "" {
			a.checkRun(&f, r)
		} else {
			a.must(r[5] == "" && r[6] == "" && (f.state == "rejected" || f.state == "unscheduled"), "job %s: row %v", r[0], r)
		}
		refused := a.o.policy == "loss" && f.state == "rejected"
		a.must(refused || (f.state == "rejected") == !a.possible(j), "job %s (%+v) is %s", r[0], j, f.state)
		a.fates = append(a.fates, f)
	}
	a.must(len(left) == 0, "%d jobs have no row", len(left))
}

// checkRun checks the row of a job that started.
func (a *auditor) checkRun(f *fate, r []string) {
	j := f.job
	f.start, f.left = a.seconds(r[5]), a.seconds(r[6])
	run, turnaround := a.seconds(r[8]), f.left-j.Submit
	a.collectStays(f, r, run)
	a.must(f.start >= j.Submit && f.start >= j.Earliest, "job %s starts before it may", r[0])
	a.must(a.seconds(r[7]) == turnaround-run && a.seconds(r[9]) == turnaround, "job %s: times do not add up: %v", r[0], r)
	if run > 0 {
		stretch, err := strconv.ParseFloat(r[10], 64)
		a.must(err == nil && near(stretch, float64(turnaround)/float64(run), 1e-9), "job %s: stretch %s", r[0], r[10])
	}
	done, full := 0.0, float64(j.Duration) // work, as time on MinGPUs
	for i, s := range f.stays {
		n, span := hardware.Size(s.gpus), s.to-s.from
		a.must(n >= j.MinGPUs && n <= j.MaxGPUs, "job %s has %d GPUs", r[0], n)
		a.checkBlock(j, s.gpus, n)
		if left := onSize(j, j.Estimate, n) - onSize(j, sim.Time(done), n); a.w.closed && left > 0 {
			a.must(float64(s.from)+left <= float64(a.w.horizon)+1+3*float64(i), "job %s starts at %v, which is too late", r[0], s.from)
		}
		if i > 0 {
			span = max(0, span-a.w.restart)
		}
		if n == j.MinGPUs {
			done += float64(span)
		} else {
			done += float64(span) / onSize(j, 1, n)
		}
	}
	rounding := 4*float64(len(f.stays)) + full*1e-12
	if j.Rigid() {
		rounding = 0
	}
	switch f.state {
	case "completed":
		a.must(math.Abs(done-full) <= rounding, "job %s did %v of work, not %v", r[0], sim.Time(done), j.Duration)
	case "unfinished":
		// Preempted, and without a place from then on: at the end of a closed
		// horizon, or in a run without one when nothing more will happen.
		givenUp := (a.w.closed || a.w.horizon == 0) && len(f.gpus) == 0
		a.must((a.w.horizon > 0 && f.left == a.w.horizon || givenUp) && done < full+rounding, "job %s is unfinished at %v after %v of %v", r[0], f.left, sim.Time(done), j.Duration)
	default:
		a.must(false, "job %s ran and is %s", r[0], f.state)
	}
}

// collectStays finds when a job was where: the stays before a preemption as
// they were observed, and the last by what its row leaves for it.
func (a *auditor) collectStays(f *fate, r []string, run sim.Time) {
	f.stays, f.ran = slices.Clone(a.o.preempted[r[0]]), run
	a.must(a.number(r[15]) == len(f.stays), "job %s: %s preemptions, not %d", r[0], r[15], len(f.stays))
	for _, s := range f.stays {
		run -= s.to - s.from
	}
	a.must((run > 0) == (len(f.gpus) > 0), "job %s: %v of its time on GPUs are left for %v", r[0], run, f.gpus)
	if run > 0 {
		f.stays = append(f.stays, stay{"job " + r[0], f.gpus, f.left - run, f.left})
	}
	a.must(f.stays[0].from == f.start, "job %s starts at %v, not %v", r[0], f.stays[0].from, f.start)
	a.stays = append(a.stays, f.stays...)
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
