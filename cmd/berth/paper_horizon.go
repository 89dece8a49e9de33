package main

import "berth/sim/experiment"

// horizon is the project's own study, as `berth horizon` makes it.
func (p *paper) horizon(dir *experiment.Dir) error {
	s := &study{cmd: p.cmd, ctx: p.ctx, parallel: p.parallel}
	if err := s.load(nil); err != nil {
		return err
	}
	return s.run(dir)
}
