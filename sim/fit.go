package sim

import (
	"math"

	"berth/sim/hardware"
)

// longest is the longest duration that a job may have, 73 years: with it, the
// clock does not overflow.
const longest = Forever / 4

// impossible says why a job can never run here, or nothing.
func (e *engine) impossible(j *Job) string {
	switch {
	case j.Duration <= 0 || j.Estimate <= 0:
		return "its duration or estimate is not positive"
	case j.Duration > longest || j.Estimate > longest || j.Eligible() > 2*longest:
		return "its times are beyond what the clock counts"
	case j.onCPUs() && j.MaxGPUs == 0:
		return e.impossibleRequest(j)
	case j.MinGPUs < 1 || j.MaxGPUs < j.MinGPUs:
		return "its range of sizes is empty"
	case !j.Rigid() && !(j.Parallel >= 0 && j.Parallel <= 1):
		return "its parallel share is outside 0 to 1"
	case !(j.Priority > 0) || math.IsInf(j.Priority, 1):
		return "its priority is not a positive number"
	case j.MinGPUs > e.cluster.GPUs():
		return "it is larger than the cluster"
	case e.smallest(j) == 0:
		return "no size it accepts fits as a block"
	}
	return e.impossibleRequest(j)
}

// smallest and largest are the least and greatest size of a job that the
// cluster could hold when empty, or 0.
func (e *engine) smallest(j *Job) int {
	if e.w.Alignment == hardware.Scattered {
		return j.MinGPUs
	}
	for n := 1; n <= j.MaxGPUs; n *= 2 {
		if n >= j.MinGPUs && e.fitsEmpty(n, j.Across) {
			return n
		}
	}
	return 0
}

// sizeNow is the smallest size with which the job may start now, or 0.
func (e *engine) sizeNow(j *Job) int {
	n := e.smallest(j)
	if !e.w.Closed || n == 0 {
		return n
	}
	for ; n <= j.MaxGPUs; n++ {
		block := e.w.Alignment == hardware.Scattered || n&(n-1) == 0 && e.fitsEmpty(n, j.Across)
		if block && e.now+j.EstimateOn(n) <= e.horizon {
			return n
		}
	}
	return 0
}

func (e *engine) largest(j *Job) int {
	if j.MinGPUs == j.MaxGPUs {
		return j.MinGPUs
	}
	e.sizes = j.Sizes(e.sizes[:0], e.w.Alignment)
	for i := len(e.sizes) - 1; i >= 0; i-- {
		if n := e.sizes[i]; e.w.Alignment == hardware.Scattered && n <= e.cluster.GPUs() || e.fitsEmpty(n, j.Across) {
			return n
		}
	}
	return j.MinGPUs
}

func (e *engine) fitsEmpty(n int, across bool) bool {
	if across {
		return n <= e.cluster.GPUs()
	}
	for _, d := range e.w.Topology.Domains() {
		first := d.First
		if e.w.Alignment == hardware.Buddy {
			first = (first + n - 1) / n * n
		}
		if first+n <= d.End() {
			return true
		}
	}
	return false
}
