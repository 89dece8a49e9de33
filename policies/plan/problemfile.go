package plan

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"berth/sim/config"
	"berth/sim/hardware"
)

// MaxFileBytes is how long a problem or plan file may be.
const MaxFileBytes = 64 << 20

// problemFile is a problem as TOML writes it. Pointers tell what is absent
// from what is zero.
type problemFile struct {
	GPUs      int                `toml:"gpus"`
	Steps     *int               `toml:"steps"`
	StepHours *float64           `toml:"step_hours"`
	Domains   []int              `toml:"domains"` // sizes
	Alignment hardware.Alignment `toml:"alignment"`
	Boundary  Boundary           `toml:"boundary"`
	Gamma     *float64           `toml:"gamma"`
	Lambda    *float64           `toml:"lambda"`
	Sigma     float64            `toml:"sigma"`
	Jobs      []jobTable         `toml:"job"`
	Services  []serviceTable     `toml:"service"`
}

type jobTable struct {
	ID       string       `toml:"id"`
	Kind     string       `toml:"kind"`
	Priority *float64     `toml:"priority"`
	Earliest int          `toml:"earliest"`
	GPUs     *int         `toml:"gpus"`
	Steps    *int         `toml:"steps"`
	Shapes   []shapeTable `toml:"shapes"`
	Across   bool         `toml:"across"`
	Held     string       `toml:"held"`
}

type shapeTable struct {
	GPUs  int `toml:"gpus"`
	Steps int `toml:"steps"`
}

type serviceTable struct {
	ID       string   `toml:"id"`
	Priority *float64 `toml:"priority"`
	Min      int      `toml:"min"`
	Max      *int     `toml:"max"`
	SwapCap  *int     `toml:"swap_cap"`
	Demand   []int    `toml:"demand"`
	Held     *string  `toml:"held"`
	Fresh    *bool    `toml:"fresh"`
}

// ReadProblem reads a problem from TOML and validates it; name is the file's,
// for errors, which begin with name and line. Keys:
//
//	gpus        needed          steps      24      step_hours  1
//	domains     [8, 8]: sizes of the link domains; absent means one
//	alignment   "contiguous", "buddy" or "scattered"; the first when absent
//	boundary    "closed", "open" or "salvage"; the first when absent
//	gamma       0.97            lambda     8       sigma       0
//
//	[[job]]     id needed; kind ""; priority 1; earliest 0; across false
//	            gpus and steps, or shapes = [{gpus = 1, steps = 4}, …]
//	            held = "0-3": it runs on these when the plan starts
//	[[service]] id needed; priority 1; min 0; max gpus; swap_cap 2 (0: no limit)
//	            demand = [2, 3, …]: one entry a step
//	            held = "0-1": before the plan starts; "" is nothing
//	            fresh: true when held is absent, else false
func ReadProblem(r io.Reader, name string) (*Problem, error) {
	data, err := readAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var f problemFile
	if err := config.DecodeStrict(data, name, &f); err != nil {
		return nil, err
	}
	p, err := f.problem()
	if err == nil {
		err = p.Validate()
	}
	if err != nil {
		return nil, at(err, data, name)
	}
	return p, nil
}

func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFileBytes+1))
	if err == nil && len(data) > MaxFileBytes {
		err = fmt.Errorf("the file is too long; accepted are %d MiB", MaxFileBytes>>20)
	}
	return data, err
}

// at puts the file, and the line of the job or service if it is known, before
// an error.
func at(err error, data []byte, name string) error {
	where, what := name, err.Error()
	var holder *holderError
	if errors.As(err, &holder) {
		if line := config.TableLine(data, holder.list, holder.index); line > 0 {
			where = fmt.Sprintf("%s:%d", name, line)
		}
	}
	return fmt.Errorf("%s: %s", where, strings.TrimPrefix(what, "plan: "))
}

func or[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

func (f *problemFile) problem() (*Problem, error) {
	p := &Problem{
		GPUs: f.GPUs, Steps: or(f.Steps, DefaultSteps), StepHours: or(f.StepHours, 1),
		Alignment: f.Alignment, Boundary: f.Boundary,
		Gamma: or(f.Gamma, DefaultGamma), Lambda: or(f.Lambda, DefaultLambda), Sigma: f.Sigma,
	}
	first := 0
	for _, n := range f.Domains {
		p.Domains = append(p.Domains, hardware.Range{First: first, N: n})
		first += n
	}
	for i := range f.Jobs {
		j, err := f.Jobs[i].job()
		if err != nil {
			return nil, &holderError{"job", i, label(j.ID, i), err}
		}
		p.Jobs = append(p.Jobs, j)
	}
	for i := range f.Services {
		s, err := f.Services[i].service(f.GPUs)
		if err != nil {
			return nil, &holderError{"service", i, label(s.ID, i), err}
		}
		p.Services = append(p.Services, s)
	}
	return p, nil
}

func (f *jobTable) job() (Job, error) {
	j := Job{ID: f.ID, Kind: f.Kind, Priority: or(f.Priority, 1), Earliest: f.Earliest, Across: f.Across}
	rigid := f.GPUs != nil || f.Steps != nil
	switch {
	case rigid && len(f.Shapes) > 0:
		return j, errors.New("both gpus, steps and shapes are given; one of the two ways is accepted")
	case rigid && (f.GPUs == nil || f.Steps == nil):
		return j, errors.New("gpus and steps are needed together")
	case rigid:
		j.Shapes = []Shape{{GPUs: *f.GPUs, Steps: *f.Steps}}
	}
	for _, s := range f.Shapes {
		j.Shapes = append(j.Shapes, Shape(s))
	}
	var err error
	j.Held, err = parseRanges("held", f.Held)
	return j, err
}

func (f *serviceTable) service(gpus int) (Service, error) {
	s := Service{
		ID: f.ID, Priority: or(f.Priority, 1), Min: f.Min, Max: or(f.Max, gpus),
		SwapCap: or(f.SwapCap, DefaultSwapCap), Demand: f.Demand, Fresh: or(f.Fresh, f.Held == nil),
	}
	var err error
	s.Held, err = parseRanges("held", or(f.Held, ""))
	return s, err
}

// parseRanges reads GPUs such as "0-7 12".
func parseRanges(key, text string) ([]hardware.Range, error) {
	rs, err := hardware.ParseRanges(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return rs, nil
}
