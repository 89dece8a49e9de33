package main

// draw writes the figures of the study.
func (s *study) draw(dir string, list []response) error { return nil }
