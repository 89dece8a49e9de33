package traces

import (
	"fmt"
	"slices"
	"strings"
)

// Reject is a row of a trace that is not simulated, and why.
type Reject struct {
	File   string
	Line   int64  // from 1
	ID     int64  // the job's, 0 where it cannot be read
	Reason string // one of the Report's
	Detail string // what of the row was at fault; may be empty
}

func (r Reject) String() string {
	s := fmt.Sprintf("%s:%d: %s", r.File, r.Line, r.Reason)
	if r.Detail != "" {
		s += ": " + r.Detail
	}
	return s
}

// HeaderField is a "Key: value" of a trace's header.
type HeaderField struct {
	Key   string `json:"key"`
	Value string `json:"value"` // continued lines are joined by "\n"
}

// Tally is how often something was met and where first.
type Tally struct {
	What  string  `json:"what"`
	Count int64   `json:"count"`
	Lines []int64 `json:"first_lines,omitempty"` // at most five; absent when it concerns the whole file
	Hint  string  `json:"hint"`                  // what it means, or the option that would admit it
}

// Report says what was read, what was left out, and what was unusual. Rows is
// always the number of jobs that can run plus Rejected.
type Report struct {
	Name     string        `json:"name"`
	Format   string        `json:"format"`
	Epoch    string        `json:"epoch,omitempty"` // calendar time of time 0, RFC 3339; absent when unknown
	Zone     string        `json:"zone,omitempty"`  // how calendar times without a zone were taken
	Machine  int           `json:"machine_gpus,omitempty"`
	Lines    int64         `json:"lines"` // read, with comments and blanks
	Rows     int64         `json:"rows"`  // lines that stand for a job
	Jobs     int64         `json:"jobs"`  // handed on
	Rejected int64         `json:"rejected"`
	Rejects  []Tally       `json:"rejects"` // most frequent first, then by name
	Quirks   []Tally       `json:"quirks"`  // the same
	Header   []HeaderField `json:"header,omitempty"`
}

// cause is a reason to reject a row, or a quirk.
type cause struct {
	what, hint string
	quirk      bool
}

// tallies counts causes; there are few, so a search beats a map.
type tallies []tally

type tally struct {
	*cause
	count int64
	lines []int64
}

func (t *tallies) add(c *cause, line int64) {
	for i := range *t {
		if e := &(*t)[i]; e.cause == c {
			e.count++
			if len(e.lines) < 5 && line > 0 {
				e.lines = append(e.lines, line)
			}
			return
		}
	}
	*t = append(*t, tally{cause: c})
	t.add(c, line)
}

func (in *input) report() *Report {
	r := &Report{
		Name: in.name, Format: in.format, Zone: in.zone, Machine: in.machine,
		Lines: in.line, Rows: in.accepted, Jobs: in.delivered,
		Header: slices.Clone(in.header), Rejects: []Tally{}, Quirks: []Tally{},
	}
	if !in.epochTime.IsZero() {
		r.Epoch = in.epochTime.Format("2006-01-02T15:04:05Z07:00")
	}
	for _, e := range in.tallies {
		t := Tally{e.what, e.count, slices.Clone(e.lines), in.opts.remedies(e.hint)}
		switch {
		case e.quirk:
			r.Quirks = append(r.Quirks, t)
			continue
		case e.cause == &rejectTooLarge:
			t.Hint = fmt.Sprintf(in.opts.remedies(e.hint), in.largest)
		}
		r.Rejects = append(r.Rejects, t)
		r.Rejected += t.Count
	}
	r.Rows += r.Rejected
	order := func(a, b Tally) int {
		if a.Count != b.Count {
			return int(min(max(b.Count-a.Count, -1), 1))
		}
		return strings.Compare(a.What, b.What)
	}
	slices.SortFunc(r.Rejects, order)
	slices.SortFunc(r.Quirks, order)
	return r
}
