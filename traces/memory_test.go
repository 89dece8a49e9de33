package traces

import (
	"io"
	"runtime"
	"strconv"
	"testing"

	"berth/sim"
)

// endless writes rows of SWF without holding them.
type endless struct {
	rows, next int
	rest, buf  []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		if e.next == e.rows {
			return 0, io.EOF
		}
		e.rest = e.buf[:0]
		for range min(100, e.rows-e.next) {
			e.rest = strconv.AppendInt(e.rest, int64(e.next), 10)
			e.rest = append(e.rest, ' ')
			e.rest = strconv.AppendInt(e.rest, int64(e.next), 10)
			e.rest = append(e.rest, " -1 10 4 -1 -1 4 20 -1 1 7 1 -1 -1 -1 -1 -1\n"...)
			e.next++
		}
		e.buf = e.rest
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestMemoryIsFlat: what is allocated to read a trace does not grow with it,
// beyond the look-ahead or the jobs that a sort may hold.
func TestMemoryIsFlat(t *testing.T) {
	used := func(rows int, o Options) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tr, err := NewReader(&endless{rows: rows}, "x", o)
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		n, j := 0, sim.Job{}
		for ; ; n++ {
			ok, err := tr.Next(&j)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
		}
		runtime.ReadMemStats(&after)
		if n != rows {
			t.Fatalf("%d jobs of %d", n, rows)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if short, long := used(200_000, Options{}), used(800_000, Options{}); long > short+1<<20 {
		t.Errorf("%d bytes for 200,000 rows, %d for 800,000", short, long)
	}
	o := Options{Sort: true, SortBuffer: 50_000, TempDir: t.TempDir()}
	const runs = 12 // more than the shorter has; a run costs 64 KiB to read and 256 KiB to write
	if short, long := used(200_000, o), used(800_000, o); long > short+(runs+1)*(320<<10) {
		t.Errorf("sorting: %d bytes for 200,000 rows, %d for 800,000", short, long)
	}
}
