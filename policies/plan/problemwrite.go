package plan

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"berth/sim/hardware"
)

// WriteProblem writes a valid problem as TOML that ReadProblem reads back to
// the same problem.
func WriteProblem(w io.Writer, p *Problem) error {
	if err := p.Validate(); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "gpus = %d\nsteps = %d\nstep_hours = %s\n", p.GPUs, p.Steps, number(p.StepHours))
	if p.Domains != nil {
		sizes := make([]int, len(p.Domains))
		for i, d := range p.Domains {
			sizes[i] = d.N
		}
		fmt.Fprintf(&b, "domains = %s\n", integers(sizes))
	}
	fmt.Fprintf(&b, "alignment = %q\nboundary = %q\n", p.Alignment, p.Boundary)
	fmt.Fprintf(&b, "gamma = %s\nlambda = %s\nsigma = %s\n", number(p.Gamma), number(p.Lambda), number(p.Sigma))
	for i := range p.Jobs {
		writeJob(&b, &p.Jobs[i])
	}
	for i := range p.Services {
		writeService(&b, &p.Services[i])
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeJob(b *bytes.Buffer, j *Job) {
	fmt.Fprintf(b, "\n[[job]]\nid = %s\n", quoted(j.ID))
	if j.Kind != "" {
		fmt.Fprintf(b, "kind = %s\n", quoted(j.Kind))
	}
	fmt.Fprintf(b, "priority = %s\n", number(j.Priority))
	if j.Earliest != 0 {
		fmt.Fprintf(b, "earliest = %d\n", j.Earliest)
	}
	if len(j.Shapes) == 1 {
		fmt.Fprintf(b, "gpus = %d\nsteps = %d\n", j.Shapes[0].GPUs, j.Shapes[0].Steps)
	} else {
		b.WriteString("shapes = [")
		for i, s := range j.Shapes {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(b, "{gpus = %d, steps = %d}", s.GPUs, s.Steps)
		}
		b.WriteString("]\n")
	}
	if j.Across {
		b.WriteString("across = true\n")
	}
	if j.Inherited() {
		fmt.Fprintf(b, "held = %q\n", hardware.FormatRanges(j.Held))
	}
}

func writeService(b *bytes.Buffer, s *Service) {
	fmt.Fprintf(b, "\n[[service]]\nid = %s\npriority = %s\nmin = %d\nmax = %d\nswap_cap = %d\ndemand = %s\n",
		quoted(s.ID), number(s.Priority), s.Min, s.Max, s.SwapCap, integers(s.Demand))
	if !s.Fresh {
		fmt.Fprintf(b, "held = %q\n", hardware.FormatRanges(s.Held))
	}
}

// number is the shortest text that reads back as x.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func integers(ns []int) string {
	words := make([]string, len(ns))
	for i, n := range ns {
		words[i] = strconv.Itoa(n)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// quoted is a basic string of TOML, whose escapes are fewer than Go's.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
