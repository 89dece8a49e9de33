package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"berth/policies"
	"berth/policies/allocator"
	"berth/policies/milp"
	"berth/policies/plan"
	"berth/sim/experiment"
)

func newPlan() *cobra.Command {
	var p planner
	var settings []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plan SCENARIO|PROBLEM.toml",
		Short: "Plan one horizon offline, with every job known",
		Long: `plan makes one plan of a whole horizon, as if every job were known at its
beginning: by the baseline, by the search of the allocator, or by a solver, with
a proven bound. docs/model.md says what a legal plan is and what it is worth.`,
		Example: `  berth plan training-heavy --mode fast --budget 2ms
  berth plan scale --mode fast --budget 500 --json
  berth plan mixed-control --mode fifo -o out/plan`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.load(args[0], settings); err != nil {
				return err
			}
			if err := p.solve(cmd); err != nil {
				return err
			}
			if err := p.write(); err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), &p.report)
			}
			p.print(cmd.OutOrStdout())
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&p.mode, "mode", "fast", "fifo (the baseline), fast (the allocator) or full (with a proven bound)")
	f.StringVar(&p.budget, "budget", "2ms", "of the fast mode's search: a duration, a count of evaluations, or 0 for one pass")
	f.StringVar(&p.solver, "solver", "auto", "of full mode: auto, highs ('make solver' fetches it) or cbc")
	f.IntVar(&p.nodeLimit, "node-limit", milp.DefaultNodeLimit, "nodes of full mode's search trees; results are reproducible")
	f.DurationVar(&p.timeLimit, "time-limit", 0, "of full mode; results then depend on the machine (default none)")
	f.Uint64Var(&p.seed, "seed", 1, "seed of the scenario and of the search")
	f.StringArrayVar(&settings, "set", nil, "override a key of the scenario: `key=value`")
	f.StringVarP(&p.out, "output", "o", "", "also write summary.json, problem.toml and plan.json to this folder")
	f.BoolVar(&asJSON, "json", false, "print the summary as JSON and nothing else")
	return cmd
}

// planReport is what `berth plan --json` prints.
type planReport struct {
	Scenario     string  `json:"scenario"`
	Seed         uint64  `json:"seed"`
	GPUs         int     `json:"gpus"`
	HorizonHours float64 `json:"horizon_hours"`
	plan.Score
	Jobs struct {
		Submitted   int `json:"submitted"`
		Scheduled   int `json:"scheduled"`
		Unscheduled int `json:"unscheduled"`
	} `json:"jobs"`
	Plan planOutcome `json:"plan"`
}

// planOutcome says how the plan came about.
type planOutcome struct {
	Mode        string   `json:"mode"`
	Legal       bool     `json:"legal"`
	Evaluations int      `json:"evaluations,omitempty"`
	Bound       *float64 `json:"bound,omitempty"`
	Gap         *float64 `json:"gap,omitempty"`
	Nodes       *int     `json:"nodes,omitempty"`
	Proven      *bool    `json:"proven,omitempty"` // the gap is at most 1e-4
	Limit       string   `json:"limit,omitempty"`  // what stopped full mode: nodes, time, rounds or cancelled
	Solver      string   `json:"solver,omitempty"`
}

// planner is one call of the command.
type planner struct {
	mode, budget, solver, out string
	seed                      uint64
	nodeLimit                 int
	timeLimit                 time.Duration

	name    string
	problem *plan.Problem
	plan    *plan.Plan
	report  planReport
}

// load reads a problem file, or makes the problem of a scenario.
func (p *planner) load(name string, settings []string) error {
	if !slices.Contains(milp.Solvers(), p.solver) {
		return usage(fmt.Errorf("--solver %s is unknown; accepted are %s", p.solver, strings.Join(milp.Solvers(), ", ")))
	}
	if isProblemFile(name) {
		if len(settings) > 0 {
			return usage(errors.New("--set changes scenarios; a problem file is planned as it stands"))
		}
		p.name = baseName(name)
		var err error
		p.problem, err = readProblem(name)
		return err
	}
	in, err := load(name, settings)
	if err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	w, err := in.workload(p.seed, nil)
	if err != nil {
		return err
	}
	if c, ok := w.Jobs.(io.Closer); ok {
		defer c.Close()
	}
	gamma, lambda := in.Weights()
	p.name = in.Name
	p.problem, err = policies.Offline(w, gamma, lambda)
	return invalid(err)
}

// isProblemFile tells a problem from a scenario by the table that only the
// former has.
func isProblemFile(name string) bool {
	text, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(name, ".toml") {
		return false
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[[job]]") || strings.HasPrefix(line, "gpus") {
			return true
		}
		if strings.HasPrefix(line, "[[jobs]]") || strings.HasPrefix(line, "[cluster]") {
			return false
		}
	}
	return false
}

func readProblem(name string) (*plan.Problem, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, invalid(err)
	}
	defer f.Close()
	p, err := plan.ReadProblem(f, name)
	return p, invalid(err)
}

// planModes are the modes of a plan, from the least to the most work.
var planModes = []string{"fifo", "fast", "full"}

