package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"berth/plots"
	"berth/plots/report"
	"berth/sim"
	"berth/sim/experiment"
	"berth/traces"
)

// replayPolicies are the orders that the study compares.
var replayPolicies = []string{"fcfs", "sjf", "easy", "las"}

// replayed is a recorded trace on a machine so small that its jobs have to
// wait.
type replayed struct {
	name, title, file string
	machine           string   // said to readers
	settings          []string // as of --set
	nodes             string   // node list of which every so many make the machine
	every             int

	runs []observed // by policy
}

// replayedTraces are the traces of the study.
func replayedTraces() []*replayed {
	return []*replayed{
		{name: "philly", title: "Philly", file: "philly/philly_jobs.csv.gz", machine: "600 GPUs",
			settings: []string{"cluster.gpus=600"}},
		{name: "openb", title: "openb", file: "openb/openb_pod_list_default.csv.gz", machine: "every 150th node of the cluster, 36 GPUs in 9 nodes",
			settings: []string{"trace.cpu_only=true", "trace.keep_going=true"},
			nodes:    "openb/openb_node_list_gpu_node.csv.gz", every: 150},
	}
}

// traces replays recorded traces under several orders of the queue.
func (p *paper) traces(dir *experiment.Dir) (*report.Section, error) {
	list := replayedTraces()
	for _, r := range list {
		for _, file := range []string{r.file, r.nodes} {
			if _, err := os.Stat(filepath.Join(p.data, file)); err != nil {
				return nil, invalid(fmt.Errorf("%w: recorded traces are not there: %s; --data or BERTH_DATA names the folder that holds philly/ and openb/", errAbsent, filepath.Join(p.data, file)))
			}
		}
	}
	done, finish := progress(p.cmd, len(list)*len(replayPolicies), "traces")
	err := p.replay(dir, list, done)
	finish()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(dir.WriteFile("delays.csv", delaysCSV(list)), dir.WriteFile("queue.csv", queueCSV(list))); err != nil {
		return nil, err
	}
	for _, r := range list {
		if err := r.draw(dir.Path(".")); err != nil {
			return nil, err
		}
	}
	printReplays(p.cmd.OutOrStdout(), list)
	return replaySection(list), nil
}

// replay makes all runs.
func (p *paper) replay(dir *experiment.Dir, list []*replayed, done func()) error {
	inputs := make([]*input, len(list))
	for i, r := range list {
		settings := r.settings
		if r.nodes != "" {
			file, err := r.writeNodes(p.data, dir)
			if err != nil {
				return err
			}
			settings = append(settings, "trace.nodes="+file)
		}
		var err error
		if inputs[i], err = load(filepath.Join(p.data, r.file), settings); err != nil {
			return err
		}
		r.runs = make([]observed, len(replayPolicies))
	}
	return experiment.Each(p.ctx, len(list)*len(replayPolicies), p.parallel, func(ctx context.Context, k int) error {
		defer done()
		i, policy := k/len(replayPolicies), k%len(replayPolicies)
		setup, err := inputs[i].setup(replayPolicies[policy], 1, nil)
		if err != nil {
			return err
		}
		o := newObserved()
		o.report, err = setup.Run(ctx, o.timeline, o.delays)
		list[i].runs[policy] = o
		return err
	})
}

// writeNodes writes the nodes of the machine to a file in the folder.
func (r *replayed) writeNodes(data string, dir *experiment.Dir) (string, error) {
	c, err := traces.OpenCluster(filepath.Join(data, r.nodes), traces.Options{})
	if err != nil {
		return "", invalid(err)
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"sn", "cpu_milli", "memory_mib", "gpu", "model"})
	for i := 0; i < len(c.Nodes); i += r.every {
		n := c.Nodes[i]
		w.Write([]string{n.Name, strconv.Itoa(n.CPUMilli), strconv.Itoa(n.MemoryMiB), strconv.Itoa(n.GPUs), n.Model})
	}
	w.Flush()
	name := r.name + "-nodes.csv"
	return dir.Path(name), dir.WriteFile(name, b.Bytes())
}

func thousandths(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// delaysCSV has the percentiles of waits and slowdowns.
func delaysCSV(list []*replayed) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"trace", "policy", "percent", "wait_seconds", "bounded_slowdown"})
	for _, r := range list {
		for i, policy := range replayPolicies {
			d := r.runs[i].delays
			for p := 1; p <= 100; p++ {
				share := float64(p) / 100
				w.Write([]string{r.name, policy, strconv.Itoa(p), thousandths(d.Wait.Quantile(share)), thousandths(d.Slowdown.Quantile(share))})
			}
		}
	}
	w.Flush()
	return b.Bytes()
}

