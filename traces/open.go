package traces

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"berth/sim"
)

// Options say how to read a trace. The zero value recognises the format, takes
// every size of job, and stops at the first malformed line.
type Options struct {
	Format     string       // name of a format; "" recognises it by content
	MaxGPUs    int          // larger jobs are rejected; 0 means no limit
	KeepGoing  bool         // malformed lines are rejects instead of errors, and rows with a gap that can be filled are admitted
	Sort       bool         // sort the whole trace before the first job
	SortBuffer int          // jobs held in memory while sorting; 0 means 1,048,576, about 50 MB
	TempDir    string       // where a sort spills; "" means os.TempDir()
	Priority   float64      // of every job, > 0; 0 means 1
	OnReject   func(Reject) // called for every reject, in the order of the file; may be nil
	Stdin      io.Reader    // what the path "-" reads; nil means os.Stdin

	// What a record counts in, where it differs from its format's habit.
	Unit   time.Duration  // of times that are numbers; 0 means the format's, a second mostly
	Origin time.Time      // calendar time of the record's own zero; the zero Time means the format's
	Zone   *time.Location // of calendar times that name none; nil means the format's

	// What else to take, or to leave out.
	CPUOnly   bool     // take jobs that ask for CPUs and no GPU; they have 0 GPUs
	Completed bool     // leave out jobs that the record says failed or were killed
	MinRun    sim.Time // run times from 0 on are raised to it; 0 means that those of 0 are rejected
	RecordEnd sim.Time // in the record's own time (since 1970 for calendar times): jobs without an end ended then; 0 means that they are rejected

	// What some formats need beside the file itself.
	With    string  // a second file: throughputs of gavel, task table of pai-job and pai-instance, job table of pai-task
	GPUType string  // of gavel's throughputs; "" means v100
	Flops   float64 // a second, of a processor of batsim's parallel profiles; 0 means that they are rejected

	// Settings says that remedies in errors and reports are named as settings
	// of berth run (--set trace.sort=true), not as flags of berth trace
	// (--sort).
	Settings bool
}

const defaultSortBuffer = 1 << 20

func (o Options) check() (Options, error) {
	if o.MaxGPUs < 0 {
		return o, fmt.Errorf("traces: MaxGPUs is %d; accepted are 0 (no limit) and above", o.MaxGPUs)
	}
	if !(o.Priority >= 0) || o.Priority > 1e12 {
		return o, fmt.Errorf("traces: Priority is %v; accepted are 0 (means 1) to 1e12", o.Priority)
	}
	if o.SortBuffer < 0 || o.SortBuffer > 1<<30 {
		return o, fmt.Errorf("traces: SortBuffer is %d; accepted are 0 (means %d) to %d", o.SortBuffer, defaultSortBuffer, 1<<30)
	}
	if o.Unit < 0 || o.Unit > 24*time.Hour {
		return o, fmt.Errorf("traces: Unit is %v; accepted are 0 (means the format's) to 24h", o.Unit)
	}
	if !(o.Flops >= 0) {
		return o, fmt.Errorf("traces: Flops is %v; accepted are 0 (unknown) and above", o.Flops)
	}
	if o.MinRun < 0 || o.RecordEnd < 0 {
		return o, fmt.Errorf("traces: MinRun is %v, RecordEnd %v; accepted are 0 and above", o.MinRun, o.RecordEnd)
	}
	if o.Priority == 0 {
		o.Priority = 1
	}
	if o.SortBuffer == 0 {
		o.SortBuffer = defaultSortBuffer
	}
	return o, nil
}

// Trace is an open trace. It is a sim.Source and must be closed.
type Trace struct {
	in     *input
	format Format
	rows   rows
	order  order
	file   io.Closer
	err    error // the first error, repeated ever after
}

// order hands on the jobs of a format in the order of submission.
type order interface {
	next(*sim.Job) (bool, error)
	close() error
}

