package traces

import (
	"fmt"
	"math"
	"strings"

	"berth/sim"
)

// paiPlans is what the second table says, by job or by task: at most
// maxPAIPlans entries of 48 bytes.
type paiPlans struct {
	m     map[uint64]paiPlan
	users []string
	index map[string]uint32
}

const maxPAIPlans = 8 << 20

// paiPlan is the size of a job's or a task's gang, or of one instance.
type paiPlan struct {
	start  sim.Time // the earliest
	whole  int32    // GPUs of instances that ask for whole ones
	shares int32    // instances that ask for less than one
	milli  int32    // of a share
	cpu    int32    // thousandths of a CPU, of all
	mem    int32    // MiB, of all
	user   uint32
}

// paiKey is a 64-bit hash of a job's name, or a task's.
func paiKey(job, task []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, part := range [][]byte{job, task} {
		for _, c := range part {
			h = (h ^ uint64(c)) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return h
}

// load reads the second table; why says what for, and that it must be there.
func (p *paiPlans) load(in *input, columns []string, why string, add func(*table) error) error {
	if in.opts.With == "" {
		return &InputError{File: in.name, Msg: why + in.opts.remedies("; {with}") + "FILE names the task table, pai_task_table.csv"}
	}
	f, name, err := openFile(in.opts.With, Options{Stdin: strings.NewReader("")})
	if err != nil {
		return err
	}
	defer f.Close()
	text, _, err := openText(f, name)
	if err != nil {
		return err
	}
	second := newInput(text, name, in.format, Options{Unit: in.opts.Unit})
	t, err := openHeadless(second, columns)
	p.m = map[uint64]paiPlan{}
	for err == nil {
		var ok bool
		if ok, err = t.next(); err != nil || !ok {
			return err
		}
		if err = add(t); err != nil {
			err = &InputError{File: name, Line: second.line, Msg: err.Error()}
		} else if len(p.m) > maxPAIPlans {
			err = &InputError{File: name, Line: second.line, Msg: fmt.Sprintf("more than %d jobs or tasks; accepted are up to that", maxPAIPlans)}
		}
	}
	return err
}

// addTask adds a row of the task table: to its job's plan, or as what each of
// its instances asks for.
func (p *paiPlans) addTask(t *table, instance bool) error {
	v := reading{in: t.in}
	plan := paiTask(&v, t.fields, instance)
	if v.err != nil {
		return v.err
	}
	if instance {
		p.m[paiKey(t.fields[0], t.fields[1])] = plan
		return nil
	}
	key := paiKey(t.fields[0], nil)
	if sum, ok := p.m[key]; ok {
		plan = sum.plus(plan)
	}
	p.m[key] = plan
	return nil
}

// addJob adds a row of the job table.
func (p *paiPlans) addJob(t *table) error {
	v := reading{in: t.in}
	start := v.time("start_time", t.fields[4])
	if v.err != nil {
		return v.err
	}
	user := string(t.fields[2])
	if p.index == nil {
		p.index = map[string]uint32{}
	}
	if _, ok := p.index[user]; !ok {
		p.index[user] = uint32(len(p.users))
		p.users = append(p.users, user)
	}
	p.m[paiKey(t.fields[0], nil)] = paiPlan{start: start, user: p.index[user]}
	return nil
}

// paiTask reads the size of a task, or of one of its instances, and its start.
// Plans are in hundredths of CPUs and GPUs, and in GiB.
func paiTask(v *reading, f [][]byte, instance bool) (plan paiPlan) {
	plan.start = v.time("start_time", f[4])
	n := v.amount("inst_num", f[2], 1, 1<<20)
	cpu := v.amount("plan_cpu", f[6], 10, math.MaxInt32)
	mem := v.amount("plan_mem", f[7], 1024, math.MaxInt32)
	milli := v.amount("plan_gpu", f[8], 10, 1000*maxNodeGPUs)
	if instance {
		n = 1
	}
	var r record
	r.gang(n, milli, cpu, mem)
	plan.cpu, plan.mem, plan.milli = int32(r.cpu), int32(r.mem), int32(r.milli)
	if r.milli > 0 {
		plan.shares = int32(r.gpus)
	} else {
		plan.whole = int32(min(r.gpus, maxGPUs))
	}
	return plan
}

func (a paiPlan) plus(b paiPlan) paiPlan {
	sum := func(x, y int32) int32 { return int32(min(int64(x)+int64(y), math.MaxInt32)) }
	a.whole, a.shares, a.cpu, a.mem = sum(a.whole, b.whole), sum(a.shares, b.shares), sum(a.cpu, b.cpu), sum(a.mem, b.mem)
	a.milli = max(a.milli, b.milli)
	if a.start == Unrecorded || b.start != Unrecorded && b.start < a.start {
		a.start = b.start
	}
	return a
}

// size puts the plan into a record. Shares beside others are more than a job
// can ask for, and judged so.
func (a paiPlan) size(r *record) {
	r.gpus, r.milli, r.cpu, r.mem = int(a.whole)+int(a.shares), int(a.milli), int(a.cpu), int(a.mem)
}
