package plan_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"berth/policies/plan"
	"berth/policies/plan/plantest"
	"berth/sim/hardware"
)

const problemText = `gpus = 8
steps = 3
domains = [4, 4]
boundary = "open"

[[job]]
id = "t1"
kind = "training"
priority = 2.5
gpus = 2
steps = 2

[[job]]
id = "t2"
shapes = [{gpus = 1, steps = 4}, {gpus = 2, steps = 2}]
across = true

[[job]]
id = "t3"
gpus = 4
steps = 9
held = "0-3"

[[service]]
id = "chat"
demand = [1, 2, 1]

[[service]]
id = "code"
max = 2
swap_cap = 0
demand = [1, 2, 1]
held = "6"
`

func TestReadProblem(t *testing.T) {
	got, err := plan.ReadProblem(strings.NewReader(problemText), "small.toml")
	if err != nil {
		t.Fatal(err)
	}
	want := &plan.Problem{
		GPUs: 8, Steps: 3, StepHours: 1, Gamma: 0.97, Lambda: 8, Boundary: plan.Open,
		Domains: []hardware.Range{{First: 0, N: 4}, {First: 4, N: 4}},
		Jobs: []plan.Job{
			{ID: "t1", Kind: "training", Priority: 2.5, Shapes: []plan.Shape{{GPUs: 2, Steps: 2}}},
			{ID: "t2", Priority: 1, Shapes: []plan.Shape{{GPUs: 1, Steps: 4}, {GPUs: 2, Steps: 2}}, Across: true},
			{ID: "t3", Priority: 1, Shapes: []plan.Shape{{GPUs: 4, Steps: 9}}, Held: block(0, 4)},
		},
		Services: []plan.Service{
			{ID: "chat", Priority: 1, Max: 8, SwapCap: 2, Demand: []int{1, 2, 1}, Fresh: true},
			{ID: "code", Priority: 1, Max: 2, SwapCap: 0, Demand: []int{1, 2, 1}, Held: block(6, 1)},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("problem (-want +got):\n%s", diff)
	}
}

func TestReadProblemErrors(t *testing.T) {
	tests := []struct{ name, from, to, want string }{
		{"unknown key", "max = 2", "cap = 2", `f.toml:30: unknown key "service.cap"; accepted here: id, priority, min, max, swap_cap, demand, held, fresh`},
		{"wrong type", "gpus = 2", `gpus = "2"`, `f.toml:10: job.gpus: a value of type string; accepted is integer`},
		{"unknown boundary", `"open"`, `"ajar"`, `f.toml:4: boundary: boundary "ajar" is unknown; accepted are closed, open, salvage`},
		{"size of a block", "gpus = 2", "gpus = 3", `f.toml:6: job "t1": a shape of 3 GPUs; contiguous blocks are powers of two`},
		{"two ways to give a shape", "across = true", "gpus = 4", `f.toml:13: job "t2": both gpus, steps and shapes are given; one of the two ways is accepted`},
		{"half a shape", "steps = 9", "", `f.toml:18: job "t3": gpus and steps are needed together`},
		{"no ranges", `"0-3"`, `"0+3"`, `f.toml:18: job "t3": held: "0+3" in "0+3" is no GPU range; write ascending ranges such as "0-7 12"`},
		{"an endless range", `"0-3"`, `"0-9223372036854775807"`, `f.toml:18: job "t3": held: "0-9223372036854775807" in "0-9223372036854775807" is no GPU range; write ascending ranges such as "0-7 12"`},
		{"short demand", "[1, 2, 1]", "[1, 2]", `f.toml:24: service "chat": demand has 2 entries; one for each of the 3 steps is needed`},
		{"two holders", `"6"`, `"3"`, `f.toml: job "t3" and service "code" both hold GPU 3 when the plan starts; one holder a GPU is accepted`},
		{"too large", "gpus = 8", "gpus = 800_000_000", `f.toml: 800000000 GPUs × 3 steps is too large; accepted are up to 67108864 cells`},
	}
	for _, tt := range tests {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			text := strings.Replace(problemText, tt.from, tt.to, 1)
			_, err := plan.ReadProblem(strings.NewReader(text), "f.toml")
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadPlanErrors(t *testing.T) {
	p, err := plan.ReadProblem(strings.NewReader(problemText), "f.toml")
	if err != nil {
		t.Fatal(err)
	}
	const accepted = `; accepted is {"jobs": [{"id", "start", "gpus"}], "services": [{"id", "held"}]}`
	tests := []struct{ text, want string }{
		{`{"jobs": [{"id": "t9"}]}`, `plan: job "t9": the problem has none of this id; accepted are its 3 jobs`},
		{`{"jobs": [{"id": "t1"}, {"id": "t1"}]}`, `plan: job "t1": it is listed twice; once is accepted`},
		{`{"jobs": [{"id": "t1", "start": -1, "gpus": "0-1"}]}`, `plan: job "t1": start = -1; accepted are 0 … 2, or null to leave it unscheduled`},
		{`{"jobs": [{"id": "t1", "gpus": "0-1"}]}`, `plan: job "t1": gpus = "0-1" without a start; give both, or neither to leave it unscheduled`},
		{`{"jobs": [{"id": "t2", "start": 1, "gpus": "0-3"}]}`, `plan: job "t2": gpus = "0-3" is 4 GPUs; accepted numbers are 1, 2`},
		{`{"jobs": [{"id": "t2", "start": 1, "gpus": "3-0"}]}`, `plan: job "t2": gpus: "3-0" in "3-0" is no GPU range; write ascending ranges such as "0-7 12"`},
		{`{"services": [{"id": "chat", "held": ["0"]}]}`, `plan: service "chat": held has 1 entries; one for each of the 3 steps is needed`},
		{`{"services": [{"id": "chat", "held": ["0", "x", "0"]}]}`, `plan: service "chat": held of step 1: "x" in "x" is no GPU range; write ascending ranges such as "0-7 12"`},
		{`{"job": []}`, `plan: unknown field "job"` + accepted},
		{"{\n\"jobs\": [\n{\"id\": 3}]}", `plan: line 3: jobs.id is of type number` + accepted},
		{"{\n\"jobs\": ]}", `plan: line 2: invalid character ']' looking for beginning of value` + accepted},
		{"{\n", `plan: line 2: the text ends too early` + accepted},
		{"{} {}", `plan: something follows the plan; one JSON object is accepted`},
	}
	for _, tt := range tests {
		_, err := plan.ReadPlan(strings.NewReader(tt.text), p)
		if err == nil {
			t.Errorf("%s: no error", tt.text)
		} else if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
			t.Errorf("%s: error (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestWritePlan(t *testing.T) {
	p, pl := quay()
	var b bytes.Buffer
	if err := plan.WritePlan(&b, p, pl); err != nil {
		t.Fatal(err)
	}
	want := `{"jobs": [
  {"id":"runs","start":0,"gpus":"0-1"},
  {"id":"late","start":3,"gpus":"3-6"},
  {"id":"wide","start":0,"gpus":"6-9"},
  {"id":"huge","start":null}
], "services": [
  {"id":"chat","held":["12-13","12-13","12-13","12-14","12-13","12-13"]},
  {"id":"code","held":["15","","","","","9-11"]}
]}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	if err := plan.WritePlan(&b, p, &plan.Plan{}); err == nil {
		t.Error("a plan of another problem is no error")
	}
}

// What is written is read back, to the last bit.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plantest.Random(t)
		for i := range p.Jobs {
			p.Jobs[i].ID += rapid.String().Draw(t, "id")
			p.Jobs[i].Kind = rapid.String().Draw(t, "kind")
			p.Jobs[i].Priority = rapid.Float64Range(1e-9, plan.MaxNumber).Draw(t, "priority")
		}
		pl := plantest.RandomPlan(t, p)
		roundTrip(t, p, pl)
	})
}

type fataler interface{ Fatalf(string, ...any) }

func roundTrip(t fataler, p *plan.Problem, pl *plan.Plan) {
	var b bytes.Buffer
	if err := plan.WriteProblem(&b, p); err != nil {
		t.Fatalf("%v", err)
	}
	text := b.String()
	again, err := plan.ReadProblem(&b, "again.toml")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(p, again, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("problem (-written +read):\n%s\n%s", diff, text)
	}
	b.Reset()
	if err := plan.WritePlan(&b, p, pl); err != nil {
		t.Fatalf("%v", err)
	}
	text = b.String()
	planAgain, err := plan.ReadPlan(&b, p)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(pl, planAgain, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("plan (-written +read):\n%s\n%s", diff, text)
	}
}
