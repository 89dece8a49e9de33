package policies

import "berth/sim"

// reservation splits the cluster: services live on the first GPUs and follow
// their demand there, jobs are served in order of arrival on the rest and
// never enter the partition, however idle it is.
type reservation struct {
	headOfLine
	gpus int
}

func newReservation(c Config) (sim.Policy, error) {
	services := newServiceSchedule(c, "curve")
	services.partition = true
	return &reservation{headOfLine{name: "reservation", services: services}, c.Partition}, nil
}

// Decide implements sim.Policy.
func (p *reservation) Decide(r *sim.Round) error {
	if p.services.limit == 0 {
		p.services.limit = p.gpus
		if p.gpus == 0 {
			p.services.limit = peakOfTotal(r)
		}
	}
	return p.headOfLine.Decide(r)
}

// peakOfTotal is the highest sum of what the services aim at in one step.
func peakOfTotal(r *sim.Round) int {
	peak := 1
	end := sim.Time(0)
	for _, s := range r.Services() {
		end = max(end, sim.Time(len(s.Demand.Levels))*s.Demand.Step)
	}
	for t := sim.Time(0); t < min(end, r.Horizon()); t += r.Step() {
		total := 0
		for _, s := range r.Services() {
			total += min(max(s.Demand.PeakIn(t, t+r.Step()), s.Min), s.Max)
		}
		peak = max(peak, total)
	}
	return min(peak, r.Cluster().GPUs())
}
