package policies

import (
	"slices"

	"berth/sim"
	"berth/sim/hardware"
)

// calendar knows which GPUs are spoken for, when: running jobs until their
// estimated end, jobs that a policy has committed to a later start, and the
// claims of services.
type calendar struct {
	services *serviceSchedule
	topology *hardware.Topology
	align    hardware.Alignment
	bookings []booking

	times []sim.Time
	taken []bool
}

// reservations is where a policy books what jobs will hold: a calendar, or a
// profile where all GPUs are alike.
type reservations interface {
	// earliest is the first hole for n GPUs of a job from a time on, to last
	// as long as its estimate and end by a deadline.
	earliest(j *sim.ActiveJob, n int, from, deadline sim.Time) (booking, bool)
	add(booking)
	cancel(*sim.ActiveJob) // drops the job's booking, if there is one
	forget(before sim.Time)
}

// booking is a job's GPUs in [from, to).
type booking struct {
	job      *sim.ActiveJob
	from, to sim.Time
	size     int
	gpus     []hardware.Range // nil: any
}

// add implements reservations.
func (c *calendar) add(b booking) { c.bookings = append(c.bookings, b) }

// forget implements reservations: a calendar drops jobs when they end.
func (c *calendar) forget(sim.Time) {}

// cancel implements reservations.
func (c *calendar) cancel(j *sim.ActiveJob) {
	c.bookings = slices.DeleteFunc(c.bookings, func(b booking) bool { return b.job == j })
}

// earliest implements reservations.
func (c *calendar) earliest(j *sim.ActiveJob, n int, from, deadline sim.Time) (booking, bool) {
	d := j.EstimateOn(n)
	for _, at := range c.candidates(from) {
		if d > deadline-at {
			break
		}
		if gpus := c.free(n, j.Across, at, at+d); gpus != nil {
			return booking{j, at, at + d, n, gpus}, true
		}
	}
	return booking{}, false
}

// candidates are the times at which a hole may begin: now, and whenever
// something ends.
func (c *calendar) candidates(from sim.Time) []sim.Time {
	c.times = append(c.times[:0], from)
	for _, b := range c.bookings {
		if b.to > from {
			c.times = append(c.times, b.to)
		}
	}
	for _, spans := range c.services.claims {
		for _, s := range spans {
			if s.to > from && s.to < sim.Forever {
				c.times = append(c.times, s.to)
			}
		}
	}
	slices.Sort(c.times)
	return slices.Compact(c.times)
}

// free is the lowest-numbered GPUs that nothing wants in [from, to), or nil.
func (c *calendar) free(n int, across bool, from, to sim.Time) []hardware.Range {
	c.taken = slices.Grow(c.taken[:0], c.topology.GPUs())[:c.topology.GPUs()]
	clear(c.taken)
	for _, b := range c.bookings {
		if b.from < to && b.to > from {
			for _, r := range b.gpus {
				for g := r.First; g < r.End(); g++ {
					c.taken[g] = true
				}
			}
		}
	}
	for g := range c.services.claims {
		if c.services.blocked(g, from, to) {
			c.taken[g] = true
		}
	}
	for _, r := range c.services.always {
		for g := r.First; g < r.End(); g++ {
			c.taken[g] = true
		}
	}
	if c.align == hardware.Scattered {
		return c.lowest(n)
	}
	if across {
		return c.block(hardware.Range{N: len(c.taken)}, n)
	}
	for _, d := range c.topology.Domains() {
		if b := c.block(d, n); b != nil {
			return b
		}
	}
	return nil
}

// lowest is the first n GPUs that are not taken, or nil.
func (c *calendar) lowest(n int) []hardware.Range {
	var out []hardware.Range
	for g, taken := range c.taken {
		switch k := len(out); {
		case taken:
			continue
		case k > 0 && out[k-1].End() == g:
			out[k-1].N++
		default:
			out = append(out, hardware.Range{First: g, N: 1})
		}
		if n--; n == 0 {
			return out
		}
	}
	return nil
}

// block is the first block of n GPUs in a region that is not taken, or nil.
func (c *calendar) block(region hardware.Range, n int) []hardware.Range {
	run := 0
	for g := region.First; g < region.End(); g++ {
		if c.taken[g] {
			run = 0
			continue
		}
		run++
		first := g - n + 1
		if run >= n && (c.align != hardware.Buddy || first%n == 0) {
			return []hardware.Range{{First: first, N: n}}
		}
	}
	return nil
}
