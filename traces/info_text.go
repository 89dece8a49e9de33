package traces

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"berth/sim"
)

// WriteTo writes the summary as text of at most 80 columns.
func (s *Summary) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-20s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("jobs", "%s", group(s.Jobs))
	line("tenants", "%s", group(int64(s.Tenants)))
	if s.Epoch != "" {
		line("time 0", "%s", s.Epoch)
	}
	line("submissions", "%s to %s s, %.1f days", seconds(s.FirstSubmission), seconds(s.LastSubmission), s.SpanDays)
	line("last end", "%s s, each started when submitted", seconds(s.LastEnd))
	line("between arrivals", "%s on average", lasting(s.Interarrival))
	line("GPU-hours", "%s", group(int64(s.GPUHours+0.5)))
	line("load without limits", "mean %.1f GPUs, peak %s", s.MeanLoad, group(s.PeakLoad))
	if s.ClusterGPUs > 0 {
		line("on the cluster", "mean %.1f %%, peak %.1f %% of %s GPUs", s.MeanPercent, s.PeakPercent, group(int64(s.ClusterGPUs)))
		if s.Beyond > 0 {
			line("", "%s jobs ask for more than that", group(s.Beyond))
		}
	}
	if s.Shared > 0 {
		line("shares of a GPU", "%s jobs, %.2f GPU on average", group(s.Shared), s.MeanShare)
	}
	if s.CPUHours > 0 {
		line("CPU-hours", "%s", group(int64(s.CPUHours+0.5)))
	}
	if s.Picky > 0 {
		line("models of GPU", "named by %s jobs", group(s.Picky))
	}
	d := s.Duration
	line("run time", "mean %s, min %s, max %s", lasting(d.Mean), lasting(d.Min), lasting(d.Max))
	line("", "p50 %s, p90 %s, p95 %s, p99 %s", lasting(d.P50), lasting(d.P90), lasting(d.P95), lasting(d.P99))
	if s.Jobs > 0 {
		s.writeSizes(&b)
		s.writeWeek(&b)
		s.writeDays(&b)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// writeSizes shows sizes one by one, or in powers of two when there are many.
func (s *Summary) writeSizes(b *strings.Builder) {
	const bar = 24
	fmt.Fprintf(b, "\n%13s %12s %7s %7s\n", "GPUs", "jobs", "% jobs", "% GPU-h")
	rows, most := sizeRows(s.Sizes), int64(1)
	for _, r := range rows {
		most = max(most, r.jobs)
	}
	for _, r := range rows {
		share := 0.0
		if s.GPUHours > 0 {
			share = 100 * r.hours / s.GPUHours
		}
		fmt.Fprintf(b, "%13s %12s %7.2f %7.2f  %s\n", r.label, group(r.jobs),
			100*float64(r.jobs)/float64(s.Jobs), share, strings.Repeat("█", int((r.jobs*bar+most-1)/most)))
	}
}

type sizeRow struct {
	label string
	jobs  int64
	hours float64
}

func sizeRows(sizes []SizeCount) []sizeRow {
	var rows []sizeRow
	if len(sizes) <= 16 {
		for _, c := range sizes {
			rows = append(rows, sizeRow{group(int64(c.GPUs)), c.Jobs, c.GPUHours})
		}
		return rows
	}
	i := 0
	if sizes[0].GPUs == 0 {
		rows = append(rows, sizeRow{"0", sizes[0].Jobs, sizes[0].GPUHours})
		i = 1
	}
	for lo := 1; i < len(sizes); lo *= 2 {
		r := sizeRow{label: group(int64(lo))}
		if lo > 1 {
			r.label = fmt.Sprintf("%d–%d", lo, 2*lo-1)
		}
		for ; i < len(sizes) && sizes[i].GPUs < 2*lo; i++ {
			r.jobs += sizes[i].Jobs
			r.hours += sizes[i].GPUHours
		}
		if r.jobs > 0 {
			rows = append(rows, r)
		}
	}
	return rows
}

var shades = []rune(" ▁▂▃▄▅▆▇█")

// shade is one of nine heights; only 0 is blank.
func shade(n, most int) rune {
	if most == 0 {
		return shades[0]
	}
	return shades[(n*8+most-1)/most]
}

// writeWeek draws seven rows of 24 hours.
func (s *Summary) writeWeek(b *strings.Builder) {
	most := slices.Max(s.ByHour[:])
	fmt.Fprintf(b, "\narrivals by hour of week; %s in the fullest hour, %.3g a week\n", group(int64(most)), s.FullestHour)
	fmt.Fprintf(b, "       0     6     12    18\n")
	for day := range 7 {
		name, sum := fmt.Sprintf("day %d", day+1), 0
		if s.Epoch != "" {
			name = time.Weekday((day + 1) % 7).String()[:3]
		}
		fmt.Fprintf(b, "%-6s ", name)
		for _, n := range s.ByHour[24*day : 24*day+24] {
			b.WriteRune(shade(n, most))
			sum += n
		}
		fmt.Fprintf(b, "  %s\n", group(int64(sum)))
	}
}

// writeDays draws one line, of at most 72 bars of equal numbers of days.
func (s *Summary) writeDays(b *strings.Builder) {
	const width = 72
	each := (len(s.ByDay) + width - 1) / width
	bars := make([]int, (len(s.ByDay)+each-1)/each)
	for i, n := range s.ByDay {
		bars[i/each] += n
	}
	most := slices.Max(bars)
	unit := "day"
	if each > 1 {
		unit = fmt.Sprintf("%d days", each)
	}
	fmt.Fprintf(b, "\narrivals by %s; %s in the fullest\n       ", unit, group(int64(most)))
	for _, n := range bars {
		b.WriteRune(shade(n, most))
	}
	b.WriteByte('\n')
}

// seconds shows whole seconds with commas, others to the millisecond.
func seconds(s float64) string {
	whole := int64(s)
	if float64(whole) == s {
		return group(whole)
	}
	return group(whole) + fmt.Sprintf("%.3f", s-float64(whole))[1:]
}

// lasting shows a length of time in its largest fitting unit.
func lasting(s float64) string {
	switch {
	case s < 120:
		return fmt.Sprintf("%.3g s", s)
	case s < 2*3600:
		return fmt.Sprintf("%.1f min", s/60)
	case s < 2*86400:
		return fmt.Sprintf("%.1f h", s/3600)
	}
	return fmt.Sprintf("%.1f d", s/86400)
}

var _ sim.Source = (*Trace)(nil)
