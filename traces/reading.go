package traces

import (
	"bytes"
	"fmt"
	"math"

	"berth/sim"
	"berth/sim/hardware"
)

// reading reads the fields of a row; the first error stays, and says what is
// accepted.
type reading struct {
	in  *input
	err error
}

func (v *reading) fail(err error) {
	if v.err == nil {
		v.err = err
	}
}

// judge makes a job of a record that was read without error.
func (v *reading) judge(r *record, names *names64, j *sim.Job) (bool, error) {
	if v.err != nil {
		return false, v.err
	}
	return v.in.judge(r, names, j), nil
}

// time reads a time in the record's unit, or Unrecorded where the field is
// blank.
func (v *reading) time(column string, field []byte) sim.Time {
	if blank(field) {
		return Unrecorded
	}
	if n, ok := parseNumber(field); ok {
		if t, ok := v.in.time(n); ok {
			return t
		}
	}
	v.fail(fmt.Errorf("%s is %s; accepted is a number of seconds below %.0f, or blank", column, quote(field), float64(maxSeconds)))
	return Unrecorded
}

// calendar reads a calendar time, or Unrecorded where the field is blank.
func (v *reading) calendar(c *clock, column string, field []byte) sim.Time {
	if blank(field) {
		return Unrecorded
	}
	t, ok := c.parse(field)
	if !ok {
		v.fail(fmt.Errorf("%s is %s; accepted are 1970-01-01 00:00:00 to 2095-12-31 23:59:59, with or without an offset as +08:00, or blank", column, quote(field)))
		return Unrecorded
	}
	return t
}

// count reads a whole number from 0 to a limit.
func (v *reading) count(column string, field []byte, limit int64) int {
	n, ok := parseNumber(field)
	if !ok || n.nano != 0 || n.whole < 0 || n.whole > limit {
		v.fail(fmt.Errorf("%s is %s; accepted is an integer from 0 to %d", column, quote(field), limit))
		return 0
	}
	return int(n.whole)
}

// amount reads a number from 0 on, in whole units of 1/scale up to a limit; a
// blank one is 0.
func (v *reading) amount(column string, field []byte, scale float64, limit int64) int {
	if blank(field) {
		return 0
	}
	n, ok := parseNumber(field)
	units := math.Round(n.float() * scale)
	if !ok || !(units >= 0 && units <= float64(limit)) {
		v.fail(fmt.Errorf("%s is %s; accepted is a number from 0 to %.0f", column, quote(field), float64(limit)/scale))
		return 0
	}
	return int(units)
}

// models reads a set of GPU models: names separated by "|", or blank for any.
func (v *reading) models(column string, field []byte) hardware.Models {
	if blank(field) {
		return ""
	}
	for part := range bytes.SplitSeq(field, []byte{'|'}) {
		if len(bytes.TrimSpace(part)) == 0 {
			v.fail(fmt.Errorf("%s is %s; accepted are names separated by |", column, quote(field)))
			return ""
		}
	}
	return hardware.Models(v.in.tenants.get(field))
}
