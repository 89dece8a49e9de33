package traces

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"berth/sim"
)

func init() {
	register(Format{
		Name:        "philly-json",
		Description: "Philly cluster_job_log: a JSON list of jobs with their attempts",
		Times:       "calendar, no zone: UTC; time 0 is the first submission",
		sniff: func(head []byte) bool {
			h := bytes.TrimLeft(bytes.TrimPrefix(head, bom), " \t\r\n")
			return len(h) > 0 && h[0] == '[' && bytes.Contains(h, []byte(`"attempts"`))
		},
		open: openPhillyJSON,
	})
}

var (
	quirkAttempts = cause{quirk: true, what: "several attempts", hint: "the run time is their sum, the waits between them left out"}
	quirkOpenTry  = cause{quirk: true, what: "attempts without start or end", hint: "left out of the run time, as others of the job are complete"}
	quirkResized  = cause{quirk: true, what: "attempts of different sizes", hint: "the largest is taken"}
)

// phillyJSON turns jobs into jobs: the run time is the sum of the attempts,
// and GPUs are those that the largest attempt held. Tenant is vc, the virtual
// cluster. An attempt without an end was running when the record ended.
type phillyJSON struct {
	jsonRows
	names   names64
	clock   clock
	started bool

	id, vc, status, submitted []byte // fields of the current job
	attempts                  []attempt
	start, end                []byte
}

type attempt struct {
	start, end sim.Time
	gpus       int
}

func openPhillyJSON(in *input) (rows, error) {
	p := &phillyJSON{clock: clock{zone: in.opts.Zone}}
	in.line = 1
	p.text = jsonText{in: in}
	p.d = jsontext.NewDecoder(bytes.NewReader(nil))
	p.jsonRows.job, p.more = p.parse, p.element
	in.useCalendar()
	if head, _ := in.text.Peek(len(bom)); bytes.Equal(head, bom) {
		in.text.Discard(len(bom))
	}
	_, err := p.text.expect("[")
	return p, err
}

// element is the next element of the list.
func (p *phillyJSON) element() ([]byte, bool, error) {
	accepted := ",]"
	if !p.started {
		p.started = true
		if c, err := p.text.peek(); err == nil && c != ']' {
			accepted = ""
		}
	}
	if accepted != "" {
		c, err := p.text.expect(accepted)
		if err != nil {
			return nil, false, err
		}
		if c == ']' {
			if _, err := p.text.peek(); err != io.EOF {
				return nil, false, &InputError{File: p.text.in.name, Line: p.text.in.line, Msg: "goes on after the list; accepted is one list"}
			}
			return nil, false, nil
		}
	}
	v, err := p.text.value()
	return v, err == nil, err
}

func (p *phillyJSON) parse(element []byte, j *sim.Job) (bool, error) {
	if err := p.decode(element); err != nil {
		return false, err
	}
	in := p.text.in
	r := record{row: p.row, name: p.id, state: stateOf(p.status), start: Unrecorded, end: Unrecorded, run: Unrecorded}
	if !blank(p.vc) {
		r.tenant = in.tenants.get(p.vc)
	}
	v := reading{in: in}
	r.submit = v.calendar(&p.clock, "submitted_time", p.submitted)
	if v.err != nil || !p.sum(&r) {
		return false, v.err
	}
	return v.judge(&r, &p.names, j)
}

// sum works out run time and GPUs from the attempts, or says false: it has
// rejected the job.
func (p *phillyJSON) sum(r *record) bool {
	in := p.text.in
	if len(p.attempts) > 1 {
		in.quirk(&quirkAttempts)
	}
	open, resized := 0, false
	for i, a := range p.attempts {
		resized = resized || a.gpus != p.attempts[0].gpus
		r.gpus = max(r.gpus, a.gpus)
		last := i == len(p.attempts)-1
		if last && a.end == Unrecorded && a.start != Unrecorded {
			if in.opts.RecordEnd == 0 {
				r.run = Unrecorded
				r.start = a.start // judged as started without an end
				return true
			}
			a.end = in.opts.RecordEnd
			if r.state != stateRunning {
				in.quirk(&quirkRunning)
			}
		}
		switch {
		case a.start == Unrecorded || a.end == Unrecorded:
			open++
			continue
		case a.end < a.start:
			in.reject(&rejectBefore, r.row, "")
			return false
		}
		if r.run == Unrecorded {
			r.start, r.run = a.start, 0
		}
		r.run += a.end - a.start
	}
	if resized {
		in.quirk(&quirkResized)
	}
	if open > 0 && r.run != Unrecorded {
		in.quirk(&quirkOpenTry)
	}
	return true
}

// decode reads a job's fields and attempts.
func (p *phillyJSON) decode(element []byte) error {
	p.id, p.vc, p.status, p.submitted, p.attempts = p.id[:0], p.vc[:0], p.status[:0], p.submitted[:0], p.attempts[:0]
	p.d.Reset(bytes.NewBuffer(element))
	return members(p.d, func(name []byte) (err error) {
		switch string(name) {
		case `"jobid"`:
			p.id, err = jsonField(p.d, p.id)
		case `"vc"`:
			p.vc, err = jsonField(p.d, p.vc)
		case `"status"`:
			p.status, err = jsonField(p.d, p.status)
		case `"submitted_time"`:
			p.submitted, err = jsonField(p.d, p.submitted)
		case `"attempts"`:
			return items(p.d, p.attempt)
		default:
			return p.d.SkipValue()
		}
		return err
	})
}

// attempt reads one attempt.
func (p *phillyJSON) attempt() error {
	a := attempt{start: Unrecorded, end: Unrecorded}
	p.start, p.end = p.start[:0], p.end[:0]
	err := members(p.d, func(name []byte) (err error) {
		switch string(name) {
		case `"start_time"`:
			p.start, err = jsonField(p.d, p.start)
		case `"end_time"`:
			p.end, err = jsonField(p.d, p.end)
		case `"detail"`:
			return items(p.d, func() error { return p.server(&a) })
		default:
			return p.d.SkipValue()
		}
		return err
	})
	v := reading{in: p.text.in, err: err}
	a.start = v.calendar(&p.clock, "start_time", p.start)
	a.end = v.calendar(&p.clock, "end_time", p.end)
	p.attempts = append(p.attempts, a)
	return v.err
}

// server counts the GPUs that an attempt held on one server.
func (p *phillyJSON) server(a *attempt) error {
	return members(p.d, func(name []byte) error {
		if string(name) != `"gpus"` {
			return p.d.SkipValue()
		}
		return items(p.d, func() error {
			a.gpus++
			return p.d.SkipValue()
		})
	})
}
