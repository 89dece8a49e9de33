package traces

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"berth/sim"
)

// shown is a job in a line: what a reader sets, and nothing that is the same
// for all.
func shown(j *sim.Job) string {
	s := fmt.Sprintf("%d %s", j.ID, j.Label())
	if j.Tenant != "" {
		s += " of " + j.Tenant
	}
	s += fmt.Sprintf(": at %v, %v on %d", j.Submit, j.Duration, j.MinGPUs)
	if j.Kind != sim.Generic {
		s += ", " + j.Kind.String()
	}
	if j.Estimate != j.Duration {
		s += fmt.Sprintf(", thought %v", j.Estimate)
	}
	r := j.Request
	if r.GPUMilli != 0 {
		s += fmt.Sprintf(", %d/1000 GPU", r.GPUMilli)
	}
	if r.CPUMilli != 0 {
		s += fmt.Sprintf(", %d/1000 CPU", r.CPUMilli)
	}
	if r.MemoryMiB != 0 {
		s += fmt.Sprintf(", %d MiB", r.MemoryMiB)
	}
	if r.Models != "" {
		s += ", " + string(r.Models)
	}
	return s
}

// tallied are rejects and quirks in lines, "no estimate" left out.
func tallied(r *Report) string {
	var b strings.Builder
	for _, t := range r.Rejects {
		fmt.Fprintf(&b, "- %s %d\n", t.What, t.Lines)
	}
	for _, t := range r.Quirks {
		if t.What != quirkNoEstimate.what {
			fmt.Fprintf(&b, "~ %s %d\n", t.What, t.Lines)
		}
	}
	return b.String()
}

