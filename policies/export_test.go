package policies

import (
	"berth/policies/plan"
	"berth/sim"
)

// ProblemNow is the problem that the policy horizon would plan at a round.
func ProblemNow(p sim.Policy, r *sim.Round) *plan.Problem {
	h := *p.(*horizon)
	h.forecast = nil // what the last plan was made for stays
	q, _ := h.problem(r, int(r.Now()/r.Step()))
	return q
}

// Promises are the starts that the policy conservative has promised, by ID.
func Promises(p sim.Policy) map[int64]sim.Time {
	out := map[int64]sim.Time{}
	for _, b := range p.(*conservative).due {
		out[b.job.ID] = b.from
	}
	return out
}
