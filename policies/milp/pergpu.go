package milp

import (
	"math"
	"slices"

	"berth/policies/milp/mip"
	"berth/policies/plan"
	"berth/sim/hardware"
)

// maxPerGPU is up to how many columns the per-GPU model is tried.
const maxPerGPU = 4_000

// perGPUModel is the formal model itself: one start variable a job, shape,
// step and block, and one variable a service, GPU and step.
type perGPUModel struct {
	p     *plan.Problem
	model *mip.Model
	jobs  []blockVar
	holds [][][]int // [service][step][GPU] → column
	ups   [][][]int
	downs [][][]int
	short [][]int
}

type blockVar struct {
	job, shape, step, first, col int
}

// perGPUSize is the number of columns that the model would have.
func perGPUSize(p *plan.Problem) int {
	if p.Alignment == hardware.Scattered {
		return math.MaxInt // the aggregated model is exact there
	}
	n := 3 * len(p.Services) * p.GPUs * p.Steps
	for i := range p.Jobs {
		for _, s := range p.Jobs[i].Shapes {
			n += p.Steps * len(blocks(p, &p.Jobs[i], s.GPUs))
		}
	}
	return n
}

// newPerGPU builds the model. With a decision's starts, jobs start then or
// never; the problem begins at a step of theirs.
func newPerGPU(p *plan.Problem, starts []startKey, from int) *perGPUModel {
	m := &perGPUModel{p: p, model: &mip.Model{}}
	cells := make([][]mip.Row, p.GPUs)
	free := make([][]float64, p.GPUs)
	for g := range cells {
		cells[g], free[g] = make([]mip.Row, p.Steps), make([]float64, p.Steps)
		for t := range free[g] {
			free[g][t] = 1
		}
	}
	for j := range p.Jobs {
		first, last := p.Jobs[j].Earliest, p.Steps-1
		if i := slices.IndexFunc(starts, func(k startKey) bool { return k.job == j }); i >= 0 {
			first = max(0, starts[i].step-from)
			last = first
		}
		m.addJob(j, first, last, cells, free)
	}
	for r := range p.Services {
		m.addService(r, cells)
	}
	for g := range cells {
		for t := range cells[g] {
			m.model.AddRow(-mip.Inf, free[g][t], cells[g][t])
		}
	}
	return m
}

// addJob adds the starts of a job in steps first … last.
func (m *perGPUModel) addJob(j, first, last int, cells [][]mip.Row, free [][]float64) {
	p := m.p
	job := &p.Jobs[j]
	if job.Inherited() {
		m.model.Offset += worth(p, job, 0, 0)
		for _, r := range job.Held {
			for g := r.First; g < r.End(); g++ {
				for t := range min(job.Shapes[0].Steps, p.Steps) {
					free[g][t] = 0
				}
			}
		}
		return
	}
	var one mip.Row
	for k, s := range job.Shapes {
		end := last
		if p.Boundary == plan.Closed {
			end = min(last, p.Steps-s.Steps)
		}
		for t := first; t <= end; t++ {
			for _, at := range blocks(p, job, s.GPUs) {
				col := m.model.AddBinary(worth(p, job, k, t))
				m.jobs = append(m.jobs, blockVar{j, k, t, at, col})
				one.Add(col, 1)
				for g := at; g < at+s.GPUs; g++ {
					for u := t; u < min(t+s.Steps, p.Steps); u++ {
						cells[g][u].Add(col, 1)
					}
				}
			}
		}
	}
	if len(one.Cols) > 0 {
		m.model.AddRow(-mip.Inf, 1, one)
	}
}

