package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"berth/policies"
	"berth/sim/config"
	"berth/sim/experiment"
	"berth/sim/metrics"
	"berth/workloads"
)

// sweepFile is the content of a sweep's TOML file.
type sweepFile struct {
	Name     string                 `toml:"name" json:"name"` // default: the file's name
	Base     string                 `toml:"base" json:"base"` // scenario, TOML file or trace; files relative to the sweep's
	Set      []string               `toml:"set" json:"set,omitempty"`
	Policies []string               `toml:"policies" json:"policies"` // the baseline first
	Seeds    *int                   `toml:"seeds" json:"seeds"`       // number, from 1 on; absent means 1
	SeedList []uint64               `toml:"seed_list" json:"seed_list,omitempty"`
	Axes     []experiment.SweepAxis `toml:"axis" json:"axis,omitempty"`
	Latin    experiment.Latin       `toml:"latin" json:"latin,omitzero"`
}

// sweep is a sweep to be run.
type sweep struct {
	sweepFile
	path  string // of its file
	keys  []string
	cells []experiment.SweepCell

	sums map[string]string // checksums of the files read, by path
}

// loadSweep reads a sweep and addresses its cells.
func loadSweep(path string) (*sweep, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, invalid(err)
	}
	s := &sweep{path: path, sums: map[string]string{}}
	if err := config.DecodeStrict(text, path, &s.sweepFile); err != nil {
		return nil, invalid(err)
	}
	if s.Name == "" {
		s.Name = baseName(path)
	}
	switch {
	case s.Base == "":
		return nil, invalid(fmt.Errorf("%s: base is needed: a scenario (%s), a TOML file or a trace", path, strings.Join(workloads.Names(), ", ")))
	case s.Base == "-":
		return nil, invalid(fmt.Errorf("%s: base \"-\": a sweep reads its base many times; a file is accepted", path))
	case len(s.Policies) == 0:
		return nil, invalid(fmt.Errorf("%s: policies is needed; 'berth list policies' names them", path))
	}
	if err := s.chooseSeeds(); err != nil {
		return nil, invalid(wrap(path, err))
	}
	if twice, ok := repeated(s.Policies); ok {
		return nil, invalid(fmt.Errorf("%s: policies names %s twice", path, twice))
	}
	dims, err := experiment.Dimensions(s.Axes, s.Latin)
	if err != nil {
		return nil, invalid(wrap(path, err))
	}
	if err := experiment.CheckSize(dims, len(s.Policies)*len(s.SeedList)); err != nil {
		return nil, invalid(wrap(path, err))
	}
	var points []experiment.Point
	s.keys, points = experiment.Points(dims)
	return s, s.address(points)
}

// chooseSeeds makes the list of seeds. None may stand there twice: the two
// would count as independent samples.
func (s *sweep) chooseSeeds() error {
	n := 1
	switch {
	case s.Seeds != nil && s.SeedList != nil:
		return errors.New("seeds and seed_list exclude each other")
	case s.Seeds != nil:
		if n = *s.Seeds; n < 1 {
			return fmt.Errorf("seeds = %d; a number of at least 1 is accepted", n)
		}
	case s.SeedList != nil && len(s.SeedList) == 0:
		return errors.New("seed_list is empty; at least one seed is needed")
	}
	if twice, ok := repeated(s.SeedList); ok {
		return fmt.Errorf("seed_list has %d twice; it would count as two samples", twice)
	}
	if s.SeedList == nil {
		s.SeedList = seedsTo(n)
	}
	n = len(s.SeedList)
	s.Seeds = &n
	return nil
}

// address makes the cells: points × policies × seeds, the seeds innermost.
func (s *sweep) address(points []experiment.Point) error {
	records := recordings{}
	for _, p := range points {
		in, err := s.input(p)
		if err != nil {
			return invalid(wrap(s.path, err))
		}
		for _, policy := range s.Policies {
			hash, err := s.hash(in, policy)
			if err == nil {
				err = records.add(in, policy, s.SeedList)
			}
			if err != nil {
				return invalid(wrap(s.path, err))
			}
			for _, seed := range s.SeedList {
				s.cells = append(s.cells, experiment.SweepCell{ID: hash(seed), Point: p, Policy: policy, Seed: seed})
			}
		}
	}
	return nil
}

