package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"berth/policies/plan"
	"berth/sim/hardware"
)

func block(first, n int) []hardware.Range { return []hardware.Range{{First: first, N: n}} }

func fill(n int, rs []hardware.Range) [][]hardware.Range {
	steps := make([][]hardware.Range, n)
	for t := range steps {
		steps[t] = rs
	}
	return steps
}

// quay is a small problem that uses every rule, with a legal plan.
func quay() (*plan.Problem, *plan.Plan) {
	p := &plan.Problem{
		GPUs: 16, Steps: 6, StepHours: 1, Gamma: 0.97, Lambda: 8,
		Domains: []hardware.Range{{First: 0, N: 8}, {First: 8, N: 8}},
		Jobs: []plan.Job{
			{ID: "runs", Priority: 1, Shapes: []plan.Shape{{GPUs: 2, Steps: 9}}, Held: block(0, 2)},
			{ID: "late", Priority: 2, Earliest: 2, Shapes: []plan.Shape{{GPUs: 4, Steps: 3}}},
			{ID: "wide", Priority: 2, Across: true, Shapes: []plan.Shape{{GPUs: 2, Steps: 4}, {GPUs: 4, Steps: 2}}},
			{ID: "huge", Priority: 9, Shapes: []plan.Shape{{GPUs: 32, Steps: 1}}},
		},
		Services: []plan.Service{
			{ID: "chat", Priority: 5, Max: 4, SwapCap: 1, Demand: []int{2, 2, 2, 3, 2, 2}, Held: block(12, 2)},
			{ID: "code", Priority: 5, Max: 3, SwapCap: 0, Demand: []int{1, 0, 0, 0, 0, 3}, Fresh: true},
		},
	}
	pl := &plan.Plan{
		Jobs: []plan.Placement{
			{Start: 0, GPUs: block(0, 2)},
			{Start: 3, GPUs: block(3, 4)},
			{Start: 0, Shape: 1, GPUs: block(6, 4)},
			{Start: plan.Unscheduled},
		},
		Services: [][][]hardware.Range{fill(6, block(12, 2)), fill(6, nil)},
	}
	pl.Services[0][3] = block(12, 3)
	pl.Services[1][0] = block(15, 1)
	pl.Services[1][5] = block(9, 3)
	return p, pl
}

func TestCheckLegal(t *testing.T) {
	p, pl := quay()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	if v := p.Check(pl); v != nil {
		t.Fatal(v)
	}
}

