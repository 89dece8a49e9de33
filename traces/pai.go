package traces

import (
	"bytes"
	"slices"
	"time"

	"berth/sim"
)

// The tables of Alibaba's cluster-trace-gpu-v2020 (PAI) come without headers.
var (
	paiJobColumns      = []string{"job_name", "inst_id", "user", "status", "start_time", "end_time"}
	paiTaskColumns     = []string{"job_name", "task_name", "inst_num", "status", "start_time", "end_time", "plan_cpu", "plan_mem", "plan_gpu", "gpu_type"}
	paiInstanceColumns = []string{"job_name", "task_name", "inst_name", "worker_name", "inst_id", "status", "start_time", "end_time", "machine"}
)

// shanghai is the zero of PAI's times: read in UTC+8 they have the true hour of
// the day and day of the week, under a false date.
var shanghai = time.Unix(0, 0).In(time.FixedZone("", 8*3600))

func init() {
	const times = "seconds; in UTC+8 the hours and days of the week are true, the dates are not"
	register(Format{
		Name:        "pai-job",
		Description: "Alibaba PAI 2020 job table; each job is the gang of its tasks, sizes from --with pai_task_table",
		Times:       times, sniff: paiSniff(paiJobColumns, 3), open: openPAIJobs,
	})
	register(Format{
		Name:        "pai-task",
		Description: "Alibaba PAI 2020 task table; each task is a gang, submitted when launched or, --with pai_job_table, when its job was",
		Times:       times, sniff: paiSniff(paiTaskColumns, 3), open: openPAITasks,
	})
	register(Format{
		Name:        "pai-instance",
		Description: "Alibaba PAI 2020 instance table; each instance is a job, sizes from --with pai_task_table",
		Times:       times, sniff: paiSniff(paiInstanceColumns, 5), open: openPAIInstances,
	})
}

// paiSniff knows a table by its header, if someone has put one in, or by the
// number of columns and a word of PAI's in the column of the status.
func paiSniff(columns []string, status int) func([]byte) bool {
	return func(head []byte) bool {
		if hasColumns(head, columns...) {
			return true
		}
		f := bytes.Split(headLine(head), []byte{','})
		if len(f) != len(columns) {
			return false
		}
		switch string(f[status]) {
		case "Terminated", "Failed", "Running", "Waiting", "Interrupted":
			return true
		}
		return false
	}
}

var (
	rejectNoTask = cause{what: "no task in the task table", hint: "its size is not known; nothing admits it"}
	quirkLaunch  = cause{quirk: true, what: "launch taken as submission", hint: "the task table records no submission; {with}JOBTABLE brings it"}
	quirkNoJob   = cause{quirk: true, what: "no job in the job table", hint: "the launch is taken as submission"}
)

// pai is what the three tables share.
type pai struct {
	each
	names names64
	plans paiPlans
}

func openPAI(in *input, columns []string) (*pai, error) {
	p := &pai{}
	t, err := openHeadless(in, columns)
	p.table = t
	in.origin = shanghai
	return p, err
}

// times reads start and end.
func (p *pai) times(v *reading, r *record, start, end int) {
	r.start = v.time("start_time", p.fields[start])
	r.end = v.time("end_time", p.fields[end])
}

func openPAIJobs(in *input) (rows, error) {
	p, err := openPAI(in, paiJobColumns)
	if err != nil {
		return nil, err
	}
	p.each.job = p.parseJob
	return p, p.plans.load(in, paiTaskColumns, "the job table has no sizes", func(t *table) error { return p.plans.addTask(t, false) })
}

// parseJob makes a gang of a job's tasks. It was submitted at its start_time,
// and ran from the launch of its first task to its end_time.
func (p *pai) parseJob(j *sim.Job) (bool, error) {
	f, in := p.fields, p.in
	r := record{row: p.row, name: f[0], tenant: p.text(2), state: stateOf(f[3]), run: Unrecorded}
	v := reading{in: in}
	if p.times(&v, &r, 4, 5); v.err != nil {
		return false, v.err
	}
	plan, ok := p.plans.m[paiKey(f[0], nil)]
	if !ok {
		in.reject(&rejectNoTask, p.row, "")
		return false, nil
	}
	r.submit, r.start = r.start, plan.start
	plan.size(&r)
	return v.judge(&r, &p.names, j)
}

func openPAIInstances(in *input) (rows, error) {
	p, err := openPAI(in, paiInstanceColumns)
	if err != nil {
		return nil, err
	}
	p.each.job = p.parseInstance
	return p, p.plans.load(in, paiTaskColumns, "the instance table has no sizes", func(t *table) error { return p.plans.addTask(t, true) })
}

// parseInstance makes a job of an instance, submitted when launched.
func (p *pai) parseInstance(j *sim.Job) (bool, error) {
	f, in := p.fields, p.in
	r := record{row: p.row, name: f[3], state: stateOf(f[5]), run: Unrecorded}
	v := reading{in: in}
	if p.times(&v, &r, 6, 7); v.err != nil {
		return false, v.err
	}
	plan, ok := p.plans.m[paiKey(f[0], f[1])]
	if !ok {
		in.reject(&rejectNoTask, p.row, "")
		return false, nil
	}
	r.submit = r.start
	plan.size(&r)
	return v.judge(&r, &p.names, j)
}

func openPAITasks(in *input) (rows, error) {
	p, err := openPAI(in, paiTaskColumns)
	if err != nil {
		return nil, err
	}
	p.each.job = p.parseTask
	if in.opts.With == "" {
		return p, nil
	}
	return p, p.plans.load(in, paiJobColumns, "", p.plans.addJob)
}

// parseTask makes a gang of a task's instances.
func (p *pai) parseTask(j *sim.Job) (bool, error) {
	f, in := p.fields, p.in
	name := slices.Concat(f[0], []byte{'/'}, f[1])
	r := record{row: p.row, name: name, state: stateOf(f[3]), run: Unrecorded}
	v := reading{in: in}
	p.times(&v, &r, 4, 5)
	plan := paiTask(&v, p.fields, false)
	if v.err != nil {
		return false, v.err
	}
	plan.size(&r)
	r.submit = r.start
	if p.plans.m == nil {
		if r.start != Unrecorded {
			in.quirk(&quirkLaunch)
		}
	} else if job, ok := p.plans.m[paiKey(f[0], nil)]; ok {
		r.submit, r.tenant = job.start, p.plans.users[job.user]
	} else {
		in.quirk(&quirkNoJob)
	}
	return v.judge(&r, &p.names, j)
}

// openHeadless reads a table without header; columns name its fields. A header
// of these columns, which people put in, is passed over.
func openHeadless(in *input, columns []string) (*table, error) {
	t := &table{in: in, width: len(columns), head: columns}
	head, _ := in.text.Peek(sniffBytes)
	if !hasColumns(head, columns...) {
		return t, nil
	}
	_, err := t.next()
	return t, err
}
