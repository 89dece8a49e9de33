package traces

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"berth/sim"
)

// merge is a heap of runs by their first job, then by age.
type merge []*cursor

type cursor struct {
	job     sim.Job
	age     int
	r       *bufio.Reader
	code    []byte
	tenants interner
}

// read takes the next job of the run. The error is io.EOF at its end.
func (c *cursor) read() error {
	n, err := binary.ReadUvarint(c.r)
	if err != nil {
		return err
	}
	c.code = slices.Grow(c.code[:0], int(n))[:n]
	if _, err := io.ReadFull(c.r, c.code); err != nil {
		return io.ErrUnexpectedEOF
	}
	return decodeJob(c.code, &c.job, c.tenants)
}

func (m *merge) open(f *os.File, runs []span, tenants interner) error {
	for i, run := range runs {
		section := io.NewSectionReader(f, run.from, run.to-run.from)
		c := &cursor{age: i, r: bufio.NewReaderSize(section, 64<<10), tenants: tenants}
		if err := c.read(); err != nil {
			return fmt.Errorf("traces: sorting: %w", err)
		}
		*m = append(*m, c)
	}
	heap.Init(m)
	return nil
}

func (m *merge) next(j *sim.Job) (bool, error) {
	if len(*m) == 0 {
		return false, nil
	}
	first := (*m)[0]
	*j = first.job
	switch err := first.read(); err {
	case nil:
		heap.Fix(m, 0)
	case io.EOF:
		heap.Pop(m)
	default:
		return false, fmt.Errorf("traces: sorting: %w", err)
	}
	return true, nil
}

func (m merge) Len() int { return len(m) }
func (m merge) Less(a, b int) bool {
	if m[a].job.Submit != m[b].job.Submit {
		return m[a].job.Submit < m[b].job.Submit
	}
	return m[a].age < m[b].age
}
func (m merge) Swap(a, b int) { m[a], m[b] = m[b], m[a] }
func (m *merge) Push(x any)   { *m = append(*m, x.(*cursor)) }
func (m *merge) Pop() any {
	old := *m
	last := old[len(old)-1]
	*m = old[:len(old)-1]
	return last
}
