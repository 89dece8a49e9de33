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
	header := []string{"scenario", "policy", "seed", "submitted", "completed", "unfinished", "unscheduled", "rejected", "swaps"}
	for _, c := range runColumns {
		header = append(header, c.name)
	}
	w.Write(header) // a bytes.Buffer takes everything
	for _, r := range reports {
		row := []string{r.Scenario, r.Policy, strconv.FormatUint(r.Seed, 10)}
		for _, n := range []int{r.Jobs.Submitted, r.Jobs.Completed, r.Jobs.Unfinished, r.Jobs.Unscheduled, r.Jobs.Rejected, r.Swaps} {
			row = append(row, strconv.Itoa(n))
		}
		for _, c := range runColumns {
			text := ""
			if x := c.of(r); x != nil {
				text = strconv.FormatFloat(*x, 'g', -1, 64)
			}
			row = append(row, text)
		}
		w.Write(row)
	}
	w.Flush()
	return b.Bytes()
}
