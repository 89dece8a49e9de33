package policies

import (
	"cmp"
	"slices"
	"sort"

	"berth/policies/allocator"
	"berth/policies/placement"
	"berth/policies/plan"
	"berth/sim"
	"berth/sim/hardware"
)

// serviceSchedule holds services on a fixed schedule, laid out by the
// allocator before the run, and knows which GPUs they will want when. Queue
// policies start a job only where it ends before a service needs its GPU.
type serviceSchedule struct {
	reserve   string // "peak" or "curve"
	partition bool   // keep jobs off the GPUs that services ever use
	limit     int    // GPUs that services may use; 0 means all
	lambda    float64
	place     *placement.Placement // nil means the first place that fits

	held   [][][]hardware.Range // [service][step]
	claims map[int][]span       // GPU → when a service wants it, while that changes
	always []hardware.Range     // GPUs that services never let go of
	step   sim.Time
	done   int // steps applied, as a count
	behind bool
}

// span is [from, to).
type span struct{ from, to sim.Time }

// newServiceSchedule holds services as configured, or else in the standard way.
func newServiceSchedule(c Config, standard string) *serviceSchedule {
	return &serviceSchedule{reserve: cmp.Or(c.Reserve, standard), lambda: c.Lambda, place: c.place()}
}

// apply makes the services hold what the schedule says, as far as GPUs are
// free and the swap caps allow.
func (v *serviceSchedule) apply(r *sim.Round) {
	if v.place != nil {
		v.place.Observe(r)
	}
	if len(r.Services()) == 0 {
		return
	}
	if v.held == nil {
		v.layOut(r)
	}
	now := int(r.Now() / v.step)
	if now < v.done && !v.behind {
		return
	}
	v.done, v.behind = now+1, false
	for i, s := range r.Services() {
		_, lose := r.Allowance(s)
		surplus := hardware.Subtract(s.GPUs, v.at(i, now))
		if part := firstOf(surplus, lose); len(part) > 0 {
			r.Shrink(s, part...)
		}
		v.behind = v.behind || hardware.Size(surplus) > lose
	}
	for i, s := range r.Services() {
		gain, _ := r.Allowance(s)
		wanted := freeOf(r.Cluster(), hardware.Subtract(v.at(i, now), s.GPUs))
		if part := firstOf(wanted, gain); len(part) > 0 {
			r.Grow(s, part...)
		}
		v.behind = v.behind || hardware.Size(hardware.Subtract(v.at(i, now), s.GPUs)) > 0
	}
	if next := v.nextChange(now); next > 0 {
		r.WakeAt(sim.Time(next) * v.step)
	}
	if v.behind {
		r.WakeAt(sim.Time(now+1) * v.step)
	}
}

// at is what service i holds in a step; after the last, what it held then.
func (v *serviceSchedule) at(i, step int) []hardware.Range {
	return v.held[i][min(step, len(v.held[i])-1)]
}

// nextChange is the next step in which some service holds something else, or
// 0.
func (v *serviceSchedule) nextChange(now int) int {
	for t := now + 1; t < len(v.held[0]); t++ {
		for i := range v.held {
			if !sameRanges(v.held[i][t], v.held[i][t-1]) {
				return t
			}
		}
	}
	return 0
}

// layOut plans the services alone: at their peak in one step that never ends,
// or on their curves over all of their demand.
func (v *serviceSchedule) layOut(r *sim.Round) {
	v.step = r.Step()
	steps := 1
	if v.reserve == "curve" {
		for _, s := range r.Services() {
			end := sim.Time(len(s.Demand.Levels)) * s.Demand.Step
			steps = max(steps, int((min(end, r.Horizon())+v.step-1)/v.step))
		}
		steps++ // after the last demand they let go
	}
	limit := r.Cluster().GPUs()
	if v.limit > 0 {
		limit = min(limit, v.limit)
	}
	p := &plan.Problem{GPUs: limit, Steps: steps, StepHours: v.step.Hours(), Gamma: 1, Lambda: max(v.lambda, 1)}
	for _, s := range r.Services() {
		ps := plan.Service{ID: s.Name, Priority: s.Priority, Min: s.Min, Max: s.Max, SwapCap: s.SwapCap, Fresh: true}
		for t := range steps {
			d := s.Demand.PeakIn(sim.Time(t)*v.step, sim.Time(t+1)*v.step)
			if v.reserve == "peak" {
				d = s.Demand.PeakIn(0, r.Horizon())
			}
			ps.Demand = append(ps.Demand, d)
		}
		p.Services = append(p.Services, ps)
	}
	v.held = allocator.Greedy(p).Services
	v.claim(limit)
}

