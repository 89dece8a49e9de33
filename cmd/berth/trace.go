package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"berth/sim"
	"berth/traces"
	"berth/traces/requests"
)

func newTrace() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Look at recorded traces of jobs, and convert them",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("trace %q is unknown; accepted are info, validate, convert", args[0]))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(newTraceInfo(), newTraceValidate(), newTraceConvert())
	return cmd
}

// traceFlags are common to the commands on traces.
type traceFlags struct {
	table  traceTable
	gpus   int
	seed   uint64
	asJSON bool
}

func (t *traceFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&t.gpus, "gpus", 0, "size of the machine; larger jobs are rejected (default: no limit)")
	t.table.flags(f)
	f.Uint64Var(&t.seed, "seed", 1, "seed of --sample")
}

// addRest is for the commands that write no trace: there --to can be a time.
func (t *traceFlags) addRest(cmd *cobra.Command) {
	cmd.Flags().Var(&t.table.Until, "to", "the same as --until")
	cmd.Flags().BoolVar(&t.asJSON, "json", false, "print JSON and nothing else")
}

// opened is a trace and the part of it that was asked for.
type opened struct {
	*traces.Trace
	part *traces.Filtered
}

func (t *traceFlags) open(path string, onReject func(traces.Reject)) (opened, error) {
	o, f, err := t.table.options(t.seed, false)
	if err != nil {
		return opened{}, usage(err)
	}
	o.MaxGPUs, o.OnReject = t.gpus, onReject
	trace, err := traces.Open(path, o)
	if err != nil {
		return opened{}, invalid(err)
	}
	part, err := f.Apply(trace)
	if err != nil {
		trace.Close()
		return opened{}, usage(err)
	}
	return opened{trace, part}, nil
}

// report writes what was read, and what of it a filter left out.
func (o opened) report(w io.Writer) error {
	if _, err := o.Report().WriteTo(w); err != nil {
		return err
	}
	if n := o.part.Left(); n > 0 {
		_, err := fmt.Fprintf(w, "not asked for: %d jobs\n", n)
		return err
	}
	return nil
}

func newTraceInfo() *cobra.Command {
	var t traceFlags
	cmd := &cobra.Command{
		Use:   "info TRACE",
		Short: "Describe a trace: jobs, span, sizes, durations, load, quirks",
		Example: `  berth trace info log.swf.gz --gpus 128
  berth trace info openb_pods.csv --nodes openb_nodes.csv
  berth trace info philly.csv --from 2017-10-03 --until 2017-11-01`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if t.table.Format == "" && args[0] != "-" && requests.IsTraffic(args[0]) {
				return t.traffic(cmd.OutOrStdout(), args[0])
			}
			trace, err := t.open(args[0], nil)
			if err != nil {
				return err
			}
			defer trace.Close()
			machine := t.gpus
			if t.table.Nodes != "" {
				nodes, err := traces.OpenCluster(t.table.Nodes, traces.Options{})
				if err != nil {
					return invalid(err)
				}
				machine = nodes.Topology.GPUs()
			}
			if machine == 0 {
				machine = trace.Machine()
			}
			summary, err := traces.Summarize(trace.part)
			if err != nil {
				return invalid(err)
			}
			summary.Against(machine)
			w := cmd.OutOrStdout()
			if t.asJSON {
				return printJSON(w, struct {
					Trace   *traces.Report  `json:"trace"`
					Summary *traces.Summary `json:"summary"`
				}{trace.Report(), summary})
			}
			if err := trace.report(w); err != nil {
				return err
			}
			fmt.Fprintln(w)
			_, err = summary.WriteTo(w)
			return err
		},
	}
	t.add(cmd)
	cmd.Flags().StringVar(&t.table.Nodes, "nodes", "", "list of nodes to compare the load with")
	t.addRest(cmd)
	return cmd
}

// traffic describes a trace of requests.
func (t *traceFlags) traffic(w io.Writer, path string) error {
	s, err := requests.Summarize(path, requests.Sampling{})
	if err != nil {
		return invalid(err)
	}
	if t.asJSON {
		return printJSON(w, s)
	}
	_, err = s.WriteTo(w)
	return err
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
			var list func(traces.Reject)
			if !t.asJSON {
				list = func(r traces.Reject) { fmt.Fprintln(w, r) }
			}
			trace, err := t.open(args[0], list)
			if err != nil {
				return err
			}
			defer trace.Close()
			if _, err := traces.Summarize(trace.part); err != nil {
				return invalid(err)
			}
			if t.asJSON {
				return printJSON(w, trace.Report())
			}
			return trace.report(w)
		},
	}
	t.add(cmd)
	t.addRest(cmd)
	return cmd
}

// each hands the jobs asked for to f.
func (o opened) each(f func(*sim.Job) error) error {
	var j sim.Job
	for {
		ok, err := o.part.Next(&j)
		if err != nil {
			return invalid(err)
		}
		if !ok {
			return nil
		}
		if err := f(&j); err != nil {
			return err
		}
	}
}
