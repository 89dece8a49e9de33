package traces

import (
	"fmt"
	"io"
	"math"

	"berth/sim"
	"berth/sim/hardware"
)

func init() {
	register(Format{
		Name:        "openb-pods",
		Description: "Alibaba GPU cluster 2023 (openb) pods as CSV: CPUs, memory, shares of GPUs, models",
		Times:       "seconds since the record's start, whose date is not published",
		sniff:       func(head []byte) bool { return hasColumns(head, openbColumns...) },
		open:        openOpenb,
	})
}

var openbColumns = []string{"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"}

// Pod is a row of Alibaba's cluster-trace-gpu-v2023 (openb).
type Pod struct {
	Name       string
	GPUs       int              // 0 for a pod on CPUs only
	Request    hardware.Request // CPUs and memory of the pod, share of its GPU, models
	QoS, Phase string           // "" where the list has no such column

	// In the record's own time, or Unrecorded: some variants of the list have
	// no times, and pods that were never scheduled lack one.
	Created, Scheduled, Deleted sim.Time
}

// Pods reads a list of pods in the order of the file, whatever became of them
// and when. It must be closed.
type Pods struct {
	openb
	file io.Closer
}

// OpenPods opens the list at a path; "-" is standard input. Of the options,
// KeepGoing, OnReject and Stdin count. Every row is a pod; a malformed one is
// an error, or a reject with KeepGoing.
func OpenPods(path string, opts Options) (*Pods, error) {
	f, name, err := openFile(path, opts)
	if err != nil {
		return nil, err
	}
	p, err := NewPods(f, name, opts)
	if err != nil {
		f.Close()
		return nil, err
	}
	p.file = f
	return p, nil
}

// NewPods reads a list of pods from r; name stands for it in errors.
func NewPods(r io.Reader, name string, opts Options) (*Pods, error) {
	opts, err := opts.check()
	if err != nil {
		return nil, err
	}
	text, _, err := openText(r, name)
	if err != nil {
		return nil, err
	}
	p := &Pods{}
	return p, p.start(newInput(text, name, "openb-pods", opts))
}

// ReadPods reads the list of pods at a path whole.
func ReadPods(path string, opts Options) ([]Pod, error) {
	p, err := OpenPods(path, opts)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	var list []Pod
	for {
		var pod Pod
		ok, err := p.Next(&pod)
		if err != nil {
			return nil, err
		}
		if !ok {
			return list, nil
		}
		list = append(list, pod)
	}
}

// Next reports the next pod, or false at the end.
func (p *Pods) Next(pod *Pod) (bool, error) {
	for {
		ok, err := p.table.next()
		if err != nil || !ok {
			return false, err
		}
		if err = p.pod(pod); err == nil {
			return true, nil
		}
		if err := p.in.malformed("%s", err); err != nil {
			return false, err
		}
	}
}

// Close releases the file.
func (p *Pods) Close() error {
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}

// openb turns rows into jobs: submitted when created, run from scheduling to
// deletion. Times are in seconds since the record's start, whose calendar time
// is not published. CPUs and memory are of the whole pod, gpu_milli is of each
// GPU. There are no estimates and no tenants: the tenant is the class of
// service (qos).
type openb struct {
	each
	names                          names64
	name, cpu, memory, gpus, milli int
	spec, qos, phase               int // −1 where there is no such column
	created, deleted, scheduled    int
}

func openOpenb(in *input) (rows, error) {
	o := &openb{}
	o.each.job = o.parse
	err := o.start(in)
	if err == nil && o.created < 0 {
		err = &InputError{File: in.name, Line: in.line, Msg: "list of pods without creation_time, deletion_time and scheduled_time; such a list is no trace of jobs"}
	}
	return o, err
}

func (o *openb) start(in *input) error {
	wanted := map[string]*int{"name": &o.name, "cpu_milli": &o.cpu, "memory_mib": &o.memory, "num_gpu": &o.gpus, "gpu_milli": &o.milli}
	optional := map[string]*int{"gpu_spec": &o.spec, "qos": &o.qos, "pod_phase": &o.phase,
		"creation_time": &o.created, "deletion_time": &o.deleted, "scheduled_time": &o.scheduled}
	t, err := openTable(in, wanted)
	if err != nil {
		return err
	}
	o.table = t
	t.find(optional)
	return nil
}

// pod makes a pod of the current row.
func (o *openb) pod(p *Pod) error {
	f, v := o.fields, reading{in: o.in}
	gpus := v.count("num_gpu", f[o.gpus], maxNodeGPUs)
	milli := v.count("gpu_milli", f[o.milli], 1000)
	*p = Pod{
		Name: string(f[o.name]), GPUs: gpus, QoS: o.text(o.qos), Phase: o.text(o.phase),
		Created: v.time("creation_time", o.optional(o.created)), Scheduled: v.time("scheduled_time", o.optional(o.scheduled)),
		Deleted: v.time("deletion_time", o.optional(o.deleted)),
		Request: hardware.Request{
			GPUMilli: milli % 1000, CPUMilli: v.count("cpu_milli", f[o.cpu], math.MaxInt32),
			MemoryMiB: v.count("memory_mib", f[o.memory], math.MaxInt32), Models: v.models("gpu_spec", o.optional(o.spec)),
		},
	}
	if (gpus == 0) != (milli == 0) {
		v.fail(fmt.Errorf("num_gpu is %d and gpu_milli %d; accepted are both 0 or neither", gpus, milli))
	}
	return v.err
}

// parse makes a job of the current row.
func (o *openb) parse(j *sim.Job) (bool, error) {
	var p Pod
	if err := o.pod(&p); err != nil {
		return false, err
	}
	r := record{
		row: o.row, name: o.fields[o.name], tenant: p.QoS, state: stateOf([]byte(p.Phase)),
		submit: p.Created, start: p.Scheduled, end: p.Deleted, run: Unrecorded,
		gpus: p.GPUs, milli: p.Request.GPUMilli, cpu: p.Request.CPUMilli, mem: p.Request.MemoryMiB, models: p.Request.Models,
	}
	if r.start == Unrecorded { // never scheduled: it was deleted while it waited
		r.end = Unrecorded
	}
	return o.in.judge(&r, &o.names, j), nil
}
