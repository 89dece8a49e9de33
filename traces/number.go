package traces

import (
	"bytes"
	"math"
	"strconv"

	"berth/sim"
)

// number is a decimal read exactly: whole + nano·10⁻⁹, both of the same sign.
// Digits beyond the ninth decimal are dropped.
type number struct{ whole, nano int64 }

// maxWhole bounds the whole part; 18 digits always fit.
const maxWhole = 999_999_999_999_999_999

// parseNumber reads a decimal such as 12, -1, 0.5 or 1.2e3, the whole of b.
func parseNumber(b []byte) (number, bool) {
	i, sign := 0, int64(1)
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		if b[0] == '-' {
			sign = -1
		}
		i = 1
	}
	start, whole := i, int64(0)
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		if i-start == 18 {
			return parseFloat(b)
		}
		whole = whole*10 + int64(b[i]-'0')
	}
	if i == len(b) {
		return number{whole: sign * whole}, i > start
	}
	if b[i] != '.' {
		return parseFloat(b)
	}
	digits := i - start
	nano, unit := int64(0), int64(100_000_000)
	for i++; i < len(b) && b[i]-'0' <= 9; i++ {
		nano += int64(b[i]-'0') * unit
		unit /= 10
		digits++
	}
	if i < len(b) || digits == 0 {
		return parseFloat(b)
	}
	return number{sign * whole, sign * nano}, true
}

// parseFloat takes what is rare: exponents and many digits.
func parseFloat(b []byte) (number, bool) {
	if len(b) == 0 || len(b) > 64 || bytes.ContainsAny(b, "xX_") {
		return number{}, false
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || !(math.Abs(f) < maxWhole) {
		return number{}, false
	}
	whole, frac := math.Modf(f)
	return number{int64(whole), int64(frac * 1e9)}, true
}

func (n number) float() float64 { return float64(n.whole) + float64(n.nano)/1e9 }

// positive says whether n > 0.
func (n number) positive() bool { return n.whole > 0 || n.nano > 0 }

// negative says whether n < 0.
func (n number) negative() bool { return n.whole < 0 || n.nano < 0 }

// floor is n rounded down.
func (n number) floor() int64 {
	if n.nano < 0 {
		return n.whole - 1
	}
	return n.whole
}

// ceil is n rounded up.
func (n number) ceil() int64 {
	if n.nano > 0 {
		return n.whole + 1
	}
	return n.whole
}

// seconds is n seconds, or false when that is beyond maxSeconds.
func (n number) seconds() (sim.Time, bool) {
	if n.whole >= maxSeconds || n.whole <= -maxSeconds {
		return 0, false
	}
	return sim.Time(n.whole*1e9 + n.nano), true
}

// blank says whether a field says that it has no value.
func blank(b []byte) bool {
	switch len(b) {
	case 0:
		return true
	case 3:
		return bytes.EqualFold(b, []byte("nan"))
	case 4:
		return bytes.EqualFold(b, []byte("none")) || bytes.EqualFold(b, []byte("null"))
	}
	return false
}

// interner keeps one string for equal byte slices, and remembers a million of
// at most 256 bytes.
type interner map[string]string

func (m interner) get(b []byte) string {
	if s, ok := m[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(m) < 1<<20 && len(s) <= 256 {
		m[s] = s
	}
	return s
}
