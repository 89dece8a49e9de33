package traces

import "testing"

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]number{
		"0": {}, "-1": {-1, 0}, "+7": {7, 0}, "552.21": {552, 210_000_000}, "-0.5": {0, -500_000_000},
		".5": {0, 500_000_000}, "5.": {5, 0}, "1.0000000019": {1, 1}, "999999999999999999": {999_999_999_999_999_999, 0},
		"1e3": {1000, 0}, "-2.5E0": {-2, -500_000_000}, "0000000000000000000012": {12, 0},
	} {
		if got, ok := parseNumber([]byte(text)); !ok || got != want {
			t.Errorf("%s: %+v %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-", "+", ".", "-.", "1x", "x", "1.2.3", "--1", "NaN", "Inf", "0x1", "1_0", "1e", "1e30", "9999999999999999999", "1,5"} {
		if got, ok := parseNumber([]byte(text)); ok {
			t.Errorf("%q is taken as %+v", text, got)
		}
	}
	n := number{-2, -500_000_000}
	if n.floor() != -3 || n.ceil() != -2 || (number{2, 1}).ceil() != 3 || (number{2, 1}).floor() != 2 {
		t.Error("rounding")
	}
}

func TestIDSet(t *testing.T) {
	var s idSet
	for _, id := range []int64{0, 1, 63, 64, 4095, 4096, 1 << 60} {
		if s.add(id) || !s.add(id) {
			t.Errorf("%d", id)
		}
	}
	for i := range int64(maxIDPages) {
		s.add(i << 12)
	}
	if !s.overflow || len(s.pages) != maxIDPages {
		t.Errorf("%d pages, overflow %v", len(s.pages), s.overflow)
	}
}

func TestGroup(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -100: "-100", 12345678: "12,345,678"} {
		if got := group(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
