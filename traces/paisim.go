package traces

import (
	"math"

	"berth/sim"
)

func init() {
	register(Format{
		Name:        "pai-sim",
		Description: "Jobs of the Alibaba PAI 2020 simulator as CSV (the 100K sample): shares of GPUs, gangs",
		Times:       "seconds; in UTC+8 the hours and days of the week are true, the dates are not",
		sniff: func(head []byte) bool {
			return hasColumns(head, "job_id", "num_gpu", "num_cpu", "submit_time", "duration")
		},
		open: openPAISim,
	})
}

// paiSim turns rows into jobs: num_inst instances, 1 where it is blank, each
// of num_gpu GPUs and num_cpu CPUs, start together. gpu_type is what the job
// was given, not what it asked for, and is not kept.
type paiSim struct {
	each
	names                     names64
	id, gpu, cpu, submit, run int
	instances, user           int // −1 where there is no such column
}

func openPAISim(in *input) (rows, error) {
	p := &paiSim{}
	p.each.job = p.parse
	t, err := openTable(in, map[string]*int{"job_id": &p.id, "num_gpu": &p.gpu, "num_cpu": &p.cpu, "submit_time": &p.submit, "duration": &p.run})
	if err != nil {
		return nil, err
	}
	p.table = t
	t.find(map[string]*int{"num_inst": &p.instances, "user": &p.user})
	in.origin = shanghai
	return p, nil
}

func (p *paiSim) parse(j *sim.Job) (bool, error) {
	f, in := p.fields, p.in
	r := record{row: p.row, name: f[p.id], tenant: p.text(p.user), start: Unrecorded, end: Unrecorded}
	v := reading{in: in}
	r.submit = v.time("submit_time", f[p.submit])
	r.run = v.time("duration", f[p.run])
	instances := 1
	if n := p.optional(p.instances); !blank(n) {
		instances = v.amount("num_inst", n, 1, 1<<20)
	}
	milli := v.amount("num_gpu", f[p.gpu], 1000, 1000*maxNodeGPUs)
	cpu := v.amount("num_cpu", f[p.cpu], 1000, math.MaxInt32)
	r.gang(instances, milli, cpu, 0)
	return v.judge(&r, &p.names, j)
}