func TestCheckMutants(t *testing.T) {
	tests := []struct {
		name   string
		mutate func(*plan.Problem, *plan.Plan)
		want   []string
	}{
		{"two jobs on a GPU", func(_ *plan.Problem, pl *plan.Plan) { pl.Jobs[2].GPUs = block(1, 4) }, []string{
			`capacity: job "wide", GPU 1, step 0: also held by job "runs"`,
			`capacity: job "wide", GPU 1, step 1: also held by job "runs"`,
		}},
		{"a service on a job's GPU", func(_ *plan.Problem, pl *plan.Plan) { pl.Services[1][5] = block(6, 3) }, []string{
			`capacity: service "code", GPU 6, step 5: also held by job "late"`,
		}},
		{"two services on a GPU", func(_ *plan.Problem, pl *plan.Plan) { pl.Services[1][0] = block(13, 2) }, []string{
			`capacity: service "code", GPU 13, step 0: also held by service "chat"`,
		}},
		{"a job at a size it has not", func(_ *plan.Problem, pl *plan.Plan) { pl.Jobs[1].GPUs = block(4, 2) }, []string{
			`range: job "late", GPU 4, step 3: it holds 2 GPUs; its shape 0 has 4`,
		}},
		{"a job on nothing", func(_ *plan.Problem, pl *plan.Plan) { pl.Jobs[1].GPUs = nil }, []string{
			`range: job "late", step 3: it holds 0 GPUs; its shape 0 has 4`,
		}},
		{"a service above its maximum", func(_ *plan.Problem, pl *plan.Plan) { pl.Services[1][5] = block(8, 4) }, []string{
			`range: service "code", step 5: it holds 4 GPUs; its maximum is 3`,
		}},
		{"inherited work moved", func(_ *plan.Problem, pl *plan.Plan) { pl.Jobs[0].GPUs = block(1, 2) }, []string{
			`range: job "runs", GPU 1, step 0: it holds "1-2" but runs on "0-1" when the plan starts, and keeps exactly those`,
		}},
		{"a block in two pieces", func(_ *plan.Problem, pl *plan.Plan) {
			pl.Jobs[2].GPUs = []hardware.Range{{First: 4, N: 2}, {First: 8, N: 2}}
		}, []string{
			`block: job "wide", GPU 4, step 0: 2 ranges; a contiguous job holds one block`,
		}},
		{"a block of three", func(p *plan.Problem, pl *plan.Plan) {
			p.Jobs[1].Shapes[0].GPUs = 3
			pl.Jobs[1].GPUs = block(4, 3)
		}, []string{
			`block: job "late", GPU 4, step 3: a block of 3 GPUs; the size must be a power of two`,
		}},
		{"a buddy block off its multiple", func(p *plan.Problem, pl *plan.Plan) {
			p.Alignment = hardware.Buddy
			pl.Jobs[2].GPUs = block(8, 4)
		}, []string{
			`block: job "late", GPU 3, step 3: a buddy block of 4 GPUs starts at GPU 3; it must start at a multiple of its size`,
		}},
		{"a block across domains", func(_ *plan.Problem, pl *plan.Plan) {
			pl.Jobs[1].GPUs = block(5, 4)
			pl.Services[1][5] = nil
		}, []string{
			`block: job "late", GPU 5, step 3: GPUs 5-8 span link domains; the job must stay inside one`,
		}},
		{"a service grows too fast", func(_ *plan.Problem, pl *plan.Plan) { pl.Services[0][3] = block(11, 4) }, []string{
			`swap cap: service "chat", step 3: it gains 2 GPUs over step 2; its cap is 1`,
			`swap cap: service "chat", step 4: it loses 2 GPUs over step 3; its cap is 1`,
		}},
		{"a service jumps before step 0", func(_ *plan.Problem, pl *plan.Plan) {
			pl.Services[0][0], pl.Services[0][1] = block(10, 2), block(11, 2)
		}, []string{
			`swap cap: service "chat", step 0: it gains 2 GPUs over step -1; its cap is 1`,
			`swap cap: service "chat", step 0: it loses 2 GPUs over step -1; its cap is 1`,
		}},
		{"inherited work dropped", func(_ *plan.Problem, pl *plan.Plan) { pl.Jobs[0].Start = plan.Unscheduled }, []string{
			`no interruption: job "runs": it runs when the plan starts and must go on at step 0, but it is unscheduled`,
		}},
		{"inherited work paused", func(_ *plan.Problem, pl *plan.Plan) { pl.Jobs[0].Start = 1 }, []string{
			`no interruption: job "runs", step 1: it runs when the plan starts and must go on at step 0`,
		}},
		{"a job too early", func(_ *plan.Problem, pl *plan.Plan) { pl.Jobs[1].Start = 1; pl.Jobs[2].Start = plan.Unscheduled }, []string{
			`horizon: job "late", step 1: it may not start before step 2`,
		}},
		{"a job past a closed end", func(_ *plan.Problem, pl *plan.Plan) { pl.Jobs[1].Start = 4 }, []string{
			`horizon: job "late", step 4: it runs until the start of step 7; under a closed boundary it must end by 6`,
		}},
		{"a start past the end", func(p *plan.Problem, pl *plan.Plan) { p.Boundary = plan.Open; pl.Jobs[1].Start = 6 }, []string{
			`horizon: job "late", step 6: it must start by step 5, the last of the horizon`,
		}},
		{"a start before the plan", func(_ *plan.Problem, pl *plan.Plan) { pl.Jobs[1].Start = -2 }, []string{
			`form: job "late": start = -2; accepted are steps 0 … 5, or -1 for unscheduled`,
		}},
		{"a shape it has not", func(_ *plan.Problem, pl *plan.Plan) { pl.Jobs[1].Shape = 1 }, []string{
			`form: job "late": shape = 1; it has shapes 0 … 0`,
		}},
		{"GPUs outside", func(_ *plan.Problem, pl *plan.Plan) { pl.Jobs[1].GPUs = block(14, 4) }, []string{
			`form: job "late": GPUs 14-17 are outside the cluster; accepted are 0 … 15`,
		}},
		{"ranges that overlap", func(_ *plan.Problem, pl *plan.Plan) { pl.Services[1][5] = slices.Concat(block(9, 2), block(10, 1)) }, []string{
			`form: service "code", step 5: GPUs 10 follow GPU 10; ranges must ascend and not overlap`,
		}},
		{"a step missing", func(_ *plan.Problem, pl *plan.Plan) { pl.Services[1] = pl.Services[1][:5] }, []string{
			`form: service "code": it holds GPUs in 5 steps; the problem has 6`,
		}},
		{"jobs and services missing", func(_ *plan.Problem, pl *plan.Plan) { *pl = plan.Plan{} }, []string{
			`form: plan: it places 0 jobs; the problem has 4`,
			`form: plan: it has 0 services; the problem has 2`,
		}},
	}
	for _, tt := range tests {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			p, pl := quay()
			tt.mutate(p, pl)
			var got []string
			for _, v := range p.Check(pl) {
				got = append(got, v.Error())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckNilAndMany(t *testing.T) {
	p, _ := quay()
	if got := p.Check(nil); len(got) != 2 {
		t.Errorf("a nil plan has %d violations, want 2", len(got))
	}
	p.Steps = 200
	p.Services = p.Services[1:]
	pl := &plan.Plan{Jobs: make([]plan.Placement, 4), Services: [][][]hardware.Range{fill(200, block(0, 4))}}
	if got := p.Check(pl); len(got) != plan.MaxViolations {
		t.Errorf("%d violations, want %d", len(got), plan.MaxViolations)
	}
}
