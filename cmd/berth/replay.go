package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"berth/sim"
	"berth/traces"
)

// traceTable says which trace to replay and how to read it: the [trace] table
// of a scenario and the flags of berth trace, which say what a key without the tag
// help means. See docs/traces.md.
type traceTable struct {
	File  string `toml:"file" help:"recorded trace, relative to the scenario file"`                        // relative to the scenario file
	Nodes string `toml:"nodes" help:"list of nodes that makes the cluster, relative to the scenario file"` // list of nodes that makes the cluster, relative too
	With  string `toml:"with"`                                                                             // second file that some formats need, relative too

	Format    string  `toml:"format"`
	KeepGoing bool    `toml:"keep_going"`
	Sort      bool    `toml:"sort"`
	CPUOnly   bool    `toml:"cpu_only"`
	Completed bool    `toml:"completed"`
	Priority  float64 `toml:"priority" help:"priority of every job; default 1"` // of every job; 0 means 1
	GPUType   string  `toml:"gpu_type"`
	Flops     float64 `toml:"flops"`
	MinRun    word    `toml:"min_run"`
	Unit      word    `toml:"unit"`
	RecordEnd word    `toml:"record_end"`
	Origin    word    `toml:"origin"`
	Zone      word    `toml:"zone"`

	From      word     `toml:"from"`
	Until     word     `toml:"until"`
	Tenants   []string `toml:"tenants"`
	Sample    float64  `toml:"sample"`
	ScaleLoad float64  `toml:"scale_load"`
}

// word is text that TOML may also write as a number or a date.
type word string

// UnmarshalTOML accepts strings, numbers and dates.
func (w *word) UnmarshalTOML(v any) error {
	switch v := v.(type) {
	case string:
		*w = word(v)
	case int64, float64:
		*w = word(fmt.Sprint(v))
	case time.Time:
		*w = word(v.Format("2006-01-02T15:04:05"))
		if v.Location().String() != "datetime-local" && v.Location().String() != "date-local" {
			*w = word(v.Format(time.RFC3339))
		}
	default:
		return errors.New("a word, a number or a date is accepted")
	}
	return nil
}

func (w *word) String() string     { return string(*w) }
func (w *word) Set(s string) error { *w = word(s); return nil }
func (w *word) Type() string       { return "text" }

// resolve makes paths relative to a folder.
func (t *traceTable) resolve(dir string) {
	for _, path := range []*string{&t.File, &t.Nodes, &t.With} {
		if *path != "" && *path != "-" && !filepath.IsAbs(*path) {
			*path = filepath.Join(dir, *path)
		}
	}
}

// flags are those of berth trace.
func (t *traceTable) flags(f *pflag.FlagSet) {
	f.StringVar(&t.Format, "as", "", "format of the trace (default: recognised by content)")
	f.BoolVar(&t.KeepGoing, "keep-going", false, "count malformed lines as rejects, and fill gaps that can be filled")
	f.BoolVar(&t.Sort, "sort", false, "sort the trace by submission first")
	f.BoolVar(&t.CPUOnly, "cpu-only", false, "take jobs that ask for no GPU")
	f.BoolVar(&t.Completed, "completed", false, "leave out jobs that failed or were killed")
	f.StringVar(&t.With, "with", "", "second `file` that gavel, pai-job and pai-instance need")
	f.StringVar(&t.GPUType, "gpu-type", "", "GPU of gavel's throughputs (default v100)")
	f.Float64Var(&t.Flops, "flops", 0, "operations a second of a processor, for batsim's parallel profiles")
	f.Var(&t.MinRun, "min-run", "raise shorter run times to this `length`, as 1s")
	f.Var(&t.Unit, "unit", "unit of times that are numbers, as 1ms (default: the format's)")
	f.Var(&t.RecordEnd, "record-end", "`time` at which jobs without an end ended")
	f.Var(&t.Origin, "origin", "calendar `time` of the record's zero (default: the format's)")
	f.Var(&t.Zone, "zone", "zone of calendar times that name none, as +08:00 (default UTC)")
	f.Var(&t.From, "from", "take jobs submitted from this `time` on: 36h, 2.5d, 2017-10-03")
	f.Var(&t.Until, "until", "take jobs submitted before this `time`")
	f.StringSliceVar(&t.Tenants, "tenant", nil, "take the jobs of these tenants")
	f.Float64Var(&t.Sample, "sample", 0, "take this share of the jobs, by chance (default all)")
	f.Float64Var(&t.ScaleLoad, "scale-load", 0, "divide the times between submissions by this (default 1)")
}

// zone reads UTC or an offset. Names of zones are not looked up: their rules
// differ from machine to machine.
func zone(text word) (*time.Location, error) {
	if text == "" {
		return nil, nil
	}
	if text == "UTC" || text == "Z" {
		return time.UTC, nil
	}
	if t, err := time.Parse("-07:00", string(text)); err == nil {
		_, east := t.Zone()
		return time.FixedZone("", east), nil
	}
	return nil, fmt.Errorf("zone %q; accepted are UTC and offsets as +08:00", text)
}

