package main

import (
	"cmp"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// recordedData is the folder of recorded traces; a test without it skips.
func recordedData(t testing.TB) string {
	data := os.Getenv("BERTH_DATA")
	if data == "" {
		data = "../../../shared/data"
	}
	for _, need := range []string{"openb/openb_pod_list_default.csv.gz", "fgd/analysis_allo_discrete.csv.gz"} {
		if _, err := os.Stat(filepath.Join(data, need)); err != nil {
			t.Skipf("recorded traces are not there: %v (BERTH_DATA names their folder)", err)
		}
	}
	return data
}

// Fewer seeds than the published ten leave more to chance: one run's allocation
// has a standard deviation of up to 0.6 points.
const fewSeeds = 3

// On every list of pods, each placement gives away as many GPUs as published,
// leaves as much fragmentation, and they stand in the same order.
func TestPublishedFragmentation(t *testing.T) {
	data := recordedData(t)
	variants, err := readPackingVariants(data)
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		variants = variants[:1]
	}
	results, err := runPacking(context.Background(), variants, fewSeeds, 2, func(int) (func(), func()) { return func() {}, func() {} })
	if err != nil {
		t.Fatal(err)
	}
	if err := addPublished(results, filepath.Join(data, "fgd")); err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		p := r.published
		if p == nil {
			t.Fatalf("%s, %s: no published figures", r.variant, r.policy)
		}
		for _, c := range []struct {
			what                  string
			ours, theirs, allowed float64
		}{
			{"allocation at 100 %", r.allocation(100), p.Allocation[100], 0.8},
			{"allocation at 130 %", r.allocation(130), p.Allocation[130], 0.8},
			{"fragmentation at 130 %", r.fragmentation(130), p.Fragmentation[130], 0.9},
		} {
			if !(math.Abs(c.ours-c.theirs) <= c.allowed) {
				t.Errorf("%s, %s: %s is %.2f, published %.2f", r.variant, r.policy, c.what, c.ours, c.theirs)
			}
		}
	}
	if first := results[:len(packingPolicies)]; !slices.IsSortedFunc(first, func(a, b *packingResult) int { return cmp.Compare(a.allocation(130), b.allocation(130)) }) {
		t.Error("on the default list the placements do not stand in the published order")
	}
}

// BenchmarkFragmentation is one experiment on the default list of pods.
func BenchmarkFragmentation(b *testing.B) {
	variants, err := readPackingVariants(recordedData(b))
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range packingPolicies {
		b.Run(p.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := variants[0].packing(p.name, packingFirstSeed).Run(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
