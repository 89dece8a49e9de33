package traces

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"berth/sim"
)

// batsimWriter writes a Batsim workload, each distinct run time as a delay
// profile. It keeps the distinct run times, eight bytes each.
type batsimWriter struct {
	w      *Writer
	delays map[sim.Time]bool
	most   int // GPUs of the largest job
	about  About
	any    bool
}

func newBatsimWriter(w *Writer, about About) jobWriter {
	w.out.WriteString("{\n \"jobs\": [")
	return &batsimWriter{w: w, about: about, delays: map[sim.Time]bool{}}
}

func (b *batsimWriter) write(j *sim.Job) error {
	b.w.plainLosses(j)
	if j.Tenant != "" {
		b.w.lose(&lostTenants)
	}
	b.delays[j.Duration] = true
	b.most = max(b.most, j.MinGPUs)
	text := b.w.out.AvailableBuffer()
	if b.any {
		text = append(text, ',')
	}
	b.any = true
	text = append(text, "\n  {\"id\": "...)
	text, err := jsontext.AppendQuote(text, strings.ToValidUTF8(j.Label(), "\uFFFD"))
	if err != nil {
		return fmt.Errorf("traces: job %q: %w", j.Label(), err)
	}
	text = appendSeconds(append(text, `, "subtime": `...), j.Submit)
	text = strconv.AppendInt(append(text, `, "res": `...), int64(j.MinGPUs), 10)
	text = appendSeconds(append(text, `, "walltime": `...), j.Estimate)
	text = appendSeconds(append(text, `, "profile": "delay`...), j.Duration)
	_, err = b.w.out.Write(append(text, `"}`...))
	return err
}

var lostTenants = cause{quirk: true, what: "tenants", hint: "the format has no place for them"}

// end writes the profiles and the machine, which is the recorded one, or as
// large as the largest job.
func (b *batsimWriter) end() error {
	fmt.Fprintf(b.w.out, "\n ],\n \"nb_res\": %d,\n \"profiles\": {", max(b.about.Machine, b.most, 1))
	list := make([]sim.Time, 0, len(b.delays))
	for d := range b.delays {
		list = append(list, d)
	}
	slices.Sort(list)
	for i, d := range list {
		if i > 0 {
			b.w.out.WriteByte(',')
		}
		s := secondsText(d)
		fmt.Fprintf(b.w.out, "\n  \"delay%s\": {\"type\": \"delay\", \"delay\": %s}", s, s)
	}
	_, err := b.w.out.WriteString("\n }\n}\n")
	return err
}
