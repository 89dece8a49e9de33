package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"berth/sim"
	"berth/sim/experiment"
)

func newSweep() *cobra.Command {
	var (
		out, shard string
		parallel   int
		failFast   bool
		renew      bool
	)
	cmd := &cobra.Command{
		Use:   "sweep SWEEP.toml",
		Short: "Simulate every combination of settings, policies and seeds",
		Long: `sweep runs the cells of a sweep: points of its axes × policies × seeds. Cells
are kept by what they were made from, so an interrupted sweep goes on where it
was, and a changed one runs only what is new. docs/sweeps.md describes the file.`,
		Example: `  berth sweep docs/sweep.toml
  berth sweep docs/sweep.toml --shard 2/3
  berth sweep merge docs/sweep.toml
  berth sweep summary out/reserve`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := loadSweep(args[0])
			if err != nil {
				return err
			}
			return s.sweep(cmd, cmp.Or(out, filepath.Join("out", s.Name)), shard, experiment.Sweeper{Parallel: parallel, FailFast: failFast, Renew: renew})
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "output", "o", "", "output folder (default out/NAME)")
	f.StringVar(&shard, "shard", "", "run only the i-th of n parts, as `i/n`; 'berth sweep merge' makes the tables")
	addParallel(f, &parallel)
	f.BoolVar(&renew, "renew", false, "run cells again that another version of berth ran")
	f.BoolVar(&failFast, "fail-fast", false, "stop at the first cell that fails")
	cmd.AddCommand(newSweepMerge(), newSweepSummary(), newSweepSubmit(), newSweepStatus())
	return cmd
}

// sweep runs the cells, or one shard of them, and makes the tables unless it
// is a shard.
func (s *sweep) sweep(cmd *cobra.Command, out, shard string, sweeper experiment.Sweeper) error {
	cells := s.cells
	if shard != "" {
		i, n, err := parseShard(shard)
		if err != nil {
			return usage(err)
		}
		cells = experiment.Shard(cells, i, n)
	}
	store, err := experiment.OpenStore(out)
	if err != nil {
		return err
	}
	done, finish := progress(cmd, len(experiment.Distinct(cells)), "cells")
	started := time.Now()
	sweeper.Store, sweeper.Version, sweeper.Run, sweeper.Done = store, version(), s.run, done
	t, err := sweeper.Sweep(cmd.Context(), cells)
	finish()
	counts := fmt.Sprintf("%d cells: %d run, %d kept from before, %d failed", t.Cells, t.Ran, t.Kept, t.Failed)
	if errors.Is(err, sim.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return interrupted(fmt.Errorf("interrupted; %s; what is finished is kept in %s, and the same command goes on from there", counts, filepath.Join(out, "cells")))
	}
	if failed := new(experiment.CellError); errors.As(err, &failed) {
		return fmt.Errorf("cell %s (%s) failed: %w (%s)", failed.Cell.ID, s.describe(failed.Cell), failed.Err, counts)
	}
	if err != nil {
		return fmt.Errorf("%w (%s)", err, counts)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s, in %v\n", counts, time.Since(started).Round(time.Millisecond))
	for _, other := range slices.Sorted(maps.Keys(t.Other)) {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %d kept cells were run by berth %s, this is %s; --renew runs them again\n", t.Other[other], other, version())
	}
	if shard == "" {
		return s.collect(cmd, out, store)
	}
	if t.Failed > 0 {
		return fmt.Errorf("%d of %d cells failed; 'berth sweep merge' names them", t.Failed, t.Cells)
	}
	return nil
}

func parseShard(text string) (i, n int, err error) {
	if _, scan := fmt.Sscanf(text, "%d/%d", &i, &n); scan != nil || fmt.Sprintf("%d/%d", i, n) != text || i < 1 || i > n {
		return 0, 0, fmt.Errorf("--shard %s: i/n is expected, with i from 1 to n, as 2/3", text)
	}
	return i, n, nil
}

// collect makes the tables and the manifest of what the store has.
func (s *sweep) collect(cmd *cobra.Command, out string, store *experiment.Store) error {
	dir, err := experiment.OpenDir(out)
	if err != nil {
		return err
	}
	defer dir.Discard()
	text, err := dir.Create("results.csv")
	if err != nil {
		return err
	}
	binary, err := dir.Create("results.parquet")
	if err != nil {
		return err
	}
	table := experiment.Table{Keys: s.keys, Cells: s.cells, Store: store}
	missing, err := table.Write(text, binary)
	if err != nil {
		return err
	}
	m, err := s.manifest(missing)
	if err != nil {
		return err
	}
	if err := errors.Join(dir.WriteJSON("manifest.json", m), dir.Commit()); err != nil {
		return err
	}
	rows := len(s.cells) - len(missing.Absent) - len(missing.Failed)
	fmt.Fprintf(cmd.OutOrStdout(), "%d of %d cells in %s\n", rows, len(s.cells), dir.Path("results.csv"))
	for i, f := range missing.Failed {
		if i == 3 {
			fmt.Fprintf(cmd.ErrOrStderr(), "… manifest.json lists all\n")
			break
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "cell %s (%s) failed: %s\n", f.Cell.ID, s.describe(f.Cell), f.Error)
	}
	if n := len(missing.Failed) + len(missing.Absent); n > 0 {
		return fmt.Errorf("%d of %d cells failed and %d were not run", len(missing.Failed), len(s.cells), len(missing.Absent))
	}
	return nil
}

// describe names a cell by its settings, policy and seed.
func (s *sweep) describe(c experiment.SweepCell) string {
	var words []string
	for i, l := range c.Point {
		words = append(words, s.keys[i]+" = "+l.Text)
	}
	return strings.Join(append(words, c.Policy, fmt.Sprintf("seed %d", c.Seed)), ", ")
}

func newSweepMerge() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge SWEEP.toml [DIR]...",
		Short: "Make the tables of a sweep whose shards were run apart",
		Long: `merge makes results.csv, results.parquet and manifest.json from the cells in the
output folder, and in further folders when shards wrote to their own.`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := loadSweep(args[0])
			if err != nil {
				return err
			}
			folder := cmp.Or(out, filepath.Join("out", s.Name))
			store, err := experiment.OpenStore(folder)
			if err != nil {
				return err
			}
			for _, from := range args[1:] {
				if err := store.Take(from, s.cells); err != nil {
					return err
				}
			}
			return s.collect(cmd, folder, store)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "output folder (default out/NAME)")
	return cmd
}
