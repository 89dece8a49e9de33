package policies

import "berth/sim"

// loss is a system without a queue: each job starts when it arrives, or is
// refused for good. What it leaves out tells what a placement is worth.
type loss struct{ services *serviceSchedule }

func newLoss(c Config) (sim.Policy, error) { return &loss{newServiceSchedule(c, "peak")}, nil }

func (p *loss) Name() string { return "loss" }

const noRoom = "no room when it arrived"

// Decide implements sim.Policy.
func (p *loss) Decide(r *sim.Round) error {
	p.services.apply(r)
	for _, j := range r.Eligible() {
		if j.State == sim.Waiting && !p.services.start(r, j) {
			r.Reject(j, noRoom)
		}
	}
	return nil
}
