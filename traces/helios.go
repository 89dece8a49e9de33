package traces

import (
	"math"
	"time"

	"berth/sim"
)

func init() {
	register(Format{
		Name:        "helios",
		Description: "Helios (SenseTime 2020: Venus, Earth, Saturn, Uranus) job log as CSV",
		Times:       "calendar, no zone: UTC; time 0 is the first submission",
		sniff: func(head []byte) bool {
			return hasColumns(head, append(slurmColumns, "vc")...)
		},
		open: func(in *input) (rows, error) { return openSlurm(in, "vc") },
	})
}

// slurmColumns are those that Helios and Acme share.
var slurmColumns = []string{"job_id", "user", "gpu_num", "cpu_num", "state", "submit_time", "start_time", "end_time", "duration"}

// slurm reads the logs of Slurm and its like as Helios and Acme publish them:
// calendar times, and whole GPUs and CPUs of the whole job. The run time is
// end − start, and duration where one of the two is missing. GPUs of several
// nodes form one gang; node_num, which fixes how many nodes, is not kept.
type slurm struct {
	each
	names names64
	clock clock

	id, user, gpus, cpus, state  int
	submit, start, end, duration int
	tenant, kind, nodes, memory  int // −1 where there is no such column
}

func openSlurm(in *input, tenant string) (rows, error) {
	s := &slurm{clock: clock{zone: in.opts.Zone}}
	s.each.job = s.parse
	t, err := openTable(in, map[string]*int{
		"job_id": &s.id, "user": &s.user, "gpu_num": &s.gpus, "cpu_num": &s.cpus, "state": &s.state,
		"submit_time": &s.submit, "start_time": &s.start, "end_time": &s.end, "duration": &s.duration,
	})
	if err != nil {
		return nil, err
	}
	s.table = t
	t.find(map[string]*int{tenant: &s.tenant, "type": &s.kind, "node_num": &s.nodes, "mem_per_pod_gb": &s.memory})
	in.useCalendar()
	return s, nil
}

// useCalendar says that the format's own times count from 1970 in UTC, in the
// zone asked for where they name none, and that the first submission is time 0.
func (in *input) useCalendar() {
	in.rebase, in.calendar = true, time.UTC
	if in.opts.Zone != nil {
		in.calendar = in.opts.Zone
	}
	in.zone = in.calendar.String()
}

func (s *slurm) parse(j *sim.Job) (bool, error) {
	f, in := s.fields, s.in
	r := record{row: s.row, name: f[s.id], tenant: s.text(s.tenant), state: stateOf(f[s.state])}
	if r.tenant == "" {
		r.tenant = s.text(s.user)
	}
	v := reading{in: in}
	r.submit = v.calendar(&s.clock, "submit_time", f[s.submit])
	r.start = v.calendar(&s.clock, "start_time", f[s.start])
	r.end = v.calendar(&s.clock, "end_time", f[s.end])
	r.run = v.time("duration", f[s.duration])
	r.gpus = v.amount("gpu_num", f[s.gpus], 1, maxGPUs)
	r.cpu = v.amount("cpu_num", f[s.cpus], 1000, math.MaxInt32)
	r.mem = s.memoryOf(&v)
	r.kind = acmeKind(s.optional(s.kind))
	return v.judge(&r, &s.names, j)
}

// memoryOf is the memory of all nodes of the job, where one is recorded.
func (s *slurm) memoryOf(v *reading) int {
	pod := s.optional(s.memory)
	if blank(pod) {
		return 0
	}
	nodes := v.amount("node_num", s.optional(s.nodes), 1, 1<<20)
	mib := v.amount("mem_per_pod_GB", pod, 1024, math.MaxInt32)
	return int(min(int64(mib)*int64(max(nodes, 1)), math.MaxInt32))
}
