package main

import (
	"context"
	"math"

	"berth/policies"
	"berth/policies/allocator"
	"berth/policies/plan"
	"berth/sim"
	"berth/sim/experiment"
	"berth/sim/metrics"
)

// References of a study beside fifo: a plan of the whole run by the fast
// allocator, which knows everything that will come, and what no run can
// surpass (policies.Bound). Neither decays, as the value that they stand
// beside. Each is made twice: for the whole run and for its interior, so that
// both have their own.
const (
	clairvoyant = "clairvoyant"
	bound       = "bound"
)

// referenceOf is the reference that a cell asks for; empty when it is none of
// the two.
func referenceOf(c experiment.Cell) string {
	if c.Factor == "reference" && (c.Level == clairvoyant || c.Level == bound) {
		return c.Level
	}
	return ""
}

// clairvoyantBudget is the evaluations of a clairvoyant plan.
const clairvoyantBudget = 60_000

// refer makes the run's reference, for the whole run and for the interior.
func (s *studyRun) refer(ctx context.Context) error {
	whole, err := s.setup.NewWorkload()
	if err != nil {
		return err
	}
	end := whole.Horizon
	s.report, s.nervousness = &metrics.Report{GPUs: whole.Topology.GPUs()}, math.NaN()
	for _, until := range []sim.Time{end, s.interior} {
		if until <= 0 { // a run of a day has no interior
			continue
		}
		w, err := s.setup.NewWorkload()
		if err != nil {
			return err
		}
		w.Closed = w.Closed && until == end
		if s.reference == bound {
			err = s.bound(w, until)
		} else {
			err = s.clairvoyant(ctx, w, until)
		}
		if err != nil {
			return err
		}
	}
	s.done = true
	return ctx.Err()
}

func (s *studyRun) bound(w *sim.Workload, until sim.Time) error {
	b, err := policies.Bound(w, s.setup.Objective.Lambda, until)
	if until == s.interior {
		s.value = b
	} else {
		s.report.Value = b
	}
	return err
}

func (s *studyRun) clairvoyant(ctx context.Context, w *sim.Workload, until sim.Time) error {
	w.Horizon = until
	p, err := policies.Offline(w, 1, s.setup.Objective.Lambda)
	if err != nil {
		return err
	}
	if err := p.Validate(); err != nil {
		return err
	}
	pl, _ := allocator.Solve(ctx, p, allocator.Options{Seed: s.setup.Seed, Budget: allocator.Budget{Evaluations: clairvoyantBudget}})
	score := p.Score(pl)
	penalty := score.DecayedValue - score.Objective
	if until == s.interior {
		s.value, s.utilization, s.interiorPenalty = score.Value, score.Utilization, penalty
		return nil
	}
	r := s.report
	r.Value, r.Utilization, r.ShortfallGPUHours, r.Swaps = score.Value, score.Utilization, score.ShortfallGPUHours, score.Swaps
	r.Jobs.Completed = completed(p, pl)
	s.penalty = penalty
	return nil
}

// completed counts the jobs that end within the plan.
func completed(p *plan.Problem, pl *plan.Plan) int {
	n := 0
	for i, at := range pl.Jobs {
		if at.Start != plan.Unscheduled && at.Start+p.Jobs[i].Shapes[at.Shape].Steps <= p.Steps {
			n++
		}
	}
	return n
}
