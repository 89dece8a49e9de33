package traces

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"

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
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	lines := 0.0
	for b.Loop() {
		tr, err := NewReader(bytes.NewReader(text), file, Options{})
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
