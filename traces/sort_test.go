package traces

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"berth/sim"
)

// shuffled writes n rows of SWF with submissions drawn from [0, within).
func shuffled(n, within int, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for i := range n {
		b.WriteString(row(i+1, fmt.Sprint(r.IntN(within)), "1", "1", "1"))
	}
	return b.String()
}

// TestOrder: whatever the memory, jobs come in the order of a stable sort by
// submission.
func TestOrder(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 100, 1000} {
		text := "; MaxProcs: 4\n" + shuffled(n, 1+n/3, uint64(n))
		want := drain(t, read(t, text, Options{}))
		if !slices.IsSortedFunc(want, func(a, b sim.Job) int {
			return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.ID, b.ID))
		}) {
			t.Fatalf("%d rows: the look-ahead does not sort", n)
		}
		for _, buffer := range []int{0, 1, 2, 3, 10, 99, 1000} {
			got := drain(t, read(t, text, Options{Sort: true, SortBuffer: buffer, TempDir: t.TempDir()}))
			if d := gocmp.Diff(want, got); d != "" {
				t.Fatalf("%d rows, %d in memory: %s", n, buffer, d)
			}
		}
	}
}

func TestLookaheadWindow(t *testing.T) {
	in := newInput(bufio.NewReader(strings.NewReader(
		row(1, "10", "1", "1", "1")+row(2, "12", "1", "1", "1")+row(3, "11", "1", "1", "1")+
			row(4, "13", "1", "1", "1")+row(5, "14", "1", "1", "1")+row(6, "3", "1", "1", "1")+row(7, "15", "1", "1", "1"))),
		"x", "swf", Options{KeepGoing: true})
	r, err := openSWF(in)
	if err != nil {
		t.Fatal(err)
	}
	l := newLookahead(r, in)
	l.size = 4
	var got []int64
	var j sim.Job
	for {
		ok, err := l.next(&j)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		got = append(got, j.ID)
	}
	if d := gocmp.Diff([]int64{1, 3, 2, 4, 5, 7}, got); d != "" {
		t.Error(d)
	}
	rep := in.report()
	if rep.Rejected != 1 || rep.Rejects[0].Lines[0] != 6 || rep.Rows != 7 {
		t.Errorf("report %+v", rep)
	}
}

func TestFarOutOfOrder(t *testing.T) {
	var b strings.Builder
	for i := range 3 * lookaheadSize {
		b.WriteString(row(i, fmt.Sprint(100+i), "1", "1", "1"))
	}
	b.WriteString(row(999_999, "0", "1", "1", "1"))
	_, err := drainErr(read(t, b.String(), Options{}))
	if err == nil || !strings.Contains(err.Error(), "x:196609: submitted ") || !strings.Contains(err.Error(), "--sort") {
		t.Errorf("error %v", err)
	}
	jobs := drain(t, read(t, b.String(), Options{Sort: true}))
	if len(jobs) != 3*lookaheadSize+1 || jobs[0].ID != 999_999 {
		t.Errorf("%d jobs, the first is %d", len(jobs), jobs[0].ID)
	}
}

// TestNothingLeft: a sort that is not read to its end leaves no file.
func TestNothingLeft(t *testing.T) {
	dir := t.TempDir()
	tr := read(t, shuffled(100, 50, 1), Options{Sort: true, SortBuffer: 10, TempDir: dir})
	var j sim.Job
	if ok, err := tr.Next(&j); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	broken := read(t, shuffled(100, 50, 1)+"x\n", Options{Sort: true, SortBuffer: 10, TempDir: dir})
	if _, err := broken.Next(&j); err == nil {
		t.Error("no error from a broken line")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := drainErr(read(t, shuffled(9, 5, 1), Options{Sort: true, SortBuffer: 2, TempDir: dir + "/none"})); err == nil || !strings.Contains(err.Error(), "sorting x") {
		t.Errorf("no folder to spill to: error %v", err)
	}
}

// fill gives every field of a struct, and of those in it, a value of its own.
func fill(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Struct:
			fill(f)
		case reflect.String:
			f.SetString(strings.Repeat("x", 1+i*100))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Float64:
			f.SetFloat(float64(i) + 0.1)
		case reflect.Uint8:
			f.SetUint(uint64(i))
		default:
			f.SetInt(int64(-1-i) << 40)
		}
	}
}

// TestJobCode fills every field of a job, so that a new one is not forgotten.
func TestJobCode(t *testing.T) {
	var want sim.Job
	fill(reflect.ValueOf(&want).Elem())
	code := appendJob(nil, &want)
	var got sim.Job
	if err := decodeJob(code, &got, interner{}); err != nil || got != want {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	for n := range code {
		if err := decodeJob(code[:n], &got, interner{}); err != io.ErrUnexpectedEOF {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
}

// TestArena: jobs of any length, chunk after chunk, twice.
func TestArena(t *testing.T) {
	var a arena
	for range 2 {
		var places []int
		for i := range 50 {
			places = append(places, a.put(&sim.Job{ID: int64(i), Name: strings.Repeat("x", i*i*100)}))
		}
		if !slices.IsSorted(places) {
			t.Error("places do not grow")
		}
		for i, p := range places {
			var j sim.Job
			record, code := a.get(p)
			if err := decodeJob(code, &j, interner{}); err != nil || j.ID != int64(i) || len(j.Name) != i*i*100 || len(record) <= len(code) {
				t.Errorf("job %d: %v, %d", i, err, j.ID)
			}
		}
		a.reset()
	}
}
