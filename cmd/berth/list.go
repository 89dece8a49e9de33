package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"berth/policies"
	"berth/policies/placement"
	"berth/sim/config"
	"berth/traces"
	"berth/workloads"
)

// listed is something that can be named.
type listed struct {
	Name    string            `json:"name"`
	Summary string            `json:"summary"`
	Options []policies.Option `json:"options,omitempty"` // of a policy
	source  []byte            // of a scenario: its file
	note    string            // shown where the entry is looked at alone
}

// kind is a kind of things that can be named.
type kind struct {
	name    string
	summary string
	list    func() ([]listed, error)
}

// kinds are all that berth list shows. Each takes its entries from where they
// are kept, so that a new one needs no word here.
func kinds() []kind {
	return []kind{
		{"scenarios", "workloads that come with berth", listScenarios},
		{"policies", "who decides which job gets which GPUs when", listPolicies},
		{"placements", "which node a job gets: the option placement of policies", listPlacements},
		{"formats", "files of recorded jobs, for --as; --to writes " + strings.Join(traces.Writable(), ", "), listFormats},
		{"figures", "what the commands draw", listFigures},
		{"studies", "chapters of berth paper, for --only", listStudies},
		{"settings", "keys of scenario files, of --set and of the axes of sweeps", listSettings},
	}
}

func newList() *cobra.Command {
	var asJSON bool
	names := make([]string, 0, 8)
	about := "list shows what can be named:\n\n"
	for _, k := range kinds() {
		names = append(names, k.name)
		about += fmt.Sprintf("  %-11s %s\n", k.name, k.summary)
	}
	cmd := &cobra.Command{
		Use:   "list [KIND [NAME]]",
		Short: "List what can be named",
		Long: about + `
Without a kind it names all of each; with a NAME it tells of that one: of a
policy its options, of a scenario the file, to begin one's own with.`,
		Example: `  berth list policies horizon
  berth list scenarios fragmented > mine.toml`,
		Args:              args(cobra.MaximumNArgs(2)),
		ValidArgsFunction: completeListed,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listKinds(cmd.OutOrStdout(), asJSON)
			}
			at := slices.IndexFunc(kinds(), func(k kind) bool { return k.name == args[0] })
			if at < 0 {
				return usage(fmt.Errorf("list %s is unknown; accepted are %s", args[0], strings.Join(names, ", ")))
			}
			list, err := kinds()[at].list()
			if err != nil {
				return err
			}
			if len(args) == 2 {
				return listOne(cmd.OutOrStdout(), args[0], args[1], list, asJSON)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), list)
			}
			rows(cmd.OutOrStdout(), list)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON and nothing else")
	return cmd
}

// listKinds names everything, kind by kind.
func listKinds(w io.Writer, asJSON bool) error {
	all := map[string][]listed{}
	var shown []listed
	for _, k := range kinds() {
		list, err := k.list()
		if err != nil {
			return err
		}
		all[k.name] = list
		shown = append(shown, listed{Name: k.name, Summary: strings.Join(namesOf(list), ", ")})
	}
	if asJSON {
		return printJSON(w, all)
	}
	rows(w, shown)
	return nil
}

// listOne tells of one entry.
func listOne(w io.Writer, kind, name string, list []listed, asJSON bool) error {
	at := slices.IndexFunc(list, func(l listed) bool { return l.Name == name })
	if at < 0 {
		return usage(fmt.Errorf("list %s %s is unknown; accepted are %s", kind, name, strings.Join(namesOf(list), ", ")))
	}
	one := list[at]
	switch {
	case asJSON:
		return printJSON(w, one)
	case one.source != nil:
		_, err := w.Write(one.source)
		return err
	}
	fmt.Fprintln(w, strings.Join(wrapped(one.Name+": "+one.Summary, 80), "\n"))
	if one.note != "" {
		fmt.Fprintln(w, strings.Join(wrapped(one.note, 80), "\n"))
	}
	if len(one.Options) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nOptions, as in %s:%s=… or in the table [policy] of a scenario:\n\n", one.Name, one.Options[0].Key)
	var options []listed
	for _, o := range one.Options {
		text := o.Meaning
		if len(o.Accepted) > 0 {
			text += "; accepted: " + strings.Join(o.Accepted, ", ")
		}
		if o.Default != "" {
			text += "; default: " + o.Default
		}
		options = append(options, listed{Name: o.Key, Summary: text})
	}
	rows(w, options)
	return nil
}

