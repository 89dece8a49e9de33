package plan_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"berth/policies/plan"
	"berth/sim/hardware"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		name   string
		mutate func(*plan.Problem)
		want   string
	}{
		{"no GPUs", func(p *plan.Problem) { p.GPUs = 0 }, `plan: gpus = 0; at least 1 is needed`},
		{"no steps", func(p *plan.Problem) { p.Steps = 0 }, `plan: steps = 0; at least 1 is needed`},
		{"too large", func(p *plan.Problem) { p.Steps = math.MaxInt }, `plan: 16 GPUs × 9223372036854775807 steps is too large; accepted are up to 67108864 cells`},
		{"no length of step", func(p *plan.Problem) { p.StepHours = 0 }, `plan: step_hours = 0; a positive number of hours is needed, at most 1e+12`},
		{"gamma", func(p *plan.Problem) { p.Gamma = math.NaN() }, `plan: gamma = NaN; accepted is (0, 1]`},
		{"lambda", func(p *plan.Problem) { p.Lambda = -1 }, `plan: lambda = -1; accepted is 0 or more, at most 1e+12`},
		{"sigma", func(p *plan.Problem) { p.Sigma = 1.5 }, `plan: sigma = 1.5; accepted is [0, 1]`},
		{"alignment", func(p *plan.Problem) { p.Alignment = 9 }, `plan: alignment 9 is unknown; accepted are contiguous, buddy, scattered`},
		{"boundary", func(p *plan.Problem) { p.Boundary = 9 }, `plan: boundary 9 is unknown; accepted are closed, open, salvage`},
		{"a gap between domains", func(p *plan.Problem) { p.Domains[1].First = 9 }, `plan: domain 2 covers GPUs 9 … 16; domains must cover GPUs 0 … 15 in order without gaps`},
		{"domains too short", func(p *plan.Problem) { p.Domains = p.Domains[:1] }, `plan: domains cover 8 of 16 GPUs; together they must cover all`},

		{"no id", func(p *plan.Problem) { p.Jobs[1].ID = "" }, `plan: job number 2: id is empty; every job and service needs one of its own`},
		{"an id twice", func(p *plan.Problem) { p.Services[0].ID = "late" }, `plan: service "late": id is used twice; every job and service needs one of its own`},
		{"no priority", func(p *plan.Problem) { p.Jobs[1].Priority = 0 }, `plan: job "late": priority = 0; a positive number is needed, at most 1e+12`},
		{"earliest", func(p *plan.Problem) { p.Jobs[1].Earliest = -1 }, `plan: job "late": earliest = -1; accepted is step 0 or later`},
		{"no shape", func(p *plan.Problem) { p.Jobs[1].Shapes = nil }, `plan: job "late": no shape; at least one pair of GPUs and steps is needed`},
		{"no GPUs in a shape", func(p *plan.Problem) { p.Jobs[1].Shapes[0].GPUs = 0 }, `plan: job "late": a shape of 0 GPUs; at least 1 is needed`},
		{"no steps in a shape", func(p *plan.Problem) { p.Jobs[1].Shapes[0].Steps = 0 }, `plan: job "late": a shape of 0 steps; accepted are 1 to 2147483647`},
		{"no power of two", func(p *plan.Problem) { p.Jobs[1].Shapes[0].GPUs = 3 }, `plan: job "late": a shape of 3 GPUs; contiguous blocks are powers of two`},
		{"a size twice", func(p *plan.Problem) { p.Jobs[2].Shapes[1].GPUs = 2 }, `plan: job "wide": two shapes of 2 GPUs; each size is accepted once`},

		{"held outside", func(p *plan.Problem) { p.Jobs[0].Held = block(15, 2) }, `plan: job "runs": held: GPUs 15-16 are outside the cluster; accepted are 0 … 15`},
		{"held of another size", func(p *plan.Problem) { p.Jobs[0].Held = block(0, 4) }, `plan: job "runs": held = "0-3" is 4 GPUs but the shape has 2; the two must agree`},
		{"held and later", func(p *plan.Problem) { p.Jobs[0].Earliest = 1 }, `plan: job "runs": held is set but earliest = 1; a running job goes on at step 0`},
		{"held and moldable", func(p *plan.Problem) { p.Jobs[2].Held = block(4, 2) }, `plan: job "wide": held is set but there are 2 shapes; a running job has one: its size and the steps that remain`},
		{"held in pieces", func(p *plan.Problem) { p.Jobs[0].Held = []hardware.Range{{First: 0, N: 1}, {First: 2, N: 1}} }, `plan: job "runs": held = "0 2": 2 ranges; a contiguous job holds one block`},
		{"held across domains", func(p *plan.Problem) { p.Jobs[0].Held = block(7, 2) }, `plan: job "runs": held = "7-8": GPUs 7-8 span link domains; the job must stay inside one`},
		{"held by two", func(p *plan.Problem) { p.Services[0].Held = block(1, 2) }, `plan: job "runs" and service "chat" both hold GPU 1 when the plan starts; one holder a GPU is accepted`},

		{"min", func(p *plan.Problem) { p.Services[0].Min = -1 }, `plan: service "chat": min = -1; accepted is 0 or more`},
		{"max below min", func(p *plan.Problem) { p.Services[0].Min = 5 }, `plan: service "chat": max = 4 is below min = 5`},
		{"swap cap", func(p *plan.Problem) { p.Services[0].SwapCap = -1 }, `plan: service "chat": swap_cap = -1; accepted is 1 or more, or 0 for no limit`},
		{"short demand", func(p *plan.Problem) { p.Services[0].Demand = []int{1} }, `plan: service "chat": demand has 1 entries; one for each of the 6 steps is needed`},
		{"negative demand", func(p *plan.Problem) { p.Services[0].Demand[3] = -2 }, `plan: service "chat": demand of step 3 is -2; accepted is 0 or more`},
		{"fresh but holding", func(p *plan.Problem) { p.Services[0].Fresh = true }, `plan: service "chat": held = "12-13" but fresh is set; a fresh service holds nothing yet`},
		{"held above max", func(p *plan.Problem) { p.Services[0].Held = block(8, 5) }, `plan: service "chat": held = "8-12" is 5 GPUs; at most max = 4 are accepted`},
	}
	for _, tt := range tests {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			p, _ := quay()
			tt.mutate(p)
			err := p.Validate()
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// Work that can never run and demand that can never be met are no faults.
func TestValidateAcceptsTheImpossible(t *testing.T) {
	p, _ := quay()
	p.Jobs[1].Earliest = 1000
	p.Jobs[1].Shapes[0].GPUs = 1 << 20
	p.Services[0].Demand[0] = 1 << 20
	p.Services[1].Max = 1 << 20
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}
