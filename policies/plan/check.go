package plan

import (
	"cmp"
	"fmt"
	"slices"

	"berth/sim/hardware"
)

// Check lists how the plan breaks the rules of a valid problem; none means
// that it is legal. Jobs come first, then services, then cells claimed twice;
// at most MaxViolations are listed. It takes time in the order of the cells
// held and memory in the order of the GPUs.
func (p *Problem) Check(pl *Plan) []Violation {
	c := checker{p: p, pl: pl}
	if !c.checkForm() {
		return c.found
	}
	for i := range p.Jobs {
		c.checkJob(i)
	}
	for i := range p.Services {
		c.checkService(i)
	}
	c.checkCapacity()
	return c.found
}

// checker is the state of one Check.
type checker struct {
	p     *Problem
	pl    *Plan
	found []Violation

	runs []int  // jobs whose placement can be laid on the grid
	bad  []bool // [service·Steps + step]: a holding not to be laid on the grid; nil while there is none
}

func (c *checker) report(v Violation, detail string, args ...any) {
	if len(c.found) < MaxViolations {
		v.Detail = fmt.Sprintf(detail, args...)
		c.found = append(c.found, v)
	}
}

// checkForm reports whether the plan is about this problem at all.
func (c *checker) checkForm() bool {
	if c.pl == nil {
		c.pl = &Plan{}
	}
	v := Violation{Constraint: Form, GPU: -1, Step: -1}
	if n, want := len(c.pl.Jobs), len(c.p.Jobs); n != want {
		c.report(v, "it places %d jobs; the problem has %d", n, want)
	}
	if n, want := len(c.pl.Services), len(c.p.Services); n != want {
		c.report(v, "it has %d services; the problem has %d", n, want)
		return false
	}
	for i, steps := range c.pl.Services {
		if len(steps) != c.p.Steps {
			v.Service = c.p.Services[i].ID
			c.report(v, "it holds GPUs in %d steps; the problem has %d", len(steps), c.p.Steps)
		}
	}
	return len(c.found) == 0
}

// checkJob judges everything about one job's placement except capacity.
func (c *checker) checkJob(i int) {
	j, pl := &c.p.Jobs[i], &c.pl.Jobs[i]
	breach := func(rule Constraint) Violation {
		return Violation{Constraint: rule, Job: j.ID, GPU: -1, Step: -1}
	}
	if pl.Start == Unscheduled {
		if j.Inherited() {
			c.report(breach(NoInterruption), "it runs when the plan starts and must go on at step 0, but it is unscheduled")
		}
		return
	}
	if pl.Start < 0 {
		c.report(breach(Form), "start = %d; accepted are steps 0 … %d, or %d for unscheduled", pl.Start, c.p.Steps-1, Unscheduled)
		return
	}
	if pl.Shape < 0 || pl.Shape >= len(j.Shapes) {
		c.report(breach(Form), "shape = %d; it has shapes 0 … %d", pl.Shape, len(j.Shapes)-1)
		return
	}
	if err := rangesFault(pl.GPUs, c.p.GPUs); err != nil {
		c.report(breach(Form), "%v", err)
		return
	}
	c.checkTime(j, pl)
	c.checkBlock(j, pl)
	if pl.Start < c.p.Steps {
		c.runs = append(c.runs, i)
	}
}

// checkTime judges when the job runs.
func (c *checker) checkTime(j *Job, pl *Placement) {
	v := Violation{Job: j.ID, GPU: -1, Step: pl.Start}
	if j.Inherited() {
		if v.Constraint = NoInterruption; pl.Start != 0 {
			c.report(v, "it runs when the plan starts and must go on at step 0")
		}
		return
	}
	v.Constraint = Horizon
	end := pl.Start + j.Shapes[pl.Shape].Steps
	switch {
	case pl.Start < j.Earliest:
		c.report(v, "it may not start before step %d", j.Earliest)
	case pl.Start >= c.p.Steps:
		c.report(v, "it must start by step %d, the last of the horizon", c.p.Steps-1)
	case c.p.Boundary == Closed && end > c.p.Steps:
		c.report(v, "it runs until the start of step %d; under a closed boundary it must end by %d", end, c.p.Steps)
	}
}

