package allocator

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"berth/policies/plan"
)

// search improves a pass by simulated annealing over orders. Its temperature
// falls with the share of the budget that is used.
type search struct {
	a     *pass
	rng   *rand.Rand
	order []int     // of the current pass
	after []float64 // after[i]: the objective before order[i] was placed
	value float64   // of the current pass
	most  []float64 // by item: the most it can earn
	heat  float64   // temperature at the start

	trial      []int
	trialAfter []float64

	best      float64
	bestOrder []int
	bestJobs  []seat
	bestStack []stack
}

// heatShare is the starting temperature as a share of what a mean item earns
// at the most.
const heatShare = 0.05

func newSearch(p *plan.Problem, seed uint64) *search {
	s := &search{a: newPass(p), rng: rand.New(rand.NewPCG(seed, 0x6265727468))}
	s.order = s.a.initialOrder()
	s.trial = slices.Clone(s.order)
	s.after = make([]float64, len(s.order)+1)
	s.trialAfter = make([]float64, len(s.order))
	s.most = make([]float64, len(s.a.jobs)+len(s.a.svcs))
	total := 0.0
	for _, it := range s.order {
		s.most[it] = s.a.most(it)
		total += s.most[it]
	}
	s.heat = heatShare * total / float64(max(1, len(s.order)))
	s.bestJobs = make([]seat, len(s.a.jobs))
	s.bestStack = make([]stack, len(s.a.svcs))
	return s
}

// most is the most that an item can add to the objective.
func (a *pass) most(item int) float64 {
	if item >= len(a.jobs) {
		s := &a.svcs[item-len(a.jobs)]
		met := 0
		for _, d := range s.Demand {
			met += min(d, s.Max)
		}
		return a.penalty(s.Service) * float64(met)
	}
	best := 0.0
	if j := &a.jobs[item]; j.Earliest < a.p.Steps {
		for k := range j.Shapes {
			best = max(best, a.value(j, k, j.Earliest))
		}
	}
	return best
}

// run spends the budget and returns the best plan.
func (s *search) run(ctx context.Context, o Options) (*plan.Plan, Stats) {
	started, b := time.Now(), o.Budget
	used := func(n int) float64 {
		if b == (Budget{}) || ctx.Err() != nil {
			return 1
		}
		share := 0.0
		if b.Evaluations > 0 {
			share = float64(n) / float64(b.Evaluations)
		}
		if b.Time > 0 {
			share = max(share, float64(time.Since(started))/float64(b.Time))
		}
		return share
	}
	for i, it := range s.order {
		s.after[i] = s.a.objective
		s.a.place(it)
	}
	s.value = s.a.objective
	s.keep()
	stats := Stats{Evaluations: 1, Greedy: s.value}
	if o.Order != nil {
		s.trial = s.a.completeOrder(o.Order, s.order)
		s.try(0, s.value, nil)
		stats.Evaluations++
	}
	if len(s.order) > 1 {
		for share := used(1); share < 1; share = used(stats.Evaluations) {
			s.step(s.heat * (1 - share) * (1 - share))
			stats.Evaluations++
		}
	}
	s.recall()
	stats.Objective, stats.Order = s.best, s.bestOrder
	return s.a.plan(), stats
}

// step tries one change of the order, or of how an item is laid, and keeps it
// or takes it back.
func (s *search) step(temperature float64) {
	copy(s.trial, s.order)
	from, undo := s.move()
	s.try(from, s.value+temperature*math.Log(s.rng.Float64()), undo)
}

// try evaluates the trial order and makes it the current one if it reaches the
// threshold.
func (s *search) try(from int, threshold float64, undo func()) {
	if !s.evaluate(from, threshold) {
		if undo != nil {
			undo()
		}
		return
	}
	s.order, s.trial = s.trial, s.order
	s.value = s.a.objective
	if s.value > s.best {
		s.keep()
	}
}

// evaluate places the trial order from a position on, in place of the current
// one. When the outcome stays below the threshold it restores the current one
// and reports false.
func (s *search) evaluate(from int, threshold float64) bool {
	a, left := s.a, 0.0
	for i := len(s.order) - 1; i >= from; i-- {
		a.remove(s.order[i])
		a.exchange(s.order[i])
		left += s.most[s.order[i]]
	}
	a.objective = s.after[from]
	i := from
	for ; i < len(s.trial) && a.objective+left >= threshold; i++ {
		s.trialAfter[i] = a.objective
		a.place(s.trial[i])
		left -= s.most[s.trial[i]]
	}
	if i == len(s.trial) && a.objective >= threshold {
		copy(s.after[from:], s.trialAfter[from:])
		return true
	}
	for i--; i >= from; i-- {
		a.remove(s.trial[i])
	}
	for _, it := range s.order[from:] {
		a.exchange(it)
		a.putBack(it)
	}
	a.objective = s.value
	return false
}

// keep remembers the current pass as the best.
func (s *search) keep() {
	s.best = s.value
	s.bestOrder = append(s.bestOrder[:0], s.order...)
	for i := range s.bestJobs {
		from, to := &s.a.jobs[i].seat, &s.bestJobs[i]
		gpus := append(to.gpus[:0], from.gpus...)
		*to = *from
		if from.gpus != nil {
			to.gpus = gpus
		}
	}
	for i := range s.bestStack {
		s.bestStack[i].bars = append(s.bestStack[i].bars[:0], s.a.svcs[i].bars...)
	}
}

// recall makes the best pass the current one, for reading it off.
func (s *search) recall() {
	for i, seat := range s.bestJobs {
		s.a.jobs[i].seat = seat
	}
	for i := range s.bestStack {
		s.a.svcs[i].bars = s.bestStack[i].bars
	}
}
