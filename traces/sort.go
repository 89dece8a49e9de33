package traces

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"berth/sim"
)

// sorter hands on rows of any order by submission, ties in the order of the
// file. It is an external merge sort: opts.SortBuffer jobs at most are in
// memory, encoded; beyond, sorted runs go to one temporary file, and 64 KiB a
// run is read back at a time.
type sorter struct {
	rows rows
	in   *input

	run  arena     // the jobs in memory, encoded, in the order of the file
	keys []sortKey // the order in which they are handed on
	at   int

	file   *os.File
	spills []span
	merge  merge
	loaded bool
}

type sortKey struct {
	submit sim.Time
	place  int // in the arena; grows with the row
}

// span is where a run lies in the temporary file.
type span struct{ from, to int64 }

func newSorter(r rows, in *input) *sorter { return &sorter{rows: r, in: in} }

func (s *sorter) next(j *sim.Job) (bool, error) {
	if !s.loaded {
		s.loaded = true
		if err := s.load(); err != nil {
			return false, errors.Join(err, s.close())
		}
	}
	if s.file != nil {
		return s.merge.next(j)
	}
	if s.at == len(s.keys) {
		return false, nil
	}
	_, code := s.run.get(s.keys[s.at].place)
	s.at++
	return true, decodeJob(code, j, s.in.tenants)
}

// load reads every row.
func (s *sorter) load() error {
	var j sim.Job
	for last := sim.Time(math.MinInt64); ; last = j.Submit {
		ok, err := s.rows.next(&j)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if j.Submit < last {
			s.in.quirk(&quirkUnsorted)
		}
		if len(s.keys) == cap(s.keys) {
			s.keys = slices.Grow(s.keys, max(len(s.keys), 1024))
		}
		s.keys = append(s.keys, sortKey{j.Submit, s.run.put(&j)})
		if len(s.keys) >= s.in.opts.SortBuffer {
			if err := s.spill(); err != nil {
				return err
			}
		}
	}
	if s.file == nil {
		s.sortRun()
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.run, s.keys = arena{}, nil
	return s.merge.open(s.file, s.spills, s.in.tenants)
}

func (s *sorter) sortRun() {
	slices.SortFunc(s.keys, func(a, b sortKey) int {
		if c := cmp.Compare(a.submit, b.submit); c != 0 {
			return c
		}
		return cmp.Compare(a.place, b.place)
	})
}

// spill writes the jobs in memory to the temporary file as one sorted run.
func (s *sorter) spill() error {
	if len(s.keys) == 0 {
		return nil
	}
	if s.file == nil {
		f, err := os.CreateTemp(s.in.opts.TempDir, "berth-sort-*")
		if err != nil {
			return fmt.Errorf("traces: sorting %s: %w", s.in.name, err)
		}
		s.file = f
		os.Remove(f.Name()) // where the system allows it, nothing can be left behind
	}
	s.sortRun()
	from, err := s.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return fmt.Errorf("traces: sorting %s: %w", s.in.name, err)
	}
	w := bufio.NewWriterSize(s.file, 256<<10)
	to := from
	for _, k := range s.keys {
		record, _ := s.run.get(k.place)
		w.Write(record) // the error stays in w
		to += int64(len(record))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("traces: sorting %s: %w", s.in.name, err)
	}
	s.spills = append(s.spills, span{from, to})
	s.run.reset()
	s.keys = s.keys[:0]
	return nil
}

func (s *sorter) close() error {
	s.loaded, s.run, s.keys, s.at, s.merge = true, arena{}, nil, 0, nil
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
