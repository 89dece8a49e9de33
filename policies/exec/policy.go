package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"berth/sim"
)

// DefaultTimeout is how long a program may take for an answer.
const DefaultTimeout = time.Minute

// Config is what a policy of this kind is told.
type Config struct {
	Command []string      // the program and its arguments
	Timeout time.Duration // wall-clock time for an answer; 0 means DefaultTimeout
	Record  string        // file that the conversation is written to; "" means none
	Replay  string        // file that answers in place of the program; "" means none
	Stderr  io.Writer     // gets what the program writes to its standard error; nil means nobody

	Seed          uint64  // of the run, told to the program
	Gamma, Lambda float64 // weights of the scenario, told to the program

	// Hold holds the services when the program does not, at the beginning of
	// each round; nil means that nobody does.
	Hold func(*sim.Round)
	// Watch is called at the beginning of each round in which Hold is not.
	Watch func(*sim.Round)
	// Place starts a job on GPUs of berth's choice and reports whether there
	// were any; nil means Round.StartFirst.
	Place func(*sim.Round, *sim.ActiveJob) bool
}

// Policy is a program that decides. It is to be closed after the run; sim.Run
// does so.
type Policy struct {
	c    Config
	peer peer            // nil before the first round
	ctx  context.Context // of the run
	view view
	said answer // the last

	free, preempt, services bool // features that the program asked for
}

// peer answers messages: a program or a record of one.
type peer interface {
	// ask sends a message, a line without its end, and returns the answer,
	// valid until the next call.
	ask(message []byte) ([]byte, error)
	close() error
}

// New makes the policy. The program starts with the first round.
func New(c Config) *Policy {
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Place == nil {
		c.Place = (*sim.Round).StartFirst
	}
	return &Policy{c: c}
}

// Name implements sim.Policy.
func (p *Policy) Name() string { return "exec" }

// Decide implements sim.Policy.
func (p *Policy) Decide(r *sim.Round) error {
	if p.peer == nil {
		if err := p.begin(r); err != nil {
			return err
		}
	}
	if p.services {
		p.watch(r)
	} else if p.c.Hold != nil {
		p.c.Hold(r)
	}
	message, err := p.view.instant(r, p.free)
	if err != nil {
		return err
	}
	text, err := p.peer.ask(message)
	if err != nil {
		return p.blame(r, fmt.Sprintf("round %d", p.view.round), err)
	}
	if err := p.said.parse(text, p.view.round); err != nil {
		return fmt.Errorf("%w\nthe program answered: %s", err, quote(text))
	}
	return p.carryOut(r, &p.said)
}

func (p *Policy) watch(r *sim.Round) {
	if p.c.Watch != nil {
		p.c.Watch(r)
	}
}

// blame turns the end of the run's context into that of the run.
func (p *Policy) blame(r *sim.Round, what string, err error) error {
	if r.Context().Err() != nil {
		return sim.ErrInterrupted
	}
	return fmt.Errorf("no answer to %s: %w", what, err)
}

// begin starts the program or opens its record, and exchanges greetings.
func (p *Policy) begin(r *sim.Round) (err error) {
	var to peer
	if p.c.Replay != "" {
		to, err = openReplay(p.c.Replay)
	} else {
		to, err = start(r.Context(), &p.c)
	}
	if err != nil {
		return err
	}
	p.peer, p.ctx = to, r.Context()
	if p.c.Record != "" {
		rec, err := record(p.c.Record, to)
		if err != nil {
			return err
		}
		p.peer = rec
	}
	message, err := p.hello(r)
	if err != nil {
		return err
	}
	text, err := p.peer.ask(message)
	if err != nil {
		return p.blame(r, "hello", err)
	}
	w, err := parseWelcome(text)
	if err != nil {
		return fmt.Errorf("%w\nthe program answered: %s", err, quote(text))
	}
	for _, f := range w.Features {
		switch f {
		case "free":
			p.free = true
		case "preempt":
			p.preempt = true
		case "services":
			p.services = true
		}
	}
	return nil
}

// Close ends the program. A record must end with the run that it answers.
func (p *Policy) Close() error {
	if p.peer == nil {
		return nil
	}
	var err error
	if record, ok := p.peer.(*replay); ok && p.ctx.Err() == nil {
		err = record.over()
	}
	return errors.Join(err, p.peer.close())
}
