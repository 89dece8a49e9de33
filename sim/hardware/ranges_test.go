package hardware

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawRanges draws ascending ranges that do not overlap but may touch.
func drawRanges(t *rapid.T, label string) []Range {
	var rs []Range
	at := 0
	for range rapid.IntRange(0, 6).Draw(t, label) {
		r := Range{at + rapid.IntRange(0, 6).Draw(t, "gap"), rapid.IntRange(1, 5).Draw(t, "size")}
		rs, at = append(rs, r), r.End()
	}
	return rs
}

func TestRangesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := drawRanges(t, "ranges")
		got, err := ParseRanges(FormatRanges(rs))
		if err != nil || cmp.Diff(rs, got) != "" {
			t.Fatalf("%v became %v, %v", rs, got, err)
		}
	})
}

func TestParseRanges(t *testing.T) {
	for _, test := range []struct {
		text string
		want []Range
		part string // what the error names
	}{
		{text: "", want: nil},
		{text: "0-7 12", want: []Range{{0, 8}, {12, 1}}},
		{text: " 3  4-4 ", want: []Range{{3, 1}, {4, 1}}},
		{text: "2147483647", want: []Range{{2147483647, 1}}},
		{text: "x", part: "x"},
		{text: "0 3-1", part: "3-1"},
		{text: "-1", part: "-1"},
		{text: "0-7 4", part: "4"},
		{text: "8 4", part: "4"},
		{text: "1-", part: "1-"},
		{text: "0-9223372036854775807", part: "0-9223372036854775807"},
	} {
		got, err := ParseRanges(test.text)
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("ParseRanges(%q): %s", test.text, d)
		}
		part := ""
		if e := (*RangeError)(nil); errors.As(err, &e) {
			part = e.Part
		}
		if part != test.part {
			t.Errorf("ParseRanges(%q): error %v names %q, want %q", test.text, err, part, test.part)
		}
	}
}

func TestAlignmentText(t *testing.T) {
	for _, a := range []Alignment{Contiguous, Buddy, Scattered} {
		text, err := a.MarshalText()
		if err != nil {
			t.Error(err)
		}
		var got Alignment
		if err := got.UnmarshalText(text); err != nil || got != a {
			t.Errorf("%v became %v, %v", a, got, err)
		}
	}
	if a := new(Alignment); a.UnmarshalText([]byte("diagonal")) == nil {
		t.Errorf("diagonal became %v", a)
	}
	if got := Alignment(7).String(); got != "Alignment(7)" {
		t.Errorf("Alignment(7).String() = %q", got)
	}
}

// The judge is a set of GPUs.
func TestRangeSets(t *testing.T) {
	set := func(rs []Range) (in [128]bool) {
		for _, r := range rs {
			for g := r.First; g < r.End(); g++ {
				in[g] = true
			}
		}
		return in
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawRanges(t, "a"), drawRanges(t, "b")
		union, difference := set(Union(a, b)), set(Subtract(a, b))
		inA, inB := set(a), set(b)
		for g := range inA {
			if union[g] != (inA[g] || inB[g]) {
				t.Fatalf("union of %v and %v is %v: GPU %d is wrong", a, b, Union(a, b), g)
			}
			if difference[g] != (inA[g] && !inB[g]) {
				t.Fatalf("%v without %v is %v: GPU %d is wrong", a, b, Subtract(a, b), g)
			}
		}
	})
}
