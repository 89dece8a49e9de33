package traces

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"time"

	"berth/sim"
	"berth/sim/hardware"
)

// Unrecorded is a time that a record does not have.
const Unrecorded = sim.Time(math.MinInt64)

// record is what a row says of a job, before anyone judges it. Times are the
// record's own, Unrecorded where it has none.
type record struct {
	row  int64
	name []byte // nil where rows have no name

	tenant string
	kind   sim.Kind
	state  state

	submit, start, end, run, estimate sim.Time

	gpus     int // of the whole job
	milli    int // share of each GPU, 1 … 1000; 0 means 1000
	cpu, mem int // of the whole job: thousandths of a CPU, MiB
	models   hardware.Models
}

// state is how a job ended, as far as a record says.
type state uint8

const (
	stateUnknown state = iota
	stateDone
	stateFailed
	stateKilled
	stateRunning
	stateWaiting
)

// states are the words that records use, in small letters.
var states = map[string]state{
	"pass": stateDone, "completed": stateDone, "succeeded": stateDone, "succeed": stateDone, "terminated": stateDone, "success": stateDone,
	"failed": stateFailed, "timeout": stateFailed, "node_fail": stateFailed, "interrupted": stateFailed, "out_of_memory": stateFailed,
	"killed": stateKilled, "cancelled": stateKilled, "canceled": stateKilled, "stopped": stateKilled, "preempted": stateKilled,
	"running": stateRunning, "processing": stateRunning, "suspended": stateRunning,
	"pending": stateWaiting, "waiting": stateWaiting,
}

// stateOf is the state that a word stands for, whatever its letters' case.
func stateOf(word []byte) state {
	var small [16]byte
	if len(word) > len(small) {
		return stateUnknown
	}
	for i, c := range word {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		small[i] = c
	}
	return states[string(small[:len(word)])]
}

// judge makes a job of a record, or says false: it was rejected.
func (in *input) judge(r *record, names *names64, j *sim.Job) bool {
	submit, ok := in.arrival(r)
	if !ok {
		return false
	}
	run, ok := in.runTime(r)
	if !ok {
		return false
	}
	*j = sim.Job{
		ID: r.row, Kind: r.kind, Tenant: r.tenant, Submit: submit, Duration: run, MinGPUs: r.gpus,
		Request: hardware.Request{GPUMilli: r.milli % 1000, CPUMilli: r.cpu, MemoryMiB: r.mem, Models: r.models},
	}
	if r.estimate > 0 {
		j.Estimate = r.estimate
	}
	if j.MinGPUs > 1 && j.Request.GPUMilli > 0 {
		if !in.opts.KeepGoing {
			in.reject(&rejectShares, r.row, fmt.Sprintf("%d shares of %d/1000", r.gpus, r.milli))
			return false
		}
		in.quirk(&quirkWholeGPUs)
		j.Request.GPUMilli = 0
	}
	switch {
	case in.opts.Completed && (r.state == stateFailed || r.state == stateKilled):
		in.reject(&rejectFailed, r.row, "")
		return false
	case !in.admit(j):
		return false
	case r.state == stateFailed:
		in.quirk(&quirkFailed)
	case r.state == stateKilled:
		in.quirk(&quirkKilled)
	case r.state == stateRunning:
		in.quirk(&quirkRunning)
	}
	in.label(r, names, j)
	return true
}

// label gives the job the record's name. One that is there already is made
// unique.
func (in *input) label(r *record, names *names64, j *sim.Job) {
	if r.name == nil {
		return
	}
	if len(bytes.TrimSpace(r.name)) == 0 {
		in.quirk(&quirkNoNumber)
		j.Name = "@" + strconv.FormatInt(in.line, 10)
		return
	}
	j.Name = string(r.name)
	overflowed := names.overflow
	if names.add(r.name) {
		in.quirk(&quirkDuplicate)
		j.Name += "@" + strconv.FormatInt(in.line, 10)
	} else if names.overflow && !overflowed {
		in.quirk(&quirkUnchecked)
	}
}

// arrival is when a record's job was submitted.
func (in *input) arrival(r *record) (sim.Time, bool) {
	t := r.submit
	switch {
	case t == Unrecorded && in.opts.KeepGoing && r.start != Unrecorded && r.start >= 0:
		in.quirk(&quirkFromStart)
		t = r.start
	case t == Unrecorded:
		in.reject(&rejectNoSubmit, r.row, "")
		return 0, false
	case t < 0 && in.opts.KeepGoing:
		in.quirk(&quirkFromZero)
		t = 0
	case t < 0:
		in.reject(&rejectNegative, r.row, t.String())
		return 0, false
	case r.start != Unrecorded && r.start < t:
		in.quirk(&quirkEarlyStart)
	}
	in.submitted(t)
	return t, true
}

// runTime is how long a record's job ran.
func (in *input) runTime(r *record) (sim.Time, bool) {
	end := r.end
	if end == Unrecorded && r.run == Unrecorded && r.start != Unrecorded && in.opts.RecordEnd > 0 {
		end = in.opts.RecordEnd
		if r.state != stateRunning { // which judge counts
			in.quirk(&quirkRunning)
		}
	}
	switch {
	case r.start != Unrecorded && end != Unrecorded && end < r.start:
		in.reject(&rejectBefore, r.row, fmt.Sprintf("%v before", r.start-end))
		return 0, false
	case r.start != Unrecorded && end != Unrecorded:
		if r.run != Unrecorded && (r.run-(end-r.start)).Abs() >= time.Second {
			in.quirk(&quirkOtherRun)
		}
		return end - r.start, true
	case r.run != Unrecorded:
		return r.run, true
	case r.start != Unrecorded:
		in.reject(&rejectNoEnd, r.row, "")
		return 0, false
	}
	in.reject(&rejectUnknown, r.row, "")
	return 0, false
}
