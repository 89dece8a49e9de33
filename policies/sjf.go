package policies

import "berth/sim"

// newSJF makes shortest job first by estimate, head of line.
func newSJF(c Config) (sim.Policy, error) {
	services, err := newServiceSchedule(c, "peak", "curve")
	shorter := func(a, b *sim.ActiveJob) bool { return a.Estimate < b.Estimate }
	return &headOfLine{name: "sjf", services: services, queue: &queue{before: shorter}}, err
}
