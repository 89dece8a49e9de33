package traces

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/sim"
)

// About is what a writer may say of a trace beside its jobs.
type About struct {
	Epoch   time.Time // calendar time of time 0; the zero Time where it is unknown
	Machine int       // GPUs of the recorded machine; 0 where unknown
}

// Losses is what a format cannot hold: how many jobs lost what.
type Losses []Tally

// Writer writes jobs in a format, one by one. Close ends the file, and must be
// called; it does not close what it writes to.
type Writer struct {
	jobs   jobWriter
	out    *bufio.Writer
	losses tallies
	n      int64
}

type jobWriter interface {
	write(*sim.Job) error
	end() error
}

// writers are the formats that can be written, by name.
var writers = map[string]func(*Writer, About) jobWriter{
	"berth":  func(w *Writer, about About) jobWriter { return newBerthWriter(w.out, about) },
	"swf":    func(w *Writer, about About) jobWriter { return newSWFWriter(w, about) },
	"batsim": func(w *Writer, about About) jobWriter { return newBatsimWriter(w, about) },
}

// Writable are the names of the formats that can be written.
func Writable() []string {
	var names []string
	for name := range writers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// NewWriter writes jobs to w in one of the formats that Writable names.
func NewWriter(w io.Writer, format string, about About) (*Writer, error) {
	start, ok := writers[format]
	if !ok {
		return nil, fmt.Errorf("traces: format %q cannot be written; accepted are %s", format, strings.Join(Writable(), ", "))
	}
	out := &Writer{out: bufio.NewWriterSize(w, 64<<10)}
	out.jobs = start(out, about)
	return out, nil
}

// Write writes a job. Jobs come in the order of submission.
func (w *Writer) Write(j *sim.Job) error {
	w.n++
	return w.jobs.write(j)
}

// Close ends the file.
func (w *Writer) Close() error { return cmp.Or(w.jobs.end(), w.out.Flush()) }

// Losses are what the format could not hold, most frequent first. Lines are
// numbers of jobs, from 1.
func (w *Writer) Losses() Losses {
	var list Losses
	for _, e := range w.losses {
		list = append(list, Tally{e.what, e.count, e.lines, e.hint})
	}
	slices.SortStableFunc(list, func(a, b Tally) int { return cmp.Compare(b.Count, a.Count) })
	return list
}

func (w *Writer) lose(c *cause) { w.losses.add(c, w.n) }

var (
	lostRequest  = cause{quirk: true, what: "shares of a GPU, CPUs, memory or models asked for", hint: "the format has no place for them"}
	lostElastic  = cause{quirk: true, what: "moldable sizes", hint: "the smallest is written"}
	lostEarliest = cause{quirk: true, what: "earliest start later than submission", hint: "written as the submission"}
	lostTime     = cause{quirk: true, what: "parts of a second", hint: "times are rounded to whole seconds, run times to 1 s at least"}
	lostName     = cause{quirk: true, what: "names of jobs", hint: "numbers are written"}
	lostTenant   = cause{quirk: true, what: "names of tenants", hint: "written as numbers in the order of their first job"}
	lostPriority = cause{quirk: true, what: "priorities and kinds", hint: "the format has no place for them"}
)

// plainLosses counts what every format but berth's own loses.
func (w *Writer) plainLosses(j *sim.Job) {
	if j.Request.GPUMilli != 0 || j.Request.CPUMilli != 0 || j.Request.MemoryMiB != 0 || j.Request.Models != "" {
		w.lose(&lostRequest)
	}
	if j.MinGPUs != j.MaxGPUs {
		w.lose(&lostElastic)
	}
	if j.Earliest > j.Submit {
		w.lose(&lostEarliest)
	}
	if j.Priority != 1 || j.Kind != sim.Generic {
		w.lose(&lostPriority)
	}
}

// swfWriter writes the Standard Workload Format in whole seconds, as most
// programs read it.
type swfWriter struct {
	w       *Writer
	tenants map[string]int64
}

func newSWFWriter(w *Writer, about About) jobWriter {
	fmt.Fprintf(w.out, "; Version: 2.2\n")
	if !about.Epoch.IsZero() {
		_, east := about.Epoch.Zone()
		fmt.Fprintf(w.out, "; UnixStartTime: %d\n; TimeZone: %d\n", about.Epoch.Unix(), east)
	}
	if about.Machine > 0 {
		fmt.Fprintf(w.out, "; MaxProcs: %d\n", about.Machine)
	}
	return &swfWriter{w, map[string]int64{}}
}

func (s *swfWriter) write(j *sim.Job) error {
	s.w.plainLosses(j)
	if j.Name != "" && j.Name != strconv.FormatInt(j.ID, 10) {
		s.w.lose(&lostName)
	}
	if j.Submit%time.Second != 0 || j.Duration%time.Second != 0 || j.Estimate%time.Second != 0 {
		s.w.lose(&lostTime)
	}
	r := SWFRecord{
		Job: j.ID, Submit: wholeSeconds(j.Submit), Wait: -1, Run: max(1, wholeSeconds(j.Duration)),
		Allocated: float64(j.MinGPUs), CPUTime: -1, Memory: -1, RequestedProcs: float64(j.MinGPUs),
		RequestedTime: max(1, math.Ceil(j.Estimate.Seconds())), RequestedMemory: -1,
		Status: 1, User: s.user(j.Tenant), Group: -1, Application: -1, Queue: -1, Partition: -1, PrecedingJob: -1, ThinkTime: -1,
	}
	b, err := r.AppendText(s.w.out.AvailableBuffer())
	if err != nil {
		return err
	}
	_, err = s.w.out.Write(append(b, '\n'))
	return err
}

func (s *swfWriter) end() error { return nil }

// user is a tenant's number: its own where it is one, else one from 1,000,001
// on.
func (s *swfWriter) user(tenant string) int64 {
	if tenant == "" {
		return -1
	}
	if n, err := strconv.ParseInt(tenant, 10, 64); err == nil && n >= 0 && n <= 1_000_000 && strconv.FormatInt(n, 10) == tenant {
		return n
	}
	s.w.lose(&lostTenant)
	n, ok := s.tenants[tenant]
	if !ok {
		n = 1_000_001 + int64(len(s.tenants))
		s.tenants[tenant] = n
	}
	return n
}

func wholeSeconds(t sim.Time) float64 { return math.Round(t.Seconds()) }
