package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"berth/sim/experiment"
)

// submission is a sweep handed to Slurm, kept in slurm/jobs.json.
type submission struct {
	Shards int      `json:"shards"`
	Arrays []string `json:"arrays"` // job ids, the first submission first
	Merge  string   `json:"merge"`  // job id of the last merge
}

// cluster is where and how a sweep is submitted. Paths are absolute.
type cluster struct {
	sweep            *sweep
	file, out, berth string
	shards, jobs     int
	partition, image string
}

func newSweepSubmit() *cobra.Command {
	var (
		out, engine string
		dry         bool
		c           cluster
	)
	cmd := &cobra.Command{
		Use:   "submit SWEEP.toml",
		Short: "Run a sweep as a job array of a cluster",
		Long: `submit writes a job array whose tasks each run one shard into the output folder,
which all nodes must share, and a job after it that merges. Called again, it
submits only shards with cells to run that no task is waiting or running for.
With --dry-run it prints what would be submitted.`,
		Example: `  berth sweep submit docs/sweep.toml --engine slurm --shards 8
  berth sweep submit docs/sweep.toml --engine k8s --image berth:1 --dry-run`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.shards < 1 || c.jobs < 1 {
				return usage(fmt.Errorf("--shards %d --jobs %d: at least 1 is needed", c.shards, c.jobs))
			}
			if err := c.locate(args[0], out); err != nil {
				return err
			}
			switch {
			case engine == "k8s" && dry:
				return c.indexedJob(cmd.OutOrStdout())
			case engine == "k8s":
				return usage(errors.New("--engine k8s needs --dry-run: pipe the manifest to kubectl apply -f -"))
			case engine != "slurm":
				return usage(fmt.Errorf("--engine %q is unknown; accepted are slurm, k8s", engine))
			case dry:
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s", c.arrayScript(), c.mergeScript())
				return err
			}
			return c.submit(cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&engine, "engine", "slurm", "slurm or k8s")
	f.StringVarP(&out, "output", "o", "", "output folder that the nodes share (default out/NAME)")
	f.IntVar(&c.shards, "shards", 4, "tasks of the array")
	f.IntVarP(&c.jobs, "jobs", "j", 1, "CPUs of a task, and its runs at a time")
	f.StringVar(&c.partition, "partition", "", "Slurm partition (default the cluster's)")
	f.StringVar(&c.image, "image", "berth", "container image with berth on its PATH (k8s)")
	f.BoolVar(&dry, "dry-run", false, "print what would be submitted")
	return cmd
}

func (c *cluster) locate(file, out string) (err error) {
	if c.sweep, err = loadSweep(file); err != nil {
		return err
	}
	var errs [3]error
	c.file, errs[0] = filepath.Abs(file)
	c.out, errs[1] = filepath.Abs(cmp.Or(out, filepath.Join("out", c.sweep.Name)))
	c.berth, errs[2] = os.Executable()
	return errors.Join(errs[:]...)
}

// quoted is a word for the shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (c *cluster) arrayScript() string {
	return fmt.Sprintf("#!/bin/sh\n#SBATCH --cpus-per-task=%d\nexec %s sweep %s --shard \"$SLURM_ARRAY_TASK_ID/%d\" -j %d -o %s\n",
		c.jobs, quoted(c.berth), quoted(c.file), c.shards, c.jobs, quoted(c.out))
}

func (c *cluster) mergeScript() string {
	return fmt.Sprintf("#!/bin/sh\nexec %s sweep merge %s -o %s\n", quoted(c.berth), quoted(c.file), quoted(c.out))
}

// submit hands the lost or new shards to Slurm, then the merge that waits for
// them.
func (c *cluster) submit(cmd *cobra.Command) error {
	dir, err := experiment.OpenDir(filepath.Join(c.out, "slurm"))
	if err != nil {
		return err
	}
	before, err := readSubmission(c.out)
	if err != nil {
		return err
	}
	s := submission{Shards: c.shards}
	if before != nil {
		s = *before
		c.shards = s.Shards // shards of another number would run cells twice
	}
	states, err := progressOf(c.sweep, c.out, &s)
	if err != nil {
		return err
	}
	var tasks []string
	for i, st := range states {
		if st.lost() {
			tasks = append(tasks, strconv.Itoa(i+1))
		}
	}
	if len(tasks) == 0 {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "nothing to submit: every shard is finished or has a task")
		return err
	}
	err = errors.Join(dir.WriteFile("array.sh", []byte(c.arrayScript())), dir.WriteFile("merge.sh", []byte(c.mergeScript())))
	if err != nil {
		return err
	}
	array, err := c.sbatch("--array="+strings.Join(tasks, ","), "--job-name="+c.sweep.Name,
		"--output="+dir.Path("%A_%a.log"), dir.Path("array.sh"))
	if err != nil {
		return err
	}
	s.Arrays = append(s.Arrays, array)
	if err := dir.WriteJSON("jobs.json", s); err != nil {
		return err
	}
	// After any end: the merge then says what is missing.
	s.Merge, err = c.sbatch("--dependency=afterany:"+strings.Join(s.Arrays, ":"), "--job-name="+c.sweep.Name+"-merge",
		"--output="+dir.Path("%j-merge.log"), dir.Path("merge.sh"))
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "job array %s: shards %s of %d; merge: job %s\n", array, strings.Join(tasks, ","), c.shards, s.Merge)
	return dir.WriteJSON("jobs.json", s)
}

// sbatch submits a script and returns the job's id.
func (c *cluster) sbatch(arguments ...string) (string, error) {
	if c.partition != "" {
		arguments = append([]string{"--partition=" + c.partition}, arguments...)
	}
	out, err := slurm("sbatch", append([]string{"--parsable"}, arguments...)...)
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";")
	return id, err
}

// slurm runs one of Slurm's commands.
func slurm(name string, arguments ...string) (string, error) {
	c := exec.Command(name, arguments...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w %s", name, err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}
