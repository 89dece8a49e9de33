package traces

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"berth/sim"
)

// InputError is something wrong with the content of a trace.
type InputError struct {
	File string
	Line int64 // from 1; 0 where no single line is at fault
	Msg  string
	Err  error // the cause, when there is one
}

func (e *InputError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

func (e *InputError) Unwrap() error { return e.Err }

const (
	maxLine    = 1 << 20     // bytes in a line, its end included
	maxGPUs    = 1 << 30     // GPUs of a job
	maxSeconds = 4e9         // of a submission, run time or estimate: 126 years
	tenYears   = 315_576_000 // seconds; a record that starts later counts from elsewhere
)

var (
	bom        = []byte("\xef\xbb\xbf")
	errTooLong = errors.New("line too long")
)

// input is what a format reads from and reports to: lines, rejects, quirks,
// and the rules that hold for every format.
type input struct {
	name    string
	text    *bufio.Reader
	line    int64 // number of the line last read, from 1
	opts    Options
	machine int
	tenants interner

	tallies   tallies
	header    []HeaderField
	format    string
	zone      string
	accepted  int64 // rows that can run
	delivered int64 // jobs handed to the caller
	largest   int   // GPUs of the largest job rejected as too large

	earliest  sim.Time // submission in the format's own time
	rebase    bool     // the epoch is the earliest submission
	exact     bool     // times count from the epoch already, whatever they are
	epoch     sim.Time // in the format's own time
	epochTime time.Time
	calendar  *time.Location // set when the format's own time counts from 1970 in that zone
	origin    time.Time      // calendar time of the format's own zero, when it is not 1970
	anyRow    bool
}

func newInput(text *bufio.Reader, name, format string, opts Options) *input {
	return &input{text: text, name: name, format: format, opts: opts, tenants: interner{}}
}

// readLine returns the next line without its end; it is valid until the next
// call.
func (in *input) readLine() ([]byte, error) {
	line, err := in.text.ReadSlice('\n')
	if len(line) == 0 && err != nil {
		return nil, err
	}
	in.line++
	if in.line == 1 {
		line = bytes.TrimPrefix(line, bom)
	}
	switch err {
	case nil:
		line = line[:len(line)-1]
	case io.EOF: // the last line has no end
	case bufio.ErrBufferFull:
		for err == bufio.ErrBufferFull {
			_, err = in.text.ReadSlice('\n')
		}
		return nil, errTooLong
	default:
		return nil, err
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, nil
}

// next returns the next line, or false at the end of the file.
func (in *input) next() ([]byte, bool, error) {
	for {
		line, err := in.readLine()
		switch {
		case err == nil:
			return line, true, nil
		case err == io.EOF:
			return nil, false, nil
		case err == errTooLong:
			if err := in.malformed("line is longer than 1 MiB; accepted are lines below that"); err != nil {
				return nil, false, err
			}
		case in.opts.KeepGoing && isCut(err):
			in.quirk(&quirkCut)
			return nil, false, nil
		default:
			return nil, false, &InputError{in.name, in.line + 1, "cannot be read: " + err.Error(), err}
		}
	}
}

// malformed is the error of the current line, or nil when it is counted as a
// reject instead.
func (in *input) malformed(format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	if !in.opts.KeepGoing {
		return &InputError{File: in.name, Line: in.line, Msg: msg}
	}
	in.reject(&rejectMalformed, 0, msg)
	return nil
}

func (in *input) reject(why *cause, id int64, detail string) {
	in.tallies.add(why, in.line)
	if in.opts.OnReject != nil {
		in.opts.OnReject(Reject{File: in.name, Line: in.line, ID: id, Reason: why.what, Detail: detail})
	}
}

// time is a number of the record's units of time, or false beyond 126 years.
func (in *input) time(n number) (sim.Time, bool) {
	if in.opts.Unit == 0 || in.opts.Unit == time.Second {
		return n.seconds()
	}
	f := n.float() * in.opts.Unit.Seconds()
	if !(f > -maxSeconds && f < maxSeconds) {
		return 0, false
	}
	unit := int64(in.opts.Unit)
	return sim.Time(n.whole*unit + int64(float64(n.nano)*float64(unit)/1e9)), true
}

func (in *input) quirk(what *cause) { in.tallies.add(what, in.line) }

// submitted notes the submission of a row, whether it can run or not.
func (in *input) submitted(t sim.Time) {
	if !in.anyRow || t < in.earliest {
		in.earliest, in.anyRow = t, true
	}
}

// fixEpoch decides what sim.Time 0 is.
func (in *input) fixEpoch() {
	if !in.rebase && !in.exact && in.opts.Origin.IsZero() && in.earliest > tenYears*time.Second {
		in.rebase = true
		in.calendar = time.UTC
		if in.opts.Zone != nil {
			in.calendar = in.opts.Zone
		}
		in.tallies.add(&quirkUnixEpoch, 0)
	}
	if in.rebase {
		in.epoch = in.earliest
	}
	switch {
	case in.calendar != nil:
		in.epochTime = time.Unix(0, int64(in.epoch)).In(in.calendar)
	case !in.opts.Origin.IsZero():
		in.epochTime = in.opts.Origin.Add(in.epoch)
	case !in.origin.IsZero():
		in.epochTime = in.origin.Add(in.epoch)
	}
}

// admit completes a job from what the format has filled in (ID, Name, Tenant,
// Submit, MinGPUs, Duration, and Estimate where there is one) and says whether
// it can run.
func (in *input) admit(j *sim.Job) bool {
	switch {
	case j.Duration < in.opts.MinRun && j.Duration >= 0:
		in.quirk(&quirkShort)
		j.Duration = in.opts.MinRun
	case j.Duration < 0:
		in.reject(&rejectNegRun, j.ID, "")
		return false
	case j.Duration == 0:
		in.reject(&rejectNoRun, j.ID, "")
		return false
	}
	switch {
	case j.MinGPUs == 0 && j.Request.CPUMilli > 0:
		if !in.opts.CPUOnly {
			in.reject(&rejectCPUOnly, j.ID, "")
			return false
		}
	case j.MinGPUs <= 0:
		in.reject(&rejectNoGPUs, j.ID, fmt.Sprintf("asks %d", j.MinGPUs))
		return false
	case in.opts.MaxGPUs > 0 && j.MinGPUs > in.opts.MaxGPUs:
		in.largest = max(in.largest, j.MinGPUs)
		in.reject(&rejectTooLarge, j.ID, fmt.Sprintf("asks %d of %d", j.MinGPUs, in.opts.MaxGPUs))
		return false
	}
	switch {
	case j.Estimate <= 0:
		in.quirk(&quirkNoEstimate)
		j.Estimate = j.Duration
	case j.Estimate < j.Duration:
		in.quirk(&quirkLowEstimate)
		j.Estimate = j.Duration
	}
	j.MaxGPUs = j.MinGPUs
	j.Priority = in.opts.Priority
	j.Across = true
	in.accepted++
	return true
}
