package traces

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"berth/sim"
)

const sec = time.Second

func swfJob(id int64, submit, duration, estimate sim.Time, gpus int, tenant, name string) sim.Job {
	return sim.Job{ID: id, Name: name, Submit: submit, Duration: duration, Estimate: estimate,
		MinGPUs: gpus, MaxGPUs: gpus, Tenant: tenant, Priority: 1, Across: true}
}

func TestSWFQuirks(t *testing.T) {
	var rejects []string
	tr := open(t, "testdata/quirks.swf", Options{OnReject: func(r Reject) { rejects = append(rejects, r.String()) }})
	tr.SetMaxGPUs(tr.Machine())
	jobs := drain(t, tr)
	want := []sim.Job{
		swfJob(1, 0, 10*sec, 20*sec, 4, "7", ""),           // rounded down; allocated, not requested
		swfJob(4, 5*sec, 30*sec, 30*sec, 2, "", ""),        // requested for want of allocated; estimate raised
		swfJob(9, 8*sec, 30*sec, 60*sec, 1, "8", ""),       // was out of order
		swfJob(8, 9*sec, 30*sec, 30*sec, 1, "8", ""),       // no estimate, extra columns
		swfJob(-21, 9*sec, 40*sec, 60*sec, 1, "8", "9@21"), // duplicate
	}
	if d := cmp.Diff(want, jobs); d != "" {
		t.Error(d)
	}
	wantRejects := []string{
		"testdata/quirks.swf:12: run time unknown",
		"testdata/quirks.swf:13: run time 0",
		"testdata/quirks.swf:15: no processors: asks -1",
		"testdata/quirks.swf:17: larger than the machine: asks 17 of 16",
		"testdata/quirks.swf:18: no submission time",
	}
	if d := cmp.Diff(wantRejects, rejects); d != "" {
		t.Error(d)
	}
	r := tr.Report()
	if r.Rows != 10 || r.Jobs != 5 || r.Rejected != 5 || r.Machine != 16 || r.Lines != 21 {
		t.Errorf("report %+v", r)
	}
	if r.Epoch != "1970-01-02T01:00:00+01:00" {
		t.Errorf("epoch %s", r.Epoch)
	}
	var quirks []string
	for _, q := range r.Quirks {
		quirks = append(quirks, fmt.Sprintf("%s%d%v", q.What, q.Count, q.Lines))
	}
	wantQuirks := []string{
		"rows with fractional fields2[11 13]", "allocated processors unknown1[14]", "duplicate job number1[21]",
		"estimate below the run time1[14]", "no estimate1[19]", "rows out of order1[20]", "rows with more than 18 columns1[19]",
	}
	if d := cmp.Diff(wantQuirks, quirks); d != "" {
		t.Error(d)
	}
	note, info := r.Header[6], r.Header[7]
	if note.Value != "two users, one of them\nunknown" || info.Value != "http://example.org/" {
		t.Errorf("header %q", r.Header)
	}
}

func TestSWFMalformed(t *testing.T) {
	const path = "testdata/broken.swf"
	_, err := drainErr(open(t, path, Options{}))
	if want := path + ":3: 17 fields; accepted are 18 numbers, the think time (field 18) is missing"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	var details []string
	tr := open(t, path, Options{KeepGoing: true, OnReject: func(r Reject) { details = append(details, r.String()) }})
	if jobs := drain(t, tr); len(jobs) != 2 {
		t.Errorf("%d jobs, want 2", len(jobs))
	}
	if want := path + `:4: malformed line: field 5 (allocated processors) is "x4"; accepted is a number, -1 for unknown`; len(details) != 2 || details[1] != want {
		t.Errorf("rejects %q", details)
	}
	if got := tr.Report().Rejects[0]; got.Count != 2 || !cmp.Equal(got.Lines, []int64{3, 4}) {
		t.Errorf("tally %+v", got)
	}
}

// row is a row of SWF with what matters to a job.
func row(id int, submit, run, procs, ask string) string {
	return fmt.Sprintf("%d %s -1 %s %s -1 -1 -1 %s -1 1 1 1 -1 -1 -1 -1 -1\n", id, submit, run, procs, ask)
}

