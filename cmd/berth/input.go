package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"berth/policies"
	"berth/sim"
	"berth/sim/config"
	"berth/sim/experiment"
	"berth/sim/hardware"
	"berth/sim/metrics"
	"berth/traces"
	"berth/workloads"
)

// input is what the first argument of a command stands for, after --set.
type input struct {
	file
	checksums map[string]string // of the files read, by name
	onOutlook func(policies.Outlook)
}

// file is the content of a scenario file: a scenario, the options of the
// policy, and a trace whose jobs take the place of the scenario's.
type file struct {
	workloads.Scenario
	Policy policies.Config `toml:"policy"`
	Trace  traceTable      `toml:"trace"`
}

// load reads a scenario by name, a TOML file, or a trace, and applies the
// settings, each "key=value" with a dotted key.
func load(name string, settings []string) (*input, error) {
	in := &input{checksums: map[string]string{}}
	var text []byte
	var err error
	path := name
	switch {
	case slices.Contains(workloads.Names(), name):
		text, path, err = workloads.Source(name)
	case strings.HasSuffix(name, ".toml"):
		text, err = os.ReadFile(name)
		in.checksums[filepath.Base(name)] = checksum(text)
	default:
		err = in.fromTrace(name)
	}
	if err == nil && text != nil {
		err = config.DecodeStrict(text, path, &in.file)
		in.Trace.resolve(filepath.Dir(path))
	}
	if err != nil {
		return nil, invalid(err)
	}
	if in.Name == "" {
		in.Name = baseName(name)
	}
	for _, s := range settings {
		if err := in.set(s); err != nil {
			return nil, err
		}
	}
	return in, in.loadTraffic(filepath.Dir(path))
}

// fromTrace makes a recorded trace a scenario of its own: its jobs, on any free
// GPUs, until the last has ended.
func (in *input) fromTrace(path string) error {
	if path != "-" {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("%q is no scenario (%s), TOML file or trace: %w", path, strings.Join(workloads.Names(), ", "), err)
		}
		if info.IsDir() {
			return fmt.Errorf("%s is a folder; a scenario, a TOML file or a trace is accepted", path)
		}
	}
	in.Trace.File = path
	in.Cluster.Alignment = hardware.Scattered
	return nil
}

func checksum(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// baseName is a file's name without folders, compression and kind.
func baseName(path string) string {
	if path == "-" {
		return "stdin"
	}
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".zst")
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// set applies one setting. The value is TOML; a bare word is a string.
func (in *input) set(setting string) error {
	key, value, ok := strings.Cut(setting, "=")
	if !ok || key == "" {
		return usage(fmt.Errorf("--set %s: key=value is expected, as in --set cluster.gpus=128", setting))
	}
	return invalid(in.assign(key, value, "--set "+setting))
}

// assign gives a dotted key a value, which is TOML or a bare word; errors begin
// with where it was said.
func (in *input) assign(key, value, where string) error {
	err := config.DecodeSetting(key, value, &in.file)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// check reports what makes the input no workload, before any run.
func (in *input) check() error {
	if in.Trace.File == "" {
		return invalid(wrap(in.Name, in.Validate()))
	}
	if len(in.Classes) > 0 {
		return invalid(fmt.Errorf("%s: jobs and trace exclude each other: the jobs come from one or the other", in.Name))
	}
	return nil
}

func wrap(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// setup is a run of the input under a policy and a seed. onTrace, when not nil,
// is given the trace that was replayed.
func (in *input) setup(policy string, seed uint64, onTrace func(*traces.Trace)) (experiment.Setup, error) {
	name, c, err := in.policy(policy)
	if err != nil {
		return experiment.Setup{}, usage(err)
	}
	c.Gamma, c.Lambda = in.Weights()
	c.Seed, c.OnOutlook = seed, in.onOutlook
	if _, err := policies.New(name, c); err != nil {
		return experiment.Setup{}, invalid(err)
	}
	return experiment.Setup{
		Scenario: in.Name, Policy: policy, Seed: seed,
		NewWorkload: func() (*sim.Workload, error) { return in.workload(seed, onTrace) },
		NewPolicy:   func() (sim.Policy, error) { return policies.New(name, c) },
		Objective:   metrics.Objective{Gamma: c.Gamma, Lambda: c.Lambda, Step: in.Step()},
		OneHorizon:  in.HorizonHours > 0,
	}, nil
}

// policy splits "easy:reserve=curve" into a name and its options. A value with
// a colon stands in quotes.
func (in *input) policy(text string) (string, policies.Config, error) {
	parts := splitOutside(text, ":")
	name := parts[0]
	if !slices.ContainsFunc(policies.All(), func(e policies.Entry) bool { return e.Name == name }) {
		_, err := policies.New(name, policies.Config{})
		return "", policies.Config{}, err
	}
	variant := input{file: file{Policy: in.Policy}}
	for _, option := range parts[1:] {
		key, value, _ := strings.Cut(option, "=")
		err := checkOption(name, key)
		if err == nil {
			err = variant.assign("policy."+key, value, key+"="+value)
		}
		if err != nil {
			return "", policies.Config{}, fmt.Errorf("policy %q: %w", text, err)
		}
	}
	return name, variant.Policy, nil
}

// checkOption reports an option that the policy does not read: it would change
// the policy's name in tables and nothing else.
func checkOption(policy, key string) error {
	var reads []string
	for _, o := range policies.OptionsOf(policy) {
		if o.Key == key {
			return nil
		}
		reads = append(reads, o.Key)
	}
	return fmt.Errorf("%s has no option %q; accepted are %s", policy, key, strings.Join(reads, ", "))
}

// programFiles are the files that decide in the policy exec: the record that
// answers or else the words of the command that name a file. A program that is
// looked up in PATH is not among them.
func programFiles(policy string, c policies.Config) (paths []string) {
	if policy != "exec" {
		return nil
	}
	if c.Replay != "" {
		return []string{c.ReplayPath()}
	}
	words, err := c.CommandWords()
	if err != nil {
		return nil // the run says so
	}
	for i, word := range words {
		if i == 0 && !strings.ContainsRune(word, filepath.Separator) {
			continue
		}
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() {
			paths = append(paths, word)
		}
	}
	return paths
}

// workload makes the workload for a seed.
func (in *input) workload(seed uint64, onTrace func(*traces.Trace)) (*sim.Workload, error) {
	if in.Trace.File == "" {
		w, err := in.Generate(seed)
		return w, invalid(err)
	}
	return in.replay(seed, onTrace)
}

// sum adds the checksums of the trace and what it needs to those of the inputs.
func (in *input) sum() error {
	for _, path := range []string{in.Trace.File, in.Trace.With, in.Trace.Nodes} {
		if path == "" || path == "-" {
			continue
		}
		sum, err := fileSum(path)
		if err != nil {
			return err
		}
		in.keepSum(path, sum)
	}
	return nil
}

// keepSum keeps a file's checksum under its name or, where another file has
// that, under its path.
func (in *input) keepSum(path, sum string) {
	name := filepath.Base(path)
	if other, ok := in.checksums[name]; ok && other != sum {
		name = path
	}
	in.checksums[name] = sum
}

// fileSum is the checksum of a file.
func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}
