package plan_test

import (
	"fmt"
	"strings"

	"berth/policies/plan"
	"berth/sim/hardware"
)

func ExampleProblem_Check() {
	p := &plan.Problem{
		GPUs: 4, Steps: 3, StepHours: 1, Gamma: 0.97, Lambda: 8,
		Jobs: []plan.Job{{ID: "t1", Priority: 1, Shapes: []plan.Shape{{GPUs: 2, Steps: 2}}}},
		Services: []plan.Service{
			{ID: "chat", Priority: 1, Max: 2, SwapCap: 1, Demand: []int{1, 1, 1}, Fresh: true},
		},
	}
	one, two := []hardware.Range{{First: 3, N: 1}}, []hardware.Range{{First: 0, N: 2}}
	pl := &plan.Plan{
		Jobs:     []plan.Placement{{Start: 1, GPUs: []hardware.Range{{First: 1, N: 2}}}},
		Services: [][][]hardware.Range{{one, one, two}},
	}
	for _, v := range p.Check(pl) {
		fmt.Println(v)
	}
	// Output:
	// swap cap: service "chat", step 2: it gains 2 GPUs over step 1; its cap is 1
	// capacity: service "chat", GPU 1, step 2: also held by job "t1"
}

func ExampleProblem_Score() {
	p := &plan.Problem{
		GPUs: 4, Steps: 4, StepHours: 1, Gamma: 0.5, Lambda: 8,
		Jobs: []plan.Job{{ID: "t1", Priority: 3, Shapes: []plan.Shape{{GPUs: 2, Steps: 2}}}},
	}
	s := p.Score(&plan.Plan{Jobs: []plan.Placement{{Start: 0, GPUs: []hardware.Range{{First: 0, N: 2}}}}})
	fmt.Printf("utilization %.0f %%, value %.0f, decayed %.0f\n", 100*s.Utilization, s.Value, s.DecayedValue)
	// Output: utilization 25 %, value 12, decayed 9
}

func ExampleReadProblem() {
	text := `gpus = 8
[[job]]
id = "t1"
gpus = 2
steps = 4
prioritie = 3
`
	_, err := plan.ReadProblem(strings.NewReader(text), "small.toml")
	fmt.Println(err)
	p, err := plan.ReadProblem(strings.NewReader(strings.Replace(text, "prioritie", "priority", 1)), "small.toml")
	fmt.Println(p.Jobs[0].Priority, p.Steps, err)
	// Output:
	// small.toml:6: unknown key "job.prioritie"; accepted here: id, kind, priority, earliest, gpus, steps, shapes, across, held
	// 3 24 <nil>
}

func ExampleEnvelope() {
	// Growing by at most 2 a step, a service must start early for a peak of 6.
	fmt.Println(plan.Envelope([]int{1, 1, 6, 1, 1}, 2, 8, true, 0))
	// Output: [2 4 6 4 2]
}
