package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"berth/sim"
	"berth/sim/experiment"
)

// chapter is one table or figure of the paper.
type chapter struct {
	name, summary string
	make          func(p *paper, dir *experiment.Dir) error
}

var chapters = []chapter{
	{"scenarios", "FIFO and the allocator on the seven scenarios", (*paper).scenarios},
	{"horizon", "what happens at the end of the planning horizon", (*paper).horizon},
	{"forecast", "how accurate the forecasts are on data that they had not seen", (*paper).forecast},
	{"gap", "how far planners are from a proven bound", (*paper).gap},
	{"fragmentation", "placements of shares of GPUs on a recorded cluster", (*paper).fragmentation},
}

func newPaper() *cobra.Command {
	var only []string
	var out string
	p := &paper{}
	cmd := &cobra.Command{
		Use:   "paper",
		Short: "Regenerate the project's tables and figures",
		Long:  "paper regenerates tables and figures, the same bytes every time (but for gap,\nwhich measures planning against the clock):\n" + chapterList(),
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range only {
				if !slices.ContainsFunc(chapters, func(c chapter) bool { return c.name == name }) {
					return usage(fmt.Errorf("--only %s is unknown; accepted are:\n%s", name, chapterList()))
				}
			}
			p.cmd, p.ctx = cmd, cmd.Context()
			for _, c := range chapters {
				if len(only) > 0 && !slices.Contains(only, c.name) {
					continue
				}
				err := p.chapter(c, filepath.Join(cmp.Or(out, filepath.Join("out", "paper")), c.name))
				if errors.Is(err, errNoData) && len(only) == 0 {
					fmt.Fprintf(cmd.ErrOrStderr(), "left out: %v\n", err)
					continue
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&only, "only", nil, "make only these")
	f.StringVarP(&out, "output", "o", "", "output folder (default out/paper)")
	f.StringVar(&p.data, "data", cmp.Or(os.Getenv("BERTH_DATA"), "../shared/data"), "folder of recorded traces (environment: BERTH_DATA)")
	f.IntVarP(&p.parallel, "jobs", "j", runtime.GOMAXPROCS(0), "runs at a time; results do not depend on it")
	return cmd
}

func chapterList() string {
	var b strings.Builder
	for _, c := range chapters {
		fmt.Fprintf(&b, "  %-14s %s\n", c.name, c.summary)
	}
	return strings.TrimRight(b.String(), "\n")
}

// errNoData is why a chapter on recorded traces cannot be made.
var errNoData = errors.New("recorded traces are not there")

// paper is one call of the command.
type paper struct {
	cmd      *cobra.Command
	ctx      context.Context
	parallel int
	data     string // folder of recorded traces
}

func (p *paper) chapter(c chapter, path string) error {
	dir, err := experiment.OpenDir(path)
	if err != nil {
		return err
	}
	defer dir.Discard()
	err = c.make(p, dir)
	if errors.Is(err, sim.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return interrupted(fmt.Errorf("interrupted; %s was not finished, what was made before it is kept", c.name))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	fmt.Fprintf(p.cmd.OutOrStdout(), "\nwritten to %s\n", path)
	return nil
}
