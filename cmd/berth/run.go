package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"berth/sim"
	"berth/sim/experiment"
	"berth/sim/metrics"
	"berth/traces"
)

func newRun() *cobra.Command {
	var (
		policy, out     string
		seed            uint64
		settings        []string
		asJSON, figures bool
	)
	cmd := &cobra.Command{
		Use:   "run SCENARIO|FILE.toml|TRACE",
		Short: "Simulate one workload under one policy",
		Long: `run simulates a workload under a policy, prints what it came to, and writes
summary.json, every job, service and instant as CSV, a manifest and figures to
the output folder. docs/metrics.md defines every column.`,
		Example: `  berth run mixed-control --policy easy
  berth run mixed-control --policy fifo --set policy.reserve=curve
  berth run log.swf.gz --set cluster.gpus=128 --policy fcfs --json`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := load(args[0], settings)
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join("out", in.Name)
			}
			r := runner{in: in, policy: policy, seed: seed, out: out, figures: figures}
			if err := r.run(cmd); err != nil {
				return err
			}
			if asJSON {
				return cmp.Or(printJSON(cmd.OutOrStdout(), r.report), r.stopped)
			}
			r.print(cmd.OutOrStdout())
			return r.stopped
		},
	}
	f := cmd.Flags()
	f.StringVarP(&policy, "policy", "p", "horizon", "policy, with options after colons: easy:reserve=curve")
	f.Uint64Var(&seed, "seed", 1, "seed of the workload and the policy")
	f.StringArrayVar(&settings, "set", nil, "override a key of the scenario: `key=value`")
	f.StringVarP(&out, "output", "o", "", "output folder (default out/NAME)")
	f.BoolVar(&asJSON, "json", false, "print summary.json and nothing else")
	f.BoolVar(&figures, "figures", true, "draw the figures")
	return cmd
}

// runner makes one run and writes its output folder.
type runner struct {
	in      *input
	policy  string
	seed    uint64
	out     string
	figures bool

	report  *metrics.Report
	trace   *traces.Trace
	stopped error // the run was interrupted; what there is has been kept
}

func (r *runner) run(cmd *cobra.Command) error {
	if err := r.in.check(); err != nil {
		return err
	}
	if _, err := r.in.setup(r.policy, r.seed, nil); err != nil {
		return err
	}
	dir, err := experiment.OpenDir(r.out)
	if err != nil {
		return err
	}
	defer dir.Discard()
	outlook, err := r.openOutlook(dir)
	if err != nil {
		return err
	}
	setup, err := r.in.setup(r.policy, r.seed, func(t *traces.Trace) { r.trace = t })
	if err != nil {
		return err
	}
	recorder, err := openRecorder(dir)
	if err != nil {
		return err
	}
	observers := []sim.Observer{recorder}
	o := newObserved()
	if r.figures {
		observers = append(observers, o.observers()...)
	}
	started := time.Now()
	r.report, err = setup.Run(cmd.Context(), observers...)
	took := time.Since(started)
	if errors.Is(err, sim.ErrInterrupted) {
		r.stopped = interrupted(fmt.Errorf("interrupted after %.1f simulated hours; partial results are kept in %s", r.report.HorizonHours, r.out))
		r.report.Partial = true
	} else if err != nil {
		return err
	}
	if err := outlook.flush(); err != nil {
		return err
	}
	o.report = r.report
	if err := r.write(dir, o); err != nil {
		return err
	}
	n := r.report.Jobs.Submitted
	fmt.Fprintf(cmd.ErrOrStderr(), "simulated %d jobs in %v (%.0f a second)\n", n, took.Round(time.Microsecond), float64(n)/took.Seconds())
	r.warnRejects(cmd.ErrOrStderr())
	return nil
}

// openOutlook makes outlook.csv for a policy that plans, and a place to throw
// outlooks away for the others.
func (r *runner) openOutlook(dir *experiment.Dir) (*outlookWriter, error) {
	name, _, err := r.in.policy(r.policy)
	if err != nil || name != "horizon" {
		return newOutlookWriter(io.Discard), err
	}
	f, err := dir.Create("outlook.csv")
	if err != nil {
		return nil, err
	}
	o := newOutlookWriter(f)
	r.in.onOutlook = o.write
	return o, nil
}

func openRecorder(dir *experiment.Dir) (*sim.Recorder, error) {
	var w [3]io.Writer
	for i, name := range []string{"jobs.csv", "services.csv", "timeline.csv"} {
		f, err := dir.Create(name)
		if err != nil {
			return nil, err
		}
		w[i] = f
	}
	return sim.NewRecorder(w[0], w[1], w[2]), nil
}

// write puts everything into the output folder.
func (r *runner) write(dir *experiment.Dir, o observed) error {
	stale := compareFiles
	if r.in.onOutlook == nil {
		stale = append(slices.Clone(stale), "outlook.csv")
	}
	if err := errors.Join(clearEarlier(dir, stale...), dir.WriteJSON("summary.json", r.report)); err != nil {
		return err
	}
	m, err := r.in.manifest([]string{r.policy}, []uint64{r.seed})
	if err != nil {
		return err
	}
	if err := dir.WriteJSON("manifest.json", m); err != nil {
		return err
	}
	if err := dir.Commit(); err != nil {
		return err
	}
	if r.figures {
		_, err = drawRun(dir.Path("figures"), r.in, o)
	}
	return err
}

// warnRejects says which jobs of a trace were left out.
func (r *runner) warnRejects(w io.Writer) {
	if r.trace == nil {
		return
	}
	report := r.trace.Report()
	if report.Rejected > 0 {
		fmt.Fprintf(w, "left out %d of %d rows:", report.Rejected, report.Rows)
		for i, t := range report.Rejects {
			if i > 0 {
				fmt.Fprint(w, ",")
			}
			fmt.Fprintf(w, " %d %s", t.Count, t.What)
		}
		fmt.Fprintln(w, "\n'berth trace validate' lists them")
	}
}

func printJSON(w io.Writer, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
