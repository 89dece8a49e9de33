package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"berth/plots"
	"berth/plots/report"
	"berth/policies"
	"berth/policies/placement"
	"berth/sim"
	"berth/sim/experiment"
	"berth/sim/hardware"
	"berth/traces"
)

const (
	packingLoad      = 1.3
	packingSeeds     = 10
	packingFirstSeed = 42
)

// packingVariants are the lists of pods of the openb trace.
var packingVariants = []string{"default", "multigpu50", "gpushare40", "gpuspec33"}

// packingPolicies are the placements compared, in the order of the published
// table, whose names for them differ.
var packingPolicies = []struct{ name, published string }{
	{"random", "01-Random"}, {"dotproduct", "02-DotProd"}, {"clustering", "03-GpuClustering"},
	{"packing", "04-GpuPacking"}, {"bestfit", "05-BestFit"}, {"fgd", "06-FGD"},
}

// packingVariant is one list of pods and its cluster.
type packingVariant struct {
	name     string
	topology *hardware.Topology
	jobs     []sim.Job
	typical  []placement.Typical
}

// packingResult is one placement on one list of pods, over the seeds.
type packingResult struct {
	variant, policy string
	ours            []*experiment.PackingCurve
	published       *experiment.PackingCurve // means over the published seeds; nil when not at hand
}

// allocation and fragmentation are means over the seeds, at a percentage of
// load.
func (r *packingResult) allocation(x int) float64 {
	return meanAt(r.ours, x, func(c *experiment.PackingCurve) []float64 { return c.Allocation })
}

func (r *packingResult) fragmentation(x int) float64 {
	return meanAt(r.ours, x, func(c *experiment.PackingCurve) []float64 { return c.Fragmentation })
}

// meanAt is a mean over curves; where one has ended, its last value counts.
func meanAt(curves []*experiment.PackingCurve, x int, of func(*experiment.PackingCurve) []float64) float64 {
	values := make([]float64, len(curves))
	for i, c := range curves {
		v := of(c)
		values[i] = v[min(x, len(v)-1)]
	}
	return stat.Mean(values, nil)
}

// fragmentation repeats the experiment of Weng et al. (USENIX ATC 2023): pods
// of a production cluster arrive and stay, and placements are compared by how
// many GPUs they can give away.
func (p *paper) fragmentation(dir *experiment.Dir) (*report.Section, error) {
	variants, err := readPackingVariants(p.data)
	if err != nil {
		return nil, err
	}
	results, err := runPacking(p.ctx, variants, packingSeeds, p.parallel, func(runs int) (func(), func()) {
		return progress(p.cmd, runs, "fragmentation")
	})
	if err != nil {
		return nil, err
	}
	if err := addPublished(results, filepath.Join(p.data, "fgd")); err != nil {
		return nil, err
	}
	if err := dir.WriteFile("fragmentation.csv", packingCSV(results)); err != nil {
		return nil, err
	}
	printPacking(p.cmd.OutOrStdout(), results)
	if err := drawPacking(dir.Path("."), results); err != nil {
		return nil, err
	}
	return packingSection(results), nil
}

// readPackingVariants reads the cluster and the lists of pods that are there.
func readPackingVariants(data string) ([]*packingVariant, error) {
	folder := filepath.Join(data, "openb")
	nodes := filepath.Join(folder, "openb_node_list_gpu_node.csv.gz")
	pods := func(variant string) string { return filepath.Join(folder, "openb_pod_list_"+variant+".csv.gz") }
	for _, file := range []string{nodes, pods(packingVariants[0])} {
		if _, err := os.Stat(file); err != nil {
			return nil, invalid(fmt.Errorf("%w: recorded traces are not there: %s; --data or BERTH_DATA names the folder that holds openb/ and fgd/", errAbsent, file))
		}
	}
	cluster, err := traces.OpenCluster(nodes, traces.Options{})
	if err != nil {
		return nil, invalid(err)
	}
	var out []*packingVariant
	for _, name := range packingVariants {
		if _, err := os.Stat(pods(name)); err != nil {
			continue
		}
		list, err := traces.ReadPods(pods(name), traces.Options{})
		if err != nil {
			return nil, invalid(err)
		}
		out = append(out, newPackingVariant(name, cluster.Topology, list))
	}
	return out, nil
}