func (m *perGPUModel) addService(r int, cells [][]mip.Row) {
	p, s := m.p, &m.p.Services[r]
	held := make([]float64, p.GPUs)
	for _, h := range s.Held {
		for g := h.First; g < h.End(); g++ {
			held[g] = 1
		}
	}
	var holds, ups, downs [][]int
	var short []int
	for t := range p.Steps {
		var meet, limit, gained, lost mip.Row
		var y, u, d []int
		for g := range p.GPUs {
			col := m.model.AddBinary(0)
			y = append(y, col)
			cells[g][t].Add(col, 1)
			meet.Add(col, 1)
			limit.Add(col, 1)
			if s.SwapCap == 0 || (t == 0 && s.Fresh) {
				continue
			}
			up, down := m.model.AddCol(0, 0, 1, false), m.model.AddCol(0, 0, 1, false)
			u, d = append(u, up), append(d, down)
			gained.Add(up, 1)
			lost.Add(down, 1)
			var change mip.Row
			change.Add(col, 1)
			change.Add(up, -1)
			change.Add(down, 1)
			before := held[g]
			if t > 0 {
				change.Add(holds[t-1][g], -1)
				before = 0
			}
			m.model.AddRow(before, before, change)
		}
		if len(gained.Cols) > 0 {
			m.model.AddRow(-mip.Inf, float64(s.SwapCap), gained)
			m.model.AddRow(-mip.Inf, float64(s.SwapCap), lost)
		}
		m.model.AddRow(-mip.Inf, float64(s.Max), limit)
		missing := m.model.AddCol(-p.Lambda*s.Priority*p.StepHours, 0, float64(s.Demand[t]), false)
		meet.Add(missing, 1)
		m.model.AddRow(float64(s.Demand[t]), mip.Inf, meet)
		holds, ups, downs, short = append(holds, y), append(ups, u), append(downs, d), append(short, missing)
	}
	m.holds, m.ups, m.downs, m.short = append(m.holds, holds), append(m.ups, ups), append(m.downs, downs), append(m.short, short)
}

// point is a plan as a point of the model.
func (m *perGPUModel) point(pl *plan.Plan) []float64 {
	x := make([]float64, len(m.model.Cost))
	for _, v := range m.jobs {
		at := &pl.Jobs[v.job]
		if at.Start == v.step && at.Shape == v.shape && at.GPUs[0].First == v.first {
			x[v.col] = 1
		}
	}
	for r := range m.holds {
		s := &m.p.Services[r]
		before := cellsOf(s.Held, m.p.GPUs)
		for t, held := range pl.Services[r] {
			now := cellsOf(held, m.p.GPUs)
			n := 0
			for g := range now {
				x[m.holds[r][t][g]] = now[g]
				n += int(now[g])
				if len(m.ups[r][t]) > 0 {
					x[m.ups[r][t][g]] = max(0, now[g]-before[g])
					x[m.downs[r][t][g]] = max(0, before[g]-now[g])
				}
			}
			x[m.short[r][t]] = float64(max(0, s.Demand[t]-n))
			before = now
		}
	}
	return x
}

// cellsOf is 1 for every GPU in the ranges.
func cellsOf(rs []hardware.Range, gpus int) []float64 {
	cells := make([]float64, gpus)
	for _, r := range rs {
		for g := r.First; g < r.End(); g++ {
			cells[g] = 1
		}
	}
	return cells
}

// plan reads a solution.
func (m *perGPUModel) plan(x []float64) *plan.Plan {
	pl := plan.NewPlan(m.p)
	for j := range m.p.Jobs {
		if job := &m.p.Jobs[j]; job.Inherited() {
			pl.Jobs[j] = plan.Placement{GPUs: job.Held}
		}
	}
	for _, v := range m.jobs {
		if x[v.col] > 0.5 {
			n := m.p.Jobs[v.job].Shapes[v.shape].GPUs
			pl.Jobs[v.job] = plan.Placement{Start: v.step, Shape: v.shape, GPUs: []hardware.Range{{First: v.first, N: n}}}
		}
	}
	for r := range m.holds {
		for t, cols := range m.holds[r] {
			set := make([]bool, len(cols))
			for g, col := range cols {
				set[g] = x[col] > 0.5
			}
			pl.Services[r][t] = ranges(set)
		}
	}
	return pl
}

// perGPU solves the formal model itself, starting from the best plan.
func (s *solving) perGPU() error {
	m := newPerGPU(s.p, nil, 0)
	r, err := s.solve(m.model, m.point(s.out.Plan))
	if err != nil {
		return err
	}
	if !math.IsInf(r.Bound, 1) {
		s.out.Bound = min(s.out.Bound, r.Bound)
	}
	if r.X != nil {
		s.offer(m.plan(r.X))
	}
	return nil
}
