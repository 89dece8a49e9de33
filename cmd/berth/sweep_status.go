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
	task                   string // state of its Slurm task; "" when none waits or runs
	ended                  string // how its last task ended, where Slurm keeps accounts; "" when that is not known
}

// lost reports whether a shard has cells to run that nothing will run.
func (s *shardState) lost() bool { return s.task == "" && s.missing > 0 }

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
	ends := ended(sub.Arrays)
	states := make([]shardState, sub.Shards)
	for i := range states {
		st := &states[i]
		st.task, st.ended = tasks[i+1], ends[i+1]
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

// ended is how the last task of each shard ended, by Slurm's accounts: timeout,
// node_fail, out_of_memory, cancelled, failed, completed. Where no accounts are
// kept it is empty, and the folder and the queue alone say what is lost.
func ended(arrays []string) map[int]string {
	ends := map[int]string{}
	if len(arrays) == 0 {
		return ends
	}
	out, err := slurm("sacct", "--noheader", "--parsable2", "--allocations", "--format=JobID,State", "--jobs="+strings.Join(arrays, ","))
	if err != nil {
		return ends
	}
	order := map[int]int{} // shard → the array that its entry is of
	for line := range strings.Lines(out) {
		id, state, _ := strings.Cut(strings.TrimSpace(line), "|")
		array, task, _ := strings.Cut(id, "_")
		i, err := strconv.Atoi(task)                           // tasks that still wait are listed as [2-5]
		state, _, _ = strings.Cut(strings.ToLower(state), " ") // "CANCELLED by 1000"
		at := slices.Index(arrays, array)
		if err != nil || at < 0 || at < order[i] || state == "running" || state == "pending" {
			continue
		}
		ends[i], order[i] = state, at
	}
	return ends
}

func newSweepStatus() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "status SWEEP.toml",
		Short: "Say how far a sweep is, by its folder and Slurm's queue",
		Long: `status counts the cells of each shard in the output folder and asks squeue which
tasks wait or run. A shard with cells to run and no task is lost; where Slurm
keeps accounts, sacct says how its task ended.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := loadSweep(args[0])
			if err != nil {
				return err
			}
			folder := cmp.Or(out, filepath.Join("out", s.Name))
			if _, err := os.Stat(folder); err != nil {
				return invalid(fmt.Errorf("%s is no output folder of a sweep: %w", folder, err))
			}
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
				if st.lost() && len(sub.Arrays) > 0 {
					task = "lost"
					if st.ended != "" {
						task += ": " + st.ended
					}
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
