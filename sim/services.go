package sim

import (
	"fmt"

	"berth/sim/hardware"
)

// demandChanges moves a service to the next level of its demand curve that
// differs, and schedules the one after.
func (e *engine) demandChanges(s *ActiveService) {
	levels := s.Demand.Levels
	level := func(i int) int {
		if i < len(levels) {
			return levels[i]
		}
		return 0
	}
	if s.level < 0 {
		s.level = 0 // the first instant
	} else {
		s.level = int(e.now / s.Demand.Step)
	}
	s.Wanted = level(s.level)
	next := s.level + 1
	for next < len(levels) && levels[next] == s.Wanted {
		next++
	}
	if next < len(levels) || s.Wanted != level(next) {
		e.events.push(Time(next)*s.Demand.Step, demand, uint32(s.index), 0)
	}
	e.recountServices()
	e.dirty = true
	for _, o := range e.observers {
		o.DemandChanged(e.now, s)
	}
}

func (e *engine) recountServices() {
	c := &e.counts
	c.Realtime, c.Served, c.Missing = 0, 0, 0
	for _, s := range e.services {
		c.Realtime += s.Held
		c.Served += min(s.Held, s.Wanted)
		c.Missing += max(0, s.Wanted-s.Held)
	}
}

// change moves GPUs to or from a service after checking the rules.
func (e *engine) change(s *ActiveService, gained, lost []hardware.Range) bool {
	if e.broken != nil {
		return false
	}
	if rule, detail := e.illegalChange(s, gained, lost); rule != "" {
		e.breakRule("service "+s.Name, rule, detail)
		return false
	}
	for _, g := range gained {
		e.mustTake(serviceHolder(s), g)
	}
	for _, g := range lost {
		e.mustRelease(serviceHolder(s), g)
	}
	in, out := hardware.Size(gained), hardware.Size(lost)
	s.gained += in
	s.lost += out
	s.Held += in - out
	s.GPUs = hardware.Subtract(hardware.Union(s.GPUs, gained), lost)
	e.recountServices()
	for _, o := range e.observers {
		o.ServiceChanged(e.now, s, gained, lost)
	}
	return true
}

// turnWindow starts the count of gains and losses anew in a new step.
func (e *engine) turnWindow(s *ActiveService) {
	if at := e.now / e.w.Step * e.w.Step; at != s.window {
		s.window, s.gained, s.lost = at, 0, 0
	}
}

// illegalChange names the rule that a change would break, or nothing.
func (e *engine) illegalChange(s *ActiveService, gained, lost []hardware.Range) (rule, detail string) {
	e.turnWindow(s)
	in, out := hardware.Size(gained), hardware.Size(lost)
	switch limit := s.SwapCap; {
	case !ascending(gained) || !ascending(lost):
		return "form", notAscending
	case s.Held+in > s.Max:
		return "demand range", fmt.Sprintf("it would hold %d GPUs, at most %d are accepted", s.Held+in, s.Max)
	case limit > 0 && !e.round.Fresh() && (s.gained+in > limit || s.lost+out > limit):
		return "swap cap", fmt.Sprintf("it would gain %d and lose %d GPUs in one step, at most %d are accepted", s.gained+in, s.lost+out, limit)
	}
	for _, g := range gained {
		if !e.cluster.IsFree(g) {
			return "capacity", fmt.Sprintf("GPUs %d-%d are not all free", g.First, g.End()-1)
		}
	}
	for _, r := range lost {
		for g := r.First; g < r.End(); g++ {
			if g < 0 || g >= e.cluster.GPUs() || e.cluster.Holder(g) != serviceHolder(s) {
				return "capacity", fmt.Sprintf("GPU %d is not its own", g)
			}
		}
	}
	return "", ""
}
