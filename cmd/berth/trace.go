package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"berth/traces"
)

func newTrace() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Look at recorded traces of jobs",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("trace %q is unknown; accepted are info, validate", args[0]))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(newTraceInfo(), newTraceValidate())
	return cmd
}

// traceFlags are common to the commands on traces.
type traceFlags struct {
	opts   traces.Options
	asJSON bool
}

func (t *traceFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&t.opts.Format, "as", "", "format of the trace (default: recognised by content)")
	f.IntVar(&t.opts.MaxGPUs, "gpus", 0, "size of the machine; larger jobs are rejected (default: no limit)")
	f.BoolVar(&t.opts.KeepGoing, "keep-going", false, "count malformed lines as rejects instead of stopping")
	f.BoolVar(&t.opts.Sort, "sort", false, "sort the trace by submission first")
	f.BoolVar(&t.asJSON, "json", false, "print JSON and nothing else")
}

func newTraceInfo() *cobra.Command {
	var t traceFlags
	cmd := &cobra.Command{
		Use:   "info TRACE",
		Short: "Describe a trace: jobs, span, sizes, durations, load, quirks",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			trace, err := traces.Open(args[0], t.opts)
			if err != nil {
				return invalid(err)
			}
			defer trace.Close()
			summary, err := traces.Summarize(trace)
			if err != nil {
				return invalid(err)
			}
			w := cmd.OutOrStdout()
			if t.asJSON {
				return printJSON(w, struct {
					Trace   *traces.Report  `json:"trace"`
					Summary *traces.Summary `json:"summary"`
				}{trace.Report(), summary})
			}
			if _, err := trace.Report().WriteTo(w); err != nil {
				return err
			}
			fmt.Fprintln(w)
			_, err = summary.WriteTo(w)
			return err
		},
	}
	t.add(cmd)
	return cmd
}

func newTraceValidate() *cobra.Command {
	var t traceFlags
	cmd := &cobra.Command{
		Use:   "validate TRACE",
		Short: "Read a trace to its end and list every row that is left out",
		Long: `validate reads a trace to its end. It lists on standard output every row that
cannot be simulated, with its line and the reason, and counts them by reason.
The exit status is 3 when the trace cannot be read.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			w := cmd.OutOrStdout()
			if !t.asJSON {
				t.opts.OnReject = func(r traces.Reject) { fmt.Fprintln(w, r) }
			}
			trace, err := traces.Open(args[0], t.opts)
			if err != nil {
				return invalid(err)
			}
			defer trace.Close()
			if _, err := traces.Summarize(trace); err != nil {
				return invalid(err)
			}
			if t.asJSON {
				return printJSON(w, trace.Report())
			}
			_, err = trace.Report().WriteTo(w)
			return err
		},
	}
	t.add(cmd)
	return cmd
}
