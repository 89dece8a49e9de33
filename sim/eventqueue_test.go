package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The judge is a sorted slice: by time, then class, then order of pushing.
func TestEventQueueIsATotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type item struct {
			at  Time
			c   class
			ref uint32
		}
		var q eventQueue
		var want []item
		for i := range rapid.IntRange(1, 300).Draw(t, "steps") {
			if len(want) > 0 && rapid.IntRange(0, 2).Draw(t, "op") == 0 {
				e := q.pop()
				if got := (item{e.at, e.class(), e.ref}); got != want[0] {
					t.Fatalf("popped %v, want %v", got, want[0])
				}
				want = want[1:]
				continue
			}
			it := item{Time(rapid.IntRange(0, 5).Draw(t, "at")), class(rapid.IntRange(0, 3).Draw(t, "class")), uint32(i)}
			q.push(it.at, it.c, it.ref, 0)
			at, _ := slices.BinarySearchFunc(want, it, func(a, b item) int {
				if a.at < b.at || (a.at == b.at && a.c <= b.c) {
					return -1
				}
				return 1
			})
			want = slices.Insert(want, at, it)
		}
	})
}

// BenchmarkHold is the classic hold model: pop the next event, push one an
// exponential time later, at a constant number pending.
func BenchmarkHold(b *testing.B) {
	for _, pending := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprintf("pending=%d", pending), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			delays := make([]Time, 1<<16)
			for i := range delays {
				delays[i] = Time(rng.ExpFloat64() * 1e9)
			}
			var q eventQueue
			for i := range pending {
				q.push(delays[i%len(delays)]+Time(rng.IntN(1000)), arrival, 0, 0)
			}
			for i := range 2 * pending { // into the steady state
				e := q.pop()
				q.push(e.at+delays[i%len(delays)], arrival, 0, 0)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				e := q.pop()
				q.push(e.at+delays[i&(1<<16-1)], arrival, 0, 0)
				i++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mholds/s")
		})
	}
}
