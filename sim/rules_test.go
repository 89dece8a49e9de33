package sim_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"berth/sim"
	"berth/sim/hardware"
)

// rogue is a policy that does one thing.
type rogue func(r *sim.Round) error

func (rogue) Name() string                 { return "rogue" }
func (do rogue) Decide(r *sim.Round) error { return do(r) }

var subjects = regexp.MustCompile(`^(job [1-4]|service (chat|search))$`)

func block(first, n int) hardware.Range { return hardware.Range{First: first, N: n} }

// Each rogue breaks one rule; the run stops and the error names policy,
// instant, subject and rule.
func TestIllegalDecisions(t *testing.T) {
	first := func(r *sim.Round) *sim.ActiveJob { return r.Waiting()[0] }
	at := func(when sim.Time, do func(*sim.Round)) rogue {
		return func(r *sim.Round) error {
			r.WakeAt(when)
			if r.Now() == when {
				do(r)
			}
			return nil
		}
	}
	for _, c := range []struct {
		name, rule string
		at         sim.Time
		alignment  hardware.Alignment
		policy     rogue
	}{
		{"too few GPUs", "demand range", 0, hardware.Contiguous, func(r *sim.Round) error { r.Start(first(r), block(0, 1)); return nil }},
		{"too many GPUs", "demand range", 0, hardware.Contiguous, func(r *sim.Round) error { r.Start(first(r), block(0, 4)); return nil }},
		{"two blocks", "block", 0, hardware.Contiguous, func(r *sim.Round) error { r.Start(first(r), block(0, 1), block(2, 1)); return nil }},
		{"misaligned", "block", 0, hardware.Buddy, func(r *sim.Round) error { r.Start(first(r), block(1, 2)); return nil }},
		{"two domains", "block", 0, hardware.Contiguous, func(r *sim.Round) error { r.Start(first(r), block(7, 2)); return nil }},
		{"not there", "capacity", 0, hardware.Contiguous, func(r *sim.Round) error { r.Start(first(r), block(15, 2)); return nil }},
		{"no GPUs", "demand range", 0, hardware.Scattered, func(r *sim.Round) error { r.Start(first(r)); return nil }},
		{"fewer than none", "form", 0, hardware.Contiguous, func(r *sim.Round) error { r.Start(first(r), block(0, 3), block(3, -1)); return nil }},
		{"below the first GPU", "capacity", 0, hardware.Contiguous, func(r *sim.Round) error { r.Start(first(r), block(-1, 2)); return nil }},
		{"overlapping ranges", "form", 0, hardware.Scattered, func(r *sim.Round) error { r.Start(first(r), block(0, 1), block(0, 1)); return nil }},
		{"held by another", "capacity", 0, hardware.Contiguous, func(r *sim.Round) error {
			r.Start(r.Waiting()[0], block(0, 2))
			r.Start(r.Waiting()[1], block(1, 2))
			return nil
		}},
		{"started twice", "no interruption", 0, hardware.Contiguous, func(r *sim.Round) error {
			r.Start(first(r), block(0, 2))
			r.Start(first(r), block(2, 2))
			return nil
		}},
		{"before its time", "earliest start", 0, hardware.Contiguous, func(r *sim.Round) error { r.Start(r.Upcoming()[0], block(0, 2)); return nil }},
		{"past the horizon", "closed horizon", 23 * time.Hour, hardware.Contiguous, at(23*time.Hour, func(r *sim.Round) { r.Start(r.Waiting()[0], block(0, 2)) })},
		{"above the maximum", "demand range", 0, hardware.Contiguous, func(r *sim.Round) error { r.Grow(r.Services()[0], block(0, 5)); return nil }},
		{"too fast", "swap cap", time.Hour, hardware.Contiguous, at(time.Hour, func(r *sim.Round) { r.Grow(r.Services()[0], block(0, 2)) })},
		{"too fast in two goes", "swap cap", time.Hour, hardware.Contiguous, at(time.Hour, func(r *sim.Round) {
			r.Grow(r.Services()[0], block(0, 1))
			r.Grow(r.Services()[0], block(1, 1))
		})},
		{"giving up too fast", "swap cap", 2 * time.Hour, hardware.Contiguous, func(r *sim.Round) error {
			if r.Now() == 0 {
				r.Grow(r.Services()[0], block(0, 2), block(4, 2))
			}
			if r.Now() == 2*time.Hour {
				r.Shrink(r.Services()[0], block(1, 1), block(5, 1))
			}
			r.WakeAt(2 * time.Hour)
			return nil
		}},
		{"growing twice over", "form", 0, hardware.Contiguous, func(r *sim.Round) error { r.Grow(r.Services()[0], block(0, 2), block(1, 1)); return nil }},
		{"shrinking twice over", "form", 0, hardware.Contiguous, func(r *sim.Round) error {
			r.Grow(r.Services()[0], block(0, 2))
			r.Shrink(r.Services()[0], block(0, 1), block(0, 1))
			return nil
		}},
		{"shrinking by less than none", "form", 0, hardware.Contiguous, func(r *sim.Round) error { r.Shrink(r.Services()[0], block(0, -2)); return nil }},
		{"onto a job", "capacity", 0, hardware.Contiguous, func(r *sim.Round) error {
			r.Start(first(r), block(0, 2))
			r.Grow(r.Services()[0], block(1, 2))
			return nil
		}},
		{"nobody's GPUs", "capacity", 0, hardware.Contiguous, func(r *sim.Round) error { r.Shrink(r.Services()[0], block(0, 1)); return nil }},
		{"another service's GPUs", "capacity", 0, hardware.Contiguous, func(r *sim.Round) error {
			r.Grow(r.Services()[1], block(0, 1))
			r.Shrink(r.Services()[0], block(0, 1))
			return nil
		}},
		{"a job's GPUs", "capacity", 0, hardware.Contiguous, func(r *sim.Round) error {
			r.Start(first(r), block(0, 2))
			r.Shrink(r.Services()[0], block(0, 1))
			return nil
		}},
		{"GPUs that are not there", "capacity", 0, hardware.Contiguous, func(r *sim.Round) error { r.Shrink(r.Services()[0], block(16, 1)); return nil }},
		{"reject twice", "reject", 0, hardware.Contiguous, func(r *sim.Round) error {
			j := first(r)
			r.Reject(j, "no")
			r.Reject(j, "no")
			return nil
		}},
		{"start what was rejected", "no interruption", 0, hardware.Contiguous, func(r *sim.Round) error {
			j := first(r)
			r.Reject(j, "no")
			r.Start(j, block(0, 2))
			return nil
		}},
		{"reject a running job", "reject", 0, hardware.Contiguous, func(r *sim.Round) error {
			j := first(r)
			r.Start(j, block(0, 2))
			r.Reject(j, "changed my mind")
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			topology, _ := hardware.NewTopology(hardware.Pool{GPUs: 16})
			job := sim.Job{ID: 1, Priority: 1, MinGPUs: 2, MaxGPUs: 2, Duration: time.Hour, Estimate: time.Hour}
			second, later := job, job
			second.ID, second.Duration, second.Estimate = 2, 30*time.Minute, 30*time.Minute
			later.ID, later.Earliest = 3, 10*time.Hour
			long := job
			long.ID, long.Duration, long.Estimate = 4, 2*time.Hour, 30*time.Minute
			w := &sim.Workload{
				Topology: topology, Alignment: c.alignment, Horizon: 24 * time.Hour, Closed: true,
				Services: []sim.Service{
					{Name: "chat", Priority: 1, Max: 4, SwapCap: 1, Demand: sim.Curve{Step: time.Hour, Levels: []int{1, 2, 3}}},
					{Name: "search", Priority: 1, Max: 4},
				},
				Jobs: &sim.Jobs{List: []sim.Job{job, second, later, long}},
			}
			if c.rule == "closed horizon" { // 23 h + 1 h fits, 23 h + 90 min does not
				w.Horizon = 24*time.Hour + 30*time.Minute
				big := job
				big.Duration, big.Estimate, big.MaxGPUs, big.Parallel = 2*time.Hour, 2*time.Hour, 4, 1
				w.Jobs = &sim.Jobs{List: []sim.Job{big}}
			}
			err := sim.Run(context.Background(), w, c.policy)
			var broken *sim.RuleError
			if !errors.As(err, &broken) {
				t.Fatalf("got %v, want a *sim.RuleError", err)
			}
			if broken.Policy != "rogue" || broken.Rule != c.rule || broken.At != c.at || !subjects.MatchString(broken.Subject) || broken.Detail == "" {
				t.Errorf("got %+v, want rule %q at %v", broken, c.rule, c.at)
			}
			if text := err.Error(); !strings.Contains(text, "rogue") || !strings.Contains(text, c.rule) || !strings.Contains(text, broken.Subject) {
				t.Errorf("the text says little: %s", text)
			}
		})
	}
}

