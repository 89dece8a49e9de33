package experiment

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"berth/sim/metrics"
)

// RunsCSV is a table of runs, one row each.
func RunsCSV(reports []*metrics.Report) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header := []string{"scenario", "policy", "seed"}
	for _, c := range countColumns {
		header = append(header, c.Name)
	}
	for _, c := range runColumns {
		header = append(header, c.Name)
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
