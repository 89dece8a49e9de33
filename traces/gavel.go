package traces

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"berth/sim"
)

func init() {
	register(Format{
		Name:        "gavel",
		Description: "Gavel trace, tab-separated: job type, steps, arrival, scale; run times from --with simulation_throughputs.json",
		Times:       "seconds since the trace's start",
		Sorted:      true,
		sniff: func(head []byte) bool {
			n := bytes.Count(headLine(head), []byte{'\t'})
			return n == 6 || n == 9
		},
		open: openGavel,
	})
}

var rejectNoSpeed = cause{what: "no throughput for the job type", hint: "not measured at this scale; {gpu-type}NAME names another GPU, {keep-going} scales up what one GPU does"}

var quirkLinear = cause{quirk: true, what: "throughput not measured at the job's scale", hint: "that of one GPU times the scale is taken"}

// gavel turns lines into jobs: a job's run time is its steps over the steps a
// second that its type reaches alone, on scale_factor GPUs of Options.GPUType.
// The tenant is the job type.
//
// Two layouts are in use: seven fields (job type, command, steps argument,
// needs data, steps, arrival, scale) and ten (job type, command, directory,
// steps argument, needs data, steps, scale, weight, objective, arrival).
type gavel struct {
	in     *input
	speeds map[string]float64 // steps a second by "('type', scale)"
	row    int64
	fields [][]byte
}

func openGavel(in *input) (rows, error) {
	g := &gavel{in: in}
	if in.opts.With == "" {
		return nil, &InputError{File: in.name, Msg: in.opts.remedies("the trace has steps, not run times; {with}FILE names the throughputs, simulation_throughputs.json")}
	}
	var err error
	g.speeds, err = throughputs(in.opts.With, in.opts.GPUType)
	return g, err
}

// maxThroughputs bounds the file of throughputs, in bytes.
const maxThroughputs = 16 << 20

// throughputs reads the steps a second that job types reach alone on a GPU.
func throughputs(path, gpu string) (map[string]float64, error) {
	if gpu == "" {
		gpu = "v100"
	}
	f, name, err := openFile(path, Options{Stdin: strings.NewReader("")})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, _, err := openText(f, name)
	if err != nil {
		return nil, err
	}
	var all map[string]map[string]map[string]json.RawMessage
	if err := json.NewDecoder(io.LimitReader(text, maxThroughputs)).Decode(&all); err != nil {
		return nil, &InputError{File: name, Msg: "is no file of throughputs: " + err.Error(), Err: err}
	}
	if all[gpu] == nil {
		var known []string
		for k := range all {
			known = append(known, k)
		}
		slices.Sort(known)
		return nil, &InputError{File: name, Msg: fmt.Sprintf("has no GPU %q; accepted are %s", gpu, strings.Join(known, ", "))}
	}
	speeds := map[string]float64{}
	for job, alone := range all[gpu] {
		if raw, ok := alone["null"]; ok {
			var v float64
			if err := json.Unmarshal(raw, &v); err != nil || v < 0 {
				return nil, &InputError{File: name, Msg: fmt.Sprintf("throughput of %s on %s is %s; accepted is a number of steps a second", job, gpu, quote(raw))}
			}
			speeds[job] = v
		}
	}
	return speeds, nil
}

func (g *gavel) next(j *sim.Job) (bool, error) {
	for {
		line, ok, err := g.in.next()
		if err != nil || !ok {
			return false, err
		}
		if skipBlank(line, 0) == len(line) {
			continue
		}
		g.row++
		admitted, err := g.parse(line, j)
		if admitted {
			return true, nil
		}
		if err != nil {
			if err := g.in.malformed("%s", err); err != nil {
				return false, err
			}
		}
	}
}

// speed is the steps a second of a job, or 0 where it is not known.
func (g *gavel) speed(r *record) float64 {
	if v := g.speeds[fmt.Sprintf("('%s', %d)", r.tenant, r.gpus)]; v > 0 || !g.in.opts.KeepGoing {
		return v
	}
	v := g.speeds[fmt.Sprintf("('%s', 1)", r.tenant)]
	if v > 0 {
		g.in.quirk(&quirkLinear)
	}
	return v * float64(r.gpus)
}

func (g *gavel) parse(line []byte, j *sim.Job) (bool, error) {
	g.fields = g.fields[:0]
	for f := range bytes.SplitSeq(line, []byte{'\t'}) {
		if len(g.fields) > 10 {
			break
		}
		g.fields = append(g.fields, f)
	}
	steps, arrival, scale := 4, 5, 6
	switch len(g.fields) {
	case 7:
	case 10:
		steps, arrival, scale = 5, 9, 6
	default:
		return false, fmt.Errorf("%d fields; accepted are 7 or 10, separated by tabs", len(g.fields))
	}
	r := record{row: g.row, tenant: g.in.tenants.get(g.fields[0]), kind: sim.Training, start: Unrecorded, end: Unrecorded}
	v := reading{in: g.in}
	r.submit = v.time("arrival", g.fields[arrival])
	r.gpus = v.amount("scale factor", g.fields[scale], 1, maxNodeGPUs)
	n, ok := parseNumber(g.fields[steps])
	if !ok || n.negative() {
		v.fail(fmt.Errorf("steps are %s; accepted is a number from 0", quote(g.fields[steps])))
	}
	if v.err != nil {
		return false, v.err
	}
	speed := g.speed(&r)
	seconds := n.float() / speed
	if !(speed > 0) || !(seconds < maxSeconds) {
		g.in.reject(&rejectNoSpeed, r.row, fmt.Sprintf("%s on %d", r.tenant, r.gpus))
		return false, nil
	}
	r.run = sim.Time(seconds * float64(time.Second))
	return v.judge(&r, nil, j)
}
