package traces

import (
	"bytes"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"berth/sim"
)

func init() {
	register(Format{
		Name:        "batsim",
		Description: "Batsim workload: JSON with jobs (id, subtime, res, walltime, profile) and profiles",
		Times:       "seconds since the workload's start",
		sniff: func(head []byte) bool {
			h := bytes.TrimLeft(bytes.TrimPrefix(head, bom), " \t\r\n")
			return len(h) > 0 && h[0] == '{' && (bytes.Contains(h, []byte(`"jobs"`)) || bytes.Contains(h, []byte(`"nb_res"`))) &&
				(bytes.Contains(h, []byte(`"subtime"`)) || bytes.Contains(h, []byte(`"profiles"`)))
		},
		open: openBatsim,
	})
}

// batsim turns jobs into jobs: res processors, for what the profile says:
// a delay in seconds, or operations over Options.Flops. The estimate is
// walltime. Where the jobs come before the profiles, as they mostly do, they
// are put aside until the profiles are read.
type batsim struct {
	jsonRows
	names    names64
	profiles map[string]profile
	aside    spool
	stream   bool // the profiles came first: jobs are read as they come
	started  bool

	id, profile           []byte // fields of the current job
	submit, res, walltime []byte
	kind, delay, cpu, tmp []byte // of the current profile
}

func openBatsim(in *input) (rows, error) {
	b := &batsim{profiles: map[string]profile{}}
	in.line = 1
	b.text = jsonText{in: in}
	b.aside = spool{dir: in.opts.TempDir}
	b.d = jsontext.NewDecoder(bytes.NewReader(nil))
	b.jsonRows.job, b.more = b.parse, b.element
	if head, _ := in.text.Peek(len(bom)); bytes.Equal(head, bom) {
		in.text.Discard(len(bom))
	}
	if _, err := b.text.expect("{"); err != nil {
		return nil, err
	}
	err := b.members()
	if err != nil {
		b.aside.close()
	}
	return b, err
}

// members reads the file up to jobs whose profiles are known, or to its end.
func (b *batsim) members() error {
	hasJobs, hasProfiles := false, false
	for first := true; ; first = false {
		name, ok, err := b.name(first)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		key := string(name)
		switch {
		case key == `"profiles"`:
			hasProfiles = true
			err = b.object(b.addProfile)
		case key == `"nb_res"`:
			err = b.machine()
		case key == `"jobs"` && hasProfiles:
			_, err = b.text.expect("[")
			b.stream = true
			return err
		case key == `"jobs"`:
			hasJobs = true
			err = b.putAside()
		default:
			_, err = b.text.value()
		}
		if err != nil {
			return err
		}
	}
	if !hasJobs {
		return &InputError{File: b.text.in.name, Line: b.text.in.line, Msg: `has no "jobs"; accepted is an object with "jobs" and "profiles"`}
	}
	return b.aside.rewind()
}

// name is the next name in an object, with its quotes, or false at its end.
func (b *batsim) name(first bool) ([]byte, bool, error) {
	c, err := b.text.peek()
	if err != nil {
		return nil, false, b.text.early(err)
	}
	if !first || c == '}' {
		if c, err = b.text.expect(",}"); err != nil || c == '}' {
			return nil, false, err
		}
	}
	name, err := b.text.value()
	if err != nil {
		return nil, false, err
	}
	name = bytes.Clone(name)
	_, err = b.text.expect(":")
	return name, err == nil, err
}

func (b *batsim) machine() error {
	v, err := b.text.value()
	if err != nil {
		return err
	}
	if n, ok := parseNumber(v); ok && n.positive() && n.whole <= maxGPUs {
		b.text.in.machine = int(n.ceil())
	}
	return nil
}

// object calls f with each name and value of an object.
func (b *batsim) object(f func(name string, value []byte) error) error {
	if _, err := b.text.expect("{"); err != nil {
		return err
	}
	for first := true; ; first = false {
		name, ok, err := b.name(first)
		if err != nil || !ok {
			return err
		}
		if b.tmp, err = jsontext.AppendUnquote(b.tmp[:0], name); err != nil {
			return &InputError{File: b.text.in.name, Line: b.text.in.line, Msg: fmt.Sprintf("%s is no name", quote(name))}
		}
		key := string(b.tmp)
		v, err := b.text.value()
		if err == nil {
			err = f(key, v)
		}
		if err != nil {
			return err
		}
	}
}

// putAside keeps the jobs until the profiles are known.
func (b *batsim) putAside() error {
	if _, err := b.text.expect("["); err != nil {
		return err
	}
	for {
		v, ok, err := b.listed()
		if err != nil || !ok {
			return err
		}
		if err := b.aside.put(b.text.first, v); err != nil {
			return err
		}
	}
}

// listed is the next element of the list of jobs.
func (b *batsim) listed() ([]byte, bool, error) {
	c, err := b.text.peek()
	if err != nil {
		return nil, false, b.text.early(err)
	}
	if b.started || c == ']' {
		if c, err = b.text.expect(",]"); err != nil || c == ']' {
			return nil, false, err
		}
	}
	b.started = true
	v, err := b.text.value()
	return v, err == nil, err
}

// close releases what was put aside.
func (b *batsim) close() error { return b.aside.close() }

func (b *batsim) element() ([]byte, bool, error) {
	if b.stream {
		return b.listed()
	}
	line, v, err := b.aside.take()
	if err == io.EOF {
		return nil, false, b.aside.close()
	}
	if err != nil {
		return nil, false, err
	}
	b.text.first = line
	return v, true, nil
}

// clear empties the fields of the job.
func (b *batsim) clear() {
	b.id, b.profile, b.submit, b.res, b.walltime = b.id[:0], b.profile[:0], b.submit[:0], b.res[:0], b.walltime[:0]
}

// field keeps a member of a flat job.
func (b *batsim) field(name, value []byte) {
	switch string(name) {
	case "id":
		b.id = append(b.id, flatField(value)...)
	case "profile":
		b.profile = append(b.profile, flatField(value)...)
	case "subtime":
		b.submit = append(b.submit, flatField(value)...)
	case "res":
		b.res = append(b.res, flatField(value)...)
	case "walltime":
		b.walltime = append(b.walltime, flatField(value)...)
	}
}

// decode reads the members of any job.
func (b *batsim) decode(element []byte) error {
	b.clear()
	b.d.Reset(bytes.NewBuffer(element))
	return members(b.d, func(name []byte) (err error) {
		switch string(name) {
		case `"id"`:
			b.id, err = jsonField(b.d, b.id)
		case `"profile"`:
			b.profile, err = jsonField(b.d, b.profile)
		case `"subtime"`:
			b.submit, err = jsonField(b.d, b.submit)
		case `"res"`:
			b.res, err = jsonField(b.d, b.res)
		case `"walltime"`:
			b.walltime, err = jsonField(b.d, b.walltime)
		default:
			return b.d.SkipValue()
		}
		return err
	})
}

func (b *batsim) parse(element []byte, j *sim.Job) (bool, error) {
	b.clear()
	if !flatObject(element, b.field) {
		if err := b.decode(element); err != nil {
			return false, err
		}
	}
	in := b.text.in
	r := record{row: b.row, name: b.id, start: Unrecorded, end: Unrecorded}
	v := reading{in: in}
	r.submit = v.time("subtime", b.submit)
	r.estimate = v.time("walltime", b.walltime)
	r.gpus = v.amount("res", b.res, 1, maxGPUs)
	if v.err != nil || !b.lasts(&r) {
		return false, v.err
	}
	return v.judge(&r, &b.names, j)
}
