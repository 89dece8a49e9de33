package policies

import "berth/sim"

// newFCFS makes strict first come, first served.
func newFCFS(c Config) (sim.Policy, error) {
	services, err := newServiceSchedule(c, "peak", "curve")
	return &headOfLine{name: "fcfs", services: services}, err
}
