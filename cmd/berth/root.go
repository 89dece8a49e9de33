package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "berth",
		Short: "Simulate GPU clusters and compare allocation policies",
		Long: `berth simulates GPU clusters and compares the policies that decide which job
gets which GPUs when. A scenario is one of 'berth list scenarios', a TOML file,
or a recorded trace of jobs.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("command %q is unknown; 'berth --help' lists them", args[0]))
			}
			return cmd.Help()
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if wrong := new(pflag.InvalidValueError); errors.As(err, &wrong) {
			if accepted := flagAccepts[wrong.GetFlag().Value.Type()]; accepted != "" {
				err = fmt.Errorf("--%s %s: accepted is %s", wrong.GetFlag().Name, wrong.GetValue(), accepted)
			}
		}
		return usage(fmt.Errorf("%w; see '%s --help'", err, cmd.CommandPath()))
	})
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages |", "FlagUsagesWrapped 80 |"))
	root.AddCommand(newRun(), newCompare(), newPlan(), newCheck(), newTrace(), newHorizon(), newSweep(), newPaper(), newList(), newVersion(), newMan())
	complete(root)
	root.InitDefaultCompletionCmd()
	if shells, _, err := root.Find([]string{"completion"}); err == nil {
		var names []string
		for _, c := range shells.Commands() {
			names = append(names, c.Name())
		}
		shells.Args = cobra.ArbitraryArgs
		shells.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("completion %q is unknown; accepted are %s", args[0], strings.Join(names, ", ")))
			}
			return cmd.Help()
		}
	}
	return root
}

// flagAccepts says in words what a flag of a type accepts.
var flagAccepts = map[string]string{
	"int": "a whole number", "uint": "a whole number from 0 on", "uint64": "a whole number from 0 on", "jobs": "a whole number from 1 on",
	"float64": "a number", "bool": "true or false", "duration": "a duration, such as 10s",
}

// addParallel is the flag of commands that make many runs.
func addParallel(f *pflag.FlagSet, parallel *int) {
	*parallel = runtime.GOMAXPROCS(0)
	f.VarP((*jobs)(parallel), "jobs", "j", "`number` of runs at a time; results do not depend on it")
	f.Lookup("jobs").DefValue = "all cores"
}

// jobs is a number of runs at a time.
type jobs int

func (j *jobs) String() string { return strconv.Itoa(int(*j)) }

func (*jobs) Type() string { return "jobs" }

// Set takes a number from 1 on.
func (j *jobs) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err == nil && n < 1 {
		err = errors.New("less than 1")
	}
	if err == nil {
		*j = jobs(n)
	}
	return err
}

// args wraps a check of positional arguments as a usage error.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usage(fmt.Errorf("%w; usage: %s", err, cmd.UseLine()))
		}
		return nil
	}
}

// terminal reports whether w is a terminal that may be drawn on.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
