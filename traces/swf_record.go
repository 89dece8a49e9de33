package traces

import (
	"fmt"
	"strconv"
)

const swfFields = 18

// SWFRecord is a row of the Standard Workload Format, version 2.2, as it
// stands: times in seconds, −1 for what is unknown. Floats hold what logs in
// the wild write with a fraction.
type SWFRecord struct {
	Job             int64   // 1 job number
	Submit          float64 // 2 seconds since the log's start
	Wait            float64 // 3 seconds
	Run             float64 // 4 seconds of wall clock
	Allocated       float64 // 5 processors
	CPUTime         float64 // 6 seconds, mean over processors
	Memory          float64 // 7 KB a processor
	RequestedProcs  float64 // 8
	RequestedTime   float64 // 9 seconds
	RequestedMemory float64 // 10 KB a processor
	Status          int64   // 11: 0 failed, 1 completed, 2 … 4 part of a checkpointed job, 5 cancelled
	User            int64   // 12
	Group           int64   // 13
	Application     int64   // 14
	Queue           int64   // 15; 0 is interactive
	Partition       int64   // 16
	PrecedingJob    int64   // 17
	ThinkTime       float64 // 18 seconds since the preceding job's end
	TrailingColumns bool    // there was more, which is ignored
}

var swfNames = [swfFields]string{
	"job number", "submit time", "wait time", "run time", "allocated processors",
	"CPU time", "memory", "requested processors", "requested time", "requested memory",
	"status", "user", "group", "application", "queue", "partition", "preceding job", "think time",
}

// ParseSWFRecord reads one row. The error names the field and what is
// accepted.
func ParseSWFRecord(line []byte) (SWFRecord, error) {
	var f [swfFields]number
	extra, err := scanSWF(line, &f)
	if err != nil {
		return SWFRecord{}, err
	}
	return SWFRecord{
		Job: f[0].whole, Submit: f[1].float(), Wait: f[2].float(), Run: f[3].float(),
		Allocated: f[4].float(), CPUTime: f[5].float(), Memory: f[6].float(),
		RequestedProcs: f[7].float(), RequestedTime: f[8].float(), RequestedMemory: f[9].float(),
		Status: f[10].whole, User: f[11].whole, Group: f[12].whole, Application: f[13].whole,
		Queue: f[14].whole, Partition: f[15].whole, PrecedingJob: f[16].whole,
		ThinkTime: f[17].float(), TrailingColumns: extra,
	}, nil
}

// AppendText appends the record as a row without line end.
func (r *SWFRecord) AppendText(b []byte) ([]byte, error) {
	for i, v := range [swfFields]float64{
		1: r.Submit, 2: r.Wait, 3: r.Run, 4: r.Allocated, 5: r.CPUTime, 6: r.Memory,
		7: r.RequestedProcs, 8: r.RequestedTime, 9: r.RequestedMemory, 17: r.ThinkTime,
	} {
		if i > 0 {
			b = append(b, ' ')
		}
		switch n := [...]int64{r.Status, r.User, r.Group, r.Application, r.Queue, r.Partition, r.PrecedingJob}; {
		case i == 0:
			b = strconv.AppendInt(b, r.Job, 10)
		case i >= 10 && i < 17:
			b = strconv.AppendInt(b, n[i-10], 10)
		default:
			b = strconv.AppendFloat(b, v, 'f', -1, 64)
		}
	}
	return b, nil
}

// scanSWF splits a row into its 18 numbers and says whether more follows.
func scanSWF(line []byte, f *[swfFields]number) (extra bool, err error) {
	i := 0
	for k := range f {
		i = skipBlank(line, i)
		if i == len(line) {
			return false, fmt.Errorf("%d fields; accepted are 18 numbers, the %s (field %d) is missing", k, swfNames[k], k+1)
		}
		start := i
		for i < len(line) && line[i] > ' ' {
			i++
		}
		n, ok := parseNumber(line[start:i])
		if !ok {
			return false, fmt.Errorf("field %d (%s) is %s; accepted is a number, -1 for unknown", k+1, swfNames[k], quote(line[start:i]))
		}
		f[k] = n
	}
	return skipBlank(line, i) < len(line), nil
}

// skipBlank is the first index from i on that is not blank or tab.
func skipBlank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}
