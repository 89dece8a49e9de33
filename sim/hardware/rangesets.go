package hardware

import (
	"cmp"
	"slices"
)

// Union is all GPUs of a or b, as ascending maximal ranges. The operands are
// left alone.
func Union(a, b []Range) []Range {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y Range) int { return cmp.Compare(x.First, y.First) })
	out := all[:0]
	for _, r := range all {
		if r.N <= 0 {
			continue
		}
		if n := len(out); n > 0 && r.First <= out[n-1].End() {
			out[n-1].N = max(out[n-1].End(), r.End()) - out[n-1].First
		} else {
			out = append(out, r)
		}
	}
	return out
}

// Subtract is the GPUs of a that are not in b. Both must ascend; the result is
// ascending and the operands are left alone.
func Subtract(a, b []Range) []Range {
	out := make([]Range, 0, len(a)+len(b))
	i := 0
	for _, r := range a {
		first := r.First
		for i < len(b) && b[i].End() <= first {
			i++
		}
		for k := i; k < len(b) && b[k].First < r.End(); k++ {
			if b[k].First > first {
				out = append(out, Range{First: first, N: b[k].First - first})
			}
			first = max(first, b[k].End())
		}
		if first < r.End() {
			out = append(out, Range{First: first, N: r.End() - first})
		}
	}
	return out
}