// Open opens the trace at a path; "-" is standard input. Errors about content
// are of type *InputError.
func Open(path string, opts Options) (*Trace, error) {
	f, name, err := openFile(path, opts)
	if err != nil {
		return nil, err
	}
	t, err := NewReader(f, name, opts)
	if err != nil {
		f.Close()
		return nil, err
	}
	t.file = f
	return t, nil
}

// openFile opens a file, or standard input for "-", and says how errors name
// it.
func openFile(path string, opts Options) (io.ReadCloser, string, error) {
	if path == "-" {
		if opts.Stdin == nil {
			return io.NopCloser(os.Stdin), "stdin", nil
		}
		return io.NopCloser(opts.Stdin), "stdin", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, "", fmt.Errorf("traces: %w", err)
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, "", &InputError{File: path, Msg: "is a folder; accepted is a file, plain, .gz or .zst"}
	}
	return f, path, nil
}

// openText sees through compression and shows the first bytes of the text,
// which is not empty.
func openText(r io.Reader, name string) (text *bufio.Reader, head []byte, err error) {
	if text, err = Decompress(r, name); err != nil {
		return nil, nil, err
	}
	head, err = text.Peek(sniffBytes)
	if len(head) > 0 {
		return text, head, nil
	}
	if err != nil && err != io.EOF {
		return nil, nil, &InputError{File: name, Msg: "cannot be read: " + err.Error(), Err: err}
	}
	return nil, nil, &InputError{File: name, Msg: "is empty; accepted are " + formatNames()}
}

// NewReader reads a trace from r; name stands for it in errors and reports.
func NewReader(r io.Reader, name string, opts Options) (*Trace, error) {
	opts, err := opts.check()
	if err != nil {
		return nil, err
	}
	text, head, err := openText(r, name)
	if err != nil {
		return nil, err
	}
	format, err := choose(opts, name, head)
	if err != nil {
		return nil, err
	}
	in := newInput(text, name, format.Name, opts)
	rows, err := format.open(in)
	if err != nil {
		return nil, err
	}
	t := &Trace{in: in, format: format, rows: rows}
	if opts.Sort || !format.Sorted {
		t.order = newSorter(rows, in)
	} else {
		t.order = newLookahead(rows, in)
	}
	return t, nil
}

// Next reports the next job, its times since the trace's epoch. It implements
// sim.Source.
func (t *Trace) Next(j *sim.Job) (bool, error) {
	if t.err != nil {
		return false, t.err
	}
	ok, err := t.order.next(j)
	if err != nil || !ok {
		t.err = err
		return false, err
	}
	if t.in.delivered == 0 {
		t.in.fixEpoch()
	}
	t.in.delivered++
	j.Submit -= t.in.epoch
	return true, nil
}

// SetMaxGPUs sets the size of the machine, in GPUs; 0 means no limit. It
// must be called before the first Next, typically with Machine.
func (t *Trace) SetMaxGPUs(n int) { t.in.opts.MaxGPUs = max(n, 0) }

// Machine is the size of the recorded machine in GPUs or processors, as the
// trace itself states it, or 0. It is known as soon as the trace is open.
func (t *Trace) Machine() int { return t.in.machine }

// Format is the name of the format being read.
func (t *Trace) Format() string { return t.format.Name }

// Epoch is the calendar time of sim.Time 0, in the zone of the record, and
// whether it is known. It settles at the first Next.
func (t *Trace) Epoch() (time.Time, bool) { return t.in.epochTime, !t.in.epochTime.IsZero() }

// Report is what was read so far. It is complete when Next has said false.
func (t *Trace) Report() *Report { return t.in.report() }

// Close releases the file and whatever a sort has spilled.
func (t *Trace) Close() error {
	err := t.order.close()
	if held, ok := t.rows.(interface{ close() error }); ok {
		err = errors.Join(err, held.close())
	}
	if t.file != nil {
		err = errors.Join(err, t.file.Close())
		t.file = nil
	}
	if t.err == nil {
		t.err = errors.New("traces: the trace is closed")
	}
	return err
}
