package traces

import (
	"bufio"
	"cmp"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"berth/sim"
)

// maxElement bounds one element of a JSON list, in bytes.
const maxElement = 16 << 20

// jsonText finds where the elements of a JSON file begin and end, so that a
// list of any length is read one element at a time, and counts lines. What an
// element holds is checked by who decodes it.
type jsonText struct {
	in    *input
	buf   []byte // the element last read
	first int64  // line on which it begins
}

// peek passes over white space and shows what follows, or io.EOF.
func (s *jsonText) peek() (byte, error) {
	for {
		c, err := s.in.text.ReadByte()
		if err != nil {
			return 0, s.broken(err)
		}
		switch c {
		case '\n':
			s.in.line++
		case ' ', '\t', '\r':
		default:
			return c, s.in.text.UnreadByte()
		}
	}
}

// expect passes over one of the characters, and says which.
func (s *jsonText) expect(accepted string) (byte, error) {
	c, err := s.peek()
	if err == io.EOF {
		return 0, &InputError{File: s.in.name, Line: s.in.line, Msg: fmt.Sprintf("ends early; accepted is one of %q", accepted), Err: io.ErrUnexpectedEOF}
	}
	if err != nil {
		return 0, err
	}
	for i := range len(accepted) {
		if accepted[i] == c {
			_, err := s.in.text.Discard(1)
			return c, err
		}
	}
	return 0, &InputError{File: s.in.name, Line: s.in.line, Msg: fmt.Sprintf("is no JSON at %q; accepted is one of %q", c, accepted)}
}

// value reads one value whole. It is valid until the next call.
func (s *jsonText) value() ([]byte, error) {
	s.buf = s.buf[:0]
	if _, err := s.peek(); err != nil {
		return nil, s.early(err)
	}
	s.first = s.in.line
	m := jsonMark{}
	for {
		chunk, err := s.chunk()
		if err != nil {
			return nil, s.early(err)
		}
		n, lines, done := m.scan(chunk)
		s.buf = append(s.buf, chunk[:n]...)
		s.in.line += int64(lines)
		if _, err := s.in.text.Discard(n); err != nil {
			return nil, s.broken(err)
		}
		if done {
			return s.buf, nil
		}
		if len(s.buf) > maxElement {
			return nil, &InputError{File: s.in.name, Line: s.in.line, Msg: fmt.Sprintf("element is longer than %d MiB; accepted are shorter ones", maxElement>>20)}
		}
	}
}

// chunk is what is buffered, at least a byte.
func (s *jsonText) chunk() ([]byte, error) {
	if s.in.text.Buffered() == 0 {
		if _, err := s.in.text.Peek(1); err != nil {
			return nil, err
		}
	}
	return s.in.text.Peek(s.in.text.Buffered())
}

func (s *jsonText) early(err error) error {
	if err == io.EOF {
		return &InputError{File: s.in.name, Line: s.in.line, Msg: "ends inside a value", Err: io.ErrUnexpectedEOF}
	}
	return s.broken(err)
}

func (s *jsonText) broken(err error) error {
	if err == io.EOF || err == bufio.ErrBufferFull {
		return err
	}
	return &InputError{File: s.in.name, Line: s.in.line, Msg: "cannot be read: " + err.Error(), Err: err}
}

// jsonMark is where a scan stands in a value.
type jsonMark struct {
	depth  int
	text   bool // in a string
	escape bool // after a backslash
	scalar bool // in a number or a word, outside of lists and objects
}

// scan takes bytes up to the end of the value, which it may not reach.
func (m *jsonMark) scan(b []byte) (n, lines int, done bool) {
	for i, c := range b {
		if m.text {
			switch {
			case m.escape:
				m.escape = false
			case c == '\\':
				m.escape = true
			case c == '"':
				if m.text = false; m.depth == 0 {
					return i + 1, lines, true
				}
			case c == '\n':
				lines++
			}
			continue
		}
		switch c {
		case '"':
			m.text = true
		case '{', '[':
			m.depth++
		case '}', ']':
			if m.scalar || m.depth == 0 {
				return i, lines, true
			}
			if m.depth--; m.depth == 0 {
				return i + 1, lines, true
			}
		case ',', ' ', '\t', '\r', '\n':
			if m.depth == 0 {
				return i, lines, true
			}
			if c == '\n' {
				lines++
			}
		default:
			m.scalar = m.depth == 0
		}
	}
	return len(b), lines, false
}

// members calls f with each name of an object, as it stands with its quotes,
// before its value, which f must read from d.
func members(d *jsontext.Decoder, f func(name []byte) error) error {
	if k := d.PeekKind(); k != '{' {
		return unlike(d, "an object")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := f(name); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// items calls f before each element of a list, which f must read from d. A
// null is an empty list.
func items(d *jsontext.Decoder, f func() error) error {
	switch d.PeekKind() {
	case 'n':
		return d.SkipValue()
	case '[':
	default:
		return unlike(d, "a list")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for k := d.PeekKind(); k != ']'; k = d.PeekKind() {
		if k == 0 { // an error, which reading tells
			_, err := d.ReadToken()
			return err
		}
		if err := f(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// unlike is the error of a value that is not what is wanted; or what is wrong
// with the text.
func unlike(d *jsontext.Decoder, want string) error {
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	return fmt.Errorf("%s is %s; accepted is %s", cmp.Or(string(d.StackPointer()), "the element"), quote(v), want)
}

// jsonField appends a value as a field of text: a string without its quotes,
// a number or a word as it stands, and nothing for null.
func jsonField(d *jsontext.Decoder, dst []byte) ([]byte, error) {
	kind := d.PeekKind()
	if kind == '{' || kind == '[' {
		return dst, unlike(d, "a string or a number")
	}
	v, err := d.ReadValue()
	switch {
	case err != nil || kind == 'n':
		return dst, err
	case kind == '"':
		return jsontext.AppendUnquote(dst, v)
	}
	return append(dst, v...), nil
}

// jsonRows turns the elements of a list into jobs, as each does with rows.
type jsonRows struct {
	text jsonText
	row  int64
	end  int64 // line on which the current element ends; the input's is where it begins
	d    *jsontext.Decoder
	job  func(element []byte, j *sim.Job) (bool, error)
	more func() ([]byte, bool, error) // the next element, if there is one
}

func (r *jsonRows) next(j *sim.Job) (bool, error) {
	for {
		r.text.in.line = max(r.text.in.line, r.end)
		element, ok, err := r.more()
		if err != nil && r.text.in.opts.KeepGoing && isCut(err) {
			r.text.in.quirk(&quirkCut)
			return false, nil
		}
		if err != nil || !ok {
			return false, err
		}
		r.row++
		r.end, r.text.in.line = r.text.in.line, r.text.first
		admitted, err := r.job(element, j)
		if admitted {
			return true, nil
		}
		if err != nil {
			if err := r.text.in.malformed("%s", err); err != nil {
				return false, err
			}
		}
	}
}
