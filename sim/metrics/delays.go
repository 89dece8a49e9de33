package metrics

import "berth/sim"

// Delays is a sim.Observer that keeps the distributions of how long jobs took.
type Delays struct {
	sim.IgnoreAll
	Wait       Sample // seconds; started jobs: turnaround − time on GPUs
	Slowdown   Sample // completed jobs: max(1, turnaround ÷ max(time on GPUs, 10 s))
	Turnaround Sample // seconds; completed jobs: finish − submission
}

// boundedSlowdownFloor keeps very short jobs from dominating the mean
// slowdown (Feitelson and Rudolph, 1998).
const boundedSlowdownFloor = 10e9 // ns

// JobEnded implements sim.Observer.
func (d *Delays) JobEnded(_ sim.Time, j *sim.ActiveJob) {
	switch j.State {
	case sim.Completed:
		turnaround := float64(j.Ended - j.Submit)
		d.Turnaround.Add(turnaround / 1e9)
		d.Slowdown.Add(max(1, turnaround/max(float64(j.Ran), boundedSlowdownFloor)))
	case sim.Unfinished:
	default:
		return
	}
	d.Wait.Add(j.Waited(j.Ended).Seconds())
}
