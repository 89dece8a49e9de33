package milp

import (
	"math"
	"slices"

	"berth/policies/milp/mip"
	"berth/policies/plan"
	"berth/sim/hardware"
)

// aggregate is the aggregated model. Regions are the link domains when they
// are told apart, which bounds better and takes longer, and the whole cluster
// otherwise; region whole holds jobs that may span domains.
type aggregate struct {
	p       *plan.Problem
	model   *mip.Model
	regions []hardware.Range
	starts  []startVar
	byStart map[startKey]int // → column
	counts  [][][]int        // [service][step][region] → column
	gains   [][][]int        // the same; nil without a cap
	losses  [][][]int
	short   [][]int // [service][step] → column
	slack   float64 // by how much the tie-breaking costs may lower the bound
}

// startKey is one way to run a job.
type startKey struct{ job, shape, step, region int }

type startVar struct {
	startKey
	col int
}

// whole is the region of a job that may span link domains.
const whole = -1

// maxRegions is up to how many link domains are told apart.
const maxRegions = 4

// newAggregate builds the model, with or without telling link domains apart.
func newAggregate(p *plan.Problem, apart bool) *aggregate {
	a := &aggregate{p: p, model: &mip.Model{}, regions: p.Domains, byStart: map[startKey]int{}}
	if !apart {
		a.regions = []hardware.Range{{First: 0, N: p.GPUs}}
	}
	for j := range p.Jobs {
		a.addJob(j)
	}
	for r := range p.Services {
		a.addService(r)
	}
	a.addCapacity()
	a.addOrder()
	a.addRounding()
	return a
}

// addJob adds the starts of a job, at most one of which is chosen; a job that
// runs already is a constant.
func (a *aggregate) addJob(j int) {
	job := &a.p.Jobs[j]
	if job.Inherited() {
		a.model.Offset += worth(a.p, job, 0, 0)
		return
	}
	var one mip.Row
	for k, s := range job.Shapes {
		last := a.p.Steps - 1
		if a.p.Boundary == plan.Closed {
			last = a.p.Steps - s.Steps
		}
		for t := job.Earliest; t <= last; t++ {
			for _, region := range a.regionsOf(job, s.GPUs) {
				col := a.model.AddBinary(worth(a.p, job, k, t))
				key := startKey{j, k, t, region}
				a.starts = append(a.starts, startVar{key, col})
				a.byStart[key] = col
				one.Add(col, 1)
			}
		}
	}
	if len(one.Cols) > 0 {
		a.model.AddRow(-mip.Inf, 1, one)
	}
}

// regionsOf are the regions in which a block of n can lie.
func (a *aggregate) regionsOf(j *plan.Job, n int) []int {
	if len(a.regions) == 1 {
		if fits(a.p, j, n) {
			return []int{0}
		}
		return nil
	}
	if j.Across {
		if n <= a.p.GPUs {
			return []int{whole}
		}
		return nil
	}
	var out []int
	for i, r := range a.regions {
		first := r.First
		if a.p.Alignment == hardware.Buddy {
			first = (first + n - 1) / n * n
		}
		if first+n <= r.End() {
			out = append(out, i)
		}
	}
	return out
}

// fits reports whether the empty cluster has a place for a block of n.
func fits(p *plan.Problem, j *plan.Job, n int) bool {
	if n > p.GPUs {
		return false
	}
	return p.Alignment == hardware.Scattered || len(blocks(p, j, n)) > 0
}

// worth is what a job earns in a shape from a step on.
func worth(p *plan.Problem, j *plan.Job, shape, t int) float64 {
	s := j.Shapes[shape]
	end := t + s.Steps
	w := p.WeightSum(t, min(end, p.Steps))
	if p.Boundary == plan.Salvage {
		w += p.Sigma * p.WeightSum(max(t, p.Steps), end)
	}
	return j.Priority * float64(s.GPUs) * p.StepHours * w
}

// tieBreak is the share of the problem's scale that all tie-breaking costs
// together may amount to: services then hold no more than they need.
const tieBreak = 1e-6

// addService adds what a service holds in every step and region, its
// shortfall, and the swap cap: what all regions gain together, and lose
// together, between two steps.
func (a *aggregate) addService(r int) {
	s, m, p := &a.p.Services[r], a.model, a.p
	cost := -tieBreak / float64(p.GPUs*p.Steps*max(1, len(p.Services)))
	a.slack += tieBreak / float64(max(1, len(p.Services)))
	limited := s.SwapCap > 0
	var counts, gains, losses [][]int
	var short []int
	for t := range p.Steps {
		var meet, limit, gained, lost mip.Row
		var n, g, l []int
		for i, region := range a.regions {
			col := m.AddCol(cost, 0, float64(min(region.N, s.Max)), false)
			n = append(n, col)
			meet.Add(col, 1)
			limit.Add(col, 1)
			if !limited || (t == 0 && s.Fresh) {
				continue
			}
			if len(a.regions) == 1 {
				var change mip.Row
				change.Add(col, 1)
				before := 0.0
				if t == 0 {
					before = float64(within(s.Held, region))
				} else {
					change.Add(counts[t-1][i], -1)
				}
				m.AddRow(before-float64(s.SwapCap), before+float64(s.SwapCap), change)
				continue
			}
			up, down := m.AddCol(0, 0, mip.Inf, false), m.AddCol(0, 0, mip.Inf, false)
			g, l = append(g, up), append(l, down)
			gained.Add(up, 1)
			lost.Add(down, 1)
			// up − down = n(t) − n(t−1)
			var change mip.Row
			change.Add(col, 1)
			change.Add(up, -1)
			change.Add(down, 1)
			before := 0.0
			if t == 0 {
				before = float64(within(s.Held, region))
			} else {
				change.Add(counts[t-1][i], -1)
			}
			m.AddRow(before, before, change)
		}
		if len(gained.Cols) > 0 {
			m.AddRow(-mip.Inf, float64(s.SwapCap), gained)
			m.AddRow(-mip.Inf, float64(s.SwapCap), lost)
		}
		if len(a.regions) > 1 {
			m.AddRow(-mip.Inf, float64(s.Max), limit)
		}
		missing := m.AddCol(-p.Lambda*s.Priority*p.StepHours, 0, float64(s.Demand[t]), false)
		meet.Add(missing, 1)
		m.AddRow(float64(s.Demand[t]), mip.Inf, meet)
		counts, gains, losses, short = append(counts, n), append(gains, g), append(losses, l), append(short, missing)
	}
	a.counts, a.gains, a.losses, a.short = append(a.counts, counts), append(a.gains, gains), append(a.losses, losses), append(a.short, short)
}

