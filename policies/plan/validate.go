package plan

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"berth/sim/hardware"
)

// Bounds on the size of a problem, so that a small file cannot ask for a large
// amount of memory, and every score is finite.
const (
	MaxCells      = 64 << 20      // GPUs × Steps
	MaxShapeSteps = math.MaxInt32 // duration of one job, in steps
	MaxNumber     = 1e12          // a priority, λ, or hours of a step
)

// Validate reports what makes the problem meaningless: the first fault, naming
// the job or service and what is accepted. A job that fits nowhere and demand
// beyond the cluster are no faults: the job stays unscheduled, the demand is
// counted as shortfall. A valid problem always has a legal plan.
func (p *Problem) Validate() error {
	if err := p.validateGrid(); err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	seen := make(map[string]bool, len(p.Jobs)+len(p.Services))
	for i := range p.Jobs {
		j := &p.Jobs[i]
		err := validID(j.ID, seen)
		if err == nil {
			err = p.validateJob(j)
		}
		if err != nil {
			return &holderError{"job", i, label(j.ID, i), err}
		}
	}
	for i := range p.Services {
		s := &p.Services[i]
		err := validID(s.ID, seen)
		if err == nil {
			err = p.validateService(s)
		}
		if err != nil {
			return &holderError{"service", i, label(s.ID, i), err}
		}
	}
	return p.validateInheritance()
}

// holderError is what is wrong with one job or service.
type holderError struct {
	list  string // "job" or "service"
	index int
	name  string
	fault error
}

func (e *holderError) Error() string {
	return fmt.Sprintf("plan: %s %s: %v", e.list, e.name, e.fault)
}

func (e *holderError) Unwrap() error { return e.fault }

// label names a job or service: by its ID, or by its place when it has none.
func label(id string, i int) string {
	if id == "" {
		return fmt.Sprintf("number %d", i+1)
	}
	return fmt.Sprintf("%q", id)
}

func validID(id string, seen map[string]bool) error {
	switch {
	case id == "":
		return errors.New("id is empty; every job and service needs one of its own")
	case !utf8.ValidString(id):
		return errors.New("id is not UTF-8 text")
	case seen[id]:
		return errors.New("id is used twice; every job and service needs one of its own")
	}
	seen[id] = true
	return nil
}

func (p *Problem) validateGrid() error {
	switch {
	case p.GPUs < 1:
		return fmt.Errorf("gpus = %d; at least 1 is needed", p.GPUs)
	case p.Steps < 1:
		return fmt.Errorf("steps = %d; at least 1 is needed", p.Steps)
	case p.GPUs > MaxCells/p.Steps:
		return fmt.Errorf("%d GPUs × %d steps is too large; accepted are up to %d cells", p.GPUs, p.Steps, MaxCells)
	case !positive(p.StepHours):
		return fmt.Errorf("step_hours = %v; a positive number of hours is needed, at most %g", p.StepHours, MaxNumber)
	case !(p.Gamma > 0 && p.Gamma <= 1):
		return fmt.Errorf("gamma = %v; accepted is (0, 1]", p.Gamma)
	case !(p.Lambda >= 0 && p.Lambda <= MaxNumber):
		return fmt.Errorf("lambda = %v; accepted is 0 or more, at most %g", p.Lambda, MaxNumber)
	case !(p.Sigma >= 0 && p.Sigma <= 1):
		return fmt.Errorf("sigma = %v; accepted is [0, 1]", p.Sigma)
	case p.Alignment > hardware.Scattered:
		return fmt.Errorf("alignment %d is unknown; accepted are contiguous, buddy, scattered", uint8(p.Alignment))
	case p.Boundary > Salvage:
		return fmt.Errorf("boundary %d is unknown; accepted are closed, open, salvage", uint8(p.Boundary))
	}
	next := 0
	for i, d := range p.Domains {
		if d.First != next || d.N < 1 || d.N > p.GPUs-next {
			return fmt.Errorf("domain %d covers GPUs %d … %d; domains must cover GPUs 0 … %d in order without gaps",
				i+1, d.First, d.End()-1, p.GPUs-1)
		}
		next = d.End()
	}
	if p.Domains != nil && next != p.GPUs {
		return fmt.Errorf("domains cover %d of %d GPUs; together they must cover all", next, p.GPUs)
	}
	return nil
}

