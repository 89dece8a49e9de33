package plan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"berth/sim/hardware"
)

// NewPlan is the empty plan of a problem: every job unscheduled, every service
// holding nothing in every step. Where work is inherited it is not legal yet.
func NewPlan(p *Problem) *Plan {
	pl := &Plan{Jobs: make([]Placement, len(p.Jobs)), Services: make([][][]hardware.Range, len(p.Services))}
	for i := range pl.Jobs {
		pl.Jobs[i].Start = Unscheduled
	}
	for i := range pl.Services {
		pl.Services[i] = make([][]hardware.Range, p.Steps)
	}
	return pl
}

func (f *planFile) placeJobs(p *Problem, pl *Plan) error {
	index := make(map[string]int, len(p.Jobs))
	for i := range p.Jobs {
		index[p.Jobs[i].ID] = i
	}
	for _, line := range f.Jobs {
		i, err := take(index, line.ID, "jobs")
		if err == nil {
			pl.Jobs[i], err = line.placement(p, &p.Jobs[i])
		}
		if err != nil {
			return fmt.Errorf("plan: job %q: %w", line.ID, err)
		}
	}
	return nil
}

// take finds an ID once.
func take(index map[string]int, id, list string) (int, error) {
	i, ok := index[id]
	switch {
	case !ok:
		return 0, fmt.Errorf("the problem has none of this id; accepted are its %d %s", len(index), list)
	case i < 0:
		return 0, errors.New("it is listed twice; once is accepted")
	}
	index[id] = -1
	return i, nil
}

func (line *placementJSON) placement(p *Problem, j *Job) (Placement, error) {
	at := Placement{Start: Unscheduled}
	switch {
	case line.Start == nil && line.GPUs == "":
		return at, nil
	case line.Start == nil:
		return at, fmt.Errorf("gpus = %q without a start; give both, or neither to leave it unscheduled", line.GPUs)
	case *line.Start < 0:
		return at, fmt.Errorf("start = %d; accepted are 0 … %d, or null to leave it unscheduled", *line.Start, p.Steps-1)
	}
	gpus, err := parseRanges("gpus", line.GPUs)
	if err != nil {
		return at, err
	}
	n := hardware.Size(gpus)
	var sizes []string
	for k, s := range j.Shapes {
		if s.GPUs == n {
			return Placement{Start: *line.Start, Shape: k, GPUs: gpus}, nil
		}
		sizes = append(sizes, strconv.Itoa(s.GPUs))
	}
	return at, fmt.Errorf("gpus = %q is %d GPUs; accepted numbers are %s", line.GPUs, n, strings.Join(sizes, ", "))
}

func (f *planFile) placeServices(p *Problem, pl *Plan) error {
	index := make(map[string]int, len(p.Services))
	for i := range p.Services {
		index[p.Services[i].ID] = i
	}
	for _, line := range f.Services {
		i, err := take(index, line.ID, "services")
		if err == nil && len(line.Held) != p.Steps {
			err = fmt.Errorf("held has %d entries; one for each of the %d steps is needed", len(line.Held), p.Steps)
		}
		for t := 0; err == nil && t < len(line.Held); t++ {
			pl.Services[i][t], err = parseRanges(fmt.Sprintf("held of step %d", t), line.Held[t])
		}
		if err != nil {
			return fmt.Errorf("plan: service %q: %w", line.ID, err)
		}
	}
	return nil
}
