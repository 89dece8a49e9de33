package plan

import (
	"fmt"
	"strings"
)

// Constraint is a rule that a legal plan obeys.
type Constraint uint8

const (
	Capacity       Constraint = iota + 1 // a GPU serves one job or service a step
	Range                                // declared GPU counts; inherited work keeps its GPUs
	Block                                // a job's GPUs are one aligned block of 2ⁿ, inside a domain
	SwapCap                              // a service gains and loses at most its cap between steps
	NoInterruption                       // what runs when the plan starts goes on at once
	Horizon                              // earliest step, and the closed end of the horizon
	Form                                 // the plan is malformed; the holding is not judged further
)

var constraintNames = [...]string{
	Capacity: "capacity", Range: "range", Block: "block", SwapCap: "swap cap",
	NoInterruption: "no interruption", Horizon: "horizon", Form: "form",
}

func (c Constraint) String() string {
	if c == 0 || int(c) >= len(constraintNames) {
		return fmt.Sprintf("constraint(%d)", uint8(c))
	}
	return constraintNames[c]
}

// MaxViolations is how many violations Check reports at most.
const MaxViolations = 100

// Violation is one breach of a constraint. It is an error.
type Violation struct {
	Constraint   Constraint
	Job, Service string // ID of the holder at fault; both empty when it is the plan
	GPU          int    // first GPU concerned, −1 when it is not about one
	Step         int    // first step concerned, −1 when it is not about one
	Detail       string // what is wrong, and what is accepted
}

// String is one line such as
//
//	capacity: job "t1", GPU 3, step 5: also held by service "chat"
func (v Violation) String() string {
	var where []string
	switch {
	case v.Job != "":
		where = append(where, fmt.Sprintf("job %q", v.Job))
	case v.Service != "":
		where = append(where, fmt.Sprintf("service %q", v.Service))
	default:
		where = append(where, "plan")
	}
	if v.GPU >= 0 {
		where = append(where, fmt.Sprintf("GPU %d", v.GPU))
	}
	if v.Step >= 0 {
		where = append(where, fmt.Sprintf("step %d", v.Step))
	}
	return v.Constraint.String() + ": " + strings.Join(where, ", ") + ": " + v.Detail
}

// Error is String.
func (v Violation) Error() string { return v.String() }
