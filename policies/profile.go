package policies

import (
	"slices"

	"berth/sim"
)

// profile is the number of free GPUs over time, where all GPUs are alike: what
// calendar is for blocks, at a cost that does not depend on the cluster.
type profile struct {
	times []sim.Time // ascending
	free  []int      // from times[i] on
	jobs  map[*sim.ActiveJob]booking
}

func newProfile(gpus int) *profile {
	return &profile{times: []sim.Time{0}, free: []int{gpus}, jobs: map[*sim.ActiveJob]booking{}}
}

// earliest implements reservations.
func (p *profile) earliest(j *sim.ActiveJob, n int, from, deadline sim.Time) (booking, bool) {
	d := j.EstimateOn(n)
	at := from // the hole being looked at begins here
	for i := p.index(from); at <= deadline-d; i++ {
		if i == len(p.times) || p.times[i] >= at+d {
			return booking{job: j, from: at, to: at + d, size: n}, true
		}
		if p.free[i] < n {
			if i+1 == len(p.times) {
				break
			}
			at = p.times[i+1]
		}
	}
	return booking{}, false
}

// index is the entry that holds at a time.
func (p *profile) index(at sim.Time) int {
	i, exact := slices.BinarySearch(p.times, at)
	if !exact {
		i--
	}
	return max(i, 0)
}

// add implements reservations.
func (p *profile) add(b booking) {
	p.jobs[b.job] = b
	p.change(b.from, b.to, -b.size)
}

// cancel implements reservations.
func (p *profile) cancel(j *sim.ActiveJob) {
	if b, ok := p.jobs[j]; ok {
		delete(p.jobs, j)
		p.change(b.from, b.to, b.size)
	}
}

// change adds n to the free GPUs in [from, to), and joins entries that have
// become equal.
func (p *profile) change(from, to sim.Time, n int) {
	i, k := p.split(from), p.split(to)
	for m := i; m < k; m++ {
		p.free[m] += n
	}
	for _, m := range [2]int{k, i} {
		if m > 0 && p.free[m] == p.free[m-1] {
			p.times, p.free = slices.Delete(p.times, m, m+1), slices.Delete(p.free, m, m+1)
		}
	}
}

// split makes an entry begin at a time and returns it.
func (p *profile) split(at sim.Time) int {
	i := p.index(at)
	if p.times[i] == at {
		return i
	}
	p.times = slices.Insert(p.times, i+1, at)
	p.free = slices.Insert(p.free, i+1, p.free[i])
	return i + 1
}

// forget drops what lies before a time.
func (p *profile) forget(before sim.Time) {
	if i := p.index(before); i > 256 {
		p.times, p.free = slices.Delete(p.times, 0, i), slices.Delete(p.free, 0, i)
	}
}
