package traces

import (
	"strings"
	"testing"
	"time"

	"berth/sim"
)

// TestOverrides: unit, origin and zone are the format's unless the reader is
// told otherwise.
func TestOverrides(t *testing.T) {
	const spot = "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n1,a,A10,1,1,1,1500,2500,HP\n"
	const helios = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n" +
		"1,u,v,1,1,1,COMPLETED,2020-06-09 18:00:00,2020-06-09 18:00:00,2020-06-09 18:01:00,60,0\n"
	year := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		text          string
		opts          Options
		submit, run   sim.Time
		epoch, zoneIs string
	}{
		{spot, Options{}, 1500 * time.Second, 2500 * time.Second, "", ""},
		{spot, Options{Unit: time.Millisecond}, 1500 * time.Millisecond, 2500 * time.Millisecond, "", ""},
		{spot, Options{Unit: time.Minute, Origin: year}, 25 * time.Hour, 2500 * time.Minute, "2026-01-01T00:00:00Z", ""},
		{row(1, "5", "7", "1", "1"), Options{Unit: time.Hour}, 5 * time.Hour, 7 * time.Hour, "", ""},
		{helios, Options{}, 0, time.Minute, "2020-06-09T18:00:00Z", "UTC"},
		{helios, Options{Zone: time.FixedZone("", 8*3600)}, 0, time.Minute, "2020-06-09T18:00:00+08:00", ""},
		{"j,task,1.0,Terminated,3600.0,3700.0,100.0,1,100.0,T4\n", Options{}, time.Hour, 100 * time.Second, "1970-01-01T08:00:00+08:00", ""},
	} {
		tr := read(t, tt.text, tt.opts)
		jobs := drain(t, tr)
		r := tr.Report()
		if len(jobs) != 1 || jobs[0].Submit != tt.submit || jobs[0].Duration != tt.run || r.Epoch != tt.epoch || r.Zone != tt.zoneIs {
			t.Errorf("%.20q with %v: jobs %+v, epoch %q, zone %q", tt.text, tt.opts.Unit, jobs, r.Epoch, r.Zone)
		}
	}
	for _, o := range []Options{{Unit: -1}, {Unit: 1e18}, {MinRun: -1}, {RecordEnd: -1}, {Flops: -1}} {
		if _, err := NewReader(strings.NewReader(spot), "x", o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestTimeInUnits: a time in another unit is exact where the unit divides it.
func TestTimeInUnits(t *testing.T) {
	in := newInput(nil, "x", "y", Options{Unit: time.Millisecond})
	for text, want := range map[string]sim.Time{
		"1": time.Millisecond, "-1.5": -1500 * time.Microsecond, "123456789012.000001": 123456789012*time.Millisecond + time.Nanosecond,
	} {
		n, _ := parseNumber([]byte(text))
		if got, ok := in.time(n); !ok || got != want {
			t.Errorf("%s ms is %v, %v; want %v", text, got, ok, want)
		}
	}
	if n, _ := parseNumber([]byte("4e12")); n.whole != 4e12 {
		t.Fatal(n)
	} else if _, ok := in.time(n); ok {
		t.Error("4e12 ms is within 126 years")
	}
}