func newPackingVariant(name string, t *hardware.Topology, pods []traces.Pod) *packingVariant {
	v := &packingVariant{name: name, topology: t}
	var shapes []placement.Shape
	for _, pod := range pods {
		v.jobs = append(v.jobs, sim.Job{MinGPUs: pod.GPUs, MaxGPUs: pod.GPUs, Request: pod.Request})
		shapes = append(shapes, placement.Shape{GPUs: pod.GPUs, Request: pod.Request})
	}
	v.typical = placement.TypicalOf(shapes)
	return v
}

// packing is the experiment on a variant under a placement and a seed.
func (v *packingVariant) packing(policy string, seed uint64) *experiment.Packing {
	return &experiment.Packing{
		Topology: v.topology, Jobs: v.jobs, Load: packingLoad, Seed: seed,
		NewPolicy: func() (sim.Policy, error) {
			return policies.New("loss", policies.Config{Placement: policy, Seed: seed, Typical: v.typical})
		},
		Fragmentation: func() func(sim.Machine) float64 { return placement.NewFragmentation(v.typical).Of },
	}
}

// runPacking runs every placement on every variant. begin is told the number
// of runs; it returns what to call after each and at the end.
func runPacking(ctx context.Context, variants []*packingVariant, seeds, parallel int, begin func(runs int) (done, finish func())) ([]*packingResult, error) {
	var results []*packingResult
	var runs []*experiment.Packing
	for _, v := range variants {
		for _, p := range packingPolicies {
			results = append(results, &packingResult{variant: v.name, policy: p.name, ours: make([]*experiment.PackingCurve, seeds)})
			for seed := range seeds {
				runs = append(runs, v.packing(p.name, packingFirstSeed+uint64(seed)))
			}
		}
	}
	done, finish := begin(len(runs))
	defer finish()
	return results, experiment.Each(ctx, len(runs), parallel, func(ctx context.Context, i int) (err error) {
		defer done()
		results[i/seeds].ours[i%seeds], err = runs[i].Run(ctx)
		return err
	})
}

// addPublished gives the results the published means, where the files with
// them are there.
func addPublished(results []*packingResult, folder string) error {
	allocation, err := readPublished(filepath.Join(folder, "analysis_allo_discrete.csv.gz"))
	if err != nil {
		return err
	}
	fragmentation, err := readPublished(filepath.Join(folder, "analysis_frag_discrete.csv.gz"))
	if err != nil {
		return err
	}
	for _, r := range results {
		for _, p := range packingPolicies {
			key := "openb_pod_list_" + r.variant + "/" + p.published
			if p.name == r.policy && allocation[key] != nil && fragmentation[key] != nil {
				r.published = &experiment.PackingCurve{Allocation: allocation[key], Fragmentation: fragmentation[key]}
			}
		}
	}
	return nil
}

func packingCSV(results []*packingResult) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"policy", "variant", "load_percent", "allocation_percent", "fragmentation_percent",
		"published_allocation_percent", "published_fragmentation_percent", "seeds"})
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }
	for _, r := range results {
		for x := 0; x <= 100*packingLoad; x++ {
			row := []string{r.policy, r.variant, strconv.Itoa(x), number(r.allocation(x)), number(r.fragmentation(x)), "", "", strconv.Itoa(len(r.ours))}
			if p := r.published; p != nil {
				row[5], row[6] = number(p.Allocation[x]), number(p.Fragmentation[x])
			}
			w.Write(row)
		}
	}
	w.Flush()
	return b.Bytes()
}

