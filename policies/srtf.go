package policies

import "berth/sim"

// newSRTF makes shortest remaining time first by estimate, with preemption. A
// job past its estimate counts as about to end.
func newSRTF(c Config) (sim.Policy, error) {
	p := &srtf{preempting: preempting{name: "srtf", services: newServiceSchedule(c, "peak")}}
	p.queue.before = func(a, b *sim.ActiveJob) bool { return p.remaining(a) < p.remaining(b) }
	return p, nil
}

type srtf struct {
	preempting
	now sim.Time
}

// remaining is the time that a job still needs GPUs, by its estimate.
func (p *srtf) remaining(j *sim.ActiveJob) sim.Time {
	if j.State == sim.Running {
		return j.EstimatedEnd() - p.now
	}
	return j.EstimateOn(j.MinGPUs)
}

// Decide implements sim.Policy.
func (p *srtf) Decide(r *sim.Round) error {
	p.now = r.Now()
	return p.preempting.Decide(r)
}
