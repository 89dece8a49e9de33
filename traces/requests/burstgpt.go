package requests

import (
	"math"
	"strconv"
	"time"

	"berth/sim"
)

var burstColumns = []string{"Timestamp", "Request tokens", "Response tokens"}

// burstgpt reads a row of the BurstGPT format: seconds since midnight of the
// first day, and tokens. A request that failed has 0 tokens written; it was
// asked all the same, and is kept.
func burstgpt(t *table, q *Request) (bool, error) {
	ok, err := t.row()
	if err != nil || !ok {
		return false, err
	}
	seconds, err := strconv.ParseFloat(string(t.field(0)), 64)
	if err != nil || !(seconds >= 0 && seconds <= maxSpan.Seconds()) {
		return false, t.bad("Timestamp is %s; accepted are 0 to %.0f s", quote(t.field(0)), maxSpan.Seconds())
	}
	whole, part := math.Modf(seconds)
	q.At = sim.Time(whole)*time.Second + sim.Time(part*1e9)
	if q.ContextTokens, err = tokens(t.input, "Request tokens", t.field(1)); err != nil {
		return false, err
	}
	q.GeneratedTokens, err = tokens(t.input, "Response tokens", t.field(2))
	return err == nil, err
}

// kinds of traces of traffic.
type kind uint8

const (
	kindRequests kind = iota
	kindRates
)

// sniff tells by the header whether the file at a path holds rates.
func sniff(path string) (kind, error) {
	f, err := openFile(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	in, err := newInput(f, path)
	if err != nil {
		return 0, err
	}
	line, ok, err := in.next()
	if err == nil && ok && containsColumn(line, "request_type") {
		return kindRates, nil
	}
	return kindRequests, err
}