// TestFormats reads small files of the published schemas, each with the oddities
// that its publisher warns of. The expected lines were worked out by hand.
func TestFormats(t *testing.T) {
	task, job := "testdata/pai_task.csv", "testdata/pai_job.csv"
	for _, tt := range []struct {
		file, format string
		opts         Options
		want         string
	}{
		{"helios.csv", "helios", Options{}, `
2 8 of vcB: at 0s, 4m9s on 16, 64000/1000 CPU
1 7 of vcA: at 1s, 10m0s on 1, 1000/1000 CPU
4 9 of vcB: at 2m0s, 30s on 2, 4000/1000 CPU
- ended before it started [8]
- no GPU, CPUs only [4]
- no submission time [7]
- started, no end [6]
~ ended as failed [3]
~ rows out of order [3]
`},
		{"helios.csv", "helios", Options{KeepGoing: true, CPUOnly: true, Completed: true, RecordEnd: 1591728360 * time.Second}, `
1 7 of vcA: at 1s, 10m0s on 1, 1000/1000 CPU
4 9 of vcB: at 2m0s, 30s on 2, 4000/1000 CPU
5 10 of vcB: at 3m0s, 1m0s on 2, 4000/1000 CPU
6 11 of vcB: at 4m0s, 1m0s on 2, 4000/1000 CPU
- failed or killed [3 4]
- ended before it started [8]
~ no submission time, start taken [7]
~ still running when the record ends [6]
`},
		{"acme.csv", "acme", Options{}, `
1 dlc1 of u5: at 0s, 8s on 64, training, 960000/1000 CPU, 8192000 MiB
2 dlc2 of u5: at 1s, 1m0s on 8, batch-inference, 64000/1000 CPU
3 dlc3 of u6: at 32s, 20s on 1, 4000/1000 CPU, 10240 MiB
~ duration differs from end − start [2]
~ ended as failed [2]
~ ended as killed [4]
~ started before it was submitted [4]
`},
		{"spot_jobs.csv", "spot-jobs", Options{}, `
1 239255 of 13: at 0s, 767h59m59s on 1, 20000/1000 CPU, A10
2 437260 of 57: at 2663h47m43s, 11h24m20s on 16, 240000/1000 CPU, A100-SXM4-80GB
3 437261 of 57: at 2663h47m44s, 1m0s on 1, 500/1000 GPU, 4000/1000 CPU, A10
5 437263 of 57: at 2663h47m46s, 1m0s on 6, 8000/1000 CPU, A10
- no GPU, CPUs only [7]
- no submission time [8]
- run time 0 [10]
- shares of more than one GPU [5]
- submitted before the record's zero [9]
`},
		{"spot_jobs.csv", "spot-jobs", Options{KeepGoing: true, MinRun: time.Second, CPUOnly: true}, `
1 239255 of 13: at 0s, 767h59m59s on 1, 20000/1000 CPU, A10
8 437266 of 57: at 0s, 1m0s on 1, 4000/1000 CPU, A10
2 437260 of 57: at 2663h47m43s, 11h24m20s on 16, 240000/1000 CPU, A100-SXM4-80GB
3 437261 of 57: at 2663h47m44s, 1m0s on 1, 500/1000 GPU, 4000/1000 CPU, A10
4 437262 of 57: at 2663h47m45s, 1m0s on 3, 12000/1000 CPU, A10
5 437263 of 57: at 2663h47m46s, 1m0s on 6, 8000/1000 CPU, A10
6 437264 of 57: at 2663h47m47s, 1m0s on 0, 4000/1000 CPU
9 437267 of 57: at 2663h47m48s, 1s on 1, 4000/1000 CPU, A10
- no submission time [8]
~ rows out of order [9]
~ run time below the least [10]
~ shares of more than one GPU [5]
~ submitted before the record's zero [9]
`},
		{"dlrm.csv", "dlrm", Options{}, `
2 instance_1 of app_0: at 7m55s, 6m17s on 1, 12000/1000 CPU, 123392 MiB
- no GPU, CPUs only [4]
- no submission time [2]
- started, no end [5]
`},
		{"genai.csv", "genai", Options{}, `
2 2 of G0001: at 0s, 1.5s on 1, batch-inference
1 1 of G0000: at 1s, 32s on 1, batch-inference
- run time 0 [4]
~ ended as failed [3]
~ rows out of order [3]
`},
		{"pai_task.csv", "pai-task", Options{}, `
1 j1/worker: at 1m40s, 6m40s on 4, 12000/1000 CPU, 60000 MiB
3 j2/tensorflow: at 3m30s, 1m30s on 1, 500/1000 GPU, 6000/1000 CPU, 30000 MiB
- no GPU, CPUs only [2]
- shares of more than one GPU [4]
- started, no end [5]
~ launch taken as submission [1 2 3 4 5]
`},
		{"pai_task.csv", "pai-task", Options{With: job, CPUOnly: true, KeepGoing: true, RecordEnd: 1200 * time.Second}, `
1 j1/worker of uA: at 1m20s, 6m40s on 4, 12000/1000 CPU, 60000 MiB
2 j1/ps of uA: at 1m20s, 6m50s on 0, 4000/1000 CPU, 10240 MiB
3 j2/tensorflow of uB: at 3m20s, 1m30s on 1, 500/1000 GPU, 6000/1000 CPU, 30000 MiB
4 j3/worker of uA: at 16m30s, 1m40s on 4, 4000/1000 CPU, 4096 MiB
5 j4/evaluator of uA: at 16m40s, 3m20s on 1, 1000/1000 CPU, 1024 MiB
~ ended as failed [4]
~ shares of more than one GPU [4]
~ still running when the record ends [5]
`},
		{"pai_job.csv", "pai-job", Options{With: task}, `
1 j1 of uA: at 1m20s, 6m50s on 4, 16000/1000 CPU, 70240 MiB
2 j2 of uB: at 3m20s, 1m30s on 1, 500/1000 GPU, 6000/1000 CPU, 30000 MiB
- no task in the task table [5 6]
- shares of more than one GPU [3]
- started, no end [4]
`},
		{"pai_instance.csv", "pai-instance", Options{With: task, CPUOnly: true}, `
3 w3: at 1m30s, 6m50s on 0, 4000/1000 CPU, 10240 MiB
1 w1: at 1m40s, 6m40s on 2, 6000/1000 CPU, 30000 MiB
2 w2: at 1m41s, 6m39s on 2, 6000/1000 CPU, 30000 MiB
4 w4: at 3m30s, 1m30s on 1, 500/1000 GPU, 6000/1000 CPU, 30000 MiB
- no task in the task table [5]
~ rows out of order [3]
`},
		{"pai_sim.csv", "pai-sim", Options{CPUOnly: true}, `
1 0 of u1: at 10s, 1m40s on 1, 500/1000 GPU, 4000/1000 CPU
2 1 of u2: at 20s, 3m20s on 6, 25500/1000 CPU
3 2 of u2: at 30s, 3m20s on 0, 8000/1000 CPU
- no submission time [6]
- run time 0 [7]
- shares of more than one GPU [5]
`},
		{"philly.json", "philly-json", Options{}, `
3 application_3 of b: at 30s, 10s on 1
7 application_3@20 of b: at 33s, 1m0s on 1
1 application_1 of ee9e8c: at 39s, 11m14s on 3
- ended before it started [14]
- no submission time [17]
- run time unknown [6]
- started, no end [11]
~ attempts of different sizes [2 7]
~ several attempts [2 7]
~ attempts without start or end [7]
~ duplicate job number [20]
~ ended as failed [7]
~ rows out of order [7]
`},
		{"batsim.json", "batsim", Options{}, `
1 a: at 1.5s, 20.25s on 4, thought 1m40s
- parallel profile, speed of a processor unknown [6 7 8]
- no such profile [9]
- profile of another type [10]
~ parallel profiles that communicate [14]
`},
		{"batsim.json", "batsim", Options{Flops: 1e9}, `
2 b: at 500ms, 10s on 2
1 a: at 1.5s, 20.25s on 4, thought 1m40s
3 c: at 2s, 5s on 2
4 d: at 3s, 20s on 2
- no such profile [9]
- profile of another type [10]
~ estimate below the run time [8]
~ parallel profiles that communicate [14]
~ rows out of order [6]
`},
		{"gavel.trace", "gavel", Options{With: "testdata/throughputs.json"}, `
1 1 of ResNet-18 (batch size 16): at 0s, 1m40s on 1, training
2 2 of ResNet-18 (batch size 16): at 10.5s, 1m2.5s on 2, training
3 3 of A3C: at 20s, 16m40s on 1, training
- no throughput for the job type [4]
`},
		{"gavel.trace", "gavel", Options{With: "testdata/throughputs.json", GPUType: "k80"}, `
1 1 of ResNet-18 (batch size 16): at 0s, 8m20s on 1, training
- no throughput for the job type [2 3 4]
`},
		{"gavel.trace", "gavel", Options{With: "testdata/throughputs.json", GPUType: "k80", KeepGoing: true}, `
1 1 of ResNet-18 (batch size 16): at 0s, 8m20s on 1, training
2 2 of ResNet-18 (batch size 16): at 10.5s, 4m10s on 2, training
- no throughput for the job type [3 4]
~ throughput not measured at the job's scale [2]
`},
	} {
		t.Run(tt.file, func(t *testing.T) {
			tr := open(t, "testdata/"+tt.file, tt.opts)
			if tr.Format() != tt.format {
				t.Errorf("taken for %s", tr.Format())
			}
			got := "\n"
			for _, j := range drain(t, tr) {
				got += shown(&j) + "\n"
			}
			got += tallied(tr.Report())
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestCutJSON: of a list that is cut short, what came before is used on
// request; otherwise the error names the line. Elements that are no jobs are
// malformed rows.
func TestCutJSON(t *testing.T) {
	const job = `{"jobid": "%s", "submitted_time": "2017-10-07 01:11:39", "attempts": [{"start_time": "2017-10-07 01:12:09", "end_time": "2017-10-07 01:13:23", "detail": [{"ip": "m", "gpus": ["g"]}]}]}`
	text := "[" + fmt.Sprintf(job, "a") + ",\n" + fmt.Sprintf(job, "b") + ",\n 7,\n" + fmt.Sprintf(job, "c")
	for _, cut := range []string{text, text[:len(text)-9], text + ","} {
		tr := read(t, cut, Options{Format: "philly-json", KeepGoing: true})
		jobs := drain(t, tr)
		r := tr.Report()
		if len(jobs) < 2 || jobs[1].Name != "b" || !slicesHas(r.Quirks, quirkCut.what) || !slicesHas(r.Rejects, rejectMalformed.what) {
			t.Errorf("%d jobs, report %+v", len(jobs), r)
		}
	}
	for text, want := range map[string]string{
		text:                         "x:3: the element is \"7\"; accepted is an object",
		"[" + fmt.Sprintf(job, "a"):  `x:1: ends early; accepted is one of ",]"`,
		"[{\"attempts\": [\n\"x\"\n": "x:3: ends inside a value",
		"[] []":                      "x:1: goes on after the list",
		"[{} {}]":                    `x:1: is no JSON at '{'; accepted is one of ",]"`,
		"{}":                         `x:1: is no JSON at '{'; accepted is one of "["`,
	} {
		tr, err := NewReader(strings.NewReader(text), "x", Options{Format: "philly-json"})
		if err == nil {
			_, err = drainErr(tr)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.30q: error %v\nwant %s", text, err, want)
		}
	}
}
