package milp

import (
	"cmp"
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// placement is a depth-first search for a place of every item: jobs with
// fixed starts. It always extends the item with the fewest places left.
type placement struct {
	rows  []uint64 // by GPU: steps taken
	items []item
	limit int    // of nodes
	seed  uint64 // 0: places in order of contact; else with random ties
	rng   *rand.Rand
	nodes int
	ctx   context.Context
	// check, when set, judges every partial placement: false means that no
	// extension of it will do.
	check func(rows []uint64) bool
}

// item is what is to be placed.
type item struct {
	start  startKey
	mask   uint64 // steps
	size   int
	places []int // first GPUs that its region and alignment allow
	at     int   // −1 while not placed
}

// verdict is how a search ended.
type verdict uint8

const (
	placed  verdict = iota
	refuted         // proven: there is no place for all
	stopped         // by the limit of nodes, or the context
)

// newPlacement prepares the search.
func (d *decision) newPlacement() *placement {
	s := &placement{rows: d.inherited()}
	for _, k := range d.jobs {
		job := &d.p.Jobs[k.job]
		shape := job.Shapes[k.shape]
		it := item{start: k, size: shape.GPUs, mask: steps(k.step, min(k.step+shape.Steps, d.p.Steps)), at: -1}
		for _, first := range blocks(d.p, job, shape.GPUs) {
			if d.allows(k, first, shape.GPUs) {
				it.places = append(it.places, first)
			}
		}
		s.items = append(s.items, it)
	}
	return s
}

// inherited is by GPU the steps in which jobs that run already hold it.
func (d *decision) inherited() []uint64 {
	rows := make([]uint64, d.p.GPUs)
	for j := range d.p.Jobs {
		job := &d.p.Jobs[j]
		for _, r := range job.Held {
			for g := r.First; g < r.End(); g++ {
				rows[g] |= steps(0, min(job.Shapes[0].Steps, d.p.Steps))
			}
		}
	}
	return rows
}

// steps is a mask of the steps [from, to).
func steps(from, to int) uint64 {
	if from >= to {
		return 0
	}
	return ^uint64(0) >> (64 - (to - from)) << from
}

// blocks are the first GPUs at which a block of n of the job may start.
func blocks(p *plan.Problem, j *plan.Job, n int) []int {
	domains := p.Domains
	if j.Across || len(domains) == 0 {
		domains = []hardware.Range{{First: 0, N: p.GPUs}}
	}
	var out []int
	for _, r := range domains {
		for g := r.First; g+n <= r.End(); g++ {
			if p.Alignment != hardware.Buddy || g%n == 0 {
				out = append(out, g)
			}
		}
	}
	return out
}

// run searches within the limit.
func (s *placement) run(ctx context.Context) verdict {
	s.ctx, s.rng = ctx, rand.New(rand.NewPCG(s.seed, 7))
	if s.check != nil && !s.check(s.rows) {
		return refuted
	}
	return s.extend(len(s.items))
}

// extend places the items that are left.
func (s *placement) extend(left int) verdict {
	if left == 0 {
		return placed
	}
	if s.nodes++; s.nodes > s.limit || (s.nodes%256 == 0 && s.ctx.Err() != nil) {
		return stopped
	}
	i, places := s.tightest()
	if len(places) == 0 {
		return refuted
	}
	it := &s.items[i]
	for _, first := range places {
		s.flip(it, first)
		it.at = first
		v := refuted
		if s.check == nil || s.check(s.rows) {
			v = s.extend(left - 1)
		}
		if v == placed {
			return placed
		}
		s.flip(it, first)
		it.at = -1
		if v == stopped {
			return stopped
		}
	}
	return refuted
}

func (s *placement) flip(it *item, first int) {
	for g := first; g < first+it.size; g++ {
		s.rows[g] ^= it.mask
	}
}

// tightest is the item with the fewest places, and those places, best first.
func (s *placement) tightest() (int, []int) {
	best, fewest := -1, 0
	for i := range s.items {
		it := &s.items[i]
		if it.at >= 0 {
			continue
		}
		n := 0
		for _, first := range it.places {
			if s.open(it, first) {
				n++
			}
		}
		if best < 0 || n < fewest || (n == fewest && it.weight() > s.items[best].weight()) {
			best, fewest = i, n
		}
		if fewest == 0 {
			return best, nil
		}
	}
	it := &s.items[best]
	var places []int
	for _, first := range it.places {
		if s.open(it, first) {
			places = append(places, first)
		}
	}
	if s.seed > 0 {
		s.rng.Shuffle(len(places), func(a, b int) { places[a], places[b] = places[b], places[a] })
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(s.contact(it, b), s.contact(it, a)) })
	return best, places
}

func (it *item) weight() int { return it.size * bits.OnesCount64(it.mask) }

// open reports whether an item can be placed at a GPU.
func (s *placement) open(it *item, first int) bool {
	for g := first; g < first+it.size; g++ {
		if s.rows[g]&it.mask != 0 {
			return false
		}
	}
	return true
}

// contact is how much of a place's sides is in use already.
func (s *placement) contact(it *item, first int) int {
	n := 0
	for _, g := range [2]int{first - 1, first + it.size} {
		if g < 0 || g >= len(s.rows) {
			n += bits.OnesCount64(it.mask)
		} else {
			n += bits.OnesCount64(s.rows[g] & it.mask)
		}
	}
	return n
}
