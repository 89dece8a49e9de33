package exec

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"strings"
	"sync"
	"time"
)

const (
	// maxLine is the longest answer, in bytes.
	maxLine = 64 << 20
	// grace is how long a program may go on after its input has ended.
	grace = 2 * time.Second
)

// process is a program that runs.
type process struct {
	cmd     *osexec.Cmd
	name    string
	in      *os.File
	out     *os.File
	lines   *bufio.Reader
	line    []byte
	timeout time.Duration
	timer   *time.Timer
	errors  tail
	ended   chan struct{} // closed when the program has ended
	release func() bool   // of the watch over the context

	mu  sync.Mutex
	why error // why it was stopped, if it was
}

// start runs the program until the context ends or it is closed.
func start(ctx context.Context, c *Config) (*process, error) {
	p := &process{cmd: osexec.Command(c.Command[0], c.Command[1:]...), name: strings.Join(c.Command, " "), timeout: c.Timeout, ended: make(chan struct{})}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), in.Close())
	}
	p.in, p.out, p.lines = in, out, bufio.NewReaderSize(out, 64<<10)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirIn, theirOut, &p.errors
	p.errors.also = c.Stderr
	p.cmd.WaitDelay = grace // a child of its own may keep its standard error open
	ownGroup(p.cmd)
	err = p.cmd.Start()
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("the program %q does not start: %w", p.name, err)
	}
	go func() {
		_ = p.cmd.Wait() // ProcessState says how it ended
		close(p.ended)
	}()
	p.timer = time.AfterFunc(p.timeout, func() {
		p.stop(fmt.Errorf("the program %q took longer than %v (policy.timeout)", p.name, p.timeout))
	})
	p.timer.Stop()
	p.release = context.AfterFunc(ctx, func() { p.stop(context.Cause(ctx)) })
	return p, nil
}

// stop kills the program and wakes whoever waits for it.
func (p *process) stop(why error) {
	p.mu.Lock()
	if p.why == nil {
		p.why = why
	}
	p.mu.Unlock()
	kill(p.cmd)
	p.in.Close()
	p.out.Close()
}

// ask implements peer.
func (p *process) ask(message []byte) ([]byte, error) {
	p.timer.Reset(p.timeout)
	p.line = append(append(p.line[:0], message...), '\n')
	_, err := p.in.Write(p.line)
	if err == nil {
		err = p.readLine()
	}
	p.timer.Stop()
	if err != nil {
		return nil, p.cause(err)
	}
	return p.line, nil
}

// readLine reads the next line, without its end.
func (p *process) readLine() error {
	p.line = p.line[:0]
	for {
		part, err := p.lines.ReadSlice('\n')
		p.line = append(p.line, part...)
		if err == nil {
			p.line = p.line[:len(p.line)-1]
			return nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if len(p.line) > maxLine {
			return fmt.Errorf("the program %q answered with a line of more than %d bytes", p.name, maxLine)
		}
	}
}

// cause says why the conversation broke off: the program was stopped, or it
// ended, or else what a read or write said.
func (p *process) cause(err error) error {
	select {
	case <-p.ended:
	case <-time.After(grace): // it closed its output and goes on
	}
	p.mu.Lock()
	why := p.why
	p.mu.Unlock()
	if why != nil {
		return fmt.Errorf("%w%s", why, p.errors.said())
	}
	select {
	case <-p.ended:
		return fmt.Errorf("the program %q ended (%s)%s", p.name, p.cmd.ProcessState, p.errors.said())
	default:
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the program %q closed its standard output%s", p.name, p.errors.said())
	}
	return fmt.Errorf("the program %q: %w%s", p.name, err, p.errors.said())
}

// close ends the program: by the end of its input, or after a while by force.
func (p *process) close() error {
	p.release()
	p.in.Close()
	select {
	case <-p.ended:
	case <-time.After(grace):
	}
	kill(p.cmd) // and what it left behind
	p.out.Close()
	<-p.ended
	return nil
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	also io.Writer // gets all of it; may be nil
	text []byte
}

// most is how much a tail keeps, in bytes.
const most = 2 << 10

// Write implements io.Writer. It never fails: a program does not die of what
// it says to people.
func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.also != nil {
		_, _ = t.also.Write(text)
	}
	t.text = append(t.text, text...)
	if n := len(t.text); n > 2*most {
		t.text = append(t.text[:0], t.text[n-most:]...)
	}
	return len(text), nil
}

// said is the end of the standard error for an error, or nothing.
func (t *tail) said() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := bytes.TrimSpace(t.text[max(0, len(t.text)-most):])
	if len(text) == 0 {
		return "; its standard error says nothing"
	}
	return "; the end of its standard error:\n" + string(text)
}
