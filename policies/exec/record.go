package exec

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"
)

// A record of a conversation is lines of JSON, a line a message, in their
// order: {"berth":…} with what berth said, {"program":…} with what the program
// answered. An answer that is no JSON, or a text, is kept as a text. A record
// whose name ends in .zst is compressed.
const (
	berthSays   = `{"berth":`
	programSays = `{"program":`
)

// recorder is a peer that writes down what another is asked and answers.
type recorder struct {
	peer
	path string
	file *os.File
	z    *zstd.Encoder // nil when the record is not compressed
	w    *bufio.Writer
}

// record writes the conversation with a peer to a file, which takes its name
// when the conversation ends.
func record(path string, p peer) (*recorder, error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, fmt.Errorf("policy.record: %w", err)
	}
	r := &recorder{peer: p, path: path, file: f}
	if strings.HasSuffix(path, ".zst") {
		r.z, _ = zstd.NewWriter(f, zstd.WithEncoderConcurrency(1)) // fails for bad options only
		r.w = bufio.NewWriter(r.z)
	} else {
		r.w = bufio.NewWriter(f)
	}
	return r, nil
}

// ask implements peer. A failed write shows in close.
func (r *recorder) ask(message []byte) ([]byte, error) {
	r.say(berthSays, message)
	answer, err := r.peer.ask(message)
	switch {
	case err != nil:
	case jsontext.Value(answer).IsValid() && jsontext.Value(answer).Kind() != '"':
		r.say(programSays, answer)
	default:
		text, _ := jsontext.AppendQuote(nil, answer) // invalid UTF-8 is replaced
		r.say(programSays, text)
	}
	return answer, err
}

func (r *recorder) say(side string, message []byte) {
	_, _ = r.w.WriteString(side)
	_, _ = r.w.Write(message)
	_, _ = r.w.WriteString("}\n")
}

func (r *recorder) close() error {
	err := r.w.Flush()
	if r.z != nil {
		err = errors.Join(err, r.z.Close())
	}
	err = errors.Join(err, r.file.Chmod(0o644), r.file.Close())
	if err == nil {
		err = os.Rename(r.file.Name(), r.path)
	} else {
		os.Remove(r.file.Name())
	}
	return errors.Join(err, r.peer.close())
}

// replay is a peer that answers from a record.
type replay struct {
	path   string
	file   *os.File
	lines  *bufio.Reader
	line   int
	broken bool // an error was returned
}

func openReplay(path string) (*replay, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("policy.replay: %w", err)
	}
	r := &replay{path: path, file: f, lines: bufio.NewReader(f)}
	if strings.HasSuffix(path, ".zst") {
		z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1)) // in this goroutine: nothing to close
		if err != nil {
			return nil, errors.Join(fmt.Errorf("policy.replay: %s: %w", path, err), f.Close())
		}
		r.lines = bufio.NewReader(z)
	}
	return r, nil
}

// ask implements peer.
func (r *replay) ask(message []byte) ([]byte, error) {
	answer, err := r.answer(message)
	r.broken = r.broken || err != nil
	return answer, err
}

func (r *replay) answer(message []byte) ([]byte, error) {
	said, err := r.next(berthSays)
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
	answer, err := r.next(programSays)
	if err == nil && bytes.HasPrefix(answer, []byte{'"'}) {
		return jsontext.AppendUnquote(nil, answer)
	}
	return answer, err
}

// next is the message of the next line, which must be of one side.
func (r *replay) next(side string) ([]byte, error) {
	text, err := r.lines.ReadBytes('\n')
	r.line++
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:%d: the record ends here, and the run goes on", r.path, r.line)
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", r.path, r.line, err)
	}
	said, ok := bytes.CutPrefix(text, []byte(side))
	said, whole := bytes.CutSuffix(said, []byte("}\n"))
	if !ok || !whole {
		return nil, fmt.Errorf("%s:%d: a line %s…} is expected, and not %s", r.path, r.line, side, quote(bytes.TrimSpace(text)))
	}
	return said, nil
}

// over reports a record that goes on when the run has ended well.
func (r *replay) over() error {
	if _, err := r.lines.Peek(1); err == nil && !r.broken {
		return fmt.Errorf("%s:%d: the record goes on here, and the run has ended", r.path, r.line+1)
	}
	return nil
}

func (r *replay) close() error { return r.file.Close() }

// around is what stands about the first difference.
func around(text []byte, at int) string {
	return quote(text[max(0, at-40):min(len(text), at+40)])
}
