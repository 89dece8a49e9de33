package traces

import (
	"time"

	"berth/sim"
)

// clock reads calendar times as nanoseconds since 1970 in UTC.
type clock struct {
	zone *time.Location // of times that name none; nil means UTC

	// The midnight of the date last read, as dates repeat.
	date     [10]byte
	midnight sim.Time
}

// parse reads "2006-01-02 15:04:05", with "T" for the blank, a fraction of a
// second, and "Z" or an offset as "+08:00" accepted, from 1970 to 2095.
func (c *clock) parse(b []byte) (sim.Time, bool) {
	utc := c.zone == nil || c.zone == time.UTC
	east := sim.Time(0)
	if n := len(b); n > 0 && b[n-1] == 'Z' {
		b, utc = b[:n-1], true
	} else if n >= 25 && b[n-3] == ':' && (b[n-6] == '+' || b[n-6] == '-') {
		h, m := digits2(b[n-5:]), digits2(b[n-2:])
		if h > 23 || m > 59 {
			return 0, false
		}
		east, utc = sim.Time(h*60+m)*time.Minute, true
		if b[n-6] == '-' {
			east = -east
		}
		b = b[:n-6]
	}
	if len(b) < 19 || b[4] != '-' || b[7] != '-' || b[10] != ' ' && b[10] != 'T' || b[13] != ':' || b[16] != ':' {
		return 0, false
	}
	h, m, s := digits2(b[11:]), digits2(b[14:]), digits2(b[17:])
	nano, ok := fraction(b[19:])
	if !ok || h > 23 || m > 59 || s > 59 {
		return 0, false
	}
	if [10]byte(b) != c.date && !c.turn(b) {
		return 0, false
	}
	if utc {
		t := c.midnight + sim.Time(h*3600+m*60+s)*time.Second + nano - east
		return t, t >= 0
	}
	y, month, day := time.Unix(0, int64(c.midnight)).UTC().Date()
	t := sim.Time(time.Date(y, month, day, h, m, s, 0, c.zone).UnixNano()) + nano
	return t, t >= 0
}

// turn moves to another date.
func (c *clock) turn(b []byte) bool {
	high, low, month, day := digits2(b), digits2(b[2:]), digits2(b[5:]), digits2(b[8:])
	year := high*100 + low
	if year < 1970 || year > 2095 || low > 99 || month < 1 || month > 12 || day < 1 || day > 31 {
		return false
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if t.Day() != day { // such as 30 February
		return false
	}
	c.date, c.midnight = [10]byte(b), sim.Time(t.UnixNano())
	return true
}

// digits2 is the number of two digits, or above 99 where they are not digits.
func digits2(b []byte) int {
	if b[0]-'0' > 9 || b[1]-'0' > 9 {
		return 1000
	}
	return int(b[0]-'0')*10 + int(b[1]-'0')
}

// fraction reads "" or a point and one to nine digits.
func fraction(b []byte) (sim.Time, bool) {
	if len(b) == 0 {
		return 0, true
	}
	if b[0] != '.' || len(b) == 1 || len(b) > 10 {
		return 0, false
	}
	n, ok := parseNumber(b)
	return sim.Time(n.nano), ok
}
