package policies

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"berth/policies/exec"
	"berth/sim"
)

// newExec makes the policy of a program. What the program leaves to berth, the
// services and where jobs go, is done as in the queue policies.
func newExec(c Config) (sim.Policy, error) {
	words, err := c.CommandWords()
	switch {
	case err != nil:
		return nil, fmt.Errorf("policy.command = %q: %w", c.Command, err)
	case len(words) == 0 && c.Replay == "":
		return nil, errors.New(`policy.command is needed: the program and its arguments, as in exec:command="python3 my.py"`)
	}
	timeout, err := time.ParseDuration(cmp.Or(c.Timeout, exec.DefaultTimeout.String()))
	if err != nil || timeout <= 0 {
		return nil, fmt.Errorf("policy.timeout = %q; accepted is a positive duration, such as 10s", c.Timeout)
	}
	services := newServiceSchedule(c, "peak")
	e := exec.Config{
		Command: words, Timeout: timeout, Record: c.RecordPath(), Replay: c.ReplayPath(), Stderr: c.Stderr,
		Seed: c.Seed, Gamma: c.Gamma, Lambda: c.Lambda, Hold: services.apply, Place: services.start,
	}
	if services.place != nil {
		e.Watch = services.place.Observe
	}
	return exec.New(e), nil
}

// CommandWords are the program of exec and its arguments.
func (c *Config) CommandWords() ([]string, error) { return shellquote.Split(c.Command) }

// RecordPath is the file that a run with the seed of the configuration writes
// its conversation to; "" when it records none.
func (c *Config) RecordPath() string { return c.withSeed(c.Record) }

// ReplayPath is the record that answers in a run with the seed of the
// configuration; "" when the program does.
func (c *Config) ReplayPath() string { return c.withSeed(c.Replay) }

func (c *Config) withSeed(path string) string {
	return strings.ReplaceAll(path, "{seed}", strconv.FormatUint(c.Seed, 10))
}
