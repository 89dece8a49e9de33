package requests

import (
	"io"
	"math"
	"strconv"
	"time"

	"berth/sim"
	"berth/traces"
)

// Rate is how much one container was asked at one instant.
type Rate struct {
	At        sim.Time
	PerSecond float64 // requests a second, ≥ 0
	Container string  // "" where the record names none
	Type      string  // such as "Generative Requests"
}

const maxRate = 1e12

// RateReader is an open trace of rates. It must be closed.
type RateReader struct {
	t      table
	names  map[string]string // one string for equal fields
	origin sim.Time
	last   sim.Time
	rows   int64
	err    error
}

// OpenRates opens the rates at a path: CSV, plain or gzip-compressed, or the
// first CSV file of a tar archive, plain or gzip-compressed.
func OpenRates(path string) (*RateReader, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	r, err := NewRateReader(f, path)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.t.file = f
	return r, nil
}

// NewRateReader reads rates from src; name stands for it in errors. The
// columns are timestamp or timestamp_anon, value, container_ip, request_type.
func NewRateReader(src io.Reader, name string) (*RateReader, error) {
	in, err := newInput(src, name)
	if err != nil {
		return nil, err
	}
	r := &RateReader{t: table{input: in}, names: map[string]string{}}
	line, ok, err := in.next()
	if err == nil && !ok {
		err = &traces.InputError{File: in.name, Msg: "has blank lines only"}
	}
	if err != nil {
		return nil, err
	}
	stamp := "timestamp_anon"
	if !containsColumn(line, stamp) {
		stamp = "timestamp"
	}
	return r, r.t.header(line, stamp, "value", "container_ip", "request_type")
}

func containsColumn(line []byte, name string) bool {
	return (&table{input: &input{}}).header(line, name) == nil
}

// Next reports the next rate in *v, or false at the end. At never decreases.
func (r *RateReader) Next(v *Rate) (bool, error) {
	if r.err != nil {
		return false, r.err
	}
	ok, err := r.next(v)
	r.err = err
	return ok && err == nil, err
}

func (r *RateReader) next(v *Rate) (bool, error) {
	ok, err := r.t.row()
	if err != nil || !ok {
		return false, err
	}
	seconds, err := strconv.ParseFloat(string(r.t.field(0)), 64)
	if err != nil || !(seconds >= 0 && seconds <= maxSpan.Seconds()) {
		return false, r.t.bad("timestamp is %s; accepted are 0 to %.0f s", quote(r.t.field(0)), maxSpan.Seconds())
	}
	rate, err := strconv.ParseFloat(string(r.t.field(1)), 64)
	if err != nil || !(rate >= 0 && rate <= maxRate) {
		return false, r.t.bad("value is %s; accepted are 0 to %g requests a second", quote(r.t.field(1)), maxRate)
	}
	whole, part := math.Modf(seconds)
	at := sim.Time(whole)*time.Second + sim.Time(part*1e9)
	if r.rows == 0 {
		r.origin = at
	}
	if at -= r.origin; at < r.last {
		return false, r.t.bad("time is %v before that of the row above; accepted are rows in the order of time", r.last-at)
	}
	*v = Rate{At: at, PerSecond: rate, Container: r.intern(r.t.field(2)), Type: r.intern(r.t.field(3))}
	r.last = at
	r.rows++
	return true, nil
}

// intern keeps one string for equal fields, and remembers a million.
func (r *RateReader) intern(b []byte) string {
	if s, ok := r.names[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(r.names) < 1<<20 {
		r.names[s] = s
	}
	return s
}

// Close releases the file.
func (r *RateReader) Close() error { return r.t.close() }
