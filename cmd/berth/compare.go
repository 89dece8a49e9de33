package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"berth/sim"
	"berth/sim/experiment"
	"berth/sim/metrics"
)

// defaultSeeds is how many seeds a scenario is compared over.
const defaultSeeds = 30

func newCompare() *cobra.Command {
	var (
		list, out       string
		seeds, parallel int
		settings        []string
		asJSON, figures bool
	)
	cmd := &cobra.Command{
		Use:   "compare [SCENARIO|FILE.toml|TRACE]",
		Short: "Simulate one workload under several policies, over several seeds",
		Long: `compare simulates a workload under several policies. Gains are relative to the
first policy named; their intervals come from differences paired by seed.
Without a workload it compares on mixed-control.`,
		Example: `  berth compare
  berth compare scale --policies fifo,easy,horizon --seeds 100
  berth compare mixed-control --policies fifo,fifo:reserve=curve,horizon`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "mixed-control"
			if len(args) == 1 {
				name = args[0]
			}
			in, err := load(name, settings)
			if err != nil {
				return err
			}
			c := comparer{in: in, policies: splitList(list), out: cmp.Or(out, filepath.Join("out", in.Name)), parallel: parallel, figures: figures}
			if c.seeds, err = seedCount(in, seeds, cmd.Flags().Changed("seeds")); err != nil {
				return err
			}
			if err := c.compare(cmd); err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), c.comparison)
			}
			c.print(cmd.OutOrStdout())
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVarP(&list, "policies", "p", "fifo,horizon", "policies, the baseline first; options after colons: easy:reserve=curve")
	f.IntVar(&seeds, "seeds", defaultSeeds, "number of seeds, from 1 on (of a trace: 1)")
	addParallel(f, &parallel)
	f.StringArrayVar(&settings, "set", nil, "override a key of the scenario: `key=value`")
	f.StringVarP(&out, "output", "o", "", "output folder (default out/NAME)")
	f.BoolVar(&asJSON, "json", false, "print the comparison as JSON and nothing else")
	f.BoolVar(&figures, "figures", true, "draw the figures")
	return cmd
}

// seedCount is the number of seeds to run. A trace is the same under every
// seed, so one is enough unless more are asked for.
func seedCount(in *input, seeds int, asked bool) (int, error) {
	switch {
	case seeds < 1:
		return 0, usage(fmt.Errorf("--seeds %d: at least 1 is needed", seeds))
	case in.Trace.File == "-":
		return 0, usage(errors.New("compare reads its trace once for each policy; standard input can be read only once"))
	case in.Trace.File != "" && !asked:
		return 1, nil
	}
	return seeds, nil
}

// comparer runs policies × seeds and writes the output folder.
type comparer struct {
	in       *input
	policies []string
	seeds    int
	out      string
	parallel int
	figures  bool

	reports    [][]*metrics.Report // [policy][seed]
	comparison []experiment.Comparison
	shown      []observed // the runs of the first seed, when figures are drawn
}