// within is how many GPUs of ranges lie in a region.
func within(rs []hardware.Range, region hardware.Range) int {
	n := 0
	for _, r := range rs {
		n += max(0, min(r.End(), region.End())-max(r.First, region.First))
	}
	return n
}

// addCapacity adds one row a region and step, and one for the cluster.
func (a *aggregate) addCapacity() {
	p := a.p
	rows := make([][]mip.Row, len(a.regions))
	free := make([][]float64, len(a.regions))
	for i, region := range a.regions {
		rows[i], free[i] = make([]mip.Row, p.Steps), make([]float64, p.Steps)
		for t := range p.Steps {
			free[i][t] = float64(region.N)
			for r := range p.Services {
				rows[i][t].Add(a.counts[r][t][i], 1)
			}
			for j := range p.Jobs {
				if job := &p.Jobs[j]; job.Inherited() && t < job.Shapes[0].Steps {
					free[i][t] -= float64(within(job.Held, region))
				}
			}
		}
	}
	total := make([]mip.Row, p.Steps)
	for _, v := range a.starts {
		s := p.Jobs[v.job].Shapes[v.shape]
		for t := v.step; t < min(v.step+s.Steps, p.Steps); t++ {
			if v.region == whole {
				total[t].Add(v.col, float64(s.GPUs))
			} else {
				rows[v.region][t].Add(v.col, float64(s.GPUs))
			}
		}
	}
	for t := range p.Steps {
		left := 0.0
		for i := range a.regions {
			a.model.AddRow(-mip.Inf, free[i][t], rows[i][t])
			left += free[i][t]
		}
		if len(total[t].Cols) > 0 {
			for i := range a.regions {
				total[t].Cols = append(total[t].Cols, rows[i][t].Cols...)
				total[t].Values = append(total[t].Values, rows[i][t].Values...)
			}
			a.model.AddRow(-mip.Inf, left, total[t])
		}
	}
}

// point is a plan as a point of the model, to start the solver from.
func (a *aggregate) point(pl *plan.Plan) []float64 {
	x := make([]float64, len(a.model.Cost))
	for j, at := range pl.Jobs {
		if at.Start < 0 || a.p.Jobs[j].Inherited() {
			continue
		}
		for i := whole; i < len(a.regions); i++ {
			inside := i == whole || within(at.GPUs, a.regions[i]) == hardware.Size(at.GPUs)
			if col, ok := a.byStart[startKey{j, at.Shape, at.Start, i}]; ok && inside {
				x[col] = 1
				break
			}
		}
	}
	for r := range a.p.Services {
		s := &a.p.Services[r]
		for t, held := range pl.Services[r] {
			for i, region := range a.regions {
				n := within(held, region)
				x[a.counts[r][t][i]] = float64(n)
				if len(a.gains[r][t]) == 0 {
					continue
				}
				before := within(s.Held, region)
				if t > 0 {
					before = within(pl.Services[r][t-1], region)
				}
				x[a.gains[r][t][i]] = float64(max(0, n-before))
				x[a.losses[r][t][i]] = float64(max(0, before-n))
			}
			x[a.short[r][t]] = float64(max(0, s.Demand[t]-hardware.Size(held)))
		}
	}
	return x
}

// decide reads a solution of the model.
func (a *aggregate) decide(x []float64) *decision {
	d := &decision{p: a.p, regions: a.regions}
	for _, v := range a.starts {
		if x[v.col] > 0.5 {
			d.jobs = append(d.jobs, v.startKey)
		}
	}
	for r := range a.p.Services {
		d.counts = append(d.counts, a.curve(r, x))
	}
	return d
}

// curve is the least whole curve of a service that falls no shorter than a
// solution does, up to rounding.
func (a *aggregate) curve(r int, x []float64) []int {
	s := &a.p.Services[r]
	demand := slices.Clone(s.Demand)
	for t := range demand {
		demand[t] -= int(math.Ceil(x[a.short[r][t]] - 1e-6))
	}
	return plan.Envelope(demand, s.SwapCap, s.Max, s.Fresh, hardware.Size(s.Held))
}
