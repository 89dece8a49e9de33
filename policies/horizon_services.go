package policies

import (
	"berth/sim"
	"berth/sim/hardware"
)

// moveServices makes the services hold what the plan says for a step, as far
// as GPUs are free and the swap caps allow.
func (p *horizon) moveServices(r *sim.Round, step int) {
	for i, s := range r.Services() {
		_, lose := r.Allowance(s)
		if lost := firstOf(hardware.Subtract(s.GPUs, p.next[i][step]), lose); len(lost) > 0 {
			r.Shrink(s, lost...)
		}
	}
	for i, s := range r.Services() {
		gain, _ := r.Allowance(s)
		wanted := freeOf(r.Cluster(), hardware.Subtract(p.next[i][step], s.GPUs))
		if gained := firstOf(wanted, gain); len(gained) > 0 {
			r.Grow(s, gained...)
		}
	}
}

// react follows demand that exceeds its forecast, under the swap cap: a service
// takes as many more GPUs than planned, from those that are free, and gives
// them back when the excess is gone. Where the plan lets a service fall short
// on purpose, it stays so.
func (p *horizon) react(r *sim.Round, step int) {
	for i, s := range r.Services() {
		gain, lose := r.Allowance(s)
		planned := p.next[i][step]
		target := hardware.Size(planned) + max(0, s.Wanted-p.forecast[i][step])
		if more := min(target-s.Held, gain, r.Cluster().Free()); more > 0 {
			gpus, _ := r.Cluster().AppendFree(nil, more)
			r.Grow(s, gpus...)
			continue
		}
		spare := s.Held - target
		if extra := firstOf(hardware.Subtract(s.GPUs, planned), min(spare, lose)); len(extra) > 0 {
			r.Shrink(s, extra...)
		}
	}
}
