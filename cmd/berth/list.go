package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"berth/policies"
	"berth/traces"
	"berth/workloads"
)

// figureNames are the figures that run and compare draw.
var figureNames = [][2]string{
	{"allocation", "who held which GPU when, one grid a policy, coloured by kind of job"},
	{"utilization", "share of GPUs doing work, and held but idle, over time"},
	{"value", "priority × GPU-hours delivered, cumulated over time"},
	{"queue", "jobs that wait, over time"},
	{"policies", "value and utilization by policy, with 95 % intervals (compare)"},
	{"scenarios", "FIFO against the allocator on all scenarios (make run)"},
	{"lines", "a measure over one axis, with 95 % bands (berth sweep summary)"},
	{"map", "a measure over two axes, a heat map a policy (berth sweep summary)"},
	{"pareto", "two measures and their Pareto front (berth sweep summary)"},
	{"horizon", "value against window, commitment, boundary and errors (berth horizon)"},
	{"forecast", "one service's forecast, traffic and GPUs held (berth horizon)"},
	{"by-hour", "utilization by hour of the day, commitment 1 and 24 (berth horizon)"},
	{"ablation", "gain of reservation, ordering and planning (berth paper --only ablation)"},
	{"gap", "gap to a proven bound against the search's budget (berth paper --only gap)"},
}

func newList() *cobra.Command {
	kinds := []string{"scenarios", "policies", "formats", "figures"}
	return &cobra.Command{
		Use:       "list scenarios|policies|formats|figures",
		Short:     "List what can be named",
		Args:      args(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)),
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			defer t.Flush()
			row := func(name, what string) {
				for _, line := range lines(what, 60) {
					fmt.Fprintf(t, "%s\t%s\n", name, line)
					name = ""
				}
			}
			switch args[0] {
			case "scenarios":
				for _, name := range workloads.Names() {
					in, err := load(name, nil)
					if err != nil {
						return err
					}
					row(name, in.Summary)
				}
			case "policies":
				for _, e := range policies.All() {
					row(e.Name, e.Summary)
				}
			case "formats":
				for _, f := range traces.Formats() {
					row(f.Name, f.Description+". Times: "+f.Times)
				}
			case "figures":
				for _, f := range figureNames {
					row(f[0], f[1])
				}
			}
			return nil
		},
	}
}

// lines breaks text between words into lines of at most so many letters.
func lines(text string, width int) []string {
	var out []string
	for _, word := range strings.Fields(text) {
		if n := len(out); n > 0 && len([]rune(out[n-1]))+1+len([]rune(word)) <= width {
			out[n-1] += " " + word
		} else {
			out = append(out, word)
		}
	}
	return out
}
