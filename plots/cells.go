package plots

import (
	"cmp"
	"slices"

	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"
)

// interval is the half-open time [from, to).
type interval struct{ from, to sim.Time }

// block is a rectangle of the grid: GPUs [first, first+n) during a time.
type block struct {
	first, n int
	interval
}

// rows holds a region of the grid: for each GPU, disjoint ascending intervals.
type rows map[int][]interval

// add extends the region. Calls must come in ascending order of time.
func (r rows) add(gpus []hardware.Range, t interval) {
	if t.from >= t.to {
		return
	}
	for _, rg := range gpus {
		for g := rg.First; g < rg.End(); g++ {
			if n := len(r[g]); n > 0 && r[g][n-1].to == t.from {
				r[g][n-1].to = t.to
				continue
			}
			r[g] = append(r[g], t)
		}
	}
}

// blocks covers the region with rectangles, joining neighbours that are held
// for exactly the same time.
func (r rows) blocks() (out []block) {
	open := map[interval]int{} // → place in out of the block that ends at the last GPU
	last := 0
	for _, g := range sortedKeys(r) {
		next := make(map[interval]int, len(r[g]))
		for _, t := range r[g] {
			i, joins := open[t]
			if !joins || g != last+1 {
				i = len(out)
				out = append(out, block{first: g, interval: t})
			}
			out[i].n++
			next[t] = i
		}
		open, last = next, g
	}
	return out
}

// edge is a piece of a region's outline, from one corner to another; gpu
// counts lower edges of rows.
type edge struct {
	gpu1, gpu2 int
	t1, t2     sim.Time
}

// outline is the border of the region, in no particular direction.
func (r rows) outline() (out []edge) {
	across := func(g int) { // the border between rows g−1 and g
		var ends []sim.Time
		for _, t := range slices.Concat(r[g-1], r[g]) {
			ends = append(ends, t.from, t.to)
		}
		slices.Sort(ends)
		for i := 0; i < len(ends); i += 2 { // an end in both rows cancels out
			if ends[i] < ends[i+1] {
				out = append(out, edge{g, g, ends[i], ends[i+1]})
			}
		}
	}
	for _, g := range sortedKeys(r) {
		across(g)
		if len(r[g+1]) == 0 {
			across(g + 1)
		}
	}
	for _, b := range r.blocks() {
		out = append(out,
			edge{b.first, b.first + b.n, b.from, b.from},
			edge{b.first, b.first + b.n, b.to, b.to})
	}
	return out
}

// held is what one service held: all of it, and the part beyond its demand.
type held struct {
	name      string
	all, idle rows
}

// services gathers the spans of each service, in order of name, cut to the
// window.
func services(spans []metrics.ServiceSpan, window interval) []held {
	sorted := slices.Clone(spans)
	slices.SortStableFunc(sorted, func(a, b metrics.ServiceSpan) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Start, b.Start))
	})
	var out []held
	for _, s := range sorted {
		if len(out) == 0 || out[len(out)-1].name != s.Service {
			out = append(out, held{s.Service, rows{}, rows{}})
		}
		h := out[len(out)-1]
		t := interval{max(s.Start, window.from), min(s.End, window.to)}
		h.all.add(s.GPUs, t)
		h.idle.add(beyond(s.GPUs, s.Wanted), t)
	}
	return out
}

// beyond drops the first n GPUs of ascending ranges.
func beyond(gpus []hardware.Range, n int) (rest []hardware.Range) {
	n = max(n, 0)
	for _, r := range gpus {
		drop := min(n, r.N)
		n -= drop
		if drop < r.N {
			rest = append(rest, hardware.Range{First: r.First + drop, N: r.N - drop})
		}
	}
	return rest
}
