package traces

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"berth/sim"
)

// benchmark reads the text of a recorded trace from memory.
func benchmark(b *testing.B, file string) {
	f, err := os.Open(data(b, file))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkText(b, text, int64(len(text)), Options{})
}

// benchmarkText reads bytes that stand for size bytes of text.
func benchmarkText(b *testing.B, text []byte, size int64, o Options) {
	b.SetBytes(size)
	b.ReportAllocs()
	lines := 0.0
	for b.Loop() {
		tr, err := NewReader(bytes.NewReader(text), "x", o)
		if err != nil {
			b.Fatal(err)
		}
		var j sim.Job
		for {
			ok, err := tr.Next(&j)
			if err != nil {
				b.Fatal(err)
			}
			if !ok {
				break
			}
		}
		lines += float64(tr.Report().Lines)
		tr.Close()
	}
	b.ReportMetric(lines/b.Elapsed().Seconds(), "lines/s")
}

func BenchmarkSWF(b *testing.B)    { benchmark(b, "swf/NASA-iPSC-1993-3.1-cln.swf.gz") }
func BenchmarkPhilly(b *testing.B) { benchmark(b, "philly/philly_jobs.csv.gz") }
func BenchmarkOpenb(b *testing.B)  { benchmark(b, "openb/openb_pod_list_default.csv.gz") }
func BenchmarkGenAI(b *testing.B)  { benchmark(b, "genai/lora_request_trace.csv.gz") }

// compressed reads SWF out of what compress makes of it; bytes are those of the
// text.
func compressed(b *testing.B, compress func(io.Writer) io.WriteCloser) {
	text, err := io.ReadAll(&endless{rows: 50_000})
	if err != nil {
		b.Fatal(err)
	}
	var small bytes.Buffer
	w := compress(&small)
	w.Write(text)
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	benchmarkText(b, small.Bytes(), int64(len(text)), Options{})
}

func BenchmarkGzip(b *testing.B) {
	compressed(b, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}

func BenchmarkZstd(b *testing.B) {
	compressed(b, func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w)
		if err != nil {
			b.Fatal(err)
		}
		return z
	})
}

// BenchmarkPhillyJSON reads the two-attempt job of the publisher's example over
// and over.
func BenchmarkPhillyJSON(b *testing.B) {
	job := `{"status": "Pass", "vc": "ee9e8c", "jobid": "application_%d", "attempts": [` +
		`{"start_time": "2017-10-07 01:12:09", "end_time": "2017-10-07 01:13:23", "detail": [{"ip": "m47", "gpus": ["gpu0", "gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "gpu6", "gpu7"]}]}, ` +
		`{"start_time": "2017-10-07 01:13:30", "end_time": "2017-10-09 06:53:12", "detail": [{"ip": "m412", "gpus": ["gpu0", "gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "gpu6", "gpu7"]}]}], ` +
		`"submitted_time": "2017-10-07 01:11:39", "user": "ce2f4c"}`
	benchmarkList(b, "[", job, "]")
}

func BenchmarkBatsim(b *testing.B) {
	benchmarkList(b, `{"nb_res": 8, "jobs": [`, `{"id": %d, "subtime": 10.5, "walltime": 100, "res": 4, "profile": "short"}`,
		`], "profiles": {"short": {"type": "delay", "delay": 20.25}}}`)
}

func benchmarkList(b *testing.B, before, element, after string) {
	var text bytes.Buffer
	text.WriteString(before)
	for i := range 10_000 {
		if i > 0 {
			text.WriteString(",\n")
		}
		fmt.Fprintf(&text, element, i)
	}
	text.WriteString(after)
	benchmarkText(b, text.Bytes(), int64(text.Len()), Options{})
}

func BenchmarkBerth(b *testing.B) {
	var text bytes.Buffer
	w, err := NewWriter(&text, "berth", About{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 20_000 {
		j := sim.Job{
			ID: int64(i), Name: fmt.Sprintf("job-%d", i), Tenant: "a", Priority: 1, Submit: sim.Time(i) * time.Second,
			Duration: time.Hour, Estimate: 2 * time.Hour, MinGPUs: 4, MaxGPUs: 4, Across: true,
		}
		if err := w.Write(&j); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	benchmarkText(b, text.Bytes(), int64(text.Len()), Options{})
}
