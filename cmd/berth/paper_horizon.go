package main

import (
	"berth/plots/report"
	"berth/sim/experiment"
)

// horizon is the project's own study, as `berth horizon` makes it.
func (p *paper) horizon(dir *experiment.Dir) (*report.Section, error) {
	s := &study{cmd: p.cmd, ctx: p.ctx, parallel: p.parallel}
	if err := s.load(nil); err != nil {
		return nil, err
	}
	if err := s.run(dir); err != nil {
		return nil, err
	}
	return horizonSection(s, dir)
}