// printPacking writes our figures and the published ones side by side.
func printPacking(w io.Writer, results []*packingResult) {
	fmt.Fprintf(w, "pods arrive and stay; %% of the cluster's GPUs, ours | published, means of %d seeds\n", packingSeeds)
	for i, r := range results {
		if i%len(packingPolicies) == 0 {
			fmt.Fprintf(w, "\n%-12s %17s %17s %17s\n", r.variant, "given at 100 %", "given at 130 %", "in pieces at 130 %")
		}
		fmt.Fprintf(w, "  %-10s", r.policy)
		for k, ours := range []float64{r.allocation(100), r.allocation(130), r.fragmentation(130)} {
			text := fmt.Sprintf("%.2f", ours)
			if p := r.published; p != nil {
				text += fmt.Sprintf(" | %5.2f", []float64{p.Allocation[100], p.Allocation[130], p.Fragmentation[130]}[k])
			}
			fmt.Fprintf(w, " %17s", text)
		}
		fmt.Fprintln(w)
	}
}

// drawPacking draws a figure for each list of pods, the best placement first.
func drawPacking(dir string, results []*packingResult) error {
	for of := range slices.Chunk(results, len(packingPolicies)) {
		var curves []plots.PlacementCurve
		for _, r := range slices.Backward(of) {
			c := plots.PlacementCurve{Label: r.policy}
			for x := 0; x <= 100*packingLoad; x++ {
				c.Allocation = append(c.Allocation, r.allocation(x))
				c.Fragmentation = append(c.Fragmentation, r.fragmentation(x))
			}
			if r.published != nil {
				c.PublishedAllocation, c.PublishedFragmentation = r.published.Allocation, r.published.Fragmentation
			}
			curves = append(curves, c)
		}
		name, title := packingFigure(of[0].variant), "openb, "+of[0].variant
		f, err := plots.Fragmentation(title, curves)
		if err == nil {
			_, err = f.Save(dir, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// packingFigure names the figure of a list of pods.
func packingFigure(variant string) string {
	if variant == packingVariants[0] {
		return "fragmentation"
	}
	return "fragmentation-" + variant
}

// packingSection is what the study found, ours beside what was published.
func packingSection(results []*packingResult) *report.Section {
	number := func(key, head string) report.Column {
		return report.Column{Key: key, Head: head, Decimals: 2, Tolerance: 0.5}
	}
	t := &report.Table{
		Name:    "fragmentation-summary",
		Caption: "GPUs that each placement gives away, in % of the cluster's, beside the published means",
		Notes: []string{
			fmt.Sprintf("Pods of the openb trace arrive and stay; load is what has been asked for, in %% of the cluster's GPUs. Means over %d seeds.", packingSeeds),
			"Published: Weng et al., Beware of Fragmentation, USENIX ATC 2023; means over ten seeds of their simulator.",
		},
		Columns: []report.Column{
			{Key: "variant", Head: "pods", Text: true}, {Key: "policy", Head: "placement", Text: true},
			number("allocation_100_percent", "given at 100 %"), number("published_allocation_100_percent", "published"),
			number("allocation_130_percent", "given at 130 %"), number("published_allocation_130_percent", "published"),
			number("fragmentation_130_percent", "in pieces at 130 %"), number("published_fragmentation_130_percent", "published"),
		},
	}
	section := &report.Section{Tables: []*report.Table{t}}
	for i, r := range results {
		if i == 0 || r.variant != results[i-1].variant {
			section.Figures = append(section.Figures, report.Figure{
				Name: packingFigure(r.variant), Data: "fragmentation.csv",
				Caption: fmt.Sprintf("Fragmentation and allocation against the load that has arrived; pods: %s.", r.variant),
				Alt:     "One line a placement; dashed, the published means. The table has the values at 100 and 130 %.",
			})
		}
		row := []report.Cell{report.Words(r.variant), report.Words(r.policy)}
		for k, ours := range []float64{r.allocation(100), r.allocation(130), r.fragmentation(130)} {
			published := report.Missing()
			if p := r.published; p != nil {
				published = report.Number([]float64{p.Allocation[100], p.Allocation[130], p.Fragmentation[130]}[k])
			}
			row = append(row, report.Number(ours), published)
		}
		t.Rows = append(t.Rows, row)
	}
	return section
}
