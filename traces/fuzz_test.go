package traces

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

func FuzzBerth(f *testing.F) {
	f.Add([]byte("# epoch: 2020-01-01T00:00:00Z\n# gpus: 8\n" + strings.Join(berthColumns, ",") + "\n1,a,training,t,1,0,0,1,2,0.5,3.25,4,true,500,1,1,A|B\n"))
	f.Add([]byte("#\n#epoch\n# gpus: 99999999999\n"))
	f.Add([]byte(strings.Join(berthColumns, ",") + "\n-1,\\n,generic,\"\"\"\",1e9,4e9,-1,0,0,1,1e-9,1,false,0,0,0,\n"))
	f.Fuzz(func(t *testing.T, text []byte) { check(t, "berth", text) })
}

func FuzzHelios(f *testing.F) { seedAndFuzz(f, "helios", "testdata/helios.csv") }
func FuzzAcme(f *testing.F)   { seedAndFuzz(f, "acme", "testdata/acme.csv") }
func FuzzSpot(f *testing.F)   { seedAndFuzz(f, "spot-jobs", "testdata/spot_jobs.csv") }
func FuzzDLRM(f *testing.F)   { seedAndFuzz(f, "dlrm", "testdata/dlrm.csv") }
func FuzzGenAI(f *testing.F)  { seedAndFuzz(f, "genai", "testdata/genai.csv") }
func FuzzPAISim(f *testing.F) { seedAndFuzz(f, "pai-sim", "testdata/pai_sim.csv") }
func FuzzGavel(f *testing.F)  { seedAndFuzz(f, "gavel", "testdata/gavel.trace") }
func FuzzBatsim(f *testing.F) {
	f.Add([]byte(`{"profiles": {"a": {"type": "delay", "delay": 1}}, "jobs": [{"id": 1, "subtime": 0, "res": 1, "profile": "a"}`))
	f.Add([]byte(`{"jobs": [1, {"id": "\u0041", "subtime": null, "res": 1e9, "profile": "a"}, ,], "profiles": {"a": {"delay": "x"}}}`))
	seedAndFuzz(f, "batsim", "testdata/batsim.json")
}

func FuzzPhillyJSON(f *testing.F) {
	f.Add([]byte(`[{"attempts": null}, {"attempts": [{"detail": [{"gpus": [[], "}"]}]}]}, "x", 1, [`))
	seedAndFuzz(f, "philly-json", "testdata/philly.json")
}

func FuzzPAI(f *testing.F) {
	for _, name := range []string{"testdata/pai_job.csv", "testdata/pai_task.csv", "testdata/pai_instance.csv"} {
		seed(f, name)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, format := range []string{"pai-job", "pai-task", "pai-instance"} {
			check(t, format, text)
		}
		// The second file is input too.
		second := filepath.Join(t.TempDir(), "with")
		if err := os.WriteFile(second, text, 0o644); err != nil {
			t.Fatal(err)
		}
		for file, format := range map[string]string{"testdata/pai_job.csv": "pai-job", "testdata/pai_task.csv": "pai-task", "testdata/gavel.trace": "gavel"} {
			tr, err := Open(file, Options{Format: format, With: second})
			if err == nil {
				_, err = drainErr(tr)
			}
			if bad := new(InputError); err != nil && !errors.As(err, &bad) {
				t.Fatalf("%s: %v is not an InputError", format, err)
			}
		}
	})
}

// FuzzFormats is everything that is recognised by content, compressed or not.
func FuzzFormats(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		seed(f, name)
	}
	for _, magic := range []string{"\x1f\x8b\x08\x00", "\x28\xb5\x2f\xfd\x04\x00"} {
		f.Add([]byte(magic))
	}
	f.Fuzz(func(t *testing.T, text []byte) { check(t, "", text) })
}

func seedAndFuzz(f *testing.F, format, name string) {
	seed(f, name)
	f.Fuzz(func(t *testing.T, text []byte) { check(t, format, text) })
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
	all := Options{
		Format: format, KeepGoing: true, CPUOnly: true, MinRun: time.Second, RecordEnd: 1e18, Flops: 1e9, Unit: time.Minute,
		Sort: true, SortBuffer: 2,
	}
	for _, o := range []Options{
		{}, {Format: format}, {Format: format, KeepGoing: true, MaxGPUs: 8},
		{Format: format, KeepGoing: true, MaxGPUs: 8, Sort: true, SortBuffer: 2}, all,
	} {
		switch o.Format {
		case "gavel":
			o.With = "testdata/throughputs.json"
		case "pai-job", "pai-instance":
			o.With = "testdata/pai_task.csv"
		case "pai-task":
			o.With = "testdata/pai_job.csv"
		}
		rejects := int64(0)
		o.OnReject = func(Reject) { rejects++ }
		tr, err := NewReader(bytes.NewReader(text), "x", o)
		if err == nil {
			var jobs []sim.Job
			if jobs, err = drainErr(tr); err == nil {
				promises(t, tr, jobs, rejects, o.CPUOnly)
			}
			tr.Report()
		}
		if bad := new(InputError); err != nil && !errors.As(err, &bad) {
			t.Fatalf("%v is not an InputError", err)
		}
	}
}

func promises(t *testing.T, tr *Trace, jobs []sim.Job, rejects int64, cpuOnly bool) {
	r := tr.Report()
	list := tr.Format() == "philly-json" || tr.Format() == "batsim" // several elements may share a line
	if r.Jobs != int64(len(jobs)) || r.Rejected != rejects || r.Rows != r.Jobs+r.Rejected || !list && r.Rows > r.Lines {
		t.Fatalf("%d jobs and %d rejects, report %+v", len(jobs), rejects, r)
	}
	own := tr.Format() == "berth" // whose jobs may be moldable, and estimates wrong
	seen := map[int64]bool{}
	for i := range jobs {
		j := &jobs[i]
		q := j.Request
		if j.Submit < 0 || j.Duration <= 0 || j.Estimate <= 0 || !own && (j.Estimate < j.Duration || j.MinGPUs != j.MaxGPUs) ||
			j.MinGPUs < 0 || j.MinGPUs == 0 && !cpuOnly || j.MaxGPUs < j.MinGPUs || j.Submit+j.Estimate < 0 ||
			q.GPUMilli < 0 || q.GPUMilli > 1000 || q.CPUMilli < 0 || q.MemoryMiB < 0 || !own && q.GPUMilli > 0 && j.MinGPUs != 1 ||
			i > 0 && j.Submit < jobs[i-1].Submit || seen[j.ID] {
			t.Fatalf("job %+v", j)
		}
		seen[j.ID] = true
	}
	if _, err := Summarize(&sim.Jobs{List: jobs}); err != nil {
		t.Fatal(err)
	}
	for _, format := range Writable() {
		w, err := NewWriter(io.Discard, format, About{Machine: r.Machine})
		if err != nil {
			t.Fatal(err)
		}
		for i := range jobs {
			if err := w.Write(&jobs[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