// solve plans in the chosen mode and says on standard error how long it took.
func (p *planner) solve(cmd *cobra.Command) error {
	o := &p.report.Plan
	o.Mode = p.mode
	var budget allocator.Budget
	if p.mode == "fast" && p.budget != "0" {
		var err error
		if budget, err = allocator.ParseBudget(p.budget); err != nil {
			return usage(fmt.Errorf("--budget: %w", err))
		}
	}
	if p.mode == "fast" {
		allocator.Greedy(p.problem) // so that the time told is that of a planner at work, not of a cold start
	}
	started := time.Now()
	switch p.mode {
	case "fifo":
		p.plan = allocator.FIFO(p.problem)
		o.Evaluations = 1
	case "fast":
		var stats allocator.Stats
		p.plan, stats = allocator.Solve(cmd.Context(), p.problem, allocator.Options{Seed: p.seed, Budget: budget})
		o.Evaluations = stats.Evaluations
	case "full":
		if err := p.full(cmd.Context()); err != nil {
			return err
		}
	default:
		return usage(fmt.Errorf("--mode %s is unknown; accepted are %s", p.mode, strings.Join(planModes, ", ")))
	}
	took := time.Since(started)
	fmt.Fprintf(cmd.ErrOrStderr(), "planned in %v, %d %s\n", took.Round(100*time.Nanosecond), o.Evaluations, plural(o.Evaluations, "evaluation"))
	p.summarize()
	if context.Cause(cmd.Context()) != nil && p.mode != "full" {
		return interrupted(errors.New("interrupted; nothing was written"))
	}
	return nil
}

// full proves how good a plan can be, from a fast plan on. When it is
// interrupted, the best plan so far stands.
func (p *planner) full(ctx context.Context) error {
	if _, err := milp.Select(p.solver); err != nil {
		return err
	}
	out, evaluations, err := fullMode(ctx, p.problem, p.seed, milp.Options{Solver: p.solver, NodeLimit: p.nodeLimit, TimeLimit: p.timeLimit, Seed: int32(p.seed % 1_000_000)})
	if err != nil {
		return invalid(err)
	}
	o := &p.report.Plan
	p.plan = out.Plan
	o.Evaluations = evaluations
	o.Bound, o.Gap, o.Nodes, o.Proven = &out.Bound, &out.Gap, &out.Nodes, &out.Proven
	o.Solver, o.Limit = out.Solver, out.Limit
	return nil
}

func (p *planner) summarize() {
	r := &p.report
	r.Scenario, r.Seed, r.GPUs = p.name, p.seed, p.problem.GPUs
	r.HorizonHours = float64(p.problem.Steps) * p.problem.StepHours
	r.Score = p.problem.Score(p.plan)
	r.Jobs.Submitted = len(p.problem.Jobs)
	r.Jobs.Scheduled, r.Jobs.Unscheduled = r.Score.Scheduled, r.Score.Unscheduled
	r.Plan.Legal = len(p.problem.Check(p.plan)) == 0
}

// write puts problem, plan and summary into the output folder, if one was
// asked for.
func (p *planner) write() error {
	if p.out == "" {
		return nil
	}
	dir, err := experiment.OpenDir(p.out)
	if err != nil {
		return err
	}
	defer dir.Discard()
	problem, err := dir.Create("problem.toml")
	if err != nil {
		return err
	}
	placed, err := dir.Create("plan.json")
	if err != nil {
		return err
	}
	return cmp.Or(
		plan.WriteProblem(problem, p.problem),
		plan.WritePlan(placed, p.problem, p.plan),
		dir.Commit(),
		dir.WriteJSON("summary.json", &p.report),
	)
}

func (p *planner) print(w io.Writer) {
	r := &p.report
	fmt.Fprintf(w, "%s, seed %d: %d GPUs × %d steps, planned by %s\n\n", r.Scenario, r.Seed, r.GPUs, p.problem.Steps, r.Plan.Mode)
	printScore(w, &r.Score)
	if o := &r.Plan; o.Bound != nil {
		fmt.Fprintf(w, "\nbound %.2f, gap %.4f %%, %d nodes, by %s", *o.Bound, 100**o.Gap, *o.Nodes, o.Solver)
		if o.Limit == "" {
			fmt.Fprintln(w, ": proven")
		} else {
			fmt.Fprintf(w, ": stopped by %s\n", o.Limit)
		}
	}
	if !r.Plan.Legal {
		fmt.Fprintln(w, "\nthe plan is NOT legal: this is a fault of berth; please report it")
	}
	if p.out != "" {
		fmt.Fprintf(w, "\nwritten to %s\n", p.out)
	}
}

// printScore writes what a plan is worth.
func printScore(w io.Writer, s *plan.Score) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  objective\t%.2f\n", s.Objective)
	fmt.Fprintf(t, "  decayed value\t%.2f\n", s.DecayedValue)
	if s.SalvageValue > 0 {
		fmt.Fprintf(t, "  salvage value\t%.2f\n", s.SalvageValue)
	}
	fmt.Fprintf(t, "  value\t%.1f priority × GPU-hours\n", s.Value)
	fmt.Fprintf(t, "  utilization\t%.1f %% doing work, %.1f %% held\n", 100*s.Utilization, 100*s.Occupancy)
	fmt.Fprintf(t, "  shortfall\t%.1f GPU-hours, in %.1f %% of service-steps\n", s.ShortfallGPUHours, 100*s.ShortfallSteps)
	fmt.Fprintf(t, "  swaps\t%d\n", s.Swaps)
	fmt.Fprintf(t, "  jobs\t%d scheduled, %d left out\n", s.Scheduled, s.Unscheduled)
	t.Flush()
}
