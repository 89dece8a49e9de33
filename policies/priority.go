package policies

import "berth/sim"

// newPriority makes highest priority first, head of line.
func newPriority(c Config) (sim.Policy, error) {
	higher := func(a, b *sim.ActiveJob) bool { return a.Priority > b.Priority }
	return &headOfLine{name: "priority", services: newServiceSchedule(c, "peak"), queue: &queue{before: higher}}, nil
}
