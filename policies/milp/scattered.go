package milp

import (
	"cmp"
	"slices"

	"berth/policies/plan"
	"berth/sim/hardware"
)

// span is work for the scattered placement: a job, or one GPU of a service
// over some steps.
type span struct {
	start    startKey
	service  int // −1 for a job
	from, to int // steps
	size     int
	kept     []int // GPUs that it has to be on; nil for any
}

// placeScattered places by start, which always succeeds where all GPUs are
// alike: what has started fits below the capacity at every step. Services are
// cut into spans of one GPU, so that their swaps are the changes of their
// count.
func (d *decision) placeScattered() *plan.Plan {
	var spans []span
	for _, k := range d.jobs {
		shape := d.p.Jobs[k.job].Shapes[k.shape]
		spans = append(spans, span{start: k, service: -1, from: k.step, to: min(k.step+shape.Steps, d.p.Steps), size: shape.GPUs})
	}
	for r := range d.p.Services {
		spans = append(spans, d.levels(r)...)
	}
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(
			cmp.Compare(a.from, b.from),
			cmp.Compare(len(b.kept), len(a.kept)), // what services hold stays where it is
			cmp.Compare(b.service, a.service),
		)
	})
	pl, rows := d.plan(&placement{}), d.inherited()
	for _, s := range spans {
		gpus := s.take(rows)
		switch {
		case gpus == nil:
			return nil
		case s.service < 0:
			pl.Jobs[s.start.job] = plan.Placement{Start: s.start.step, Shape: s.start.shape, GPUs: ranges(gpus)}
		default:
			for t := s.from; t < s.to; t++ {
				pl.Services[s.service][t] = united(pl.Services[s.service][t], gpus)
			}
		}
	}
	return pl
}

// take takes free GPUs for a span, the lowest first, or returns nil.
func (s *span) take(rows []uint64) []bool {
	gpus, need, mask := make([]bool, len(rows)), s.size, steps(s.from, s.to)
	for g := range rows {
		if need > 0 && rows[g]&mask == 0 && (s.kept == nil || slices.Contains(s.kept, g)) {
			gpus[g] = true
			rows[g] |= mask
			need--
		}
	}
	if need > 0 {
		return nil
	}
	return gpus
}

// united is what either holds.
func united(held []hardware.Range, gpus []bool) []hardware.Range {
	set := slices.Clone(gpus)
	for _, r := range held {
		for g := r.First; g < r.End(); g++ {
			set[g] = true
		}
	}
	return ranges(set)
}

// levels cuts what a service holds into spans of one GPU. Those that begin at
// step 0 stay on GPUs that the service holds already, as many as there are.
func (d *decision) levels(r int) []span {
	var kept []int
	for _, h := range d.p.Services[r].Held {
		for g := h.First; g < h.End(); g++ {
			kept = append(kept, g)
		}
	}
	var out []span
	for level := range slices.Max(d.counts[r]) {
		for t := 0; t < d.p.Steps; {
			from := t
			for t < d.p.Steps && d.counts[r][t] > level {
				t++
			}
			if t == from {
				t++
				continue
			}
			s := span{service: r, from: from, to: t, size: 1}
			if from == 0 && level < len(kept) {
				s.kept = kept
			}
			out = append(out, s)
		}
	}
	return out
}