// input is the base with a point's settings.
func (s *sweep) input(p experiment.Point) (*input, error) {
	base := s.Base
	if !slices.Contains(workloads.Names(), base) && !filepath.IsAbs(base) {
		base = filepath.Join(filepath.Dir(s.path), base)
	}
	settings := slices.Clone(s.Set)
	for i, l := range p {
		settings = append(settings, s.keys[i]+"="+l.TOML)
	}
	return load(base, settings)
}

// hash addresses the cells of a configuration by seed: all that the result
// depends on but the program. Files count by their content, wherever they are.
func (s *sweep) hash(in *input, policy string) (func(seed uint64) string, error) {
	name, options, err := in.policy(policy)
	if err != nil {
		return nil, err
	}
	resolved := in.file
	resolved.Policy = options
	resolved.Services = slices.Clone(in.Services)
	paths := []*string{&resolved.Trace.File, &resolved.Trace.With, &resolved.Trace.Nodes}
	for i := range resolved.Services {
		if t := resolved.Services[i].Traffic; t != nil {
			traffic := *t
			resolved.Services[i].Traffic = &traffic
			paths = append(paths, &traffic.File)
		}
	}
	for _, path := range paths {
		if *path == "" {
			continue
		}
		if *path, err = s.fileSum(*path); err != nil {
			return nil, err
		}
	}
	programs, err := s.programSums(name, options)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(config.Tree(resolved))
	if err != nil {
		return nil, err
	}
	return func(seed uint64) string {
		id := checksum(fmt.Appendf(nil, "%d\n%s\n%d\n%s%s", experiment.ResultSchema, name, seed, text, programs[seed]))
		return strings.TrimPrefix(id, "sha256:")[:32]
	}, nil
}

// fileSum is the checksum of a file, which is read once.
func (s *sweep) fileSum(path string) (string, error) {
	if s.sums[path] == "" {
		sum, err := fileSum(path)
		if err != nil {
			return "", err
		}
		s.sums[path] = sum
	}
	return s.sums[path], nil
}

// programSums are, by seed, the checksums of the files that decide in exec;
// empty for other policies.
func (s *sweep) programSums(policy string, options policies.Config) (map[uint64]string, error) {
	sums := map[uint64]string{}
	for _, seed := range s.SeedList {
		options.Seed = seed
		for _, path := range programFiles(policy, options) {
			sum, err := s.fileSum(path)
			if err != nil {
				return nil, err
			}
			sums[seed] += "\n" + sum
		}
	}
	return sums, nil
}

// run makes one cell. It holds no input between cells, so memory does not grow
// with the sweep.
func (s *sweep) run(ctx context.Context, c experiment.SweepCell) (*metrics.Report, error) {
	in, err := s.input(c.Point)
	if err == nil {
		err = in.check()
	}
	if err != nil {
		return nil, err
	}
	setup, err := in.setup(c.Policy, c.Seed, nil)
	if err != nil {
		return nil, err
	}
	return setup.Run(ctx)
}

// manifest says what the tables were made from, and what is not in them.
func (s *sweep) manifest(missing experiment.Missing) (any, error) {
	in, err := s.input(nil)
	if err != nil {
		return nil, err
	}
	type failed struct {
		Cell   string   `json:"cell"`
		Levels []string `json:"levels"`
		Policy string   `json:"policy"`
		Seed   uint64   `json:"seed"`
		Error  string   `json:"error"`
	}
	m := struct {
		Version string            `json:"version"`
		Written map[string]int    `json:"cells_by_version"` // of the program that ran them
		Schema  int               `json:"result_schema"`
		Sweep   sweepFile         `json:"sweep"`
		Keys    []string          `json:"keys"`
		Base    any               `json:"base_configuration"`
		Inputs  map[string]string `json:"inputs"`
		Cells   int               `json:"cells"`
		Absent  int               `json:"absent"`
		Failed  []failed          `json:"failed"`
	}{version(), missing.Versions, experiment.ResultSchema, s.sweepFile, s.keys, config.Tree(in.file), map[string]string{}, len(s.cells), len(missing.Absent), []failed{}}
	text, err := os.ReadFile(s.path)
	if err != nil {
		return nil, err
	}
	m.Inputs[filepath.Base(s.path)] = checksum(text)
	err = in.sum()
	for name, sum := range in.checksums {
		m.Inputs[name] = sum
	}
	for _, f := range missing.Failed {
		levels := []string{}
		for _, l := range f.Cell.Point {
			levels = append(levels, l.Text)
		}
		m.Failed = append(m.Failed, failed{f.Cell.ID, levels, f.Cell.Policy, f.Cell.Seed, f.Error})
	}
	return m, err
}
