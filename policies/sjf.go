package policies

import "berth/sim"

// newSJF makes shortest job first by estimate, head of line.
func newSJF(c Config) (sim.Policy, error) {
	shorter := func(a, b *sim.ActiveJob) bool { return a.Estimate < b.Estimate }
	return &headOfLine{name: "sjf", services: newServiceSchedule(c, "peak"), queue: &queue{before: shorter}}, nil
}
