package traces

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// spool keeps pieces of text, each with the number of its line, to be read
// once in their order: 4 MiB of them in memory, more in a temporary file.
type spool struct {
	dir  string // "" means os.TempDir()
	mem  bytes.Buffer
	file *os.File
	w    *bufio.Writer
	r    *bufio.Reader
	buf  []byte
}

const spoolMemory = 4 << 20

func (s *spool) put(line int64, piece []byte) error {
	var head [2 * binary.MaxVarintLen64]byte
	h := binary.AppendUvarint(head[:0], uint64(line))
	h = binary.AppendUvarint(h, uint64(len(piece)))
	if s.file == nil && s.mem.Len()+len(h)+len(piece) > spoolMemory {
		f, err := os.CreateTemp(s.dir, "berth-spool-*")
		if err != nil {
			return fmt.Errorf("traces: %w", err)
		}
		os.Remove(f.Name()) // where the system allows it, nothing can be left behind
		s.file, s.w = f, bufio.NewWriterSize(f, 256<<10)
	}
	if s.file == nil {
		s.mem.Write(h)
		s.mem.Write(piece)
		return nil
	}
	s.w.Write(h) // the error stays in w
	if _, err := s.w.Write(piece); err != nil {
		return fmt.Errorf("traces: %w", err)
	}
	return nil
}

// rewind ends the writing.
func (s *spool) rewind() error {
	if s.file == nil {
		s.r = bufio.NewReader(&s.mem)
		return nil
	}
	err := s.w.Flush()
	if err == nil {
		_, err = s.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("traces: %w", err)
	}
	s.w = nil
	s.r = bufio.NewReaderSize(io.MultiReader(&s.mem, s.file), 256<<10)
	return nil
}

// take reads the next piece, valid until the next call, or says io.EOF.
func (s *spool) take() (line int64, piece []byte, err error) {
	if s.r == nil {
		return 0, nil, io.EOF
	}
	n, err := binary.ReadUvarint(s.r)
	if err != nil {
		return 0, nil, err
	}
	size, err := binary.ReadUvarint(s.r)
	if err != nil {
		return 0, nil, fmt.Errorf("traces: spool: %w", err)
	}
	if uint64(cap(s.buf)) < size {
		s.buf = make([]byte, size)
	}
	s.buf = s.buf[:size]
	if _, err := io.ReadFull(s.r, s.buf); err != nil {
		return 0, nil, fmt.Errorf("traces: spool: %w", err)
	}
	return int64(n), s.buf, nil
}

// close releases the file.
func (s *spool) close() error {
	s.r, s.mem = nil, bytes.Buffer{}
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	err := f.Close()
	if e := os.Remove(f.Name()); e != nil && !errors.Is(e, fs.ErrNotExist) {
		err = errors.Join(err, e)
	}
	return err
}
