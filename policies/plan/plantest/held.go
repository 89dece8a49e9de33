package plantest

import (
	"berth/policies/plan"
	"berth/sim/hardware"
)

// block takes free GPUs that a job of the problem may hold; nil when it finds
// none at the size it tries.
func (d *drawing) block(j *plan.Job) []hardware.Range {
	n := d.size()
	if d.p.Alignment == hardware.Scattered {
		return d.some(n)
	}
	for _, first := range shuffled(d, d.p.GPUs) {
		if allowedBlock(d.p, j, first, n) && d.isFree(first, n) {
			for g := first; g < first+n; g++ {
				d.free[g] = false
			}
			return []hardware.Range{{First: first, N: n}}
		}
	}
	return nil
}

func (d *drawing) isFree(first, n int) bool {
	for g := first; g < first+n; g++ {
		if !d.free[g] {
			return false
		}
	}
	return true
}

// some takes up to n free GPUs.
func (d *drawing) some(n int) []hardware.Range {
	taken := make([]bool, d.p.GPUs)
	for _, g := range shuffled(d, d.p.GPUs) {
		if n > 0 && d.free[g] {
			d.free[g] = false
			taken[g] = true
			n--
		}
	}
	return rangesOf(taken)
}

// rangesOf are the GPUs marked true, as maximal ranges.
func rangesOf(set []bool) []hardware.Range {
	var rs []hardware.Range
	for g, in := range set {
		if !in {
			continue
		}
		if k := len(rs) - 1; k >= 0 && rs[k].First+rs[k].N == g {
			rs[k].N++
		} else {
			rs = append(rs, hardware.Range{First: g, N: 1})
		}
	}
	return rs
}

// allowedBlock spells out the block rule, GPU by GPU.
func allowedBlock(p *plan.Problem, j *plan.Job, first, n int) bool {
	if first+n > p.GPUs {
		return false
	}
	if p.Alignment == hardware.Buddy && first%n != 0 {
		return false
	}
	for g := first; g < first+n; g++ {
		if !j.Across && domainOf(p, g) != domainOf(p, first) {
			return false
		}
	}
	return true
}

func domainOf(p *plan.Problem, gpu int) int {
	for i, d := range p.Domains {
		if gpu >= d.First && gpu < d.First+d.N {
			return i
		}
	}
	return -1
}
