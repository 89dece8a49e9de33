package traces

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"berth/sim"
)

func TestPhilly(t *testing.T) {
	tr := open(t, "testdata/philly.csv", Options{Priority: 2})
	jobs := drain(t, tr)
	want := []sim.Job{
		swfJob(2, 0, 60*sec, 60*sec, 1, "vc2", ""),
		swfJob(1, 115*sec, 66500*time.Millisecond, 66500*time.Millisecond, 2, "vc1", ""),
		swfJob(3, 115*sec, 10*sec, 10*sec, 8, "vc1", ""),
	}
	for i := range want {
		want[i].Priority = 2
	}
	if d := cmp.Diff(want, jobs); d != "" {
		t.Error(d)
	}
	var rejects []string
	for _, r := range tr.Report().Rejects {
		rejects = append(rejects, fmt.Sprint(r.What, r.Lines))
	}
	if d := cmp.Diff([]string{"no processors[8]", "no submission time[7]", "run time unknown[6]"}, rejects); d != "" {
		t.Error(d)
	}
	if r := tr.Report(); r.Epoch != "2017-10-09T07:00:00Z" || r.Zone != "UTC" {
		t.Errorf("epoch %s, zone %s", r.Epoch, r.Zone)
	}
}

func TestPhillyErrors(t *testing.T) {
	const header = "timestamp,duration,num_gpus,gpu_time,cluster\n"
	for row, message := range map[string]string{
		"2017-10-09 07:01:55,66.0,1,66.0":          "x:2: 4 fields; accepted are 5, as in the header",
		"2017-10-09 07:01:55,66.0,1,66.0,a,b":      "x:2: 6 fields; accepted are 5, as in the header",
		"2017-02-29 07:01:55,66.0,1,66.0,a":        `x:2: timestamp is "2017-02-29 07:01:55"; accepted are 1970-01-01 00:00:00 to 2095-12-31 23:59:59`,
		"2017-10-09 07:01:55,66s,1,66.0,a":         `x:2: duration is "66s"; accepted is a number of seconds`,
		"2017-10-09 07:01:55,66.0,1.5,66.0,a":      `x:2: num_gpus is "1.5"; accepted is an integer up to 1073741824`,
		`2017-10-09 07:01:55,66.0,1,66.0,"a"b`:     "x:2: field 5 has an unmatched quote",
		`2017-10-09 07:01:55,66.0,1,66.0,"a`:       "x:2: field 5 has an unmatched quote",
		"2017-10-09 07:01:55,1e300,1,66.0,a":       `x:2: duration is "1e300"; accepted is a number of seconds`,
		"2017-10-09 07:01:55,66,99999999999,6.0,a": `x:2: num_gpus is "99999999999"; accepted is an integer up to 1073741824`,
	} {
		_, err := drainErr(read(t, header+row+"\n", Options{}))
		if err == nil || err.Error() != message {
			t.Errorf("%s: error %v\nwant %s", row, err, message)
		}
	}
	_, err := NewReader(strings.NewReader("timestamp,duration,num_gpus,cluster,duration\n"), "x", Options{})
	if err == nil || err.Error() != `x:1: column "duration" is there twice; accepted is once` {
		t.Errorf("error %v", err)
	}
}

func TestClock(t *testing.T) {
	zone := time.FixedZone("", -7*3600)
	for _, text := range []string{"1970-01-02 00:00:00", "2016-02-29 23:59:59", "2017-12-31 12:00:00.1234567", "2095-12-31 23:59:59"} {
		for _, z := range []*time.Location{nil, zone} {
			loc := time.UTC
			if z != nil {
				loc = z
			}
			want, err := time.ParseInLocation("2006-01-02 15:04:05", text, loc)
			if err != nil {
				t.Fatal(err)
			}
			c := clock{zone: z}
			if got, ok := c.parse([]byte(text)); !ok || got != sim.Time(want.UnixNano()) {
				t.Errorf("%s in %v: %v %v, want %d", text, loc, got, ok, want.UnixNano())
			}
		}
	}
	for _, text := range []string{
		"", "2017-10-09", "2017-13-09 00:00:00", "2017-00-09 00:00:00", "2017-10-00 00:00:00", "1969-12-31 23:59:59",
		"2096-01-01 00:00:00", "2017-10-09 24:00:00", "2017-10-09 00:60:00", "2017-10-09 00:00:60", "2017-10-09 00:00:00.",
		"2017-10-09 00:00:00.1234567890", "2017/10/09 00:00:00", "20x7-10-09 00:00:00", "2017-10-09 00:00:0x",
	} {
		var c clock
		if got, ok := c.parse([]byte(text)); ok {
			t.Errorf("%q is taken as %v", text, got)
		}
	}
}