func (c *comparer) compare(cmd *cobra.Command) error {
	if len(c.policies) == 0 {
		return usage(errors.New("--policies names no policy"))
	}
	if twice, ok := repeated(c.policies); ok {
		return usage(fmt.Errorf("--policies names %s twice", twice))
	}
	if err := c.in.check(); err != nil {
		return err
	}
	setups, err := c.setups()
	if err != nil {
		return err
	}
	dir, err := experiment.OpenDir(c.out)
	if err != nil {
		return err
	}
	defer dir.Discard()
	done, finish := progress(cmd, len(setups), "runs")
	started := time.Now()
	reports, err := experiment.RunAll(cmd.Context(), setups, c.parallel, done)
	finish()
	if errors.Is(err, sim.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return c.keepPartial(dir, reports)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d runs in %v\n", len(setups), time.Since(started).Round(time.Millisecond))
	for p := range c.policies {
		c.reports = append(c.reports, reports[p*c.seeds:(p+1)*c.seeds])
	}
	c.comparison = experiment.Compare(c.policies, c.reports)
	return c.write(cmd.Context(), dir, reports)
}

// setups are the runs to make, policy by policy.
func (c *comparer) setups() ([]experiment.Setup, error) {
	var setups []experiment.Setup
	records := recordings{}
	for _, p := range c.policies {
		if err := records.add(c.in, p, seedsTo(c.seeds)); err != nil {
			return nil, usage(err)
		}
		for s := range c.seeds {
			setup, err := c.in.setup(p, uint64(s+1), nil)
			if err != nil {
				return nil, err
			}
			setups = append(setups, setup)
		}
	}
	return setups, nil
}

// keepPartial writes the runs that were finished before an interruption.
func (c *comparer) keepPartial(dir *experiment.Dir, reports []*metrics.Report) error {
	kept := reports[:0]
	for _, r := range reports {
		if r != nil && !r.Partial {
			kept = append(kept, r)
		}
	}
	if err := dir.WriteFile("runs.csv", experiment.RunsCSV(kept)); err != nil {
		return err
	}
	return interrupted(fmt.Errorf("interrupted; the %d finished of %d runs are kept in %s", len(kept), len(reports), dir.Path("runs.csv")))
}

// write puts the comparison, its runs and its figures into the folder. The
// grids show the first seed.
func (c *comparer) write(ctx context.Context, dir *experiment.Dir, reports []*metrics.Report) error {
	m, err := c.in.manifest(c.policies, seedsTo(c.seeds))
	if err != nil {
		return err
	}
	err = errors.Join(
		clearEarlier(dir, runFiles...),
		dir.WriteJSON("comparison.json", c.comparison),
		dir.WriteFile("runs.csv", experiment.RunsCSV(reports)),
		dir.WriteJSON("manifest.json", m),
	)
	if err != nil || !c.figures {
		return err
	}
	if _, err := drawComparison(dir.Path("figures"), c.comparison); err != nil {
		return err
	}
	if c.shown, err = c.observe(ctx); err != nil {
		return err
	}
	_, err = drawRun(dir.Path("figures"), c.in, c.shown...)
	return err
}

// seedsTo are the seeds from 1 to n.
func seedsTo(n int) []uint64 {
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	return seeds
}

// observe repeats the runs of the first seed for their figures.
func (c *comparer) observe(ctx context.Context) ([]observed, error) {
	var shown []observed
	for _, p := range c.policies {
		setup, err := c.in.setup(p, 1, nil)
		if err != nil {
			return nil, err
		}
		o := newObserved()
		if o.report, err = setup.Run(ctx, o.observers()...); err != nil {
			return nil, err
		}
		shown = append(shown, o)
	}
	return shown, nil
}

// repeated is the first entry of a list that stands in it twice.
func repeated[T comparable](list []T) (twice T, ok bool) {
	for i, x := range list {
		if slices.Contains(list[:i], x) {
			return x, true
		}
	}
	return twice, false
}

// recordings are the files that runs of policy exec write their conversation
// to. A second run would write over the first one's.
type recordings map[string]bool

// add claims the files of a policy's runs, if it is one that records.
func (r recordings) add(in *input, policy string, seeds []uint64) error {
	name, c, err := in.policy(policy)
	if err != nil || name != "exec" || c.Record == "" {
		return err
	}
	for _, c.Seed = range seeds {
		path := c.RecordPath()
		if r[path] {
			return fmt.Errorf("policy %q: record: more than one run would write %s, and only one be kept; {seed} in it stands for the seed, and each policy and setting needs a file of its own", policy, path)
		}
		r[path] = true
	}
	return nil
}

// progress is a bar on a terminal and nothing elsewhere. done counts one, and
// may be called from any goroutine.
func progress(cmd *cobra.Command, n int, what string) (done, finish func()) {
	if !terminal(cmd.ErrOrStderr()) {
		return func() {}, func() {}
	}
	bar := progressbar.NewOptions(n,
		progressbar.OptionSetWriter(cmd.ErrOrStderr()),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	)
	return func() { _ = bar.Add(1) }, func() { _ = bar.Finish() }
}
