package traces

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"berth/sim"
)

func init() {
	register(Format{
		Name:        "swf",
		Description: "Standard Workload Format: 18 columns a job, seconds, header after ';'",
		Times:       "seconds since the log's start; zone of the header, else UTC",
		Sorted:      true,
		sniff:       sniffSWF,
		open:        openSWF,
	})
}

var (
	quirkFraction  = cause{quirk: true, what: "rows with fractional fields", hint: "run times are rounded down, processors up, other times kept"}
	quirkExtra     = cause{quirk: true, what: "rows with more than 18 columns", hint: "the columns after the 18th are ignored"}
	quirkRequested = cause{quirk: true, what: "allocated processors unknown", hint: "the requested number is taken"}
	quirkLongAsk   = cause{quirk: true, what: "requested time above 126 years", hint: "taken as no estimate"}
)

// sniffSWF wants a comment, or a first row that starts with five numbers.
func sniffSWF(head []byte) bool {
	first := headLine(head)
	if len(first) > 0 && first[0] == ';' {
		return true
	}
	fields := bytes.Fields(first[:min(len(first), 1024)])
	if len(fields) < 5 {
		return false
	}
	for _, f := range fields[:5] {
		if _, ok := parseNumber(f); !ok {
			return false
		}
	}
	return true
}

// swf turns rows into jobs:
//
//   - GPUs are the allocated processors (field 5), the requested ones (field
//     8) where that is not positive. On the log of HPC2N, where the two differ
//     in 213 rows, this is what gives the published waits.
//   - The run time (field 4) is rounded down to a second.
//   - The estimate is the requested time (field 9), at least the run time.
//   - Tenant is the user (field 12), ID the job number (field 1).
//   - Time 0 is the header's UnixStartTime, unless the first submission is
//     more than ten years after 0: such times count from 1970, and time 0 is
//     the first submission.
type swf struct {
	in    *input
	row   [swfFields]number
	ids   idSet
	first []byte // a row read while looking for the header's end
	has   bool
	user  int64
	name  string // of the tenant that user is
}

func openSWF(in *input) (rows, error) {
	s := &swf{in: in, user: -1}
	h := swfHeader{}
	for {
		line, ok, err := in.next()
		if err != nil {
			return nil, err
		}
		text := bytes.TrimSpace(line)
		if ok && len(text) == 0 {
			continue
		}
		if !ok || text[0] != ';' {
			s.first, s.has = line, ok
			break
		}
		h.add(text[1:])
	}
	in.header = h.fields
	for _, key := range []string{"MaxNodes", "MaxProcs"} { // the latter wins
		if n := h.integer(key); n > 0 && n <= maxGPUs {
			in.machine = int(n)
		}
	}
	if start := h.integer("UnixStartTime"); start > 0 {
		in.origin = time.Unix(start, 0).In(h.zone(in.opts.Zone))
	}
	return s, nil
}

func (s *swf) next(j *sim.Job) (bool, error) {
	for {
		line, ok := s.first, s.has
		if s.has = false; !ok {
			var err error
			if line, ok, err = s.in.next(); err != nil || !ok {
				return false, err
			}
		}
		i := skipBlank(line, 0)
		if i == len(line) || line[i] == ';' {
			continue
		}
		extra, err := scanSWF(line, &s.row)
		if err == nil {
			var admitted bool
			if admitted, err = s.job(j, extra); admitted {
				return true, nil
			}
		}
		if err != nil {
			if err := s.in.malformed("%s", err); err != nil {
				return false, err
			}
		}
	}
}