// options are the table's, for reading and for taking part. Errors name the
// key as its flag or as a setting.
func (t *traceTable) options(seed uint64, settings bool) (o traces.Options, f traces.Filter, err error) {
	bad := func(key string, err error) error {
		if settings {
			return fmt.Errorf("trace.%s: %w", strings.ReplaceAll(key, "-", "_"), err)
		}
		return fmt.Errorf("--%s: %w", key, err)
	}
	o = traces.Options{
		Format: t.Format, KeepGoing: t.KeepGoing, Sort: t.Sort, Priority: t.Priority, CPUOnly: t.CPUOnly,
		Completed: t.Completed, With: t.With, GPUType: t.GPUType, Flops: t.Flops, Settings: settings,
	}
	if o.Zone, err = zone(t.Zone); err != nil {
		return o, f, bad("zone", err)
	}
	for _, l := range []struct {
		key  string
		text word
		to   *sim.Time
	}{{"min-run", t.MinRun, &o.MinRun}, {"unit", t.Unit, &o.Unit}} {
		if l.text == "" {
			continue
		}
		var ok bool
		if *l.to, ok = traces.ParseTime(string(l.text)); !ok {
			return o, f, bad(l.key, fmt.Errorf("%q is no length of time; accepted are 90, 1.5s, 2h, 3d", l.text))
		}
	}
	for _, l := range []struct {
		key  string
		text word
		to   func(traces.Instant)
	}{
		{"from", t.From, func(i traces.Instant) { f.From = i }},
		{"until", t.Until, func(i traces.Instant) { f.Until = i }},
		{"origin", t.Origin, func(i traces.Instant) { o.Origin = i.At }},
		{"record-end", t.RecordEnd, func(i traces.Instant) {
			if o.RecordEnd = i.Since; !i.At.IsZero() {
				o.RecordEnd = sim.Time(i.At.UnixNano())
			}
		}},
	} {
		if l.text == "" {
			continue
		}
		i, err := traces.ParseInstant(string(l.text), o.Zone)
		if err != nil {
			return o, f, bad(l.key, err)
		}
		l.to(i)
	}
	if t.Origin != "" && o.Origin.IsZero() {
		return o, f, bad("origin", fmt.Errorf("%q is no calendar time; accepted are 2017-10-03 or 2017-10-03T12:00:00Z", t.Origin))
	}
	f.Tenants, f.Sample, f.ScaleLoad, f.Seed = t.Tenants, t.Sample, t.ScaleLoad, seed
	return o, f, f.Check()
}

// replay makes the workload of the input's trace. The machine is what a list
// of nodes says, or cluster.gpus, or the recorded one.
func (in *input) replay(seed uint64, onTrace func(*traces.Trace)) (*sim.Workload, error) {
	o, f, err := in.Trace.options(seed, true)
	if err != nil {
		return nil, invalid(err)
	}
	scenario := in.Scenario
	var nodes *traces.Cluster
	if in.Trace.Nodes != "" {
		if nodes, err = traces.OpenCluster(in.Trace.Nodes, traces.Options{}); err != nil {
			return nil, invalid(err)
		}
		scenario.Cluster.GPUs = nodes.Topology.GPUs()
	}
	o.MaxGPUs = scenario.Cluster.GPUs
	t, err := traces.Open(in.Trace.File, o)
	if err != nil {
		return nil, invalid(err)
	}
	if scenario.Cluster.GPUs == 0 {
		scenario.Cluster.GPUs = t.Machine()
	}
	if scenario.Cluster.GPUs == 0 {
		t.Close()
		return nil, invalid(fmt.Errorf("%s does not say how large its machine was; name one with --set cluster.gpus=N, or a list of nodes with --set trace.nodes=FILE", in.Trace.File))
	}
	w, err := scenario.Generate(seed)
	if err != nil {
		t.Close()
		return nil, invalid(err)
	}
	if nodes != nil {
		w.Topology = nodes.Topology
	}
	t.SetMaxGPUs(scenario.Cluster.GPUs)
	jobs, err := f.Apply(t)
	if err != nil {
		t.Close()
		return nil, invalid(err)
	}
	w.Jobs = inputSource{jobs, t}
	if onTrace != nil {
		onTrace(t)
	}
	return w, nil
}

// inputSource is a trace, or part of it, whose errors of content are invalid
// input.
type inputSource struct {
	sim.Source
	io.Closer
}

func (s inputSource) Next(j *sim.Job) (bool, error) {
	ok, err := s.Source.Next(j)
	var content *traces.InputError
	if errors.As(err, &content) {
		err = invalid(err)
	}
	return ok, err
}
