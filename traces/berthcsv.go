package traces

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"berth/sim"
	"berth/sim/hardware"
)

func init() {
	register(Format{
		Name:        "berth",
		Description: "berth's own CSV: every field of a job, as berth trace convert writes it",
		Times:       "seconds since the epoch that its first lines name",
		Sorted:      true,
		sniff: func(head []byte) bool {
			for bytes.HasPrefix(head, []byte{'#'}) {
				_, head, _ = bytes.Cut(head, []byte{'\n'})
			}
			return hasColumns(head, berthColumns...)
		},
		open: openBerth,
	})
}

// berthColumns are the columns of berth's own CSV: a field of sim.Job each.
// Times are in seconds, to the nanosecond. Text is in double quotes where it
// has a comma or a quote; in it \n, \r, \\ stand for line ends and a backslash.
var berthColumns = []string{
	"job_id", "name", "kind", "tenant", "priority", "submit", "earliest", "min_gpus", "max_gpus", "parallel",
	"duration", "estimate", "across", "gpu_milli", "cpu_milli", "memory_mib", "models",
}

const (
	colID = iota
	colName
	colKind
	colTenant
	colPriority
	colSubmit
	colEarliest
	colMin
	colMax
	colParallel
	colDuration
	colEstimate
	colAcross
	colMilli
	colCPU
	colMemory
	colModels
)

// berthCSV reads what WriteBerth writes. Every field counts as it stands: the
// options Priority, MinRun and Completed have nothing to say here.
type berthCSV struct {
	each
	ids    idSet
	others map[int64]bool // numbers below 0
	at     [colModels + 1]int
}

func openBerth(in *input) (rows, error) {
	b := &berthCSV{others: map[int64]bool{}}
	b.each.job = b.parse
	in.exact = true
	for {
		if c, err := in.text.Peek(1); err != nil || c[0] != '#' {
			break
		}
		line, ok, err := in.next()
		if err != nil || !ok {
			return nil, err
		}
		if err := b.comment(in, string(line[1:])); err != nil {
			return nil, err
		}
	}
	cols := map[string]*int{}
	for i, name := range berthColumns {
		cols[name] = &b.at[i]
	}
	t, err := openTable(in, cols)
	b.table = t
	return b, err
}

// comment takes "epoch" and "gpus" of the first lines.
func (b *berthCSV) comment(in *input, text string) error {
	key, value, _ := strings.Cut(text, ":")
	value = strings.TrimSpace(value)
	switch strings.TrimSpace(key) {
	case "epoch":
		t, err := time.Parse(time.RFC3339, value)
		if err != nil {
			return &InputError{File: in.name, Line: in.line, Msg: fmt.Sprintf("epoch is %q; accepted is a time as 2017-10-03T00:00:00Z", value)}
		}
		in.origin = t
	case "gpus":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > maxGPUs {
			return &InputError{File: in.name, Line: in.line, Msg: fmt.Sprintf("gpus is %q; accepted is an integer from 0 to %d", value, maxGPUs)}
		}
		in.machine = n
	}
	return nil
}

func (b *berthCSV) parse(j *sim.Job) (bool, error) {
	if err := b.fill(j); err != nil {
		return false, err
	}
	in := b.in
	switch {
	case j.MinGPUs == 0 && !in.opts.CPUOnly:
		in.reject(&rejectCPUOnly, j.ID, "")
		return false, nil
	case in.opts.MaxGPUs > 0 && j.MinGPUs > in.opts.MaxGPUs:
		in.largest = max(in.largest, j.MinGPUs)
		in.reject(&rejectTooLarge, j.ID, fmt.Sprintf("asks %d of %d", j.MinGPUs, in.opts.MaxGPUs))
		return false, nil
	}
	in.submitted(j.Submit)
	in.accepted++
	return true, nil
}

// fill reads every field.
func (b *berthCSV) fill(j *sim.Job) error {
	*j = sim.Job{}
	f := func(i int) []byte { return b.fields[b.at[i]] }
	for _, c := range []struct {
		column    int
		to        *int
		low, high int64
	}{
		{colMin, &j.MinGPUs, 0, maxGPUs}, {colMax, &j.MaxGPUs, 0, maxGPUs}, {colMilli, &j.Request.GPUMilli, 0, 1000},
		{colCPU, &j.Request.CPUMilli, 0, math.MaxInt32}, {colMemory, &j.Request.MemoryMiB, 0, math.MaxInt32},
	} {
		n, err := strconv.ParseInt(string(f(c.column)), 10, 64)
		if err != nil || n < c.low || n > c.high {
			return fmt.Errorf("%s is %s; accepted is an integer from %d to %d", berthColumns[c.column], quote(f(c.column)), c.low, c.high)
		}
		*c.to = int(n)
	}
	for _, c := range []struct {
		column int
		to     *sim.Time
		low    sim.Time
	}{{colSubmit, &j.Submit, 0}, {colEarliest, &j.Earliest, math.MinInt64}, {colDuration, &j.Duration, 1}, {colEstimate, &j.Estimate, 1}} {
		n, ok := parseNumber(f(c.column))
		t, fits := n.seconds()
		if !ok || !fits || t < c.low {
			return fmt.Errorf("%s is %s; accepted are seconds from %s to %.0f", berthColumns[c.column], quote(f(c.column)),
				secondsText(max(c.low, -maxSeconds*time.Second)), float64(maxSeconds))
		}
		*c.to = t
	}
	for _, c := range []struct {
		column    int
		to        *float64
		low, high float64
	}{{colPriority, &j.Priority, 0, 1e12}, {colParallel, &j.Parallel, 0, 1}} {
		v, err := strconv.ParseFloat(string(f(c.column)), 64)
		if err != nil || !(v >= c.low && v <= c.high) {
			return fmt.Errorf("%s is %s; accepted is a number from %g to %g", berthColumns[c.column], quote(f(c.column)), c.low, c.high)
		}
		*c.to = v
	}
	return b.words(j, f)
}

