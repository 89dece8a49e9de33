package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"berth/sim/hardware"
)

// planFile is a plan as JSON writes it. Null takes the place of an absent key.
type planFile struct {
	Jobs     []placementJSON `json:"jobs"`
	Services []serviceJSON   `json:"services"`
}

type placementJSON struct {
	ID    string `json:"id"`
	Start *int   `json:"start"`
	GPUs  string `json:"gpus,omitempty"`
}

type serviceJSON struct {
	ID   string   `json:"id"`
	Held []string `json:"held"`
}

// WritePlan writes a plan of the problem as JSON, a job or service a line:
//
//	{"jobs": [
//	  {"id":"t1","start":3,"gpus":"0-3"},
//	  {"id":"t2","start":null}
//	], "services": [
//	  {"id":"chat","held":["8-9","8-10"]}
//	]}
//
// held has the GPUs of each step. A shape is not written: its number of GPUs
// tells which it is.
func WritePlan(w io.Writer, p *Problem, pl *Plan) error {
	if len(pl.Jobs) != len(p.Jobs) || len(pl.Services) != len(p.Services) {
		return fmt.Errorf("plan: %d jobs and %d services are planned; the problem has %d and %d",
			len(pl.Jobs), len(pl.Services), len(p.Jobs), len(p.Services))
	}
	var b bytes.Buffer
	b.WriteString(`{"jobs": [`)
	for i := range pl.Jobs {
		line := placementJSON{ID: p.Jobs[i].ID}
		if at := &pl.Jobs[i]; at.Start != Unscheduled {
			line.Start, line.GPUs = &at.Start, hardware.FormatRanges(at.GPUs)
		}
		if err := writeLine(&b, i, line); err != nil {
			return err
		}
	}
	b.WriteString("\n], \"services\": [")
	for i, steps := range pl.Services {
		line := serviceJSON{ID: p.Services[i].ID, Held: make([]string, len(steps))}
		for t, rs := range steps {
			line.Held[t] = hardware.FormatRanges(rs)
		}
		if err := writeLine(&b, i, line); err != nil {
			return err
		}
	}
	b.WriteString("\n]}\n")
	_, err := w.Write(b.Bytes())
	return err
}

func writeLine(b *bytes.Buffer, i int, v any) error {
	if i > 0 {
		b.WriteByte(',')
	}
	b.WriteString("\n  ")
	text, err := json.Marshal(v)
	b.Write(text)
	return err
}

// ReadPlan reads a plan of a valid problem from the JSON of WritePlan. A job
// without start, or not listed, is unscheduled; a service not listed holds
// nothing. Whether the plan is legal is Check's to say.
func ReadPlan(r io.Reader, p *Problem) (*Plan, error) {
	data, err := readAll(r)
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	var f planFile
	if err := decodeJSON(data, &f); err != nil {
		return nil, err
	}
	pl := NewPlan(p)
	if err := f.placeJobs(p, pl); err != nil {
		return nil, err
	}
	if err := f.placeServices(p, pl); err != nil {
		return nil, err
	}
	return pl, nil
}

// decodeJSON accepts one JSON value with known keys and nothing after it.
func decodeJSON(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			return errors.New("plan: something follows the plan; one JSON object is accepted")
		}
		return nil
	}
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	line := 0
	switch {
	case errors.As(err, &syntax):
		line = lineOf(data, syntax.Offset)
	case errors.As(err, &typ):
		line = lineOf(data, typ.Offset)
		err = fmt.Errorf("%s is of type %s", typ.Field, typ.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		line = lineOf(data, int64(len(data)))
		err = errors.New("the text ends too early")
	}
	const accepted = `accepted is {"jobs": [{"id", "start", "gpus"}], "services": [{"id", "held"}]}`
	text := strings.TrimPrefix(err.Error(), "json: ")
	if line == 0 {
		return fmt.Errorf("plan: %s; %s", text, accepted)
	}
	return fmt.Errorf("plan: line %d: %s; %s", line, text, accepted)
}

func lineOf(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte("\n"))
}
