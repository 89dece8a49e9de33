package policies

import (
	"math"
	"testing"
)

// The example of Ghodsi et al. (NSDI 2011): 9 CPUs and 18 GB; tasks of user A
// ask for 1 CPU and 4 GB, those of B for 3 CPUs and 1 GB. DRF gives A three
// tasks and B two, with dominant shares of 2/3 each.
func TestDominantShares(t *testing.T) {
	p := &fairShare{capacity: resources{0, 9, 18}, tenants: make([]tenant, 2)}
	demand := []resources{{0, 1, 4}, {0, 3, 1}}
	var free = p.capacity
	tasks := [2]int{}
	for {
		for i := range p.tenants {
			p.tenants[i].waiting = append(p.tenants[i].waiting[:0], nil) // there is always one more
		}
		next := p.next()
		if next == nil {
			break
		}
		i := 0
		if next == &p.tenants[1] {
			i = 1
		}
		for k := range free {
			if demand[i][k] > free[k] {
				next.blocked = true
			}
		}
		if next.blocked {
			continue
		}
		next.add(demand[i], 1)
		tasks[i]++
		for k := range free {
			free[k] -= demand[i][k]
		}
	}
	if tasks != [2]int{3, 2} {
		t.Errorf("tasks %v, want 3 of A and 2 of B", tasks)
	}
	for i := range p.tenants {
		if s := dominantShare(p.tenants[i].held, p.capacity); math.Abs(s-2.0/3) > 1e-12 {
			t.Errorf("dominant share of tenant %d is %v", i, s)
		}
	}
}
