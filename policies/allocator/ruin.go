package allocator

import (
	"math"

	"berth/sim/hardware"
)

// What a ruin takes off the plan: either whatever is in the way of one job at
// a place drawn for it, or jobs at random; besides these some jobs that have
// no place, and now and then services.
const (
	clearing  = 0.6 // share of ruins that clear a place
	sated     = 0.1 // chance that a service drawn is taken if its demand is met,
	wanting   = 0.4 // and if it is not
	homeless  = 2   // jobs without a place that are tried besides
	drawnMost = 64  // jobs drawn at random, at most
)

// ruin draws the items of a ruin and the order in which to place them again.
// It does not touch the plan.
func (s *search) ruin() {
	s.ruins++
	s.out = s.out[:0]
	s.drawServices()
	first := -1
	if s.chance(clearing) {
		first = s.clear()
	}
	if first < 0 {
		s.drawAtRandom()
	}
	s.drawHomeless()
	long := s.chance(0.7) // by the value of a whole job rather than of a step of it
	for i := range s.out {
		o := &s.out[i]
		if o.key = s.urgency(o.item, long); o.item == first {
			o.key = math.Inf(1)
		}
	}
}

func (s *search) chance(p float64) bool { return s.rng.Float64() < p }

// draw adds an item to the ruin, unless it is in it.
func (s *search) draw(item int) {
	if s.drawn[item] != s.ruins {
		s.drawn[item] = s.ruins
		s.out = append(s.out, pick{item: item})
	}
}

// drawServices draws, at times, a service or two.
func (s *search) drawServices() {
	n := len(s.a.svcs)
	if n == 0 {
		return
	}
	first, chance := s.rng.IntN(n), sated
	if v := &s.a.svcs[first]; v.gain < v.wanted {
		chance = wanting
	}
	if s.chance(chance) {
		s.draw(len(s.a.jobs) + first)
		if s.chance(0.5) {
			s.draw(len(s.a.jobs) + s.rng.IntN(n))
		}
	}
}

// drawAtRandom draws jobs: most of them as long as the search is warm, then
// fewer.
func (s *search) drawAtRandom() {
	n := float64(len(s.items))
	for range 1 + s.rng.IntN(min(drawnMost, 2+int(n*(0.5+4*s.warmth())))) {
		if it := s.items[s.rng.IntN(len(s.items))]; it < len(s.a.jobs) {
			s.draw(it)
		}
	}
}

// drawHomeless draws some jobs that have no place.
func (s *search) drawHomeless() {
	found := 0
	s.someJobs(func(item int) (stop bool) {
		if s.a.jobs[item].start < 0 {
			s.draw(item)
			found++
		}
		return found == homeless
	})
}

// someJobs visits jobs from one drawn at random on, until it is told to stop
// or has seen enough.
func (s *search) someJobs(visit func(item int) (stop bool)) {
	n := len(s.items)
	at := s.rng.IntN(n)
	for range min(n, enough) {
		if it := s.items[at]; it < len(s.a.jobs) && visit(it) {
			return
		}
		if at++; at == n {
			at = 0
		}
	}
}

// clear draws a job, one without a place if possible every other time, and a
// place for it no later than its own, and draws whatever is there. It returns
// the job, or −1 when there is no such place.
func (s *search) clear() int {
	a := s.a
	item, wantHomeless := -1, s.chance(0.5)
	s.someJobs(func(it int) (stop bool) {
		if item < 0 {
			item = it
		}
		if a.jobs[it].start < 0 && wantHomeless {
			item = it
			return true
		}
		return !wantHomeless
	})
	if item < 0 {
		return -1
	}
	j := &a.jobs[item]
	shape := j.Shapes[j.shape]
	last := a.lastStart(shape)
	if j.start >= 0 {
		last = min(last, j.start)
	}
	block := s.drawBlock(j.Across, shape.GPUs)
	if j.Earliest > last || block.N == 0 {
		return -1
	}
	t := j.Earliest + s.rng.IntN(last-j.Earliest+1)
	s.draw(item)
	s.drawAt(block, t, t+shape.Steps)
	return item
}

// drawBlock draws a place for a block of n GPUs; none if there is no room.
func (s *search) drawBlock(across bool, n int) (block hardware.Range) {
	a := s.a
	regions := a.regions(across || a.p.Alignment == hardware.Scattered)
	r := regions[s.rng.IntN(len(regions))]
	first, end, step := a.blocks(r, r.First, r.End(), n)
	if first >= end {
		return block
	}
	return hardware.Range{First: r.First + first + step*s.rng.IntN((end-first+step-1)/step), N: n}
}

// drawAt draws whatever holds any of the GPUs in steps [from, to).
func (s *search) drawAt(r hardware.Range, from, to int) {
	a := s.a
	for _, it := range s.items {
		if it < len(a.jobs) {
			j := &a.jobs[it]
			if j.start >= 0 && j.start < to && from < j.start+j.steps && j.on(r) {
				s.draw(it)
			}
			continue
		}
		for _, b := range a.svcs[it-len(a.jobs)].bars {
			if b.gpu >= r.First && b.gpu < r.End() && b.from < to && from < b.to {
				s.draw(it)
				break
			}
		}
	}
}

// urgency is the key of an item: with noise, a job's value. A service mostly
// comes before all jobs, at times after them. Half the time its key overflows,
// which puts it beside the job that a place was cleared for.
func (s *search) urgency(item int, long bool) float64 {
	noise := 0.5 + s.rng.Float64()
	if item >= len(s.a.jobs) {
		if s.chance(0.8) {
			return noise * math.MaxFloat64 / 2
		}
		return -noise
	}
	j := &s.a.jobs[item]
	shape := j.Shapes[j.shape]
	value := j.Priority * float64(shape.GPUs) * noise
	if long {
		value *= float64(shape.Steps)
	}
	return value
}

// vary changes, at times, how an item that has been lifted is to be placed.
func (s *search) vary(item int) {
	if item >= len(s.a.jobs) {
		s.varyService(&s.a.svcs[item-len(s.a.jobs)])
		return
	}
	j := &s.a.jobs[item]
	if s.chance(0.1) {
		j.high = !j.high
	}
	if k := len(j.Shapes); k > 1 && s.chance(0.2) {
		j.shape = s.rng.IntN(k)
	}
}

// varyService may move a service, and lowers its ceiling by one bar that it
// had, or a part of one, or raises it again.
func (s *search) varyService(v *service) {
	a := s.a
	if s.chance(0.2) {
		v.high = s.chance(0.5)
		v.home = a.domains[s.rng.IntN(len(a.domains))].First
	}
	switch r := s.rng.Float64(); {
	case r < 0.5 && len(v.old.bars) > 0:
		b := v.old.bars[s.rng.IntN(len(v.old.bars))]
		if s.chance(0.5) {
			b.from += s.rng.IntN(b.to - b.from)
			b.to -= s.rng.IntN(b.to - b.from)
		}
		for t := b.from; t < b.to; t++ {
			v.ceil[t] = min(v.ceil[t], b.level)
		}
	case r < 0.75:
		from, to := 0, a.p.Steps
		if s.chance(0.5) {
			from = s.rng.IntN(to)
			to = from + 1 + s.rng.IntN(to-from)
		}
		for t := from; t < to; t++ {
			v.ceil[t] = v.Max
		}
	}
}
