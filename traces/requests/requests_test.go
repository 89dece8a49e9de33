package requests

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"berth/traces"
)

// data finds a recorded trace, and skips the test where there is none.
func data(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("BERTH_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("recorded trace not found: %v (set BERTH_DATA to the folder of traces)", err)
	}
	return path
}

func drain(r *Reader) ([]Request, error) {
	var all []Request
	var q Request
	for {
		ok, err := r.Next(&q)
		if err != nil || !ok {
			return all, err
		}
		all = append(all, q)
	}
}

func drainRates(r *RateReader) ([]Rate, error) {
	var all []Rate
	var v Rate
	for {
		ok, err := r.Next(&v)
		if err != nil || !ok {
			return all, err
		}
		all = append(all, v)
	}
}

func TestFormats(t *testing.T) {
	for file, want := range map[string][]Request{
		"testdata/azure.csv":      {{0, 374, 44}, {0, 396, 109}, {64_319_410 * time.Microsecond, 0, 7}},
		"testdata/mooncake.jsonl": {{0, 6758, 500}, {2500 * time.Millisecond, 12, 1}},
	} {
		r, err := Open(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := drain(r)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", file, d)
		}
		epoch, known := r.Epoch()
		if csv := r.Format() == "azure-csv"; known != csv || csv && epoch.Format(time.RFC3339Nano) != "2023-11-16T18:15:46.68059Z" {
			t.Errorf("%s: format %s, epoch %v", file, r.Format(), epoch)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// packed is the rates as they come: plain, gzip, tar, tar.gz.
func packed(t testing.TB, text []byte) map[string][]byte {
	t.Helper()
	zip := func(b []byte) []byte {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		z.Write(b)
		z.Close()
		return out.Bytes()
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for name, b := range map[string][]byte{"README": []byte("x"), "qps.csv": text} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(b))}); err != nil {
			t.Fatal(err)
		}
		w.Write(b)
	}
	w.Close()
	return map[string][]byte{"plain": text, "gz": zip(text), "tar": out.Bytes(), "tar.gz": zip(out.Bytes())}
}

