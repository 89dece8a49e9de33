package allocator

import (
	"math/rand/v2"
	"slices"
	"testing"

	"berth/policies/plan"
	"berth/policies/plan/plantest"
	"berth/sim/hardware"

	"pgregory.net/rapid"
)

func drawRow(t *rapid.T, words int) []uint64 {
	return rapid.SliceOfN(rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64(), rapid.Map(rapid.IntRange(0, 63), func(k int) uint64 { return 1 << k })), words, words).Draw(t, "row")
}

func has(row []uint64, t int) bool { return t < 64*len(row) && row[t/64]>>(t%64)&1 == 1 }

// Spreading, the first start, ranges and counts, against one bit at a time.
func TestRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 4).Draw(t, "words")
		row, allowed := drawRow(t, words), drawRow(t, words)
		d := rapid.IntRange(1, 64*words+70).Draw(t, "steps")
		last := rapid.IntRange(0, 64*words-1).Draw(t, "last")
		first := -1
		blocked := slices.Clone(row)
		spread(blocked, d)
		for s := range 64 * words {
			taken := false
			for u := s; u < s+d; u++ {
				taken = taken || has(row, u)
			}
			if taken != has(blocked, s) {
				t.Fatalf("start %d is blocked: %v, want %v", s, has(blocked, s), taken)
			}
			if !taken && has(allowed, s) && first < 0 && s/64 <= last/64 {
				first = s
			}
		}
		if got := firstStart(row, allowed, d, last); got != first {
			t.Fatalf("first start %d, want %d", got, first)
		}
		from := rapid.IntRange(0, 64*words-1).Draw(t, "from")
		to := rapid.IntRange(from+1, 64*words).Draw(t, "to")
		a := &pass{busy: row, words: words}
		until := from
		for until < to && !has(row, until) {
			until++
		}
		if got := a.freeUntil(0, from, to); got != until {
			t.Fatalf("free from %d until %d, want %d", from, got, until)
		}
		if got := freeInWord(row[from/64], from, min(to, from/64*64+64)); got != min(until, from/64*64+64) {
			t.Fatalf("free from %d in its word until %d", from, got)
		}
	})
}

func TestCountRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words, rows := rapid.IntRange(1, 3).Draw(t, "words"), rapid.SampledFrom([]int{1, 5, 255, 256, 700}).Draw(t, "rows")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		a := &pass{words: words, p: &plan.Problem{Steps: 64*words - rapid.IntRange(0, 63).Draw(t, "unused")}}
		a.lanes, a.sums = newLanes(rows), make([]int, a.p.Steps)
		bits := make([]uint64, rows*words)
		want := make([]int, a.p.Steps)
		for i := range bits {
			bits[i] = rng.Uint64() | rng.Uint64()
			for s := range 64 {
				if u := i%words*64 + s; u < len(want) {
					want[u] += int(bits[i] >> s & 1)
				}
			}
		}
		if a.countRows(bits); !slices.Equal(a.sums, want) {
			t.Fatalf("counts %v, want %v", a.sums, want)
		}
	})
}

// A curve is cut into its levels, each into the stretches above it.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &pass{}
		for range 2 { // over what an earlier curve left
			a.count = rapid.SliceOfN(rapid.IntRange(0, 6), 1, 30).Draw(t, "count")
			var want []bar
			for k := range slices.Max(a.count) {
				for from := 0; from < len(a.count); from++ {
					to := from
					for to < len(a.count) && a.count[to] > k {
						to++
					}
					if to > from {
						want = append(want, bar{level: k, from: from, to: to})
						from = to
					}
				}
			}
			if a.cut(); !slices.Equal(a.pieces, want) {
				t.Fatalf("%v is cut into %v, want %v", a.count, a.pieces, want)
			}
		}
	})
}

// Jobs that are turned away unseen, because a smaller one found no place, would
// have found none.
func TestHopelessJobsHaveNoPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	seen := map[hardware.Alignment]int{}
	for range 400 {
		p := plantest.RandomSeeded(rng, plantest.Options{GPUs: 8 + rng.IntN(25), Steps: 12 + rng.IntN(80), Jobs: 60, Services: 2})
		s := newSearch(p, 1)
		s.start()
		for range rng.IntN(4) {
			s.step()
		}
		a := s.a
		for i := range a.jobs {
			j := &a.jobs[i]
			for k, shape := range j.Shapes {
				if j.start >= 0 || !a.hopeless(j, shape) {
					continue
				}
				seen[p.Alignment]++
				unmet := a.unmet
				a.unmet = nil
				if a.placeShape(j, k) {
					t.Fatalf("job %+v has a place though %+v had none", j.Job, unmet)
				}
				a.unmet = unmet
			}
		}
	}
	for _, align := range []hardware.Alignment{hardware.Contiguous, hardware.Buddy, hardware.Scattered} {
		if seen[align] == 0 {
			t.Errorf("%v: no job was turned away unseen", align)
		}
	}
}