// job makes a job of the current row, or says false: it was rejected or, with
// an error, is malformed.
func (s *swf) job(j *sim.Job, extra bool) (bool, error) {
	in, f := s.in, &s.row
	submit, ok := in.time(f[1])
	if !ok {
		return false, fmt.Errorf("field 2 (submit time) is %d s; accepted are below %.0f s", f[1].whole, float64(maxSeconds))
	}
	gpus := f[4]
	if !gpus.positive() {
		gpus = f[7]
	}
	if gpus.whole > maxGPUs {
		return false, fmt.Errorf("%d processors; accepted are up to %d", gpus.whole, maxGPUs)
	}
	if extra {
		in.quirk(&quirkExtra)
	}
	if s.fractional() {
		in.quirk(&quirkFraction)
	}
	id := f[0].whole
	if f[1].negative() {
		in.reject(&rejectNoSubmit, id, "")
		return false, nil
	}
	in.submitted(submit)
	run, ok := in.time(number{whole: f[3].floor()})
	switch {
	case f[3] == number{whole: -1}:
		in.reject(&rejectUnknown, id, "")
		return false, nil
	case !ok && f[3].positive():
		in.reject(&rejectLongRun, id, strconv.FormatInt(f[3].whole, 10)+" s")
		return false, nil
	}
	estimate, ok := in.time(f[8])
	if !ok {
		in.quirk(&quirkLongAsk)
		estimate = 0
	}
	*j = sim.Job{ID: id, Submit: submit, Duration: run, Estimate: estimate, MinGPUs: int(gpus.ceil())}
	if !in.admit(j) {
		return false, nil
	}
	if !f[4].positive() {
		in.quirk(&quirkRequested)
	}
	j.Tenant = s.tenant(f[11].whole)
	s.number(j)
	return true, nil
}

func (s *swf) fractional() bool {
	for i := range s.row {
		if s.row[i].nano != 0 {
			return true
		}
	}
	return false
}

// tenant is the user's number in decimal, "" for an unknown one.
func (s *swf) tenant(user int64) string {
	if user < 0 {
		return ""
	}
	if user != s.user || s.name == "" {
		var b [20]byte
		s.user, s.name = user, s.in.tenants.get(strconv.AppendInt(b[:0], user, 10))
	}
	return s.name
}

// number gives a job without a number of its own one that no other job has:
// the negative of its line.
func (s *swf) number(j *sim.Job) {
	in := s.in
	overflowed := s.ids.overflow
	switch {
	case j.ID < 0:
		in.quirk(&quirkNoNumber)
		j.ID, j.Name = -in.line, fmt.Sprintf("@%d", in.line)
	case s.ids.add(j.ID):
		in.quirk(&quirkDuplicate)
		j.Name = fmt.Sprintf("%d@%d", j.ID, in.line)
		j.ID = -in.line
	case s.ids.overflow && !overflowed:
		in.quirk(&quirkUnchecked)
	}
}

// swfHeader collects "Key: value" comments, at most 1,000 of them.
type swfHeader struct{ fields []HeaderField }

// add takes a comment line without its semicolon. A line that does not start
// with a key continues the one before.
func (h *swfHeader) add(line []byte) {
	text := strings.ToValidUTF8(string(bytes.TrimSpace(line[:min(len(line), 1000)])), "?")
	key, value, found := strings.Cut(text, ":")
	isKey := found && key != "" && !strings.ContainsAny(key, " \t") && !strings.HasPrefix(value, "//")
	last := len(h.fields) - 1
	switch {
	case isKey && len(h.fields) < 1000:
		h.fields = append(h.fields, HeaderField{key, strings.TrimSpace(value)})
	case !isKey && text != "" && last >= 0 && len(h.fields[last].Value) < 1000:
		h.fields[last].Value += "\n" + text
	}
}

// integer is the number that a field's value starts with, or 0.
func (h *swfHeader) integer(key string) int64 {
	for _, f := range h.fields {
		if !strings.EqualFold(f.Key, key) {
			continue
		}
		if words := strings.Fields(f.Value); len(words) > 0 {
			if n, err := strconv.ParseInt(words[0], 10, 64); err == nil && n < maxSeconds {
				return n
			}
		}
	}
	return 0
}

// zone is where the log was recorded: the one asked for, else the header's
// TimeZone (seconds east of Greenwich), else UTC. Names of zones are not
// looked up: their rules differ from machine to machine.
func (h *swfHeader) zone(asked *time.Location) *time.Location {
	if asked != nil {
		return asked
	}
	if s := h.integer("TimeZone"); s != 0 && s > -86400 && s < 86400 {
		return time.FixedZone("", int(s))
	}
	return time.UTC
}
