package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"berth/sim"
	"berth/traces"
)

func newTraceConvert() *cobra.Command {
	var (
		t       traceFlags
		to, out string
	)
	cmd := &cobra.Command{
		Use:   "convert TRACE --to " + strings.Join(traces.Writable(), "|") + " -o FILE",
		Short: "Write a trace, or part of it, in another format",
		Long: `convert writes the jobs of a trace in another format, in the order of their
submission. What was left out, and what the format cannot hold, is said on
standard error. The file appears when it is whole; "-o -" is standard output.

--to names the format; a span of time ends with --until.`,
		Example: `  berth trace convert cluster_job_log --to berth -o philly.csv
  berth trace convert log.swf.gz --to batsim --from 30d --until 60d -o 2.json`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" || out == "" {
				return usage(errors.New("convert needs --to FORMAT and -o FILE"))
			}
			if !slices.Contains(traces.Writable(), to) {
				return usage(fmt.Errorf("--to %s: that format cannot be written; accepted are %s (a span of time ends with --until)", to, strings.Join(traces.Writable(), ", ")))
			}
			trace, err := t.open(args[0], nil)
			if err != nil {
				return err
			}
			defer trace.Close()
			var losses traces.Losses
			write := func(w io.Writer) error {
				losses, err = convert(trace, w, to)
				return err
			}
			if out == "-" {
				err = write(cmd.OutOrStdout())
			} else {
				err = writeWhole(out, write)
			}
			if err != nil {
				return err
			}
			for _, l := range losses {
				fmt.Fprintf(cmd.ErrOrStderr(), "lost in %s: %s of %d jobs; %s\n", to, l.What, l.Count, l.Hint)
			}
			return trace.report(cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&to, "to", "", "format to write: "+strings.Join(traces.Writable(), ", "))
	f.StringVarP(&out, "output", "o", "", "file to write; - is standard output")
	t.add(cmd)
	return cmd
}

// convert writes the jobs of a trace. The first job is read before anything is
// written: then the calendar time of time 0 is known.
func convert(trace opened, out io.Writer, to string) (traces.Losses, error) {
	var w *traces.Writer
	open := func() (err error) {
		if w == nil {
			about := traces.About{Machine: trace.Machine()}
			about.Epoch, _ = trace.part.Epoch()
			w, err = traces.NewWriter(out, to, about)
		}
		return usage(err)
	}
	err := trace.each(func(j *sim.Job) error {
		if err := open(); err != nil {
			return err
		}
		return w.Write(j)
	})
	if err == nil {
		err = open()
	}
	if err != nil {
		return nil, err
	}
	return w.Losses(), w.Close()
}

// writeWhole writes a file beside its place and then renames it, so that it is
// never there in part.
func writeWhole(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
