package traces

import (
	"math"

	"berth/sim"
)

func init() {
	register(Format{
		Name:        "spot-jobs",
		Description: "Alibaba spot-GPU trace 2026 jobs as CSV: gangs of workers, models",
		Times:       "seconds since the first submission, whose date is not published",
		sniff:       func(head []byte) bool { return hasColumns(head, spotColumns...) },
		open:        openSpot,
	})
}

var spotColumns = []string{"job_name", "organization", "gpu_model", "cpu_request", "gpu_request", "worker_num", "submit_time", "duration"}

// spot turns rows into jobs: worker_num workers, each of gpu_request GPUs and
// cpu_request CPUs, start together. Tenant is the organization.
type spot struct {
	each
	names                              names64
	name, org, model, cpu, gpu, worker int
	submit, duration                   int
}

func openSpot(in *input) (rows, error) {
	s := &spot{}
	s.each.job = s.parse
	t, err := openTable(in, map[string]*int{
		"job_name": &s.name, "organization": &s.org, "gpu_model": &s.model, "cpu_request": &s.cpu,
		"gpu_request": &s.gpu, "worker_num": &s.worker, "submit_time": &s.submit, "duration": &s.duration,
	})
	s.table = t
	return s, err
}

func (s *spot) parse(j *sim.Job) (bool, error) {
	f, in := s.fields, s.in
	r := record{row: s.row, name: f[s.name], tenant: s.text(s.org), start: Unrecorded, end: Unrecorded}
	v := reading{in: in}
	r.submit = v.time("submit_time", f[s.submit])
	r.run = v.time("duration", f[s.duration])
	workers := v.amount("worker_num", f[s.worker], 1, 1<<20)
	milli := v.amount("gpu_request", f[s.gpu], 1000, 1000*maxNodeGPUs)
	cpu := v.amount("cpu_request", f[s.cpu], 1000, math.MaxInt32)
	r.models = v.models("gpu_model", f[s.model])
	r.gang(workers, milli, cpu, 0)
	return v.judge(&r, &s.names, j)
}

// gang sets the sizes of a job of equal workers: thousandths of GPUs and CPUs,
// and MiB, of each. A worker of less than one GPU has a share of one; beyond
// one GPU, parts of a GPU are rounded up.
func (r *record) gang(workers, gpuMilli, cpuMilli, mib int) {
	times := func(n int) int { return int(min(int64(workers)*int64(n), math.MaxInt32)) }
	r.cpu, r.mem = times(cpuMilli), times(mib)
	switch {
	case gpuMilli < 1000 && gpuMilli > 0:
		r.gpus, r.milli = workers, gpuMilli
	default:
		r.gpus = int(min(int64(workers)*int64((gpuMilli+999)/1000), maxGPUs+1))
	}
}
