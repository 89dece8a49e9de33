package main

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"berth/policies"
	"berth/sim"
	"berth/sim/config"
	"berth/workloads"
)

// busy is a scenario in which every setting has something to act on.
const busy = `name = "busy"
horizon_hours = 24
[cluster]
gpus = 24
[[service]]
name = "chat"
priority = 2
base = 1
peak = 9
peak_hour = [9, 17]
noise = 0.2
[[jobs]]
kind = "training"
count = 12
gpus = [2, 4, 8]
hours = [3, 12]
priority = [1, 9]
earliest = [0, 9]
submit = [0, 6]
[[jobs]]
kind = "quantization"
count = 14
gpus = [1, 2]
hours = [1, 5]
priority = [1, 9]
`

// A setting, the policy under which it shows, and the text that replaces or
// precedes. Keys are those of the schema.
var moves = map[string]struct{ policy, old, new string }{
	"name":                     {"fifo", `name = "busy"`, `name = "other"`},
	"horizon_hours":            {"fifo", "horizon_hours = 24", "horizon_hours = 30"},
	"step_minutes":             {"fifo", "horizon_hours = 24", "horizon_hours = 24\nstep_minutes = 30"},
	"restart_minutes":          {"las", "horizon_hours = 24", "horizon_hours = 24\nboundary = \"open\"\nrestart_minutes = 10"},
	"boundary":                 {"fcfs", "horizon_hours = 24", "horizon_hours = 24\nboundary = \"open\""},
	"gamma":                    {"fifo", "horizon_hours = 24", "horizon_hours = 24\ngamma = 0.9"},
	"lambda":                   {"reservation:partition=2", "horizon_hours = 24", "horizon_hours = 24\nlambda = 5.0"},
	"cluster.gpus":             {"fifo", "gpus = 24", "gpus = 32"},
	"cluster.gpus_per_node":    {"fifo", "gpus = 24", "gpus = 24\ngpus_per_node = 12"},
	"cluster.nodes_per_domain": {"fifo", "gpus = 24", "gpus = 24\nnodes_per_domain = 3"},
	"cluster.alignment":        {"fifo", "gpus = 24", "gpus = 24\nalignment = \"buddy\""},
	"service.name":             {"fifo", `name = "chat"`, `name = "code"`},
	"service.priority":         {"reservation:partition=2", "priority = 2", "priority = 3"},
	"service.min":              {"easy:reserve=curve", "priority = 2", "priority = 2\nmin = 5"},
	"service.max":              {"fifo", "priority = 2", "priority = 2\nmax = 4"},
	"service.swap_cap":         {"easy:reserve=curve", "priority = 2", "priority = 2\nswap_cap = 1"},
	"service.base":             {"fifo", "base = 1", "base = 4"},
	"service.peak":             {"fifo", "peak = 9", "peak = 5"},
	"service.peak_hour":        {"fifo", "peak_hour = [9, 17]", "peak_hour = 3"},
	"service.width_hours":      {"fifo", "priority = 2", "priority = 2\nwidth_hours = 6"},
	"service.noise":            {"fifo", "noise = 0.2", "noise = 0"},
	"service.demand":           {"fifo", "priority = 2", "priority = 2\ndemand = [3, 4, 5]"},
	"jobs.name":                {"fifo", "count = 12", "count = 12\nname = \"big\""},
	"jobs.kind":                {"fifo", `kind = "training"`, `kind = "generic"`},
	"jobs.count":               {"fifo", "count = 12", "count = 15"},
	"jobs.gpus":                {"fifo", "gpus = [2, 4, 8]", "gpus = [4, 8]"},
	"jobs.max_gpus":            {"horizon", "count = 12", "count = 12\nmax_gpus = 8"},
	"jobs.parallel":            {"horizon", "count = 12", "count = 12\nmax_gpus = 8\nparallel = 0.9"},
	"jobs.hours":               {"fifo", "hours = [3, 12]", "hours = [5, 12]"},
	"jobs.priority":            {"fifo", "priority = [1, 9]", "priority = [5, 9]"},
	"jobs.earliest":            {"fifo", "earliest = [0, 9]", "earliest = [4, 9]"},
	"jobs.submit":              {"fifo", "submit = [0, 6]", "submit = [3, 6]"},
	"jobs.tenants":             {"fifo", "count = 12", "count = 12\ntenants = [\"a\", \"b\"]"},
	"jobs.across":              {"fifo", "count = 12", "count = 12\nacross = true"},

	"service.history_weeks": {"horizon:forecast=learned", "priority = 2", "priority = 2\nhistory_weeks = 3"},

	"policy.reserve":             {"easy:reserve=curve", "", ""},
	"policy.partition":           {"reservation:partition=3", "", ""},
	"policy.placement":           {"easy:placement=bestfit", "", ""},
	"policy.window":              {"horizon:window=3", "", ""},
	"policy.commit":              {"horizon:commit=8", "", ""},
	"policy.replan_minutes":      {"horizon:replan=step:duration_sigma=0.5:replan_minutes=15", "", ""},
	"policy.budget":              {"horizon:budget=3", "", ""},
	"policy.boundary":            {"horizon:window=6:boundary=closed", "", ""},
	"policy.sigma":               {"horizon:window=4:boundary=salvage:sigma=1.0", "", ""},
	"policy.gamma":               {"horizon:gamma=0.5", "", ""},
	"policy.lambda":              {"horizon:lambda=0.1", "", ""},
	"policy.forecast":            {"horizon:forecast=learned", "", ""},
	"policy.quantile":            {"horizon:forecast=learned:quantile=0.3", "", ""},
	"policy.duration_sigma":      {"horizon:duration_sigma=0.5", "", ""},
	"policy.demand_bias":         {"horizon:demand_bias=1.0", "", ""},
	"policy.demand_level":        {"horizon:demand_level=0.5", "", ""},
	"policy.demand_noise":        {"horizon:demand_noise=0.5", "", ""},
	"policy.demand_missed":       {"horizon:demand_missed=1.0", "", ""},
	"policy.demand_settle":       {"horizon:demand_noise=0.5:demand_settle=6", "", ""},
	"policy.threshold_gpu_hours": {"las:threshold_gpu_hours=9", "", ""},
	"policy.promote":             {"las:promote=0.1", "", ""},
}

