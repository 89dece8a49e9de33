package traces

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"berth/sim"
)

// TestRecordedFormats holds what is known of the recorded files: every row is a
// job or a reject, and the numbers are those that counting the columns gives.
func TestRecordedFormats(t *testing.T) {
	for _, tt := range []struct {
		file, format   string
		opts           Options
		jobs, rejected int64
	}{
		// 897 pods pending, 1,088 without a GPU of which 36 were pending.
		{"openb/openb_pod_list_default.csv.gz", "openb-pods", Options{}, 6203, 1949},
		{"openb/openb_pod_list_default.csv.gz", "openb-pods", Options{CPUOnly: true}, 7255, 897},
		{"openb/openb_pod_list_gpushare40.csv.gz", "openb-pods", Options{CPUOnly: true}, 8152 - 981, 981},
		{"genai/lora_request_trace.csv.gz", "genai", Options{}, 26793, 30},
		// of 7,386 instances with a GPU, 4,263 have a creation, 3,218 a deletion too; 16 of those ended as they started
		{"genai/disaggregated_DLRM_trace.csv.gz", "dlrm", Options{}, 3202, 23871 - 3202},
		{"batsim/example_workload_hpc_seed1_jobs250.json.gz", "batsim", Options{}, 250, 0},
		{"gavel/msr_seed0_ee9e8c.trace.gz", "gavel", Options{With: "gavel/simulation_throughputs.json.gz"}, 1627, 373},
		{"gavel/msr_seed0_ee9e8c.trace.gz", "gavel", Options{With: "gavel/simulation_throughputs.json.gz", KeepGoing: true}, 2000, 0},
	} {
		if tt.opts.With != "" {
			tt.opts.With = data(t, tt.opts.With)
		}
		tr := open(t, data(t, tt.file), tt.opts)
		jobs := drain(t, tr)
		r := tr.Report()
		if r.Format != tt.format || int64(len(jobs)) != tt.jobs || r.Rejected != tt.rejected {
			t.Errorf("%s as %s: %d jobs, %d rejected", tt.file, r.Format, len(jobs), r.Rejected)
		}
	}
}

// TestGavelRunTime: the first job has 15,486,530 steps of Transformer (batch
// size 128), of which a V100 does so many a second.
func TestGavelRunTime(t *testing.T) {
	with := data(t, "gavel/simulation_throughputs.json.gz")
	speeds, err := throughputs(with, "v100")
	if err != nil {
		t.Fatal(err)
	}
	j := drain(t, open(t, data(t, "gavel/msr_seed0_ee9e8c.trace.gz"), Options{With: with}))[0]
	want := 15486530 / speeds["('Transformer (batch size 128)', 1)"]
	if math.Abs(j.Duration.Seconds()-want) > 1e-6 || j.MinGPUs != 1 || j.Submit != 0 {
		t.Errorf("job %+v, want %v s", j, want)
	}
	if _, err := Open(data(t, "gavel/msr_seed0_ee9e8c.trace.gz"), Options{With: with, GPUType: "h100"}); err == nil || !strings.Contains(err.Error(), "accepted are k80, ") {
		t.Errorf("error %v", err)
	}
}

// TestZstd reads what zstd has packed as it reads the text, and refuses a frame
// that would need a window beyond the bound.
func TestZstd(t *testing.T) {
	text, err := io.ReadAll(&endless{rows: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(text)
	w.Close()
	if jobs := drain(t, read(t, b.String(), Options{})); len(jobs) != 1000 || jobs[999].ID != 999 {
		t.Errorf("%d jobs", len(jobs))
	}
	for _, n := range []int{b.Len() / 2, b.Len() - 1} {
		if _, err := NewReader(bytes.NewReader(b.Bytes()[:n]), "x", Options{}); err == nil {
			tr := read(t, b.String()[:n], Options{KeepGoing: true})
			drain(t, tr)
			if !slicesHas(tr.Report().Quirks, quirkCut.what) {
				t.Errorf("cut at %d: quirks %+v", n, tr.Report().Quirks)
			}
		}
	}
	huge := append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x98}, b.Bytes()[6:]...) // a window of 2²⁹ bytes
	if _, err := NewReader(bytes.NewReader(huge), "x", Options{}); err == nil || !strings.Contains(err.Error(), "window") {
		t.Errorf("error %v", err)
	}
}

// elements is a JSON list of so many jobs, never held whole.
type elements struct {
	before, element, after string
	n, next                int
	rest                   []byte
}

func (e *elements) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		switch {
		case e.next == 0:
			e.rest = append(e.rest[:0], e.before...)
		case e.next > e.n+1:
			return 0, io.EOF
		case e.next == e.n+1:
			e.rest = append(e.rest[:0], e.after...)
		default:
			e.rest = fmt.Appendf(e.rest[:0], e.element, e.next)
			if e.next < e.n {
				e.rest = append(e.rest, ',', '\n')
			}
		}
		e.next++
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestJSONMemoryIsFlat: what a JSON trace takes does not grow with it beyond
// the jobs that a sort may hold, and names are kept for no longer than their
// hashes.
func TestJSONMemoryIsFlat(t *testing.T) {
	for _, e := range []elements{
		{before: "[", element: `{"jobid": "a%d", "submitted_time": "2017-10-07 01:11:39", "attempts": [{"start_time": "2017-10-07 01:12:09", "end_time": "2017-10-07 01:13:23", "detail": [{"ip": "m", "gpus": ["g"]}]}]}`, after: "]"},
		{before: `{"jobs": [`, element: `{"id": "a%d", "subtime": 1, "res": 1, "profile": "p"}`, after: `], "profiles": {"p": {"type": "delay", "delay": 3}}}`},
	} {
		live := func(n int) uint64 {
			var before, now runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			e := e
			e.n = n
			tr, err := NewReader(&e, "x", Options{SortBuffer: 5000, TempDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer tr.Close()
			var j sim.Job
			for range n - 1 {
				if ok, err := tr.Next(&j); err != nil || !ok || j.Duration < time.Second {
					t.Fatal(ok, err)
				}
			}
			runtime.GC()
			runtime.ReadMemStats(&now)
			return now.HeapAlloc - before.HeapAlloc
		}
		const runs = 10 * 64 << 10 // a run that is merged costs 64 KiB
		if short, long := live(15_000), live(60_000); long > short+runs+2<<20 {
			t.Errorf("%d bytes for 15,000 jobs, %d for 60,000", short, long)
		}
	}
}