// The swap cap counts anew in every step, whether or not a policy asks for its
// allowance.
func TestSwapCapCountsByStep(t *testing.T) {
	topology, _ := hardware.NewTopology(hardware.Pool{GPUs: 4})
	w := &sim.Workload{Topology: topology, Horizon: 5 * time.Hour, Jobs: &sim.Jobs{},
		Services: []sim.Service{{Name: "chat", Priority: 1, Max: 4, SwapCap: 1}}}
	asked := ""
	err := sim.Run(context.Background(), w, rogue(func(r *sim.Round) error {
		r.WakeAt(r.Now() + 30*time.Minute)
		s := r.Services()[0]
		switch {
		case r.Now()%time.Hour != 0:
			gain, lose := r.Allowance(s)
			asked += fmt.Sprintf("%v:+%d-%d ", r.Now(), gain, lose)
		case r.Now() < 4*time.Hour:
			r.Grow(s, block(int(r.Now()/time.Hour), 1))
		default:
			r.Shrink(s, block(0, 1))
		}
		return nil
	}))
	if want := "30m0s:+3-1 1h30m0s:+0-1 2h30m0s:+0-1 3h30m0s:+0-1 4h30m0s:+1-0 "; err != nil || asked != want {
		t.Errorf("%v; allowed %s, want %s", err, asked, want)
	}
}

// A policy that wakes for ever while jobs wait is stopped.
func TestIdlePolicyIsStopped(t *testing.T) {
	topology, _ := hardware.NewTopology(hardware.Pool{GPUs: 1})
	w := &sim.Workload{Topology: topology, Jobs: &sim.Jobs{List: []sim.Job{{MinGPUs: 1, MaxGPUs: 1, Priority: 1, Duration: 1, Estimate: 1}}}}
	err := sim.Run(context.Background(), w, rogue(func(r *sim.Round) error { r.WakeAt(r.Now() + 1); return nil }))
	if err == nil || !strings.Contains(err.Error(), "rogue") {
		t.Errorf("got %v", err)
	}
}

// A source out of order is an error that names the job.
func TestSourceOutOfOrder(t *testing.T) {
	topology, _ := hardware.NewTopology(hardware.Pool{GPUs: 1})
	w := &sim.Workload{Topology: topology, Jobs: &sim.Jobs{List: []sim.Job{{ID: 7, Submit: 5}, {ID: 8, Submit: 4}}}}
	err := sim.Run(context.Background(), w, rogue(func(*sim.Round) error { return nil }))
	if err == nil || !strings.Contains(err.Error(), "job 8") {
		t.Errorf("got %v", err)
	}
}
