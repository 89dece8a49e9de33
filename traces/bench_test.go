package traces

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
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

// BenchmarkRows reads long texts of made-up rows, in formats without a recorded
// file above. A row has three numbers to fill in: of the job, a second, 1 or 2.
func BenchmarkRows(b *testing.B) {
	testdata := func(name string) string {
		path, err := filepath.Abs(filepath.Join("testdata", name))
		if err != nil {
			b.Fatal(err)
		}
		return path
	}
	attempt := `{"start_time": "2017-10-07 01:12:09", "end_time": "2017-10-07 01:13:23", "detail": [{"ip": "m47", "gpus": ["gpu0", "gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "gpu6", "gpu7"]}]}`
	for _, c := range []struct {
		format, before, row, after string
		options                    Options
	}{
		{format: "philly-json", before: "[", after: "]", row: `{"status": "Pass", "vc": "ee9e8c", "jobid": "application_%d", "attempts": [` + attempt + ", " + attempt +
			`], "submitted_time": "2017-10-07 01:11:%02d", "user": "user%d"}`},
		{format: "batsim", before: `{"nb_res": 8, "jobs": [`, after: `], "profiles": {"short": {"type": "delay", "delay": 20.25}}}`,
			row: `{"id": %d, "subtime": 10.%d, "walltime": 100, "res": 4, "profile": "short", "user": %d}`},
		{format: "helios", before: "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n",
			row: "%d,u1,vcA,8,32,1,COMPLETED,2020-06-09 18:41:%02d,2020-06-09 18:42:11,2020-06-09 18:52:11,600,1%d\n"},
		{format: "acme", before: "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time\n",
			row: "dlc%d,u5,8,64,960,1000,100.0,Pretrain,COMPLETED,2023-05-17 11:00:%02d+00:00,2023-05-17 11:01:08+00:00,2023-05-17 11:11:16+00:00,,,608,1%d,38912.0\n"},
		{format: "pai-sim", before: "job_id,num_gpu,submit_time,num_cpu,num_inst,duration,user,gpu_type\n", row: "%d,0.5,10%02d,4,1,100,u%d,T4\n"},
		{format: "pai-task", row: "j%d,worker,2.0,Terminated,100.%02d,500.0,600.0,29.296875,20%d,V100\n"},
		{format: "spot-jobs", before: "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n",
			row: "%d,13,A10,20,1,1,1%02d,2764799%d,HP\n"},
		{format: "dlrm", before: "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time\n",
			row: "instance_%d,HN,app_0,12,12,1,1,25,25,120.5,120.5,640.0,800.0,8,475.%02d,62%d.0,1000\n"},
		{format: "gavel", row: "ResNet-18 (batch size 16)\tcd %%s/gpusched/workloads/pytorch/image_classification/cifar10 && python3 main.py --data_dir=%%s/data/cifar10 --batch_size 16 --job %d\t--num_steps\t1\t779751\t3365%02d.000000\t%d\n",
			options: Options{With: testdata("throughputs.json"), MaxGPUs: 2}},
	} {
		b.Run(c.format, func(b *testing.B) {
			separator := ""
			if c.after != "" {
				separator = ",\n"
			}
			var text bytes.Buffer
			text.WriteString(c.before)
			for i := range 40_000 {
				if i > 0 {
					text.WriteString(separator)
				}
				fmt.Fprintf(&text, c.row, i, i%60, 1+i%2)
			}
			text.WriteString(c.after)
			c.options.Format = c.format
			benchmarkText(b, text.Bytes(), int64(text.Len()), c.options)
		})
	}
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