// words reads the fields that are no numbers, and the number of the job.
func (b *berthCSV) words(j *sim.Job, f func(int) []byte) error {
	if j.MaxGPUs < j.MinGPUs || j.Priority == 0 {
		return fmt.Errorf("min_gpus is %d, max_gpus %d, priority %g; accepted are min_gpus ≤ max_gpus and priority > 0", j.MinGPUs, j.MaxGPUs, j.Priority)
	}
	if err := j.Kind.UnmarshalText(f(colKind)); err != nil {
		return err
	}
	switch string(f(colAcross)) {
	case "true":
		j.Across = true
	case "false":
	default:
		return fmt.Errorf("across is %s; accepted are true, false", quote(f(colAcross)))
	}
	id, err := strconv.ParseInt(string(f(colID)), 10, 64)
	if err != nil {
		return fmt.Errorf("job_id is %s; accepted is an integer", quote(f(colID)))
	}
	j.ID = id
	if id >= 0 && b.ids.add(id) || id < 0 && b.others[id] {
		return fmt.Errorf("job_id %d is there twice; accepted is once", id)
	}
	if id < 0 && len(b.others) < maxNames {
		b.others[id] = true
	}
	j.Name, j.Tenant = plain(string(f(colName))), plain(b.in.tenants.get(f(colTenant)))
	j.Request.Models = hardware.Models(plain(b.in.tenants.get(f(colModels))))
	return nil
}

// escapes keep line ends out of text.
var (
	escaping   = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\r", `\r`)
	unescaping = strings.NewReplacer(`\\`, "\\", `\n`, "\n", `\r`, "\r")
)

func plain(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return unescaping.Replace(s)
}

// berthWriter writes berth's own CSV.
type berthWriter struct {
	out *bufio.Writer
}

func newBerthWriter(w *bufio.Writer, about About) jobWriter {
	if !about.Epoch.IsZero() {
		w.WriteString("# epoch: " + about.Epoch.Format(time.RFC3339Nano) + "\n")
	}
	if about.Machine > 0 {
		fmt.Fprintf(w, "# gpus: %d\n", about.Machine)
	}
	w.WriteString(strings.Join(berthColumns, ",") + "\n")
	return &berthWriter{w}
}

func (w *berthWriter) write(j *sim.Job) error {
	b := w.out.AvailableBuffer()
	b = append(strconv.AppendInt(b, j.ID, 10), ',')
	b = append(appendText(b, j.Name), ',')
	b = append(append(b, j.Kind.String()...), ',')
	b = append(appendText(b, j.Tenant), ',')
	b = append(strconv.AppendFloat(b, j.Priority, 'g', -1, 64), ',')
	b = append(appendSeconds(b, j.Submit), ',')
	b = append(appendSeconds(b, j.Earliest), ',')
	b = append(strconv.AppendInt(b, int64(j.MinGPUs), 10), ',')
	b = append(strconv.AppendInt(b, int64(j.MaxGPUs), 10), ',')
	b = append(strconv.AppendFloat(b, j.Parallel, 'g', -1, 64), ',')
	b = append(appendSeconds(b, j.Duration), ',')
	b = append(appendSeconds(b, j.Estimate), ',')
	b = append(strconv.AppendBool(b, j.Across), ',')
	b = append(strconv.AppendInt(b, int64(j.Request.GPUMilli), 10), ',')
	b = append(strconv.AppendInt(b, int64(j.Request.CPUMilli), 10), ',')
	b = append(strconv.AppendInt(b, int64(j.Request.MemoryMiB), 10), ',')
	b = append(appendText(b, string(j.Request.Models)), '\n')
	_, err := w.out.Write(b)
	return err
}

func (w *berthWriter) end() error { return nil }

// appendText appends text as one field.
func appendText(b []byte, s string) []byte {
	s = escaping.Replace(s)
	if !strings.ContainsAny(s, "\",") {
		return append(b, s...)
	}
	return append(append(append(b, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}

// appendSeconds appends a time as seconds with as many decimals as it has.
func appendSeconds(b []byte, t sim.Time) []byte {
	whole, nano := t/time.Second, t%time.Second
	if t < 0 {
		b, whole, nano = append(b, '-'), -whole, -nano
	}
	b = strconv.AppendInt(b, int64(whole), 10)
	if nano == 0 {
		return b
	}
	digits := strconv.AppendInt(nil, int64(nano)+1e9, 10)[1:]
	return append(append(b, '.'), bytes.TrimRight(digits, "0")...)
}

func secondsText(t sim.Time) string { return string(appendSeconds(nil, t)) }
