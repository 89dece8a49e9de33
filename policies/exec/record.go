package exec

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A record of a conversation has a line for each message, in their order:
// "> " and what berth said, "< " and what the program answered.

// recorder is a peer that writes down what another is asked and answers.
type recorder struct {
	peer
	path string
	file *os.File
	w    *bufio.Writer
}

// record writes the conversation with a peer to a file, which takes its name
// when the conversation ends.
func record(path string, p peer) (*recorder, error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, fmt.Errorf("policy.record: %w", err)
	}
	return &recorder{peer: p, path: path, file: f, w: bufio.NewWriter(f)}, nil
}

// ask implements peer.
func (r *recorder) ask(message []byte) ([]byte, error) {
	fmt.Fprintf(r.w, "> %s\n", message)
	answer, err := r.peer.ask(message)
	if err == nil {
		fmt.Fprintf(r.w, "< %s\n", answer)
	}
	return answer, err // a failed write shows in close
}

func (r *recorder) close() error {
	err := errors.Join(r.w.Flush(), r.file.Chmod(0o644), r.file.Close())
	if err == nil {
		err = os.Rename(r.file.Name(), r.path)
	} else {
		os.Remove(r.file.Name())
	}
	return errors.Join(err, r.peer.close())
}

// replay is a peer that answers from a record.
type replay struct {
	path  string
	file  *os.File
	lines *bufio.Reader
	line  int
}

func openReplay(path string) (*replay, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("policy.replay: %w", err)
	}
	return &replay{path: path, file: f, lines: bufio.NewReader(f)}, nil
}

// ask implements peer.
func (r *replay) ask(message []byte) ([]byte, error) {
	said, err := r.next("> ")
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(said, message) {
		at := 0
		for at < len(said) && at < len(message) && said[at] == message[at] {
			at++
		}
		return nil, fmt.Errorf("%s:%d: the record is of another run: there %s, here %s", r.path, r.line, around(said, at), around(message, at))
	}
	return r.next("< ")
}

// next is the next line, which must be of one side.
func (r *replay) next(side string) ([]byte, error) {
	text, err := r.lines.ReadBytes('\n')
	r.line++
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:%d: the record ends here, and the run goes on", r.path, r.line)
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", r.path, r.line, err)
	}
	said, ok := bytes.CutPrefix(bytes.TrimSuffix(text, []byte("\n")), []byte(side))
	if !ok {
		return nil, fmt.Errorf("%s:%d: a line that begins with %q is expected", r.path, r.line, side)
	}
	return said, nil
}

func (r *replay) close() error { return r.file.Close() }

// around is what stands about the first difference.
func around(text []byte, at int) string {
	return quote(text[max(0, at-40):min(len(text), at+40)])
}
