package plan

import "berth/sim/hardware"

// claim is who held a GPU last, and when. Rows of claims need no clearing
// between steps.
type claim struct {
	after  int32 // step + 1
	holder int32 // index of a job, or number of jobs + index of a service
}

// lay claims GPUs for a holder in step t and reports those that are taken: one
// violation for each other holder met in a row.
func (c *checker) lay(row []claim, t, holder int, gpus []hardware.Range) {
	mine := claim{int32(t) + 1, int32(holder)}
	for _, r := range gpus {
		reported := int32(-1)
		for g := r.First; g < r.End(); g++ {
			if was := row[g]; was.after == mine.after {
				if was.holder != reported {
					c.clash(t, g, holder, int(was.holder))
				}
				reported = was.holder
				continue
			}
			row[g] = mine
			reported = -1
		}
	}
}

func (c *checker) clash(t, gpu, holder, other int) {
	v := Violation{Constraint: Capacity, GPU: gpu, Step: t}
	jobs := c.p.Jobs
	if holder < len(jobs) {
		v.Job = jobs[holder].ID
	} else {
		v.Service = c.p.Services[holder-len(jobs)].ID
	}
	if other < len(jobs) {
		c.report(v, "also held by job %q", jobs[other].ID)
	} else {
		c.report(v, "also held by service %q", c.p.Services[other-len(jobs)].ID)
	}
}

// endOf is one past the last step of a placed job.
func (c *checker) endOf(job int) int {
	pl := &c.pl.Jobs[job]
	return pl.Start + c.p.Jobs[job].Shapes[pl.Shape].Steps
}

// topGPU is one past the highest GPU that is laid on the grid.
func (c *checker) topGPU() int {
	top := 0
	for _, i := range c.runs {
		top = max(top, topOf(c.pl.Jobs[i].GPUs))
	}
	for i, steps := range c.pl.Services {
		for t, rs := range steps {
			if c.bad == nil || !c.bad[i*c.p.Steps+t] {
				top = max(top, topOf(rs))
			}
		}
	}
	return top
}

func topOf(ascending []hardware.Range) int {
	if len(ascending) == 0 {
		return 0
	}
	return ascending[len(ascending)-1].End()
}
