// Command berth simulates GPU clusters and compares the policies that decide
// which job gets which GPUs when. Run it without arguments for its commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"berth/sim"
)

// Exit statuses, a contract with scripts.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInvalid     = 3
	exitRule        = 4
	exitInterrupted = 5
)

// statuses are the exit statuses in words, by number.
var statuses = [...]string{
	0:               "done",
	exitFailed:      "failed",
	exitUsage:       "usage: a command, flag or argument that is not accepted",
	exitInvalid:     "invalid input: a scenario, trace, plan or setting",
	exitRule:        "a policy broke a rule",
	exitInterrupted: "interrupted; partial results are kept and named",
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	err := newRoot().ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "berth:", err)
		os.Exit(statusOf(err))
	}
}

// statusError is an error with an exit status of its own.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// usage, invalid and interrupted mark an error by its kind; nil stays nil.
func usage(err error) error       { return withStatus(exitUsage, err) }
func invalid(err error) error     { return withStatus(exitInvalid, err) }
func interrupted(err error) error { return withStatus(exitInterrupted, err) }

func withStatus(status int, err error) error {
	if err == nil {
		return nil
	}
	return &statusError{status, err}
}

func statusOf(err error) int {
	var rule *sim.RuleError
	var status *statusError
	switch {
	case errors.As(err, &rule):
		return exitRule
	case errors.As(err, &status):
		return status.status
	}
	return exitFailed
}
