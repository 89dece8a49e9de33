package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"berth/sim/experiment"
)

func readSubmission(out string) (*submission, error) {
	path := filepath.Join(out, "slurm", "jobs.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &submission{}
	if err := json.Unmarshal(text, s); err != nil || s.Shards < 1 {
		return nil, invalid(fmt.Errorf("%s is damaged; remove it to submit anew", path))
	}
	return s, nil
}

// shardState is how far a shard is.
type shardState struct {
	cells, missing, failed int    // missing: neither result nor failure
	task                   string // state of its Slurm task; "" when it has none
}

// progressOf reads the folder and the queue.
func progressOf(s *sweep, out string, sub *submission) ([]shardState, error) {
	store, err := experiment.OpenStore(out)
	if err != nil {
		return nil, err
	}
	// The queue first: a task that ends in between has written its cells.
	tasks, err := queued(sub.Arrays)
	if err != nil {
		return nil, err
	}
	states := make([]shardState, sub.Shards)
	for i := range states {
		st := &states[i]
		st.task = tasks[i+1]
		for _, c := range experiment.Shard(s.cells, i+1, sub.Shards) {
			o, err := store.Get(c.ID)
			if err != nil {
				return nil, err
			}
			st.cells++
			if o == nil {
				st.missing++
			} else if o.Error != "" {
				st.failed++
			}
		}
	}
	return states, nil
}

// queued are the tasks that wait or run, by shard.
func queued(arrays []string) (map[int]string, error) {
	tasks := map[int]string{}
	if len(arrays) == 0 {
		return tasks, nil
	}
	out, err := slurm("squeue", "--noheader", "--array", "--format=%F %K %T")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) == 3 && slices.Contains(arrays, f[0]) && f[2] != "COMPLETING" {
			if i, err := strconv.Atoi(f[1]); err == nil {
				tasks[i] = strings.ToLower(f[2])
			}
		}
	}
	return tasks, nil
}

func newSweepStatus() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "status SWEEP.toml",
		Short: "Say how far a sweep is, by its folder and Slurm's queue",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := loadSweep(args[0])
			if err != nil {
				return err
			}
			folder := cmp.Or(out, filepath.Join("out", s.Name))
			sub, err := readSubmission(folder)
			if err != nil {
				return err
			}
			if sub == nil {
				sub = &submission{Shards: 1}
			}
			states, err := progressOf(s, folder, sub)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			var lost []string
			fmt.Fprintf(w, "%-6s %8s %8s %8s %8s  %s\n", "shard", "cells", "done", "failed", "to run", "task")
			for i, st := range states {
				task := cmp.Or(st.task, "-")
				if st.task == "" && st.missing > 0 && len(sub.Arrays) > 0 {
					task = "lost"
					lost = append(lost, strconv.Itoa(i+1))
				}
				fmt.Fprintf(w, "%-6d %8d %8d %8d %8d  %s\n", i+1, st.cells, st.cells-st.missing-st.failed, st.failed, st.missing, task)
			}
			if len(lost) > 0 {
				fmt.Fprintf(w, "lost: shards %s; 'berth sweep submit' submits them again\n", strings.Join(lost, ","))
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "output folder (default out/NAME)")
	return cmd
}
