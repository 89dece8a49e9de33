package main

import (
	"encoding/csv"
	"io"
	"strconv"

	"berth/policies"
	"berth/sim"
)

// outlookWriter writes what plans foresee, as they are made: a row for each
// step in which a service may want more than it will hold, and for each window
// in which GPUs will be idle. Times are seconds since the start.
type outlookWriter struct{ csv *csv.Writer }

func newOutlookWriter(w io.Writer) *outlookWriter {
	o := &outlookWriter{csv.NewWriter(w)}
	o.csv.Write([]string{"made_at", "kind", "from", "to", "service", "forecast_gpus", "planned_gpus", "probability", "idle_gpus"})
	return o
}

// write appends an outlook; errors surface in flush.
func (o *outlookWriter) write(out policies.Outlook) {
	seconds := func(t sim.Time) string { return string(sim.AppendSeconds(nil, t)) }
	made := seconds(out.MadeAt)
	for _, c := range out.Coverage {
		o.csv.Write([]string{made, "coverage", seconds(c.From), seconds(c.To), c.Service,
			strconv.Itoa(c.Forecast), strconv.Itoa(c.Planned), strconv.FormatFloat(c.Probability, 'g', 4, 64), ""})
	}
	for _, i := range out.Idle {
		o.csv.Write([]string{made, "idle", seconds(i.From), seconds(i.To), "", "", "", "", strconv.Itoa(i.GPUs)})
	}
}

func (o *outlookWriter) flush() error {
	o.csv.Flush()
	return o.csv.Error()
}