// labels are settings that this scenario cannot move, and why.
var labels = map[string]string{
	"summary":                  "shown by berth list",
	"policy.mode":              "full needs a solver: TestFullMode in policies",
	"policy.node_limit":        "full needs a solver: TestFullMode in policies",
	"policy.command":           "needs a program: TestPythonExample",
	"policy.timeout":           "stops a program: TestMistakes in policies/exec",
	"policy.record":            "writes a file: TestPythonExample",
	"policy.replay":            "needs a record: TestPythonExample",
	"policy.replan":            "acts between steps, where scenarios have no events: TestReplan in policies",
	"cluster.sku":              "a label until capacity is priced",
	"cluster.domains_per_rack": "racks are not asked about by any policy yet",
	"service.traffic":          "makes a demand, which moves: TestTraffic in workloads",
	"service.tenant":           "a label until shares of tenants are enforced",
}

// response is everything that a run of the scenario says, as text.
func responseOf(t *testing.T, text, policy string) string {
	t.Helper()
	in := &input{checksums: map[string]string{}}
	if err := config.DecodeStrict([]byte(text), "busy.toml", &in.file); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for seed := range uint64(4) {
		setup, err := in.setup(policy, seed, nil)
		if err != nil {
			t.Fatal(err)
		}
		report, err := setup.Run(context.Background(), sim.NewRecorder(&out, &out, &out))
		if err != nil {
			t.Fatal(err)
		}
		report.Policy = ""
		summary, _ := json.Marshal(report)
		out.Write(summary)
	}
	return out.String()
}

// Nothing inert: every setting of the schema moves some output.
func TestNothingIsInert(t *testing.T) {
	for key := range schema(reflect.TypeFor[workloads.Scenario](), "") {
		if _, ok := moves[key]; !ok && labels[key] == "" {
			t.Errorf("no test moves %s", key)
		}
	}
	for key := range schema(reflect.TypeFor[policies.Config](), "policy.") {
		if _, ok := moves[key]; !ok && labels[key] == "" {
			t.Errorf("no test moves %s", key)
		}
	}
	for key, m := range moves {
		base, policy := busy, m.policy
		if m.old != "" && !strings.Contains(busy, m.old) {
			t.Fatalf("%s: the scenario has no %q", key, m.old)
		}
		switch {
		case strings.HasPrefix(key, "policy."): // without its last option
			policy = policy[:strings.LastIndexByte(policy, ':')]
		case key == "jobs.parallel":
			base = strings.Replace(busy, m.old, m.old+"\nmax_gpus = 8", 1)
		}
		before := responseOf(t, base, policy)
		after := responseOf(t, strings.Replace(busy, m.old, m.new, 1), m.policy)
		if before == after {
			t.Errorf("%s moves nothing", key)
		}
	}
}

// schema is the keys of a configuration, tables included.
func schema(of reflect.Type, prefix string) map[string]bool {
	keys := map[string]bool{}
	for i := range of.NumField() {
		f := of.Field(i)
		tag := f.Tag.Get("toml")
		if tag == "-" {
			continue
		}
		inner := f.Type
		for inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner != reflect.TypeFor[workloads.Range]() {
			for key := range schema(inner, prefix+tag+".") {
				keys[key] = true
			}
			continue
		}
		keys[prefix+tag] = true
	}
	return keys
}
