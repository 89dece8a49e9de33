package traces

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteTo writes the report as text of at most 80 columns, file name and
// hints aside.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n", r.Name, r.Format)
	fmt.Fprintf(&b, "  %s lines, %s rows: %s jobs, %s rejected\n",
		group(r.Lines), group(r.Rows), group(r.Jobs), group(r.Rejected))
	if r.Machine > 0 {
		fmt.Fprintf(&b, "  recorded machine: %s processors\n", group(int64(r.Machine)))
	}
	if r.Epoch != "" {
		fmt.Fprintf(&b, "  time 0 is %s\n", r.Epoch)
	}
	if r.Zone != "" {
		fmt.Fprintf(&b, "  times without a zone are taken as %s\n", r.Zone)
	}
	writeTallies(&b, "rejected", r.Rejects)
	writeTallies(&b, "quirks", r.Quirks)
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func writeTallies(b *strings.Builder, title string, list []Tally) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "%s\n", title)
	for _, t := range list {
		fmt.Fprintf(b, "  %12s  %s\n", group(t.Count), t.What)
		if len(t.Lines) > 0 {
			fmt.Fprintf(b, "  %12s  %s\n", "", firstLines(t))
		}
		fmt.Fprintf(b, "  %12s  %s\n", "", t.Hint)
	}
}

func firstLines(t Tally) string {
	word, tail := "lines", ""
	if t.Count == 1 {
		word = "line"
	}
	if t.Count > int64(len(t.Lines)) {
		tail = ", …"
	}
	parts := make([]string, len(t.Lines))
	for i, n := range t.Lines {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return word + " " + strings.Join(parts, ", ") + tail
}

// group writes an integer with a comma every three digits.
func group(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
