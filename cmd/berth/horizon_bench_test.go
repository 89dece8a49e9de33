package main

import (
	"context"
	"testing"

	"berth/sim/experiment"
)

// One run of the project's study: a week planned every hour and at every
// event, a plan of the whole week, and its bound.
func BenchmarkStudy(b *testing.B) {
	for _, c := range []experiment.Cell{{Factor: "default", Level: "horizon"}, {Factor: "reference", Level: clairvoyant}, {Factor: "reference", Level: bound}} {
		b.Run(c.Level, func(b *testing.B) {
			s := &study{seeds: 1}
			if err := s.load(nil); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				_, runs, err := s.points([]experiment.Cell{c})
				if err != nil {
					b.Fatal(err)
				}
				if err := runs[0].run(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