// claim notes which GPUs are wanted when.
func (v *serviceSchedule) claim(limit int) {
	v.claims = map[int][]span{}
	if v.partition {
		v.always = []hardware.Range{{First: 0, N: limit}}
		for g := range limit {
			v.claims[g] = []span{{0, sim.Forever}}
		}
		return
	}
	if len(v.held[0]) == 1 {
		for _, steps := range v.held {
			v.always = hardware.Union(v.always, steps[0])
		}
		return
	}
	for _, steps := range v.held {
		for t, ranges := range steps {
			for _, r := range ranges {
				for g := r.First; g < r.End(); g++ {
					v.claims[g] = addSpan(v.claims[g], span{sim.Time(t) * v.step, sim.Time(t+1) * v.step})
				}
			}
		}
	}
	for _, spans := range v.claims { // several services may take turns on a GPU
		slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	}
}

// addSpan adds a span to those of a GPU, joining it to the last where they
// touch.
func addSpan(spans []span, s span) []span {
	if n := len(spans); n > 0 && spans[n-1].to == s.from {
		spans[n-1].to = s.to
		return spans
	}
	return append(spans, s)
}

// blocked reports whether a service wants GPU g at some time in [from, to).
func (v *serviceSchedule) blocked(g int, from, to sim.Time) bool {
	spans := v.claims[g]
	i := sort.Search(len(spans), func(i int) bool { return spans[i].to > from })
	return i < len(spans) && spans[i].from < to
}

// start starts a job where the placement puts it, or else on the lowest-numbered
// GPUs, that are free until it should end, at the smallest size it accepts. It
// reports whether there were any.
func (v *serviceSchedule) start(r *sim.Round, j *sim.ActiveJob) bool {
	switch {
	case len(v.claims) == 0 && v.place == nil:
		return r.StartFirst(j)
	case len(v.claims) == 0 || r.FitsNode(j, j.MinGPUs) && (v.place != nil || !j.Plain()):
		return v.startOffNodes(r, j, nil)
	}
	gpus := v.find(r, j)
	return gpus != nil && r.MayStart(j, gpus...) && r.Start(j, gpus...)
}

// startOffNodes starts a job where the placement, or else first fit, puts it
// on the nodes that are not masked.
func (v *serviceSchedule) startOffNodes(r *sim.Round, j *sim.ActiveJob, masked func(n int) bool) bool {
	if v.place == nil {
		v.place, _ = placement.New("firstfit", placement.Options{}) // a name that exists
	}
	m := placement.Mask{Node: masked}
	if len(v.claims) > 0 {
		m.GPU = func(g, size int) bool { return v.blocked(g, r.Now(), r.Now()+j.EstimateOn(size)) }
	}
	return v.place.Start(r, j, m)
}

// find is where start would start a job, or nil.
func (v *serviceSchedule) find(r *sim.Round, j *sim.ActiveJob) []hardware.Range {
	c := r.Cluster()
	for _, n := range j.Sizes(nil, r.Alignment()) {
		end := r.Now() + j.EstimateOn(n)
		if n > c.Free() || (r.Closed() && end > r.Horizon()) {
			continue
		}
		if r.Alignment() == hardware.Scattered {
			if gpus := v.findScattered(c, n, r.Now(), end); gpus != nil {
				return gpus
			}
			continue
		}
		for from := 0; ; {
			first, ok := c.FindBlockFrom(from, n, r.Alignment(), j.Across)
			if !ok {
				break
			}
			g := first + n - 1
			for g >= first && !v.blocked(g, r.Now(), end) {
				g--
			}
			if g < first {
				return []hardware.Range{{First: first, N: n}}
			}
			from = g + 1
		}
	}
	return nil
}

func (v *serviceSchedule) findScattered(c sim.Machine, n int, from, to sim.Time) []hardware.Range {
	var gpus []hardware.Range
	for g := 0; g < c.GPUs() && n > 0; g++ {
		if c.Holder(g) != hardware.Nobody || v.blocked(g, from, to) {
			continue
		}
		if k := len(gpus); k > 0 && gpus[k-1].End() == g {
			gpus[k-1].N++
		} else {
			gpus = append(gpus, hardware.Range{First: g, N: 1})
		}
		n--
	}
	if n > 0 {
		return nil
	}
	return gpus
}

// firstOf is the first n GPUs of ascending ranges.
func firstOf(rs []hardware.Range, n int) []hardware.Range {
	var out []hardware.Range
	for _, r := range rs {
		if n <= 0 {
			break
		}
		r.N = min(r.N, n)
		n -= r.N
		out = append(out, r)
	}
	return out
}

// freeOf is the part of ascending ranges that nobody holds.
func freeOf(c sim.Machine, rs []hardware.Range) []hardware.Range {
	var out []hardware.Range
	for _, r := range rs {
		for g := r.First; g < r.End(); g++ {
			if c.Holder(g) == hardware.Nobody {
				out = append(out, hardware.Range{First: g, N: 1})
			}
		}
	}
	return hardware.Union(out, nil)
}

func sameRanges(a, b []hardware.Range) bool {
	return len(hardware.Subtract(a, b)) == 0 && len(hardware.Subtract(b, a)) == 0
}
