package report

import (
	"bytes"
	"math"
	"testing"
	"time"

	"berth/plots"
	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"
)

// samplePage has one of everything, and awkward words in it.
func samplePage(t *testing.T) *Page {
	t.Helper()
	drawn, err := plots.ByPolicy("gain", "%", []plots.Estimate{{Label: "fifo", Mean: 0}, {Label: "horizon", Mean: 0.5, Half: 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	var svg bytes.Buffer
	if err := drawn.Encode(&svg, "svg"); err != nil {
		t.Fatal(err)
	}
	return &Page{
		Title: "A sample", Summary: "For tests.",
		Sections: []*Section{{
			Name: "first", Title: "First & foremost", Question: "What is a <sample>?",
			Tables:  []*Table{sampleTable()},
			Figures: []Figure{{Name: "gain", Caption: "Gain by policy.", Alt: "Two dots.", Data: "gain.csv", SVG: svg.Bytes()}},
			Grids:   []*Grid{sampleGrid()},
		}},
	}
}

func sampleTable() *Table {
	return &Table{
		Name: "sample", Caption: "Gains of 100 % & more_or_less", Notes: []string{"n = 3; 95 % intervals."},
		Columns: []Column{
			{Key: "name", Head: "name", Text: true},
			{Key: "use", Head: "utilization of the cluster (%)", Percent: true, Decimals: 1, Interval: true, Tolerance: 0.01},
			{Key: "gain", Head: "gain", Signed: true, Decimals: 2, Tolerance: 0.5},
			{Key: "seeds", DataOnly: true},
		},
		Rows: [][]Cell{
			{Words("b_1"), Estimate(0.5, 0.012), Number(-2), Number(3)},
			{Words("a&b"), Estimate(0.25, math.NaN()), Number(10), Number(3)},
			{Words("c"), Missing(), {Text: "24–105", Value: math.NaN()}, Number(3)},
			{Words("d"), Estimate(0.9, 0.1), Number(9.5), Number(3)},
		},
	}
}

// sampleGrid has a service with idle reservation and three jobs, one of them
// on two ranges of GPUs.
func sampleGrid() *Grid {
	return &Grid{
		Name: "run", Title: "run under fifo, seed 1", GPUs: 8, DomainSize: 4, End: 24 * time.Hour,
		Spans: &metrics.Spans{
			Services: []metrics.ServiceSpan{{Service: "chat", GPUs: []hardware.Range{{First: 0, N: 2}}, Wanted: 1, Start: 0, End: 24 * time.Hour}},
			Jobs: []metrics.JobSpan{
				{Label: "late", Kind: sim.Quantization, Priority: 2, GPUs: []hardware.Range{{First: 4, N: 4}}, Submitted: time.Hour, Start: 12 * time.Hour, End: 20 * time.Hour},
				{Label: "early", Kind: sim.Training, Priority: 9, GPUs: []hardware.Range{{First: 2, N: 2}}, Start: 0, End: 6*time.Hour + 30*time.Minute},
				{Label: "torn", Kind: sim.BatchInference, Priority: 1, GPUs: []hardware.Range{{First: 3, N: 1}, {First: 6, N: 1}}, Submitted: 30 * time.Minute, Start: 7 * time.Hour, End: 11 * time.Hour},
			},
		},
	}
}