// queueCSV has the jobs that wait over time, as means over equal slices.
func queueCSV(list []*replayed) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"trace", "policy", "from_seconds", "to_seconds", "waiting_jobs"})
	for _, r := range list {
		for i, policy := range replayPolicies {
			t := r.runs[i].timeline
			for k, bin := range t.Bins {
				from := sim.Time(k) * t.Width
				w.Write([]string{r.name, policy, thousandths(from.Seconds()), thousandths(min(from+t.Width, t.End).Seconds()), thousandths(bin.Waiting)})
			}
		}
	}
	w.Flush()
	return b.Bytes()
}

// draw draws the delays and the queue of a trace.
func (r *replayed) draw(dir string) error {
	var delays []plots.DelayRun
	var courses []plots.Course
	for i, policy := range replayPolicies {
		o := r.runs[i]
		delays = append(delays, plots.DelayRun{Label: policy, Delays: o.delays})
		courses = append(courses, plots.Course{Label: policy, GPUs: o.report.GPUs, Timeline: o.timeline})
	}
	f, err := plots.WaitsAndSlowdowns(delays)
	if err != nil {
		return err
	}
	if _, err := f.Save(dir, "delays-"+r.name); err != nil {
		return err
	}
	if f, err = plots.QueueLength(courses); err != nil {
		return err
	}
	_, err = f.Save(dir, "queue-"+r.name)
	return err
}

// printReplays writes the means and tails, at most 80 columns wide.
func printReplays(w io.Writer, list []*replayed) {
	for i, r := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s, %d jobs on %s\n", r.title, r.runs[0].report.Jobs.Submitted, r.machine)
		fmt.Fprintf(w, "  %-6s %10s %10s %10s %10s %12s %10s\n", "", "mean wait", "p50", "p95", "p99", "slowdown p50", "p95")
		for k, policy := range replayPolicies {
			wait, slow := r.runs[k].report.WaitSeconds, r.runs[k].report.BoundedSlowdown
			fmt.Fprintf(w, "  %-6s %10s %10s %10s %10s %12.2f %10.2f\n", policy,
				duration(wait.Mean), duration(wait.P50), duration(wait.P95), duration(wait.P99), slow.P50, slow.P95)
		}
	}
}

// replaySection is what the study found.
func replaySection(list []*replayed) *report.Section {
	hours := func(key, head string) report.Column {
		return report.Column{Key: key + "_hours", Head: head + " (h)", Decimals: 2, Tolerance: 0.001}
	}
	t := &report.Table{
		Name:    "traces",
		Caption: "Recorded traces under four orders of the queue",
		Columns: []report.Column{
			{Key: "trace", Head: "trace", Text: true}, {Key: "policy", Head: "policy", Text: true},
			{Key: "gpus", Head: "GPUs", DataOnly: true}, {Key: "jobs", Head: "jobs", DataOnly: true},
			{Key: "utilization", Head: "utilization (%)", Percent: true, Decimals: 1, Tolerance: 0.0001},
			hours("wait_mean", "mean wait"), hours("wait_p50", "wait p50"), hours("wait_p95", "wait p95"), hours("wait_p99", "wait p99"),
			{Key: "slowdown_mean", Head: "mean slowdown", Decimals: 1, Tolerance: 0.01},
			{Key: "slowdown_p50", Head: "slowdown p50", Decimals: 2, Tolerance: 0.01}, {Key: "slowdown_p95", Head: "slowdown p95", Decimals: 1, Tolerance: 0.01},
			{Key: "preemptions", Head: "preemptions"},
		},
	}
	section := &report.Section{Tables: []*report.Table{t}}
	for _, r := range list {
		t.Notes = append(t.Notes, fmt.Sprintf("%s: %d jobs on %s, so that they have to wait; every submission at its recorded time, estimates exact. Slowdowns are bounded at 10 s.", r.title, r.runs[0].report.Jobs.Submitted, r.machine))
		for i, policy := range replayPolicies {
			m := r.runs[i].report
			wait, slow := m.WaitSeconds, m.BoundedSlowdown
			row := []report.Cell{report.Words(r.name), report.Words(policy)}
			for _, x := range []float64{float64(m.GPUs), float64(m.Jobs.Completed), m.Utilization, wait.Mean / 3600, wait.P50 / 3600, wait.P95 / 3600, wait.P99 / 3600,
				slow.Mean, slow.P50, slow.P95, float64(m.Preemptions)} {
				row = append(row, report.Number(x))
			}
			t.Rows = append(t.Rows, row)
		}
		section.Figures = append(section.Figures,
			report.Figure{Name: "delays-" + r.name, Data: "delays.csv",
				Caption: fmt.Sprintf("%s: share of jobs by wait, and by bounded slowdown, under four orders of the queue.", r.title),
				Alt:     "One rising line a policy. The table has the median, the 95th and the 99th percentile."},
			report.Figure{Name: "queue-" + r.name, Data: "queue.csv",
				Caption: fmt.Sprintf("%s: jobs that wait, over time.", r.title),
				Alt:     "One line a policy; the legend has the means."})
	}
	return section
}
