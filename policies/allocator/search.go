package allocator

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"berth/policies/plan"
)

// search improves a pass by ruin and recreate: it takes some items off the
// plan, changes how they are to be placed, and places them again in another
// order. Whether the outcome is kept is decided as in simulated annealing,
// with a temperature that falls as the budget is used up.
type search struct {
	a     *pass
	rng   *rand.Rand
	items []int     // that can be moved, in the order of the greedy pass
	most  []float64 // by item: the most it can earn
	heat  float64   // temperature at the start
	used  float64   // share of the budget
	value float64   // objective of the current pass

	out   []pick // of the current ruin
	drawn []int  // by item: the last ruin that took it
	ruins int

	best      float64
	bestDelay int
	bestJobs  []seat
	bestStack []stack
}

// pick is an item of a ruin. The highest key is placed first.
type pick struct {
	item int
	key  float64
}

const (
	heatShare = 0.05 // starting temperature, as a share of what a mean item earns at most
	coolings  = 2    // times that a search cools down from there
)

func newSearch(p *plan.Problem, seed uint64) *search {
	s := &search{a: newPass(p), rng: rand.New(rand.NewPCG(seed, 0x6265727468))}
	s.items = s.a.initialOrder()
	n := len(s.a.jobs) + len(s.a.svcs)
	s.drawn, s.most = make([]int, n), make([]float64, n)
	total := 0.0
	for _, it := range s.items {
		s.most[it] = s.a.most(it)
		total += s.most[it]
	}
	s.heat = heatShare * total / float64(max(1, len(s.items)))
	s.out = make([]pick, 0, len(s.items))
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
	used := o.Budget.meter(ctx)
	s.start()
	stats := Stats{Evaluations: 1, Greedy: s.value}
	if o.Order != nil {
		s.follow(o.Order)
		stats.Evaluations++
	}
	if len(s.items) > 1 {
		for s.used = used(1); s.used < 1; s.used = used(stats.Evaluations) {
			s.step()
			stats.Evaluations++
		}
	}
	if stats.Evaluations > 1 {
		s.recall()
		s.pullForward()
	}
	stats.Objective, stats.Order = s.best, s.startOrder()
	return s.a.plan(), stats
}

// meter returns a function that tells the share of the budget that is used
// after so many evaluations; 1 when cancelled.
func (b Budget) meter(ctx context.Context) func(evaluations int) float64 {
	started := time.Now()
	return func(n int) float64 {
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
}

// start makes the greedy pass.
func (s *search) start() {
	for _, it := range s.items {
		s.a.place(it)
	}
	s.keep()
}

// follow places everything anew in an order, and keeps that if it is better.
func (s *search) follow(order []int) {
	s.out = s.out[:0]
	for i, it := range completeOrder(order, s.items) {
		s.out = append(s.out, pick{it, -float64(i)})
		s.a.lift(it)
	}
	s.recreate(s.value)
}

// step tries one ruin.
func (s *search) step() {
	s.ruin()
	for i := range s.out {
		s.a.lift(s.out[i].item)
		s.vary(s.out[i].item)
	}
	s.recreate(s.value + s.heat*s.warmth()*math.Log(s.rng.Float64()))
}

// warmth falls from 1 to 0, as often as the search cools down.
func (s *search) warmth() float64 {
	_, cooled := math.Modf(coolings * s.used)
	return (1 - cooled) * (1 - cooled)
}

// recreate places what was lifted. When the outcome stays below the threshold,
// it puts everything back.
func (s *search) recreate(threshold float64) {
	sortPicks(s.out)
	a, left := s.a, 0.0
	for i := range s.out {
		left += s.most[s.out[i].item]
	}
	n := 0
	for ; n < len(s.out) && a.objective+left >= threshold; n++ {
		a.place(s.out[n].item)
		left -= s.most[s.out[n].item]
	}
	if n < len(s.out) || a.objective < threshold {
		for _, o := range s.out[:n] {
			a.withdraw(o.item)
		}
		for _, o := range s.out {
			a.restore(o.item)
		}
		a.objective = s.value
		return
	}
	s.value = a.objective
	if s.isBest() {
		s.keep()
	}
}

// sortPicks sorts by key, the highest first. Most ruins take a few items;
// slices.SortFunc would insert these too, but calls a function to compare.
func sortPicks(picks []pick) {
	const few = 12
	if len(picks) > few {
		slices.SortFunc(picks, func(x, y pick) int { // no key is NaN
			switch {
			case x.key > y.key:
				return -1
			case x.key < y.key:
				return 1
			}
			return 0
		})
		return
	}
	for i := 1; i < len(picks); i++ {
		p, k := picks[i], i
		for ; k > 0 && picks[k-1].key < p.key; k-- {
			picks[k] = picks[k-1]
		}
		picks[k] = p
	}
}

// isBest reports whether the current pass beats the best: by its objective or,
// without decay or gain, by starting jobs earlier. A policy that plans again
// and again would otherwise put off a job for ever.
func (s *search) isBest() bool {
	const rounding = 1e-12
	margin := rounding * max(1, math.Abs(s.best))
	return s.value > s.best+margin ||
		s.value > s.best-margin && s.a.delay() < s.bestDelay && s.a.total() >= s.best
}

// keep remembers the current pass as the best.
func (s *search) keep() {
	s.value = s.a.total()
	s.a.objective, s.best, s.bestDelay = s.value, s.value, s.a.delay()
	for i := range s.bestJobs {
		from, to := &s.a.jobs[i].seat, &s.bestJobs[i]
		gpus := append(to.gpus[:0], from.gpus...)
		*to = *from
		if from.gpus != nil {
			to.gpus = gpus
		}
	}
	for i := range s.bestStack {
		from, to := &s.a.svcs[i].stack, &s.bestStack[i]
		to.bars, to.gain = append(to.bars[:0], from.bars...), from.gain
	}
}

// recall makes the best pass the current one.
func (s *search) recall() {
	a := s.a
	for _, it := range s.items {
		a.lift(it)
	}
	for i := range s.bestJobs {
		if j := &a.jobs[i]; !j.Inherited() {
			j.seat = s.bestJobs[i]
			if j.start >= 0 {
				a.flip(j)
			}
		}
	}
	for i := range s.bestStack {
		v := &a.svcs[i]
		v.stack = s.bestStack[i]
		a.freeBars(v.must)
		a.flipBars(v.bars)
	}
	a.objective = s.best
}

// pullForward starts each job as early as the others allow. A ruin may leave
// room before a job that it does not place again; without decay that costs
// nothing, but a plan should not wait for no reason.
func (s *search) pullForward() {
	for moved := true; moved; {
		moved = false
		for _, it := range s.startOrder()[len(s.a.svcs):] {
			j := &s.a.jobs[it]
			start := j.start
			if start >= 0 {
				j.shape = j.placed
			}
			s.a.lift(it)
			s.a.place(it)
			moved = moved || j.start != start
		}
	}
	s.best = s.a.total()
}

// startOrder is the services, then the jobs by the start they have, then the
// jobs without a place: placed in this order, much of a plan comes back.
func (s *search) startOrder() []int {
	key := func(item int) int {
		switch {
		case item >= len(s.a.jobs):
			return -1
		case s.a.jobs[item].start < 0:
			return s.a.p.Steps
		}
		return s.a.jobs[item].start
	}
	order := slices.Clone(s.items)
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(key(x), key(y)) })
	return order
}
