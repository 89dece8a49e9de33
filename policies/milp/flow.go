package milp

import "math"

// network is a directed graph with capacities and costs that are whole and not
// negative, on which a cheapest flow is found by successive shortest paths
// (Busacker and Gowen 1960, with the potentials of Edmonds and Karp 1972).
type network struct {
	arcs  []arc // each followed by its reverse
	first []int32
	// Of the search for a path.
	potential, distance []int64
	by                  []int32 // arc by which a node was reached
	heap                []visit
}

type arc struct {
	to, next int32
	room     int32
	cost     int64
}

type visit struct {
	distance int64
	node     int32
}

// reset makes the network n nodes without arcs.
func (f *network) reset(n int) {
	f.arcs = f.arcs[:0]
	f.first = resized(f.first, n)
	f.potential, f.distance, f.by = resized(f.potential, n), resized(f.distance, n), resized(f.by, n)
	for i := range n {
		f.first[i], f.potential[i] = -1, 0
	}
}

func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// add adds an arc and returns its index.
func (f *network) add(from, to, room int, cost int64) int {
	i := len(f.arcs)
	f.arcs = append(f.arcs,
		arc{to: int32(to), next: f.first[from], room: int32(room), cost: cost},
		arc{to: int32(from), next: f.first[to], cost: -cost})
	f.first[from], f.first[to] = int32(i), int32(i+1)
	return i
}

// flow is what runs along an arc.
func (f *network) flow(i int) int { return int(f.arcs[i^1].room) }

// send sends as much of an amount as can be, at the least cost, and returns
// how much that was.
func (f *network) send(from, to, amount int) int {
	sent := 0
	for sent < amount && f.path(from, to) {
		step := int32(amount - sent)
		for v := int32(to); v != int32(from); {
			a := f.by[v]
			step = min(step, f.arcs[a].room)
			v = f.arcs[a^1].to
		}
		for v := int32(to); v != int32(from); {
			a := f.by[v]
			f.arcs[a].room -= step
			f.arcs[a^1].room += step
			v = f.arcs[a^1].to
		}
		sent += int(step)
	}
	return sent
}

// path finds the cheapest path with room (Dijkstra on reduced costs), and
// moves the potentials.
func (f *network) path(from, to int) bool {
	for i := range f.distance {
		f.distance[i] = math.MaxInt64
	}
	f.distance[from] = 0
	f.heap = append(f.heap[:0], visit{0, int32(from)})
	for len(f.heap) > 0 {
		v := f.pop()
		if v.distance > f.distance[v.node] {
			continue
		}
		if v.node == int32(to) {
			break
		}
		for a := f.first[v.node]; a >= 0; a = f.arcs[a].next {
			e := &f.arcs[a]
			if e.room == 0 {
				continue
			}
			d := v.distance + e.cost + f.potential[v.node] - f.potential[e.to]
			if d < f.distance[e.to] {
				f.distance[e.to], f.by[e.to] = d, a
				f.push(visit{d, e.to})
			}
		}
	}
	reached := f.distance[to]
	if reached == math.MaxInt64 {
		return false
	}
	for i, d := range f.distance {
		f.potential[i] += min(d, reached)
	}
	return true
}

func (f *network) push(v visit) {
	f.heap = append(f.heap, v)
	for i := len(f.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if f.heap[up].distance <= f.heap[i].distance {
			return
		}
		f.heap[up], f.heap[i] = f.heap[i], f.heap[up]
		i = up
	}
}

func (f *network) pop() visit {
	top, n := f.heap[0], len(f.heap)-1
	f.heap[0] = f.heap[n]
	f.heap = f.heap[:n]
	for i := 0; ; {
		least := i
		for k := 2*i + 1; k <= 2*i+2 && k < n; k++ {
			if f.heap[k].distance < f.heap[least].distance {
				least = k
			}
		}
		if least == i {
			return top
		}
		f.heap[least], f.heap[i] = f.heap[i], f.heap[least]
		i = least
	}
}
