package policies

import "berth/sim"

// newFCFS makes strict first come, first served.
func newFCFS(c Config) (sim.Policy, error) {
	return &headOfLine{name: "fcfs", services: newServiceSchedule(c, "peak")}, nil
}
