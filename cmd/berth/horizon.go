package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"berth/policies"
	"berth/sim"
	"berth/sim/config"
	"berth/sim/experiment"
	"berth/workloads"
)

// studyFile is a study: a scenario, the defaults of the policy, and what is
// varied around them.
type studyFile struct {
	file
	Seeds   int                 `toml:"seeds"`
	Factors []experiment.Factor `toml:"factor"`
	Grids   []experiment.Grid   `toml:"grid"`
}

func newHorizon() *cobra.Command {
	s := &study{}
	var out string
	cmd := &cobra.Command{
		Use:   "horizon [STUDY.toml]",
		Short: "Study the end of the planning horizon",
		Long: `horizon varies one setting of the policy horizon at a time around its defaults:
window, commitment, boundary, decay, errors of the forecasts, period. It writes
every response of every run to horizon.csv, and figures. docs/horizon.md says
what they show. Without a file it runs the project's own study.`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.load(args); err != nil {
				return err
			}
			dir, err := experiment.OpenDir(cmp.Or(out, filepath.Join("out", "horizon")))
			if err != nil {
				return err
			}
			defer dir.Discard()
			s.cmd, s.ctx = cmd, cmd.Context()
			if _, err := s.run(dir); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "\nwritten to %s\n", dir.Path(""))
			return nil
		},
	}
	f := cmd.Flags()
	f.IntVar(&s.seeds, "seeds", 0, "number of seeds (default: the study's)")
	addParallel(f, &s.parallel)
	f.StringVarP(&out, "output", "o", "", "output folder (default out/horizon)")
	return cmd
}

// study is one call of the command.
type study struct {
	studyFile
	name     string // of the file
	text     []byte
	seeds    int
	parallel int

	cmd *cobra.Command
	ctx context.Context
}

// load reads a study file, or the project's own study.
func (s *study) load(args []string) error {
	var err error
	if len(args) == 0 {
		s.text, s.name, err = workloads.HorizonStudy()
	} else {
		s.name = args[0]
		s.text, err = os.ReadFile(s.name)
	}
	if err == nil {
		err = config.DecodeStrict(s.text, s.name, &s.studyFile)
	}
	if err == nil {
		err = wrap(s.name, s.Validate())
	}
	if err == nil && s.HorizonHours == 0 {
		err = fmt.Errorf("%s: a study needs horizon_hours", s.name)
	}
	if err != nil {
		return invalid(err)
	}
	s.seeds = cmp.Or(s.seeds, s.Seeds, defaultSeeds)
	if s.seeds < 1 {
		return usage(fmt.Errorf("--seeds %d: at least 1 is needed", s.seeds))
	}
	return nil
}

// cells are all points of the study: the defaults, each level, the grids, and
// the references.
func (s *study) cells() ([]experiment.Cell, error) {
	cells, err := experiment.Cells(s.Factors, s.Grids)
	if err != nil {
		return nil, invalid(wrap(s.name, err))
	}
	return append([]experiment.Cell{{Factor: "default", Level: "horizon"}, {Factor: "reference", Level: "fifo"},
		{Factor: "reference", Level: clairvoyant}, {Factor: "reference", Level: bound}}, cells...), nil
}

// points makes the study's points, cell by cell and seed by seed, and their runs.
func (s *study) points(cells []experiment.Cell) (points []studyPoint, runs []*studyRun, err error) {
	known := map[string]*studyRun{}
	for _, c := range cells {
		var own studyFile // decoded anew, so that cells share nothing
		if err := config.DecodeStrict(s.text, s.name, &own); err != nil {
			return nil, nil, invalid(err)
		}
		in := &input{file: own.file, checksums: map[string]string{}}
		for _, text := range c.Settings {
			if err := in.set(text); err != nil {
				return nil, nil, fmt.Errorf("%s: %s = %s: %w", s.name, c.Factor, c.Level, err)
			}
		}
		policy := "horizon"
		if c.Factor == "reference" && c.Level == "fifo" {
			policy = c.Level
		}
		priorities := map[string]float64{}
		for i := range in.Services {
			priorities[in.Services[i].Name] = in.Services[i].Priority
		}
		for seed := range s.seeds {
			log := s.logFor(c, in, seed)
			key, err := runKey(in, c, policy, seed, log != nil)
			if err != nil {
				return nil, nil, err
			}
			if run := known[key]; run != nil {
				points = append(points, studyPoint{c, run})
				continue
			}
			setup, err := in.setup(policy, uint64(seed+1), nil)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %s = %s: %w", s.name, c.Factor, c.Level, err)
			}
			run := &studyRun{
				reference: referenceOf(c), setup: setup, priorities: priorities, forecasts: log,
				interior: sim.Time((in.Scenario.HorizonHours - lastWindow) * float64(time.Hour)),
			}
			known[key] = run
			points, runs = append(points, studyPoint{c, run}), append(runs, run)
		}
	}
	return points, runs, nil
}

// runKey is equal for points whose runs are.
func runKey(in *input, c experiment.Cell, policy string, seed int, logged bool) (string, error) {
	of := in.file
	of.Policy.Gamma, of.Policy.Lambda = in.Weights()
	of.Policy = policies.HorizonSettings(of.Policy)
	text, err := json.Marshal(of)
	return fmt.Sprint(policy, " ", referenceOf(c), " ", seed, " ", logged, " ", string(text)), err
}

// run makes all runs, writes tables and figures, and returns the responses.
func (s *study) run(dir *experiment.Dir) ([]response, error) {
	cells, err := s.cells()
	if err != nil {
		return nil, err
	}
	points, runs, err := s.points(cells)
	if err != nil {
		return nil, err
	}
	// Many short runs that keep little: with more room between collections of
	// garbage they take 4 % less time.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	done, finish := progress(s.cmd, len(runs), "runs")
	started := time.Now()
	err = experiment.Each(s.ctx, len(runs), s.parallel, func(ctx context.Context, i int) error {
		defer done()
		return runs[i].run(ctx)
	})
	finish()
	if errors.Is(err, sim.ErrInterrupted) || errors.Is(err, context.Canceled) {
		kept := slices.DeleteFunc(slices.Clone(points), func(p studyPoint) bool { return !p.done })
		if err := dir.WriteFile("horizon.csv", studyCSV(kept)); err != nil {
			return nil, err
		}
		return nil, interrupted(fmt.Errorf("interrupted; the %d finished of %d points are kept in %s", len(kept), len(points), dir.Path("horizon.csv")))
	}
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(s.cmd.ErrOrStderr(), "%d points, %d runs in %v\n", len(points), len(runs), time.Since(started).Round(time.Millisecond))
	return s.write(dir, cells, points)
}
