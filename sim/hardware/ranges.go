package hardware

import (
	"math"
	"strconv"
	"strings"
)

// Range is the half-open run of GPUs [First, First+N).
type Range struct{ First, N int }

// End is one past the last GPU.
func (r Range) End() int { return r.First + r.N }

// Size is the number of GPUs in a list of ranges.
func Size(rs []Range) int {
	n := 0
	for _, r := range rs {
		n += r.N
	}
	return n
}

// FormatRanges writes ranges as the tables do: "0-7 12".
func FormatRanges(rs []Range) string { return string(AppendRanges(nil, rs)) }

// AppendRanges appends the text of FormatRanges to dst.
func AppendRanges(dst []byte, rs []Range) []byte {
	for i, r := range rs {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendInt(dst, int64(r.First), 10)
		if r.N > 1 {
			dst = append(dst, '-')
			dst = strconv.AppendInt(dst, int64(r.End()-1), 10)
		}
	}
	return dst
}

// ParseRanges reads the text of FormatRanges. The ranges must ascend and not
// overlap; GPU numbers go up to 2³¹−1.
func ParseRanges(text string) ([]Range, error) {
	var rs []Range
	for _, f := range strings.Fields(text) {
		lo, hi, isRange := strings.Cut(f, "-")
		first, err := strconv.Atoi(lo)
		last := first
		if err == nil && isRange {
			last, err = strconv.Atoi(hi)
		}
		if err != nil || first < 0 || last < first || last > math.MaxInt32 || (len(rs) > 0 && first < rs[len(rs)-1].End()) {
			return nil, &RangeError{Text: text, Part: f}
		}
		rs = append(rs, Range{First: first, N: last - first + 1})
	}
	return rs, nil
}

// RangeError is text that is no ascending list of GPU ranges.
type RangeError struct{ Text, Part string }

func (e *RangeError) Error() string {
	return strconv.Quote(e.Part) + " in " + strconv.Quote(e.Text) + ` is no GPU range; write ascending ranges such as "0-7 12"`
}