func TestRates(t *testing.T) {
	text, err := os.ReadFile("testdata/qps.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := []Rate{
		{0, 0.09, "", "API Requests"},
		{57 * time.Second, 0.18, "a1", "Generative Requests"},
		{57 * time.Second, 0.09, "b2", "Generative Requests"},
		{228500 * time.Millisecond, 0.09, "a1", "Generative Requests"},
	}
	for how, b := range packed(t, text) {
		r, err := NewRateReader(bytes.NewReader(b), "x")
		if err != nil {
			t.Fatalf("%s: %v", how, err)
		}
		got, err := drainRates(r)
		if err != nil {
			t.Fatalf("%s: %v", how, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", how, d)
		}
	}
}

func TestBin(t *testing.T) {
	r, err := Open("testdata/azure.csv")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Bin(r, 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	want := &Series{20 * time.Second, []float64{0.1, 0, 0}, []float64{38.5, 0, 0}, []float64{7.65, 0, 0}}
	if d := cmp.Diff(want, s); d != "" {
		t.Error(d)
	}
	v, err := OpenRates("testdata/qps.csv")
	if err != nil {
		t.Fatal(err)
	}
	if s, err = BinRates(v, "Generative Requests", 57*time.Second, 114*time.Second); err != nil {
		t.Fatal(err)
	}
	if len(s.Requests) != 2 || s.Requests[0] != (0.18+0.09)/2 || s.Requests[1] != 0 {
		t.Errorf("rates %v", s.Requests)
	}
}

func TestErrors(t *testing.T) {
	const csv, rates = "TIMESTAMP,ContextTokens,GeneratedTokens\n", "timestamp,value,container_ip,request_type\n"
	for text, want := range map[string]string{
		"":                               "x: is empty",
		"\n\n":                           "x: has blank lines only",
		"a,b\n":                          `x:1: header lacks column "TIMESTAMP"; accepted are TIMESTAMP, ContextTokens, GeneratedTokens, in any order`,
		csv + "2023-11-16 18:15:46,1\n":  "x:2: 2 fields; accepted are 3, as in the header",
		csv + "1969-11-16 18:15:46,1,1":  `x:2: TIMESTAMP is "1969-11-16 18:15:46"; accepted are 1970-01-01 00:00:00 to 2095-12-31 23:59:59, with a fraction`,
		csv + "2023-11-16 18:15:46,-1,1": `x:2: ContextTokens is "-1"; accepted is an integer from 0 to 1073741824`,
		csv + "2023-11-16 18:15:46,1,\n": `x:2: GeneratedTokens is ""; accepted is an integer from 0 to 1073741824`,
		csv + "2023-11-16 18:15:46,1,1\n\n2023-11-16 18:15:45,1,1\n": "x:4: time is 1s before that of the row above; accepted are rows in the order of time",
		`{"timestamp": 0}`: `x:1: "{\"timestamp\": 0}" lacks a key; accepted are timestamp (ms), input_length and output_length (tokens)`,
		`{"timestamp": -1, "input_length": 1, "output_length": 1}`: "x:1: timestamp is -1; accepted are 0 to 4000000000000 ms",
		`{"timestamp": 0, "input_length": -1, "output_length": 1}`: "x:1: input_length is -1, output_length 1; accepted are integers from 0 to 1073741824",
		`{"timestamp": "now"}`: `x:1: "{\"timestamp\": \"now\"}" is not a request; accepted is a JSON object with timestamp (ms), input_length and output_length (tokens)`,
		`{]`:                   `x:1: "{]" is not a request; accepted is a JSON object with timestamp (ms), input_length and output_length (tokens)`,
	} {
		r, err := NewReader(strings.NewReader(text), "x")
		if err == nil {
			_, err = drain(r)
		}
		wantError(t, text, err, want)
	}
	for text, want := range map[string]string{
		rates + "1,-1,a,b\n":        `x:2: value is "-1"; accepted are 0 to 1e+12 requests a second`,
		rates + "1,NaN,a,b\n":       `x:2: value is "NaN"; accepted are 0 to 1e+12 requests a second`,
		rates + "x,1,a,b\n":         `x:2: timestamp is "x"; accepted are 0 to 4000000000 s`,
		rates + "2,1,a,b\n1,1,a,b":  "x:3: time is 1s before that of the row above; accepted are rows in the order of time",
		"timestamp,value,a,value\n": `x:1: column "value" is there twice; accepted is once`,
	} {
		r, err := NewRateReader(strings.NewReader(text), "x")
		if err == nil {
			_, err = drainRates(r)
		}
		wantError(t, text, err, want)
	}
}

func wantError(t *testing.T, text string, err error, want string) {
	t.Helper()
	bad := new(traces.InputError)
	if err == nil || err.Error() != want || !errors.As(err, &bad) {
		t.Errorf("%q: error %v\nwant %s", text, err, want)
	}
}

// The recorded files, as far as their README counts them.
func TestRecorded(t *testing.T) {
	for name, rows := range map[string]int{
		"llm/AzureLLMInferenceTrace_conv.csv.gz": 19366, "llm/AzureLLMInferenceTrace_code.csv.gz": 8819,
		"llm/mooncake_conversation_trace.jsonl.gz": 12031, "llm/mooncake_synthetic_trace.jsonl.gz": 3993,
	} {
		r, err := Open(data(t, name))
		if err != nil {
			t.Fatal(err)
		}
		all, err := drain(r)
		if err != nil || len(all) != rows {
			t.Errorf("%s: %d rows, want %d, error %v", name, len(all), rows, err)
		}
		r.Close()
	}
	r, err := OpenRates(data(t, "genai/qps.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if all, err := drainRates(r); err != nil || len(all) != 24627 || all[len(all)-1].At != 80313*time.Second {
		t.Errorf("qps: %d rows, error %v", len(all), err)
	}
}

func FuzzRequests(f *testing.F) {
	for _, name := range []string{"testdata/azure.csv", "testdata/mooncake.jsonl", "testdata/burstgpt.csv"} {
		if text, err := os.ReadFile(name); err == nil {
			f.Add(text)
		}
	}
	f.Add([]byte("\xef\xbb\xbfTIMESTAMP,ContextTokens,GeneratedTokens\r\n2095-12-31 23:59:59.999999999,1,1"))
	f.Add([]byte(`{"timestamp": 1e300, "input_length": 1e3, "output_length": null}`))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := NewReader(bytes.NewReader(text), "x")
		var all []Request
		if err == nil {
			all, err = drain(r)
		}
		if bad := new(traces.InputError); err != nil && !errors.As(err, &bad) {
			t.Fatalf("%v is not an InputError", err)
		}
		for i, q := range all {
			if q.At < 0 || q.ContextTokens < 0 || q.GeneratedTokens < 0 || i > 0 && q.At < all[i-1].At {
				t.Fatalf("request %+v", q)
			}
		}
	})
}

func FuzzRates(f *testing.F) {
	if text, err := os.ReadFile("testdata/qps.csv"); err == nil {
		for _, b := range packed(f, text) {
			f.Add(b)
		}
	}
	f.Add([]byte("timestamp,value,container_ip,request_type\n1e9,0x1p-2,,\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := NewRateReader(bytes.NewReader(text), "x")
		var all []Rate
		if err == nil {
			all, err = drainRates(r)
		}
		if bad := new(traces.InputError); err != nil && !errors.As(err, &bad) {
			t.Fatalf("%v is not an InputError", err)
		}
		for i, v := range all {
			if v.At < 0 || !(v.PerSecond >= 0) || i > 0 && v.At < all[i-1].At {
				t.Fatalf("rate %+v", v)
			}
		}
	})
}

func BenchmarkAzure(b *testing.B) {
	text, err := os.ReadFile("testdata/azure.csv")
	if err != nil {
		b.Fatal(err)
	}
	header, rows, _ := strings.Cut(string(text), "\n")
	row, _, _ := strings.Cut(rows, "\n")
	big := header + "\n" + strings.Repeat(row+"\n", 10000)
	b.SetBytes(int64(len(big)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := NewReader(strings.NewReader(big), "x")
		if err == nil {
			_, err = drain(r)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