// rows prints names and summaries in two columns, 80 letters wide.
func rows(w io.Writer, list []listed) {
	widest := 0
	for _, l := range list {
		widest = max(widest, len(l.Name))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range list {
		name := l.Name
		for _, line := range wrapped(l.Summary, 80-2-widest) {
			fmt.Fprintf(t, "%s\t%s\n", name, line)
			name = ""
		}
	}
	t.Flush()
}

func namesOf(list []listed) (names []string) {
	for _, l := range list {
		names = append(names, l.Name)
	}
	return names
}

// wrapped breaks text between words into lines of at most so many letters.
func wrapped(text string, width int) []string {
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

func listScenarios() (list []listed, err error) {
	for _, name := range workloads.Names() {
		in, err := load(name, nil)
		if err != nil {
			return nil, err
		}
		text, _, err := workloads.Source(name)
		if err != nil {
			return nil, err
		}
		list = append(list, listed{Name: name, Summary: in.Summary, source: text})
	}
	return list, nil
}

func listPolicies() (list []listed, err error) {
	for _, e := range policies.All() {
		list = append(list, listed{Name: e.Name, Summary: e.Summary, Options: policies.OptionsOf(e.Name)})
	}
	return list, nil
}

func listPlacements() (list []listed, err error) {
	var readers []string
	for _, o := range policies.Options() {
		for _, e := range policies.All() {
			if o.Key == "placement" && o.ReadBy(e.Name) {
				readers = append(readers, e.Name)
			}
		}
	}
	for _, e := range placement.All() {
		list = append(list, listed{Name: e.Name, Summary: e.Summary, note: "As in " + readers[0] + ":placement=" + e.Name + "; read by " + strings.Join(readers, ", ") + "."})
	}
	return list, nil
}

func listFormats() (list []listed, err error) {
	for _, f := range traces.Formats() {
		note := "It can be read."
		if slices.Contains(traces.Writable(), f.Name) {
			note = "It can be read, and written by berth trace convert --to " + f.Name + "."
		}
		list = append(list, listed{Name: f.Name, Summary: f.Description + ". Times: " + f.Times, note: note})
	}
	return list, nil
}

func listStudies() (list []listed, err error) {
	for _, c := range chapters {
		list = append(list, listed{Name: c.name, Summary: c.question, note: "Made by berth paper --only " + c.name + "."})
	}
	return list, nil
}

// listSettings are the keys of a scenario file that --set can name. What they
// mean is said where they are kept: with the policies' options, the flags of
// berth trace, or the key itself.
func listSettings() (list []listed, err error) {
	meanings := map[string]string{}
	for _, o := range policies.Options() {
		meanings["policy."+o.Key] = o.Meaning
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	(&traceTable{}).flags(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		key := strings.ReplaceAll(f.Name, "-", "_")
		if other, ok := map[string]string{"as": "format", "tenant": "tenants"}[key]; ok {
			key = other
		}
		_, meanings["trace."+key] = pflag.UnquoteUsage(f)
	})
	for _, k := range config.Keys(&file{}) {
		list = append(list, listed{Name: k.Name, Summary: k.Type + ": " + cmp.Or(k.Help, meanings[k.Name]),
			note: "docs/scenarios.md and docs/traces.md tell of all keys, also those of [[service]] and [[jobs]]."})
	}
	return list, nil
}
