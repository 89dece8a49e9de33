package experiment

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"berth/sim/metrics"
)

// runColumns are the columns of RunsCSV. A measure that a run does not have is
// left empty.
var runColumns = []struct {
	name string
	of   func(*metrics.Report) *float64
}{
	{"utilization", func(r *metrics.Report) *float64 { return &r.Utilization }},
	{"occupancy", func(r *metrics.Report) *float64 { return &r.Occupancy }},
	{"value", func(r *metrics.Report) *float64 { return &r.Value }},
	{"decayed_value", func(r *metrics.Report) *float64 { return r.DecayedValue }},
	{"objective", func(r *metrics.Report) *float64 { return r.Objective }},
	{"shortfall_gpu_hours", func(r *metrics.Report) *float64 { return &r.ShortfallGPUHours }},
	{"wait_mean_seconds", func(r *metrics.Report) *float64 { return meanOf(r.WaitSeconds) }},
	{"bounded_slowdown_mean", func(r *metrics.Report) *float64 { return meanOf(r.BoundedSlowdown) }},
	{"makespan_seconds", func(r *metrics.Report) *float64 { return &r.MakespanSeconds }},
}

func meanOf(d *metrics.Distribution) *float64 {
	if d == nil {
		return nil
	}
	return &d.Mean
}

// RunsCSV is a table of runs, one row each.
func RunsCSV(reports []*metrics.Report) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header := []string{"scenario", "policy", "seed"}
	for _, c := range countColumns {
		header = append(header, c.name)
	}
	for _, c := range runColumns {
		header = append(header, c.name)
	}
	w.Write(header) // a bytes.Buffer takes everything
	for _, r := range reports {
		row := []string{r.Scenario, r.Policy, strconv.FormatUint(r.Seed, 10)}
		for _, c := range countColumns {
			row = append(row, strconv.Itoa(c.of(r)))
		}
		for _, c := range runColumns {
			row = append(row, number(c.of(r)))
		}
		w.Write(row)
	}
	w.Flush()
	return b.Bytes()
}
