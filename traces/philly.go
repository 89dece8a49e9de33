package traces

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"berth/sim"
)

func init() {
	register(Format{
		Name:        "philly-csv",
		Description: "Philly jobs as CSV: timestamp, duration (s), num_gpus, cluster",
		Times:       "calendar, no zone: UTC; time 0 is the first submission",
		sniff:       func(head []byte) bool { return hasColumns(head, "timestamp", "duration", "num_gpus", "cluster") },
		open:        openPhilly,
	})
}

var quirkUnusedColumn = cause{quirk: true, what: "rows with unknown columns", hint: "ignored; gpu_time, which is duration × num_gpus, is too"}

// philly turns rows into jobs. timestamp is the submission in local time
// without a zone, taken as UTC or as Options.Zone; time 0 is the first
// submission. duration is in seconds and kept to the nanosecond; there are no
// estimates. Tenant is cluster, the virtual cluster. ID is the number of the
// row, from 1, blank lines aside.
type philly struct {
	each
	stamp, duration, gpus, tenant int
	clock                         clock
}

func openPhilly(in *input) (rows, error) {
	p := &philly{clock: clock{zone: in.opts.Zone}}
	t, err := openTable(in, map[string]*int{
		"timestamp": &p.stamp, "duration": &p.duration, "num_gpus": &p.gpus, "cluster": &p.tenant,
	})
	if err != nil {
		return nil, err
	}
	p.table, p.each.job = t, p.parse
	t.extra = slices.DeleteFunc(t.extra, func(name string) bool { return name == "gpu_time" }) // duration × num_gpus
	in.rebase, in.calendar = true, time.UTC
	if in.opts.Zone != nil {
		in.calendar = in.opts.Zone
	}
	in.zone = in.calendar.String()
	return p, nil
}

// parse makes a job of the current row, or says false: it was rejected or, with
// an error, is malformed.
func (p *philly) parse(j *sim.Job) (bool, error) {
	in, f := p.in, p.fields
	if blank(f[p.stamp]) {
		in.reject(&rejectNoSubmit, p.row, "")
		return false, nil
	}
	submit, ok := p.clock.parse(f[p.stamp])
	if !ok {
		return false, fmt.Errorf("timestamp is %s; accepted are 1970-01-01 00:00:00 to 2095-12-31 23:59:59", quote(f[p.stamp]))
	}
	in.submitted(submit)
	if blank(f[p.duration]) {
		in.reject(&rejectUnknown, p.row, "")
		return false, nil
	}
	seconds, ok := parseNumber(f[p.duration])
	if !ok {
		return false, fmt.Errorf("duration is %s; accepted is a number of seconds", quote(f[p.duration]))
	}
	duration, ok := in.time(seconds)
	if !ok && seconds.positive() {
		in.reject(&rejectLongRun, p.row, strconv.FormatInt(seconds.whole, 10)+" s")
		return false, nil
	}
	if blank(f[p.gpus]) {
		in.reject(&rejectNoGPUs, p.row, "")
		return false, nil
	}
	gpus, ok := parseNumber(f[p.gpus])
	if !ok || gpus.nano != 0 || gpus.whole > maxGPUs || gpus.whole < -maxGPUs {
		return false, fmt.Errorf("num_gpus is %s; accepted is an integer up to %d", quote(f[p.gpus]), maxGPUs)
	}
	*j = sim.Job{ID: p.row, Submit: submit, Duration: duration, MinGPUs: int(gpus.whole)}
	if !in.admit(j) {
		return false, nil
	}
	if !blank(f[p.tenant]) {
		j.Tenant = in.tenants.get(f[p.tenant])
	}
	if len(p.extra) > 0 {
		in.quirk(&quirkUnusedColumn)
	}
	return true, nil
}
