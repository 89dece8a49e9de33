package traces

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"berth/sim"
)

func FuzzSWF(f *testing.F) {
	for _, name := range []string{"testdata/quirks.swf", "testdata/broken.swf"} {
		seed(f, name)
	}
	for _, text := range []string{
		"", ";", "; MaxProcs: 99999999999999999999\n", "; UnixStartTime: 3999999999\n" + row(1, "3999999999.9", "1", "1", "1"),
		row(1, "-0.5", "1e9", "1", "1"), row(-7, "0", "1", "1073741824.5", "-9e17"), "1 2 3 4 5", "1\x002 3", ":;:", "\x1f\x8b\x08\x00",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { check(t, "swf", text) })
}

func FuzzPhilly(f *testing.F) {
	seed(f, "testdata/philly.csv")
	for _, text := range []string{
		"timestamp,duration,num_gpus,cluster\n2095-12-31 23:59:59.999999999Z,3999999999.9,1073741824,\"a\"\"b\"\n",
		"timestamp,duration,num_gpus,cluster\n1970-01-01 00:00:00,1,1,\n\n,,,\n\"\",\"\",\"\",\"\"",
		",,,,\n", "\"timestamp\",\"duration\",\"num_gpus\",\"cluster", "timestamp,timestamp\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { check(t, "philly-csv", text) })
}

func seed(f *testing.F, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
}

// check reads any bytes in every way, and holds what a trace promises.
func check(t *testing.T, format string, text []byte) {
	for _, o := range []Options{
		{}, {Format: format}, {Format: format, KeepGoing: true, MaxGPUs: 8},
		{Format: format, KeepGoing: true, MaxGPUs: 8, Sort: true, SortBuffer: 2, TempDir: t.TempDir()},
	} {
		rejects := int64(0)
		o.OnReject = func(Reject) { rejects++ }
		tr, err := NewReader(bytes.NewReader(text), "x", o)
		if err == nil {
			var jobs []sim.Job
			if jobs, err = drainErr(tr); err == nil {
				promises(t, tr.Report(), jobs, rejects)
			}
			tr.Report()
		}
		if bad := new(InputError); err != nil && !errors.As(err, &bad) {
			t.Fatalf("%v is not an InputError", err)
		}
	}
}

func promises(t *testing.T, r *Report, jobs []sim.Job, rejects int64) {
	if r.Jobs != int64(len(jobs)) || r.Rejected != rejects || r.Rows != r.Jobs+r.Rejected || r.Rows > r.Lines {
		t.Fatalf("%d jobs and %d rejects, report %+v", len(jobs), rejects, r)
	}
	seen := map[int64]bool{}
	for i := range jobs {
		j := &jobs[i]
		if j.Submit < 0 || j.Duration <= 0 || j.Estimate < j.Duration || j.MinGPUs < 1 || j.MinGPUs != j.MaxGPUs ||
			j.Submit+j.Estimate < 0 || i > 0 && j.Submit < jobs[i-1].Submit || seen[j.ID] {
			t.Fatalf("job %+v", j)
		}
		seen[j.ID] = true
	}
	if _, err := Summarize(&sim.Jobs{List: jobs}); err != nil {
		t.Fatal(err)
	}
}
