package traces

import (
	"bytes"
	"compress/gzip"
	"container/heap"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/sim"
)

// data finds a recorded trace, and skips the test where there is none.
func data(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("BERTH_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("recorded trace not found: %v (set BERTH_DATA to the folder of traces)", err)
	}
	return path
}

// drain reads a trace to its end.
func drain(t testing.TB, tr *Trace) []sim.Job {
	t.Helper()
	jobs, err := drainErr(tr)
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

func drainErr(tr *Trace) ([]sim.Job, error) {
	defer tr.Close()
	var jobs []sim.Job
	var j sim.Job
	for {
		ok, err := tr.Next(&j)
		if err != nil || !ok {
			return jobs, err
		}
		jobs = append(jobs, j)
	}
}

func open(t testing.TB, path string, o Options) *Trace {
	t.Helper()
	tr, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func read(t testing.TB, text string, o Options) *Trace {
	t.Helper()
	tr, err := NewReader(strings.NewReader(text), "x", o)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestRecordedTraces(t *testing.T) {
	for _, tt := range []struct {
		file          string
		machine       int // as the trace states it
		gpus          int
		rows, jobs    int
		tenants, last int // last: end in seconds of the job that ends last when none waits
	}{
		{"swf/NASA-iPSC-1993-3.1-cln.swf.gz", 128, 128, 18239, 18066, 69, 7949022},
		{"swf/hpc2n-first3171.swf.gz", 240, 240, 3170, 3145, 17, 5282045},
		{"swf/lublin_256.swf.gz", 256, 256, 10000, 10000, 0, 7739924},
		{"swf/wagap-2013.swf.gz", 0, 0, 17900, 17898, 75, 1365444491 - 1356996147},
		{"philly/philly_jobs.csv.gz", 0, 0, 82247, 82247, 15, 9408754},
	} {
		t.Run(filepath.Base(tt.file), func(t *testing.T) {
			tr := open(t, data(t, tt.file), Options{MaxGPUs: tt.gpus})
			defer tr.Close()
			if tr.Machine() != tt.machine {
				t.Errorf("machine of %d, want %d", tr.Machine(), tt.machine)
			}
			s, err := Summarize(tr)
			if err != nil {
				t.Fatal(err)
			}
			r := tr.Report()
			if r.Rows != int64(tt.rows) || r.Jobs != int64(tt.jobs) || r.Rows != r.Jobs+r.Rejected {
				t.Errorf("%d rows, %d jobs, %d rejected; want %d and %d", r.Rows, r.Jobs, r.Rejected, tt.rows, tt.jobs)
			}
			if s.Tenants != tt.tenants || s.LastEnd != float64(tt.last) {
				t.Errorf("%d tenants, last end %v; want %d, %d", s.Tenants, s.LastEnd, tt.tenants, tt.last)
			}
		})
	}
}

// TestPublishedWaits replays first come, first served, and so shows that the
// rules of cleaning are those behind the published figures.
func TestPublishedWaits(t *testing.T) {
	for _, tt := range []struct {
		file           string
		gpus           int
		wait, slowdown float64
		makespan       sim.Time
	}{
		{"swf/NASA-iPSC-1993-3.1-cln.swf.gz", 128, 8.081, 1.0262, 7949022},
		{"swf/hpc2n-first3171.swf.gz", 240, 5627.883, 47.4055, 5309576},
	} {
		jobs := drain(t, open(t, data(t, tt.file), Options{MaxGPUs: tt.gpus}))
		wait, slowdown, makespan := fcfs(jobs, tt.gpus)
		if !near(wait, tt.wait, 0.0005) || !near(slowdown, tt.slowdown, 0.00005) || makespan != tt.makespan*1e9 {
			t.Errorf("%s: wait %.3f s, slowdown %.4f, makespan %v; published %v, %v, %ds",
				tt.file, wait, slowdown, makespan, tt.wait, tt.slowdown, tt.makespan)
		}
	}
}

func near(a, b, within float64) bool { return a-b <= within && b-a <= within }

// fcfs gives means over jobs, in seconds, of a queue that never overtakes. The
// head's start is the earliest instant, from the start of the job before, at
// which enough GPUs are free.
func fcfs(jobs []sim.Job, gpus int) (wait, slowdown float64, makespan sim.Time) {
	var running ends
	var now sim.Time
	for _, j := range jobs {
		now = max(now, j.Submit)
		for len(running) > 0 && (running[0].at <= now || gpus < j.MinGPUs) {
			now = max(now, running[0].at)
			gpus += int(heap.Pop(&running).(ending).milli)
		}
		gpus -= j.MinGPUs
		heap.Push(&running, ending{now + j.Duration, int64(j.MinGPUs)})
		makespan = max(makespan, now+j.Duration)
		w, d := (now - j.Submit).Seconds(), j.Duration.Seconds()
		wait += w / float64(len(jobs))
		slowdown += max(1, (w+d)/max(d, 10)) / float64(len(jobs))
	}
	return wait, slowdown, makespan
}

func TestFormatsAreToldApart(t *testing.T) {
	for file, want := range map[string]string{
		"quirks.swf": "swf", "broken.swf": "swf", "philly.csv": "philly-csv",
	} {
		head, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range Formats() {
			if f.sniff(head) {
				got = append(got, f.Name)
			}
		}
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s is taken for %v, want %s only", file, got, want)
		}
	}
}

func TestCompressionByContent(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	io.WriteString(w, "1 0 -1 10 4 -1 -1 4 20 -1 1 7 1 -1 -1 -1 -1 -1\n")
	w.Close()
	path := filepath.Join(t.TempDir(), "plain-name.swf")
	if err := os.WriteFile(path, z.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if jobs := drain(t, open(t, path, Options{})); len(jobs) != 1 {
		t.Errorf("%d jobs, want 1", len(jobs))
	}
	if jobs := drain(t, open(t, "-", Options{Stdin: &z})); len(jobs) != 1 {
		t.Errorf("standard input: %d jobs, want 1", len(jobs))
	}
}

func TestCutGzip(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	for range 100 {
		io.WriteString(w, "1 0 -1 10 4 -1 -1 4 20 -1 1 7 1 -1 -1 -1 -1 -1\n")
		w.Flush()
	}
	cut := z.Bytes()[:z.Len()/2]
	tr, err := NewReader(bytes.NewReader(cut), "x", Options{})
	if err == nil {
		_, err = drainErr(tr)
	}
	if bad := new(InputError); !errors.As(err, &bad) || bad.Line < 2 {
		t.Errorf("error %v; want an InputError with the line", err)
	}
	tr, err = NewReader(bytes.NewReader(cut), "x", Options{KeepGoing: true})
	if err != nil {
		t.Fatal(err)
	}
	if jobs := drain(t, tr); len(jobs) < 10 || tr.Report().Quirks[0].Count == 0 {
		t.Errorf("%d jobs, report %+v", len(jobs), tr.Report())
	}
}

func TestOpenErrors(t *testing.T) {
	for _, tt := range []struct {
		text    string
		opts    Options
		message string
	}{
		{"", Options{}, "x: is empty; accepted are " + formatNames()},
		{"a,b\n1,2\n", Options{}, `x:1: format not recognised from "a,b"; accepted are ` + formatNames() + `; --as NAME forces one`},
		{"a", Options{Format: "swg"}, `traces: format "swg" is unknown; accepted are ` + formatNames()},
		{"a", Options{MaxGPUs: -1}, "traces: MaxGPUs is -1; accepted are 0 (no limit) and above"},
		{"a", Options{SortBuffer: -1}, "traces: SortBuffer is -1; accepted are 0 (means 1048576) to 1073741824"},
		{"a", Options{Priority: -1}, "traces: Priority is -1; accepted are 0 (means 1) to 1e12"},
		{"\x28\xb5\x2f\xfd....", Options{}, "x: cannot be read: reserved bit set on frame header"},
		{"\x1f\x8b....", Options{}, "x: starts like gzip but cannot be decompressed: unexpected EOF"},
		{"a,b\n", Options{Format: "philly-csv"}, `x:1: header "a,b" lacks a column; accepted are cluster, duration, num_gpus, timestamp, in any order, and others, which are ignored`},
	} {
		_, err := NewReader(strings.NewReader(tt.text), "x", tt.opts)
		if err == nil || err.Error() != tt.message {
			t.Errorf("%.10q: error %v\nwant %s", tt.text, err, tt.message)
		}
	}
	if _, err := Open("testdata", Options{}); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: error %v", err)
	}
	if _, err := Open("testdata/none", Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: error %v", err)
	}
}

func TestClosed(t *testing.T) {
	tr := open(t, "testdata/quirks.swf", Options{})
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	var j sim.Job
	if _, err := tr.Next(&j); err == nil {
		t.Error("a closed trace can be read")
	}
	if err := tr.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

func TestLongLine(t *testing.T) {
	row := "1 0 -1 10 4 -1 -1 4 20 -1 1 7 1 -1 -1 -1 -1 -1"
	text := row + "\n" + row + strings.Repeat(" x", maxLine) + "\n" + row
	if _, err := drainErr(read(t, text, Options{})); err == nil || err.Error() != "x:2: line is longer than 1 MiB; accepted are lines below that" {
		t.Errorf("error %v", err)
	}
	tr := read(t, text, Options{KeepGoing: true})
	if jobs := drain(t, tr); len(jobs) != 2 || tr.Report().Lines != 3 {
		t.Errorf("%d jobs, want 2; report %+v", len(jobs), tr.Report())
	}
}

// readAll reads the trace at a path to its end.
func readAll(t testing.TB, path string, o Options) ([]sim.Job, *Report) {
	tr := open(t, path, o)
	return drain(t, tr), tr.Report()
}
