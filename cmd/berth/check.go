package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"berth/policies/plan"
)

func newCheck() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check PROBLEM.toml PLAN.json",
		Short: "Say whether a plan is legal, and what it scores",
		Long: `check reads a problem and a plan and says whether the plan is legal, by the five
constraints of docs/model.md, and what it scores. The exit status is 1 when it
is not legal.`,
		Example: `  berth plan scale -o out/plan
  berth check out/plan/problem.toml out/plan/plan.json`,
		Args: args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := readProblem(args[0])
			if err != nil {
				return err
			}
			f, err := os.Open(args[1])
			if err != nil {
				return invalid(err)
			}
			defer f.Close()
			pl, err := plan.ReadPlan(f, p)
			if err != nil {
				return invalid(fmt.Errorf("%s: %w", args[1], err))
			}
			return reportCheck(cmd, p, pl, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the verdict as JSON and nothing else")
	return cmd
}

// verdict is what `berth check --json` prints.
type verdict struct {
	Legal      bool        `json:"legal"`
	Violations []string    `json:"violations,omitempty"`
	Score      *plan.Score `json:"score,omitempty"`
}

func reportCheck(cmd *cobra.Command, p *plan.Problem, pl *plan.Plan, asJSON bool) error {
	w := cmd.OutOrStdout()
	var v verdict
	for _, violation := range p.Check(pl) {
		v.Violations = append(v.Violations, violation.Error())
	}
	v.Legal = len(v.Violations) == 0
	if v.Legal {
		s := p.Score(pl)
		v.Score = &s
	}
	switch {
	case asJSON:
		if err := printJSON(w, v); err != nil {
			return err
		}
	case v.Legal:
		fmt.Fprintln(w, "legal")
		printScore(w, v.Score)
	default:
		for _, text := range v.Violations {
			fmt.Fprintln(w, text)
		}
	}
	if !v.Legal {
		return fmt.Errorf("the plan breaks %d %s", len(v.Violations), plural(len(v.Violations), "rule"))
	}
	return nil
}
