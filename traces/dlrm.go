package traces

import (
	"math"

	"berth/sim"
)

func init() {
	register(Format{
		Name:        "dlrm",
		Description: "Alibaba GPU-disaggregated DLRM trace 2025: inference instances as CSV",
		Times:       "seconds since the record's start, whose date is not published",
		sniff:       func(head []byte) bool { return hasColumns(head, dlrmColumns...) },
		open:        openDLRM,
	})
}

var dlrmColumns = []string{"instance_sn", "role", "app_name", "cpu_request", "gpu_request", "memory_request", "creation_time", "scheduled_time", "deletion_time"}

// dlrm turns instances into jobs, the application as tenant. A blank creation
// means before the record, a blank deletion after it.
type dlrm struct {
	each
	names                       names64
	sn, app, cpu, gpu, memory   int
	created, scheduled, deleted int
}

func openDLRM(in *input) (rows, error) {
	d := &dlrm{}
	d.each.job = d.parse
	role := 0
	t, err := openTable(in, map[string]*int{
		"instance_sn": &d.sn, "role": &role, "app_name": &d.app, "cpu_request": &d.cpu, "gpu_request": &d.gpu,
		"memory_request": &d.memory, "creation_time": &d.created, "scheduled_time": &d.scheduled, "deletion_time": &d.deleted,
	})
	d.table = t
	return d, err
}

func (d *dlrm) parse(j *sim.Job) (bool, error) {
	f, in := d.fields, d.in
	r := record{row: d.row, name: f[d.sn], tenant: d.text(d.app), run: Unrecorded}
	v := reading{in: in}
	r.submit = v.time("creation_time", f[d.created])
	r.start = v.time("scheduled_time", f[d.scheduled])
	r.end = v.time("deletion_time", f[d.deleted])
	milli := v.amount("gpu_request", f[d.gpu], 1000, 1000*maxNodeGPUs)
	cpu := v.amount("cpu_request", f[d.cpu], 1000, math.MaxInt32)
	mib := v.amount("memory_request", f[d.memory], 1024, math.MaxInt32) // of GiB
	r.gang(1, milli, cpu, mib)
	return v.judge(&r, &d.names, j)
}