func (p *Problem) validateJob(j *Job) error {
	switch {
	case !utf8.ValidString(j.Kind):
		return errors.New("kind is not UTF-8 text")
	case !positive(j.Priority):
		return fmt.Errorf("priority = %v; a positive number is needed, at most %g", j.Priority, MaxNumber)
	case j.Earliest < 0:
		return fmt.Errorf("earliest = %d; accepted is step 0 or later", j.Earliest)
	case len(j.Shapes) == 0:
		return errors.New("no shape; at least one pair of GPUs and steps is needed")
	}
	for i, s := range j.Shapes {
		switch {
		case s.GPUs < 1:
			return fmt.Errorf("a shape of %d GPUs; at least 1 is needed", s.GPUs)
		case s.Steps < 1 || s.Steps > MaxShapeSteps:
			return fmt.Errorf("a shape of %d steps; accepted are 1 to %d", s.Steps, MaxShapeSteps)
		case p.Alignment != hardware.Scattered && s.GPUs&(s.GPUs-1) != 0:
			return fmt.Errorf("a shape of %d GPUs; %s blocks are powers of two", s.GPUs, p.Alignment)
		}
		for _, other := range j.Shapes[:i] {
			if other.GPUs == s.GPUs {
				return fmt.Errorf("two shapes of %d GPUs; each size is accepted once", s.GPUs)
			}
		}
	}
	return p.validateHeldJob(j)
}

func (p *Problem) validateHeldJob(j *Job) error {
	if !j.Inherited() {
		return nil
	}
	if err := rangesFault(j.Held, p.GPUs); err != nil {
		return fmt.Errorf("held: %w", err)
	}
	switch {
	case len(j.Shapes) != 1:
		return fmt.Errorf("held is set but there are %d shapes; a running job has one: its size and the steps that remain", len(j.Shapes))
	case j.Earliest != 0:
		return fmt.Errorf("held is set but earliest = %d; a running job goes on at step 0", j.Earliest)
	case hardware.Size(j.Held) != j.Shapes[0].GPUs:
		return fmt.Errorf("held = %q is %d GPUs but the shape has %d; the two must agree",
			hardware.FormatRanges(j.Held), hardware.Size(j.Held), j.Shapes[0].GPUs)
	}
	if why := p.blockFault(j, j.Held); why != "" {
		return fmt.Errorf("held = %q: %s", hardware.FormatRanges(j.Held), why)
	}
	return nil
}

func (p *Problem) validateService(s *Service) error {
	switch {
	case !positive(s.Priority):
		return fmt.Errorf("priority = %v; a positive number is needed, at most %g", s.Priority, MaxNumber)
	case s.Min < 0:
		return fmt.Errorf("min = %d; accepted is 0 or more", s.Min)
	case s.Max < s.Min:
		return fmt.Errorf("max = %d is below min = %d", s.Max, s.Min)
	case s.SwapCap < 0:
		return fmt.Errorf("swap_cap = %d; accepted is 1 or more, or 0 for no limit", s.SwapCap)
	case len(s.Demand) != p.Steps:
		return fmt.Errorf("demand has %d entries; one for each of the %d steps is needed", len(s.Demand), p.Steps)
	case s.Fresh && len(s.Held) > 0:
		return fmt.Errorf("held = %q but fresh is set; a fresh service holds nothing yet", hardware.FormatRanges(s.Held))
	}
	for t, d := range s.Demand {
		if d < 0 {
			return fmt.Errorf("demand of step %d is %d; accepted is 0 or more", t, d)
		}
	}
	if err := rangesFault(s.Held, p.GPUs); err != nil {
		return fmt.Errorf("held: %w", err)
	}
	if n := hardware.Size(s.Held); n > s.Max {
		return fmt.Errorf("held = %q is %d GPUs; at most max = %d are accepted", hardware.FormatRanges(s.Held), n, s.Max)
	}
	return nil
}

func positive(x float64) bool { return x > 0 && x <= MaxNumber }