func TestSWFExtremes(t *testing.T) {
	for _, tt := range []struct {
		name, text, outcome string // the error, or the job, or the reject
	}{
		{"late submission", row(1, "4000000000", "1", "1", "1"), "x:1: field 2 (submit time) is 4000000000 s; accepted are below 4000000000 s"},
		{"many processors", row(1, "0", "1", "2000000000", "1"), "x:1: 2000000000 processors; accepted are up to 1073741824"},
		{"long run", row(1, "0", "99999999999", "1", "1"), "run time above 126 years"},
		{"unlimited request", row(1, "0", "1", "1", "99999999999"), "submit 0s run 1s estimate 1s gpus 1"},
		{"no submission", row(1, "-1", "1", "1", "1"), "no submission time"},
		{"negative run", row(1, "0", "-2", "1", "1"), "run time below 0"},
		{"exponent", row(1, "0", "1.5e1", "1", "2E1"), "submit 0s run 15s estimate 20s gpus 1"},
		{"fractions", row(1, "0.25", "9.999", "1.5", "20.5"), "submit 250ms run 9s estimate 20.5s gpus 2"},
		{"not a number", row(1, "NaN", "1", "1", "1"), `x:1: field 2 (submit time) is "NaN"; accepted is a number, -1 for unknown`},
		{"hexadecimal", row(1, "0", "0x10", "1", "1"), `x:1: field 4 (run time) is "0x10"; accepted is a number, -1 for unknown`},
		{"Windows line ends and a byte order mark", "\xef\xbb\xbf; MaxProcs: 4\r\n" + strings.ReplaceAll(row(1, "3", "4", "1", "5"), "\n", "\r\n"), "submit 3s run 4s estimate 5s gpus 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := read(t, tt.text, Options{Format: "swf"})
			jobs, err := drainErr(tr)
			got := ""
			switch r := tr.Report(); {
			case err != nil:
				got = err.Error()
			case len(jobs) == 1:
				j := jobs[0]
				got = fmt.Sprintf("submit %v run %v estimate %v gpus %d", j.Submit, j.Duration, j.Estimate, j.MinGPUs)
			case len(r.Rejects) == 1:
				got = r.Rejects[0].What
			}
			if got != tt.outcome {
				t.Errorf("got  %s\nwant %s", got, tt.outcome)
			}
		})
	}
}

func TestSWFUnixEpoch(t *testing.T) {
	tr := read(t, row(1, "1356996147", "5", "1", "9")+row(2, "1356996150.5", "5", "1", "9"), Options{Zone: time.FixedZone("", 3600)})
	jobs := drain(t, tr)
	if jobs[0].Submit != 0 || jobs[1].Submit != 3500*time.Millisecond {
		t.Errorf("submitted at %v and %v", jobs[0].Submit, jobs[1].Submit)
	}
	if epoch := tr.Report().Epoch; epoch != "2013-01-01T00:22:27+01:00" {
		t.Errorf("epoch %s", epoch)
	}
	tr = read(t, row(1, "5094", "5", "1", "9"), Options{})
	if jobs := drain(t, tr); jobs[0].Submit != 5094*sec {
		t.Errorf("submitted at %v; the log's own zero must stay", jobs[0].Submit)
	}
}

func TestSWFNumbers(t *testing.T) {
	tr := read(t, row(5, "0", "1", "1", "1")+row(-1, "0", "1", "1", "1")+row(5, "0", "1", "1", "1"), Options{})
	var got []string
	for _, j := range drain(t, tr) {
		got = append(got, fmt.Sprint(j.ID, " ", j.Label()))
	}
	if d := cmp.Diff([]string{"5 5", "-2 @2", "-3 5@3"}, got); d != "" {
		t.Error(d)
	}
}

func TestSWFRecordRoundTrip(t *testing.T) {
	text, err := os.ReadFile("testdata/quirks.swf")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == ';' {
			continue
		}
		n++
		rec, err := ParseSWFRecord(line)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := rec.AppendText(nil)
		if want := bytes.Join(bytes.Fields(line)[:18], []byte{' '}); !bytes.Equal(out, want) {
			t.Errorf("got %s, want %s", out, want)
		}
	}
	if n != 10 {
		t.Errorf("%d rows", n)
	}
}
