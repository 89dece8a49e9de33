package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"berth/policies"
	"berth/policies/milp"
	"berth/sim/experiment"
	"berth/traces"
)

// complete lets the shell complete names: flags by their own names wherever
// they stand, and the first argument of commands that take a scenario.
func complete(cmd *cobra.Command) {
	word, _, _ := strings.Cut(strings.TrimPrefix(cmd.Use, cmd.Name()+" "), "|")
	if first := strings.Trim(word, "["); first == "SCENARIO" && cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = completeScenario
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if find := flagValues(cmd, f.Name); find != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, find) // fails for unknown flags only
		}
	})
	for _, sub := range cmd.Commands() {
		complete(sub)
	}
}

// flagValues completes the value of a flag; nil leaves that to the shell, which
// offers files.
func flagValues(cmd *cobra.Command, flag string) cobra.CompletionFunc {
	switch flag {
	case "policy":
		return completePolicy
	case "policies":
		return inList(completePolicy)
	case "only":
		return inList(completeList(listStudies))
	case "set":
		return completeSetting
	case "as":
		return completeList(listFormats)
	case "to":
		if cmd.Name() != "convert" {
			return cobra.NoFileCompletions // a time
		}
		return cobra.FixedCompletions(traces.Writable(), cobra.ShellCompDirectiveNoFileComp)
	case "mode":
		return cobra.FixedCompletions(planModes, cobra.ShellCompDirectiveNoFileComp)
	case "solver":
		return cobra.FixedCompletions(milp.Solvers(), cobra.ShellCompDirectiveNoFileComp)
	case "measure":
		return inList(cobra.FixedCompletions(measureNames(), cobra.ShellCompDirectiveNoFileComp))
	case "figure":
		return inList(cobra.FixedCompletions(figureKinds, cobra.ShellCompDirectiveNoFileComp))
	case "engine":
		return cobra.FixedCompletions([]string{"slurm", "k8s"}, cobra.ShellCompDirectiveNoFileComp)
	}
	return nil
}

// measureNames are the measures of a sweep's results.
func measureNames() (names []string) {
	for _, m := range experiment.Measures() {
		names = append(names, m.Name)
	}
	return names
}

// completeList completes the names of a kind.
func completeList(list func() ([]listed, error)) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		entries, err := list()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var found []string
		for _, e := range entries {
			if strings.HasPrefix(e.Name, typed) {
				found = append(found, cobra.CompletionWithDesc(e.Name, e.Summary))
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeScenario completes the built-in scenarios; where none begins with
// what was typed, the shell offers files.
func completeScenario(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	found, directive := completeList(listScenarios)(cmd, args, typed)
	if directive == cobra.ShellCompDirectiveNoFileComp {
		directive = cobra.ShellCompDirectiveDefault
	}
	return found, directive
}

// completePolicy completes a policy, then the options that it reads, then the
// values of an option that takes one of a few.
func completePolicy(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	colon := strings.LastIndex(typed, ":")
	if colon < 0 {
		return completeList(listPolicies)(cmd, args, typed)
	}
	name, _, _ := strings.Cut(typed, ":")
	before, option := typed[:colon+1], typed[colon+1:]
	key, value, valued := strings.Cut(option, "=")
	var found []string
	directive := cobra.ShellCompDirectiveNoFileComp
	for _, o := range policies.OptionsOf(name) {
		switch {
		case !valued && strings.HasPrefix(o.Key, key):
			found = append(found, cobra.CompletionWithDesc(before+o.Key+"=", o.Meaning))
			directive |= cobra.ShellCompDirectiveNoSpace
		case valued && o.Key == key:
			for _, accepted := range o.Accepted {
				if strings.HasPrefix(accepted, value) {
					found = append(found, before+key+"="+accepted)
				}
			}
		}
	}
	return found, directive
}

// completeSetting completes the key of --set.
func completeSetting(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	entries, err := listSettings()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var found []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name, typed) {
			found = append(found, cobra.CompletionWithDesc(e.Name+"=", e.Summary))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// inList completes the last entry of a list with commas.
func inList(entry cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		comma := strings.LastIndex(typed, ",") + 1
		found, directive := entry(cmd, args, typed[comma:])
		for i := range found {
			found[i] = typed[:comma] + found[i]
		}
		return found, directive
	}
}

// completeListed completes the arguments of berth list.
func completeListed(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	for _, k := range kinds() {
		if len(args) == 1 && k.name == args[0] {
			return completeList(k.list)(cmd, args, typed)
		}
	}
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeList(func() (list []listed, err error) {
		for _, k := range kinds() {
			list = append(list, listed{Name: k.name, Summary: k.summary})
		}
		return list, nil
	})(cmd, args, typed)
}
