package requests

import (
	"bytes"
	"io"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"berth/sim"
	"berth/traces"
)

// Request is one request to a language model.
type Request struct {
	At              sim.Time // of its arrival, since the trace's epoch
	ContextTokens   int      // read: the prompt, 0 to 1,073,741,824
	GeneratedTokens int      // written: the answer, the same range
}

const maxTokens = 1 << 30

// maxSpan bounds times: 126 years.
const maxSpan = 4_000_000_000 * time.Second

// Reader is an open trace of requests. It must be closed.
type Reader struct {
	in     *input
	format string
	row    func(*Request) (bool, error) // At in the format's own time
	epoch  time.Time                    // calendar time of time 0, if known
	origin sim.Time                     // time 0 in the format's own time
	last   sim.Time
	rows   int64
	rebase bool
	err    error // the first error, repeated ever after
}

// Open opens the trace at a path.
func Open(path string) (*Reader, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(f, path)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.in.file = f
	return r, nil
}

// NewReader reads a trace from src; name stands for it in errors.
func NewReader(src io.Reader, name string) (*Reader, error) {
	in, err := newInput(src, name)
	if err != nil {
		return nil, err
	}
	r := &Reader{in: in}
	line, ok, err := in.next()
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, &traces.InputError{File: in.name, Msg: "has blank lines only"}
	case line[0] == '{':
		r.format = "mooncake-jsonl"
		first := bytes.Clone(line)
		r.row = func(q *Request) (bool, error) { return r.mooncake(q, &first) }
	case containsColumn(line, "Request tokens"):
		r.format = "burstgpt-csv"
		t := &table{input: in}
		if err := t.header(line, burstColumns...); err != nil {
			return nil, err
		}
		r.row = func(q *Request) (bool, error) { return burstgpt(t, q) }
	default:
		r.format, r.rebase = "azure-csv", true
		t := &table{input: in}
		if err := t.header(line, "TIMESTAMP", "ContextTokens", "GeneratedTokens"); err != nil {
			return nil, err
		}
		r.row = func(q *Request) (bool, error) { return azure(t, q) }
	}
	return r, nil
}

// Format is azure-csv, burstgpt-csv or mooncake-jsonl.
func (r *Reader) Format() string { return r.format }

// Epoch is the calendar time of sim.Time 0, taken as UTC where the record
// names no zone, and whether it is known; it settles at the first Next.
func (r *Reader) Epoch() (time.Time, bool) { return r.epoch, !r.epoch.IsZero() }

// Next reports the next request in *q, or false at the end. At never
// decreases from one request to the next.
func (r *Reader) Next(q *Request) (bool, error) {
	if r.err != nil {
		return false, r.err
	}
	ok, err := r.row(q)
	if err == nil && ok {
		if r.rows == 0 && r.rebase {
			r.origin, r.epoch = q.At, time.Unix(0, int64(q.At)).UTC()
		}
		if q.At -= r.origin; q.At < r.last {
			err = r.in.bad("time is %v before that of the row above; accepted are rows in the order of time", r.last-q.At)
		}
		r.last = q.At
		r.rows++
	}
	r.err = err
	return ok && err == nil, err
}

// Close releases the file.
func (r *Reader) Close() error { return r.in.close() }

// azure reads a row of the Azure format.
func azure(t *table, q *Request) (bool, error) {
	ok, err := t.row()
	if err != nil || !ok {
		return false, err
	}
	at, err := time.Parse("2006-01-02 15:04:05", string(t.field(0))) // a fraction is accepted too
	if err != nil || at.Year() < 1970 || at.Year() > 2095 {
		return false, t.bad("TIMESTAMP is %s; accepted are 1970-01-01 00:00:00 to 2095-12-31 23:59:59, with a fraction", quote(t.field(0)))
	}
	q.At = sim.Time(at.UnixNano())
	if q.ContextTokens, err = tokens(t.input, "ContextTokens", t.field(1)); err != nil {
		return false, err
	}
	q.GeneratedTokens, err = tokens(t.input, "GeneratedTokens", t.field(2))
	return err == nil, err
}

func tokens(in *input, name string, field []byte) (int, error) {
	n, err := strconv.ParseUint(string(field), 10, 31)
	if err != nil || n > maxTokens {
		return 0, in.bad("%s is %s; accepted is an integer from 0 to %d", name, quote(field), maxTokens)
	}
	return int(n), nil
}

// mooncake reads a line of the Mooncake format; first is the line that
// NewReader has looked at, until it is read.
func (r *Reader) mooncake(q *Request, first *[]byte) (bool, error) {
	line, ok := *first, true
	if *first = nil; line == nil {
		var err error
		if line, ok, err = r.in.next(); err != nil || !ok {
			return false, err
		}
	}
	var row struct {
		Timestamp *float64 `json:"timestamp"`
		Input     *int     `json:"input_length"`
		Output    *int     `json:"output_length"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		// Not err: its words may differ from run to run.
		return false, r.in.bad("%s is not a request; accepted is a JSON object with timestamp (ms), input_length and output_length (tokens)", quote(line))
	}
	if row.Timestamp == nil || row.Input == nil || row.Output == nil {
		return false, r.in.bad("%s lacks a key; accepted are timestamp (ms), input_length and output_length (tokens)", quote(line))
	}
	if !(*row.Timestamp >= 0 && *row.Timestamp <= float64(maxSpan/time.Millisecond)) {
		return false, r.in.bad("timestamp is %v; accepted are 0 to %d ms", *row.Timestamp, maxSpan/time.Millisecond)
	}
	if min(*row.Input, *row.Output) < 0 || max(*row.Input, *row.Output) > maxTokens {
		return false, r.in.bad("input_length is %d, output_length %d; accepted are integers from 0 to %d", *row.Input, *row.Output, maxTokens)
	}
	*q = Request{At: sim.Time(*row.Timestamp * 1e6), ContextTokens: *row.Input, GeneratedTokens: *row.Output}
	return true, nil
}
