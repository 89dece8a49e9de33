package requests

import (
	"archive/tar"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"berth/traces"
)

const (
	maxLine    = 1 << 20 // bytes in a line, its end included
	maxColumns = 100
	tarMagicAt = 257 // where "ustar" stands in the first header of an archive
)

var bom = []byte("\xef\xbb\xbf")

// input hands out the lines of a file, and makes errors that name them.
type input struct {
	name string
	text *bufio.Reader
	line int64 // number of the line last read, from 1
	file io.Closer
}

// openFile opens the file at a path for newInput.
func openFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("requests: %w", err)
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, &traces.InputError{File: path, Msg: "is a folder; accepted is a file"}
	}
	return f, nil
}

// newInput sees through compression and archives by their content.
func newInput(r io.Reader, name string) (*input, error) {
	in := &input{name: name}
	var err error
	if in.text, err = traces.Decompress(r, name); err != nil {
		return nil, err
	}
	head, err := in.text.Peek(tarMagicAt + 5)
	if len(head) == 0 {
		if err != io.EOF {
			return nil, in.unreadable(err)
		}
		return nil, &traces.InputError{File: name, Msg: "is empty"}
	}
	if len(head) == tarMagicAt+5 && string(head[tarMagicAt:]) == "ustar" {
		return in, in.enterArchive()
	}
	return in, nil
}

// enterArchive goes to the first CSV file of a tar archive.
func (in *input) enterArchive() error {
	archive := tar.NewReader(in.text)
	for {
		h, err := archive.Next()
		if err == io.EOF {
			return &traces.InputError{File: in.name, Msg: "is an archive without a .csv file"}
		}
		if err != nil {
			return in.unreadable(err)
		}
		if h.Typeflag == tar.TypeReg && strings.EqualFold(path.Ext(h.Name), ".csv") {
			in.name += "(" + path.Base(h.Name) + ")"
			in.text = bufio.NewReaderSize(archive, maxLine)
			return nil
		}
	}
}

func (in *input) unreadable(err error) error {
	return &traces.InputError{File: in.name, Msg: "cannot be read: " + err.Error(), Err: err}
}

// bad is an error about the current line.
func (in *input) bad(format string, args ...any) error {
	return &traces.InputError{File: in.name, Line: in.line, Msg: fmt.Sprintf(format, args...)}
}

// next is the next line that is not blank, without its end, or false at the
// end of the file. It is valid until the next call.
func (in *input) next() ([]byte, bool, error) {
	for {
		line, err := in.text.ReadSlice('\n')
		if len(line) == 0 && err == io.EOF {
			return nil, false, nil
		}
		in.line++
		if err == bufio.ErrBufferFull {
			return nil, false, in.bad("line is longer than 1 MiB; accepted are lines below that")
		}
		if err != nil && err != io.EOF {
			return nil, false, &traces.InputError{File: in.name, Line: in.line, Msg: "cannot be read: " + err.Error(), Err: err}
		}
		if in.line == 1 {
			line = bytes.TrimPrefix(line, bom)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, true, nil
		}
	}
}

// close releases the file, if there is one.
func (in *input) close() error {
	if in.file == nil {
		return nil
	}
	err := in.file.Close()
	in.file = nil
	return err
}

// table reads comma-separated rows without quotes, whose columns are found by
// the names in the header, in any order.
type table struct {
	*input
	width  int
	at     []int    // index of each wanted column
	fields [][]byte // of the current row
}

// header reads the header out of a line; every wanted column must be there,
// others are ignored.
func (t *table) header(line []byte, wanted ...string) error {
	t.split(line, maxColumns+1)
	if t.width = len(t.fields); t.width > maxColumns {
		return t.bad("header has more than %d columns", maxColumns)
	}
	for _, name := range wanted {
		found := -1
		for i, f := range t.fields {
			if strings.EqualFold(string(bytes.TrimSpace(f)), name) {
				if found >= 0 {
					return t.bad("column %q is there twice; accepted is once", name)
				}
				found = i
			}
		}
		if found < 0 {
			return t.bad("header lacks column %q; accepted are %s, in any order", name, strings.Join(wanted, ", "))
		}
		t.at = append(t.at, found)
	}
	return nil
}

// row reads the next row, or says false at the end.
func (t *table) row() (bool, error) {
	line, ok, err := t.next()
	if err != nil || !ok {
		return false, err
	}
	t.split(line, t.width+1)
	if n := len(t.fields); n != t.width {
		return false, t.bad("%d fields; accepted are %d, as in the header", n, t.width)
	}
	return true, nil
}

// field is a wanted column of the current row, by its place in header's list.
func (t *table) field(i int) []byte { return bytes.TrimSpace(t.fields[t.at[i]]) }

func (t *table) split(line []byte, most int) {
	t.fields = t.fields[:0]
	for len(t.fields) < most-1 {
		i := bytes.IndexByte(line, ',')
		if i < 0 {
			break
		}
		t.fields = append(t.fields, line[:i])
		line = line[i+1:]
	}
	t.fields = append(t.fields, line)
}

// quote shows the start of a piece of input in an error.
func quote(b []byte) string {
	if len(b) > 40 {
		return fmt.Sprintf("%q…", b[:40])
	}
	return fmt.Sprintf("%q", b)
}
