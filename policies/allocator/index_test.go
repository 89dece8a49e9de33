package allocator

import (
	"math/rand/v2"
	"testing"

	"berth/policies/plan/plantest"
	"berth/sim/hardware"

	"github.com/google/go-cmp/cmp"
)

// With an index and without, a search does the same, step by step.
func TestIndexChangesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		p := plantest.RandomSeeded(rng, plantest.Options{
			GPUs: 64 + rng.IntN(200), Steps: 12 + rng.IntN(80), Jobs: 80, Services: 2,
		})
		if p.Alignment == hardware.Scattered {
			continue
		}
		plain, indexed := newSearch(p, 1), newSearch(p, 1)
		indexed.a.index, indexed.a.cursor = newIndex(indexed.a), map[[2]int]int{}
		if i%4 == 0 { // no room for many trees
			indexed.a.index.words = indexWords - 4000
		}
		plain.start()
		indexed.start()
		for range 100 {
			plain.step()
			indexed.step()
		}
		if d := cmp.Diff(plain.a.plan(), indexed.a.plan()); d != "" {
			t.Fatalf("instance %d: %s", i, d)
		}
	}
}

// The log of what has been freed does not grow without end.
func TestIndexForgets(t *testing.T) {
	p := plantest.RandomSeeded(rand.New(rand.NewPCG(2, 3)), plantest.Options{GPUs: indexFrom, Steps: 24, Jobs: 200, Services: 2, Plain: true})
	s := newSearch(p, 1)
	s.start()
	for range 1000 {
		s.step()
	}
	if n := len(s.a.index.log); n > logged {
		t.Errorf("the log has %d entries", n)
	}
	s.recall()
	mustBeLegal(t, p, s.a.plan())
}

func TestTree(t *testing.T) {
	tr := &tree{nodes: make([]uint64, 32), leaves: 16}
	want := map[int]bool{0: true, 3: true, 4: true, 12: true}
	for k := range want {
		tr.nodes[16+k] = 1 << 5
		for n := (16 + k) / 2; n > 0; n /= 2 {
			tr.join(n, 1)
		}
	}
	for k := tr.next(0, 5, 1); k >= 0; k = tr.next(k+1, 5, 1) {
		if !want[k] {
			t.Errorf("chunk %d should not have the start", k)
		}
		delete(want, k)
	}
	if len(want) > 0 {
		t.Errorf("chunks %v were not found", want)
	}
	if k := tr.next(0, 6, 1); k >= 0 {
		t.Errorf("chunk %d should not have start 6", k)
	}
}
