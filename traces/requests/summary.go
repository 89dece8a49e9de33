package requests

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"berth/sim"
)

// Summary describes the traffic of a trace. Of a trace of rates, Requests are
// the rates times how long they hold, and there are no tokens.
type Summary struct {
	Name     string  `json:"name"`
	Format   string  `json:"format"` // azure-csv, burstgpt-csv, mooncake-jsonl or rates
	Epoch    string  `json:"epoch,omitempty"`
	Requests float64 `json:"requests"`
	Span     float64 `json:"span_hours"` // from the first to the last

	Rate    float64 `json:"mean_requests_a_second"`
	Fullest float64 `json:"requests_a_second_in_fullest_minute"`

	Context       float64 `json:"mean_context_tokens,omitempty"` // of a request
	Generated     float64 `json:"mean_generated_tokens,omitempty"`
	MostContext   int     `json:"most_context_tokens,omitempty"`
	MostGenerated int     `json:"most_generated_tokens,omitempty"`
	Unanswered    int64   `json:"requests_without_answer,omitempty"` // that wrote no token

	Containers int          `json:"containers,omitempty"`
	Types      []TypedShare `json:"types,omitempty"` // by name
	ByMinute   []float64    `json:"requests_a_second_by_minute"`
}

// TypedShare is how many requests of a trace of rates are of a type.
type TypedShare struct {
	Type     string  `json:"type"`
	Requests float64 `json:"requests"`
}

// Summarize reads the trace at a path to its end. Minutes count from time 0;
// the last may be full in part only.
func Summarize(path string, rates Sampling) (*Summary, error) {
	kind, err := sniff(path)
	if err != nil {
		return nil, err
	}
	s := &Summary{Name: path}
	if kind == kindRates {
		err = s.rates(path, rates)
	} else {
		err = s.requests(path)
	}
	return s, err
}

func (s *Summary) requests(path string) error {
	r, err := Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	minutes := Series{Step: time.Minute}
	var q Request
	var first, last sim.Time
	for {
		ok, err := r.Next(&q)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if s.Requests == 0 {
			first = q.At
		}
		last = q.At
		s.Requests++
		s.Context += float64(q.ContextTokens)
		s.Generated += float64(q.GeneratedTokens)
		s.MostContext, s.MostGenerated = max(s.MostContext, q.ContextTokens), max(s.MostGenerated, q.GeneratedTokens)
		if q.GeneratedTokens == 0 {
			s.Unanswered++
		}
		i, err := minutes.grow(q.At)
		if err != nil {
			return err
		}
		minutes.Requests[i]++
	}
	s.Format = r.Format()
	if epoch, ok := r.Epoch(); ok {
		s.Epoch = epoch.Format(time.RFC3339)
	}
	if s.Requests > 0 {
		s.Context /= s.Requests
		s.Generated /= s.Requests
	}
	s.finish(minutes.Requests, last-first)
	return nil
}

func (s *Summary) rates(path string, how Sampling) error {
	r, err := OpenRates(path)
	if err != nil {
		return err
	}
	defer r.Close()
	every := cmp.Or(how.Every, time.Minute).Seconds()
	minutes := Series{Step: time.Minute}
	types, containers := map[string]float64{}, map[string]bool{}
	var v Rate
	for {
		ok, err := r.Next(&v)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if how.Type != "" && how.Type != v.Type {
			continue
		}
		i, err := minutes.grow(v.At)
		if err != nil {
			return err
		}
		minutes.Requests[i] += v.PerSecond * every
		s.Requests += v.PerSecond * every
		types[v.Type] += v.PerSecond * every
		if v.Container != "" {
			containers[v.Container] = true
		}
	}
	s.Format, s.Containers = "rates", len(containers)
	for name, n := range types {
		s.Types = append(s.Types, TypedShare{name, n})
	}
	slices.SortFunc(s.Types, func(a, b TypedShare) int { return strings.Compare(a.Type, b.Type) })
	s.finish(minutes.Requests, v.At)
	return nil
}

// finish turns counts by minute into rates.
func (s *Summary) finish(counts []float64, span sim.Time) {
	s.Span = span.Hours()
	if span > 0 {
		s.Rate = s.Requests / span.Seconds()
	}
	s.ByMinute = []float64{}
	for _, n := range counts {
		s.ByMinute = append(s.ByMinute, n/60)
		s.Fullest = max(s.Fullest, n/60)
	}
}

// WriteTo writes the summary as text of at most 80 columns, the file's name
// aside.
func (s *Summary) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-20s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "%s (%s)\n\n", s.Name, s.Format)
	line("requests", "%.0f in %.3g hours", s.Requests, s.Span)
	if s.Epoch != "" {
		line("time 0", "%s", s.Epoch)
	}
	line("rate", "mean %.3g a second, %.3g in the fullest minute", s.Rate, s.Fullest)
	if s.Format != "rates" {
		line("tokens read", "mean %.1f, most %d a request", s.Context, s.MostContext)
		line("tokens written", "mean %.1f, most %d a request", s.Generated, s.MostGenerated)
		if s.Unanswered > 0 {
			line("without answer", "%d requests", s.Unanswered)
		}
	} else {
		line("containers", "%d", s.Containers)
		for _, t := range s.Types {
			line("", "%.0f %s", t.Requests, t.Type)
		}
	}
	s.writeBars(&b)
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

var shades = []rune(" ▁▂▃▄▅▆▇█")

// writeBars draws at most 72 bars of equal numbers of minutes.
func (s *Summary) writeBars(b *strings.Builder) {
	const width = 72
	n := len(s.ByMinute)
	if n == 0 {
		return
	}
	each := (n + width - 1) / width
	bars, most := make([]float64, (n+each-1)/each), 0.0
	for i, v := range s.ByMinute {
		bars[i/each] += v / float64(min(each, n-i/each*each))
		most = max(most, bars[i/each])
	}
	unit := "minute"
	if each > 1 {
		unit = fmt.Sprintf("%d minutes", each)
	}
	fmt.Fprintf(b, "\nrequests by %s; %.3g a second in the fullest\n       ", unit, most)
	for _, v := range bars {
		k := 0
		if v > 0 {
			k = max(1, int(v/most*8+0.5))
		}
		b.WriteRune(shades[k])
	}
	b.WriteByte('\n')
}

// IsTraffic says whether the file at a path is a trace of traffic by its first
// line.
func IsTraffic(path string) bool {
	kind, err := sniff(path)
	if err != nil || kind == kindRates {
		return err == nil
	}
	r, err := Open(path)
	if err != nil {
		return false
	}
	r.Close()
	return true
}
