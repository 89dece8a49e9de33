package workloads_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/sim"
	"berth/sim/config"
	"berth/sim/hardware"
	"berth/workloads"

	"github.com/google/go-cmp/cmp"
)

func embedded(t testing.TB, name string) *workloads.Scenario {
	t.Helper()
	text, file, err := workloads.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	var s workloads.Scenario
	if err := config.DecodeStrict(text, file, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

func generate(t testing.TB, s *workloads.Scenario, seed uint64) (*sim.Workload, []sim.Job) {
	t.Helper()
	w, err := s.Generate(seed)
	if err != nil {
		t.Fatal(err)
	}
	return w, w.Jobs.(*sim.Jobs).List
}

// Everything drawn is inside the ranges that the scenario states.
func TestDrawsKeepToTheirRanges(t *testing.T) {
	for _, name := range workloads.Names() {
		s := embedded(t, name)
		if s.Name != name || s.Summary == "" {
			t.Errorf("%s: called %q, summary %q", name, s.Name, s.Summary)
		}
		for seed := range uint64(30) {
			w, jobs := generate(t, s, seed)
			if w.Topology.GPUs() != s.Cluster.GPUs || w.Horizon != time.Duration(s.HorizonHours*float64(time.Hour)) || w.Closed != s.Closed() || w.Step != s.Step() {
				t.Fatalf("%s: %+v", name, w)
			}
			for i, v := range w.Services {
				of := &s.Services[i]
				if v.Priority != of.Priority || v.Min != of.Min || len(v.Demand.Levels) != int(s.HorizonHours*float64(time.Hour)/float64(s.Step())) {
					t.Errorf("%s: service %+v of %+v", name, v, of)
				}
				for _, n := range v.Demand.Levels {
					if n < 0 || n > v.Max {
						t.Errorf("%s: service %s wants %d of at most %d", name, v.Name, n, v.Max)
					}
				}
			}
			counts := map[string]int{}
			for i, j := range jobs {
				if j.ID != int64(i+1) || i > 0 && j.Submit < jobs[i-1].Submit {
					t.Errorf("%s: job %d has number %d, submitted at %v", name, i, j.ID, j.Submit)
				}
				class := slices.IndexFunc(s.Classes, func(c workloads.JobClass) bool { return fits(s, &c, &j) })
				if class < 0 {
					t.Errorf("%s, seed %d: job %+v is of no class", name, seed, j)
				}
				counts[strings.TrimRight(j.Name, "0123456789")]++
			}
			total := 0
			for _, c := range s.Classes {
				total += c.Count
			}
			if len(jobs) != total {
				t.Errorf("%s: %d jobs, want %d (%v)", name, len(jobs), total, counts)
			}
		}
	}
}

// fits reports whether a job could be of a class.
func fits(s *workloads.Scenario, c *workloads.JobClass, j *sim.Job) bool {
	in := func(r workloads.Range, d sim.Time) bool {
		return d%s.Step() == 0 && d.Hours() >= r.Low-1e-9 && d.Hours() <= r.High+1e-9
	}
	prefix := c.Name
	if prefix == "" {
		prefix = c.Kind.String()
	}
	return strings.HasPrefix(j.Name, prefix+"-") && j.Kind == c.Kind && j.Across == c.Across &&
		slices.Contains(c.GPUs, j.MinGPUs) && j.MaxGPUs == max(j.MinGPUs, c.MaxGPUs) &&
		in(c.Hours, j.Duration) && j.Estimate == j.Duration && in(c.Submit, j.Submit) && in(c.Earliest, j.Earliest) &&
		j.Priority >= c.Priority.Low && j.Priority <= c.Priority.High && j.Priority == math.Trunc(j.Priority)
}

// A seed fixes every number; another seed gives others.
func TestSeeds(t *testing.T) {
	for _, name := range workloads.Names() {
		s := embedded(t, name)
		w1, jobs1 := generate(t, s, 7)
		w2, jobs2 := generate(t, embedded(t, name), 7)
		_, jobs3 := generate(t, s, 8)
		if d := cmp.Diff(jobs1, jobs2) + cmp.Diff(w1.Services, w2.Services); d != "" {
			t.Errorf("%s: one seed, two workloads: %s", name, d)
		}
		if cmp.Equal(jobs1, jobs3) {
			t.Errorf("%s: two seeds, one workload", name)
		}
	}
}

// Classes and services have streams of their own: changing one moves nothing
// in the others.
func TestStreamsAreIndependent(t *testing.T) {
	byClass := func(jobs []sim.Job, prefix string) []sim.Job {
		var out []sim.Job
		for _, j := range jobs {
			if strings.HasPrefix(j.Name, prefix) {
				j.ID = 0
				out = append(out, j)
			}
		}
		slices.SortFunc(out, func(a, b sim.Job) int { return strings.Compare(a.Name, b.Name) })
		return out
	}
	s := embedded(t, "mixed-control")
	before, jobs := generate(t, s, 3)
	s.Classes[0].Count += 5
	s.Classes[0].Hours.High += 7
	s.Services[0].Noise, s.Services[0].Peak = 0.5, 9
	after, more := generate(t, s, 3)
	if len(more) != len(jobs)+5 {
		t.Errorf("%d jobs, then %d", len(jobs), len(more))
	}
	for _, class := range []string{"batch-inference", "quantization"} {
		if d := cmp.Diff(byClass(jobs, class), byClass(more, class)); d != "" {
			t.Errorf("%s: %s", class, d)
		}
	}
	if d := cmp.Diff(before.Services[1], after.Services[1]); d != "" {
		t.Error(d)
	}
	s.Classes = []workloads.JobClass{s.Classes[1], s.Classes[1]}
	s.Classes[0].Name, s.Classes[1].Name = "a", "b"
	s.Services = s.Services[1:]
	twin := s.Services[0]
	twin.Name = "twin"
	s.Services = append(s.Services, twin)
	twins, pairs := generate(t, s, 3)
	as, bs := byClass(pairs, "a"), byClass(pairs, "b")
	for i := range as {
		as[i].Name, bs[i].Name = "", ""
	}
	if cmp.Equal(as, bs) || cmp.Equal(twins.Services[0].Demand, twins.Services[1].Demand) {
		t.Error("two of a kind are drawn alike")
	}
	if cmp.Equal(before.Services[0].Demand, after.Services[0].Demand) {
		t.Error("the changed service has its old demand")
	}
}

// Without noise, demand is the bump that the file describes.
func TestDemandIsTheBump(t *testing.T) {
	s := embedded(t, "mixed-control")
	s.Services = []workloads.Service{{Name: "a", Priority: 1, Base: 2, Peak: 12, PeakHour: workloads.Range{Low: 23.5, High: 23.5}, WidthHours: 2}}
	s.HorizonHours = 48
	w, _ := generate(t, s, 1)
	got := w.Services[0].Demand.Levels
	if len(got) != 48 || got[23] != 12 || got[47] != 12 || got[0] != int(math.Round(2+10*math.Exp(-1.0/8))) || got[11] != 2 {
		t.Errorf("demand %v", got)
	}
	if w.Services[0].SwapCap != 2 || w.Services[0].Max != s.Cluster.GPUs {
		t.Errorf("defaults: %+v", w.Services[0])
	}
	for t0 := range 24 {
		if got[t0] != got[t0+24] {
			t.Errorf("hour %d: %d, a day later %d", t0, got[t0], got[t0+24])
		}
	}
}

const small = `name = "small"
horizon_hours = 24
[cluster]
gpus = 8
[[service]]
name = "a"
priority = 1
base = 1
peak = 2
[[jobs]]
kind = "training"
count = 3
gpus = [1, 2]
hours = [1, 4]
priority = [1, 4]
`

// Settings that make no sense are errors that name them, and nothing that a
// file can say brings the program down.
func TestMeaninglessScenarios(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"horizon_hours = 24", "horizon_hours = -1", "horizon_hours"},
		{"horizon_hours = 24", "horizon_hours = nan", "horizon_hours"},
		{"horizon_hours = 24", "horizon_hours = inf", "horizon_hours"},
		{"horizon_hours = 24", "horizon_hours = 1e9", "horizon_hours"},
		{"horizon_hours = 24", "step_minutes = -1", "step_minutes"},
		{"horizon_hours = 24", "step_minutes = nan", "step_minutes"},
		{"horizon_hours = 24", "step_minutes = 1e-9", "step_minutes"},
		{"horizon_hours = 24", "step_minutes = 1e-20", "step_minutes"},
		{"horizon_hours = 24", "boundary = \"shut\"", "boundary"},
		{"horizon_hours = 24", "boundary = \"closed\"", "horizon_hours"},
		{"horizon_hours = 24", "gamma = 1.5", "gamma"},
		{"horizon_hours = 24", "gamma = nan", "gamma"},
		{"horizon_hours = 24", "lambda = -1", "lambda"},
		{"horizon_hours = 24", "lambda = inf", "lambda"},
		{"gpus = 8", "gpus = 0", "gpus"},
		{"gpus = 8", "gpus = 8\ngpus_per_node = -1", "gpus_per_node"},
		{`name = "a"`, "", "name"},
		{"priority = 1", "priority = 0", "priority"},
		{"priority = 1\n", "priority = nan\n", "priority"},
		{"priority = 1\n", "priority = inf\n", "priority"},
		{"base = 1", "base = -1", "base"},
		{"base = 1", "base = 3", "base"},
		{"base = 1", "base = nan", "base"},
		{"peak = 2", "peak = inf", "peak"},
		{"peak = 2", "peak = 1e30", "peak"},
		{"peak = 2", "peak = 2\nnoise = nan", "noise"},
		{"peak = 2", "peak = 2\nnoise = -1", "noise"},
		{"peak = 2", "peak = 2\nwidth_hours = -1", "width_hours"},
		{"peak = 2", "peak = 2\npeak_hour = inf", "peak_hour"},
		{"peak = 2", "peak = 2\nswap_cap = -1", "swap_cap"},
		{"peak = 2", "peak = 2\nmin = 3\nmax = 2", "min"},
		{"peak = 2", "peak = 2\ndemand = [1, -2]", "demand[1]"},
		{"[[jobs]]", "[[service]]\nname = \"a\"\npriority = 1\n[[jobs]]", "taken"},
		{"count = 3", "count = -3", "count"},
		{"count = 3", "count = 100000000000", "count"},
		{"gpus = [1, 2]", "gpus = []", "gpus"},
		{"gpus = [1, 2]", "gpus = [1, 0]", "gpus has 0"},
		{"gpus = [1, 2]", "gpus = [16]", "gpus has 16"},
		{"gpus = [1, 2]", "gpus = [3]", "powers of two"},
		{"gpus = [1, 2]", "gpus = [1, 2]\nmax_gpus = -1", "max_gpus"},
		{"gpus = [1, 2]", "gpus = [1, 2]\nmax_gpus = 1000000000", "max_gpus"},
		{"gpus = [1, 2]", "gpus = [1, 2]\nparallel = 1.5", "parallel"},
		{"gpus = [1, 2]", "gpus = [1, 2]\nparallel = nan", "parallel"},
		{"hours = [1, 4]", "hours = 0", "hours"},
		{"hours = [1, 4]", "hours = [1, inf]", "hours"},
		{"hours = [1, 4]", "hours = [1, 1e30]", "hours"},
		{"hours = [1, 4]", "hours = [0.1, 0.9]", "hours"},
		{"hours = [1, 4]", "hours = 1.5", "hours"},
		{"hours = [1, 4]", "hours = [0.5, 1.5]", ""},
		{"priority = [1, 4]", "priority = 2.5", "priority"},
		{"priority = [1, 4]", "priority = [0, 4]", "priority"},
		{"priority = [1, 4]", "priority = [1, 1e300]", "priority"},
		{"priority = [1, 4]", "priority = [1, 4]\nearliest = -1", "earliest"},
		{"priority = [1, 4]", "priority = [1, 4]\nsubmit = [0.2, 0.8]", "submit"},
		{"priority = [1, 4]", "priority = [1, 4]\nsubmit = 1e9", "submit"},
	} {
		var s workloads.Scenario
		if !strings.Contains(small, c.old) {
			t.Fatalf("no %q to replace", c.old)
		}
		err := config.DecodeStrict([]byte(strings.Replace(small, c.old, c.new, 1)), "small.toml", &s)
		if err == nil {
			_, err = s.Generate(1)
		}
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q: %v", c.new, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q for %q: got %v, want an error about %s", c.new, c.old, err, c.want)
		}
	}
}