// checkBlock judges which GPUs the job holds.
func (c *checker) checkBlock(j *Job, pl *Placement) {
	v := Violation{Constraint: Range, Job: j.ID, GPU: -1, Step: pl.Start}
	if len(pl.GPUs) > 0 {
		v.GPU = pl.GPUs[0].First
	}
	n, want := hardware.Size(pl.GPUs), j.Shapes[pl.Shape].GPUs
	if j.Inherited() {
		if n != want || common(pl.GPUs, j.Held) != want {
			c.report(v, "it holds %q but runs on %q when the plan starts, and keeps exactly those",
				hardware.FormatRanges(pl.GPUs), hardware.FormatRanges(j.Held))
		}
		return
	}
	if n != want {
		c.report(v, "it holds %d GPUs; its shape %d has %d", n, pl.Shape, want)
	}
	if why := c.p.blockFault(j, pl.GPUs); why != "" && n > 0 {
		v.Constraint = Block
		c.report(v, "%s", why)
	}
}

// checkService judges everything about one service except capacity.
func (c *checker) checkService(i int) {
	s := &c.p.Services[i]
	last, known := s.Held, !s.Fresh
	for t, now := range c.pl.Services[i] {
		v := Violation{Service: s.ID, GPU: -1, Step: t}
		if err := rangesFault(now, c.p.GPUs); err != nil {
			v.Constraint = Form
			c.report(v, "%v", err)
			c.setBad(i, t)
			known = false
			continue
		}
		n := hardware.Size(now)
		if n > s.Max {
			v.Constraint = Range
			c.report(v, "it holds %d GPUs; its maximum is %d", n, s.Max)
		}
		if known {
			v.Constraint = SwapCap
			both := common(last, now)
			gains, losses := n-both, hardware.Size(last)-both
			if gains > s.Cap() {
				c.report(v, "it gains %d GPUs over step %d; its cap is %d", gains, t-1, s.SwapCap)
			}
			if losses > s.Cap() {
				c.report(v, "it loses %d GPUs over step %d; its cap is %d", losses, t-1, s.SwapCap)
			}
		}
		last, known = now, true
	}
}

func (c *checker) setBad(service, step int) {
	if c.bad == nil {
		c.bad = make([]bool, len(c.p.Services)*c.p.Steps)
	}
	c.bad[service*c.p.Steps+step] = true
}

// common counts the GPUs that both ascending lists have.
func common(a, b []hardware.Range) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		n += max(0, min(a[0].End(), b[0].End())-max(a[0].First, b[0].First))
		if a[0].End() < b[0].End() {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return n
}

// checkCapacity lays everything on the grid, step by step.
func (c *checker) checkCapacity() {
	row := make([]claim, c.topGPU())
	slices.SortStableFunc(c.runs, func(a, b int) int {
		return cmp.Compare(c.pl.Jobs[a].Start, c.pl.Jobs[b].Start)
	})
	var active []int // jobs that run in step t
	for t := range c.p.Steps {
		kept := active[:0]
		for _, i := range active {
			if c.endOf(i) > t {
				kept = append(kept, i)
			}
		}
		active = kept
		for len(c.runs) > 0 && c.pl.Jobs[c.runs[0]].Start == t {
			active, c.runs = append(active, c.runs[0]), c.runs[1:]
		}
		for _, i := range active {
			c.lay(row, t, i, c.pl.Jobs[i].GPUs)
		}
		for i, steps := range c.pl.Services {
			if c.bad == nil || !c.bad[i*c.p.Steps+t] {
				c.lay(row, t, len(c.p.Jobs)+i, steps[t])
			}
		}
	}
}