// Published figures are given for embedded scenarios, as fractions.
func TestPublishedFigures(t *testing.T) {
	for _, name := range workloads.Names() {
		p := workloads.PublishedFigures(name)
		if p == (workloads.Published{}) || max(p.FIFO, p.Allocator) > 1 {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if _, _, err := workloads.Source("nowhere"); err == nil || !strings.Contains(err.Error(), "mixed-control") {
		t.Errorf("an unknown scenario: %v", err)
	}
	if text, file, err := workloads.HorizonStudy(); err != nil || len(text) == 0 || file == "" {
		t.Errorf("the study: %q, %v", file, err)
	}
}

// Every setting of the schema changes what is generated, but for those that
// only label, and those of the objective.
func TestSettingsMoveTheWorkload(t *testing.T) {
	show := func(s *workloads.Scenario) string {
		w, jobs := generate(t, s, 5)
		return fmt.Sprintf("%v %v %v %v %v %v %v %+v %+v", w.Name, w.Topology.Domains(), w.Topology.Racks(), w.Alignment, w.Step, w.Horizon, w.Closed, w.Services, jobs)
	}
	base := show(embedded(t, "mixed-control"))
	three := 3
	for name, change := range map[string]func(*workloads.Scenario){
		"name":             func(s *workloads.Scenario) { s.Name = "x" },
		"horizon":          func(s *workloads.Scenario) { s.HorizonHours = 30 },
		"step":             func(s *workloads.Scenario) { s.StepMinutes = 30 },
		"boundary":         func(s *workloads.Scenario) { s.Boundary = "open" },
		"gpus":             func(s *workloads.Scenario) { s.Cluster.GPUs = 32 },
		"gpus per node":    func(s *workloads.Scenario) { s.Cluster.GPUsPerNode = 4 },
		"nodes per domain": func(s *workloads.Scenario) { s.Cluster.NodesPerDomain = 2 },
		"domains per rack": func(s *workloads.Scenario) { s.Cluster.DomainsPerRack = 1 },
		"alignment":        func(s *workloads.Scenario) { s.Cluster.Alignment = hardware.Buddy },
		"tenant":           func(s *workloads.Scenario) { s.Services[0].Tenant = "t" },
		"swap cap":         func(s *workloads.Scenario) { s.Services[0].SwapCap = &three },
		"max":              func(s *workloads.Scenario) { s.Services[0].Max = 3 },
		"min":              func(s *workloads.Scenario) { s.Services[0].Min = 1 },
		"demand":           func(s *workloads.Scenario) { s.Services[0].Demand = []int{1, 2} },
		"tenants":          func(s *workloads.Scenario) { s.Classes[0].Tenants = []string{"t"} },
		"across":           func(s *workloads.Scenario) { s.Classes[0].Across = true },
		"max gpus":         func(s *workloads.Scenario) { s.Classes[0].MaxGPUs = 8 },
		"parallel":         func(s *workloads.Scenario) { s.Classes[0].Parallel = 0.5 },
		"submit":           func(s *workloads.Scenario) { s.Classes[0].Submit = workloads.Range{Low: 1, High: 2} },
	} {
		s := embedded(t, "mixed-control")
		if change(s); show(s) == base {
			t.Errorf("%s moves nothing", name)
		}
	}
}
