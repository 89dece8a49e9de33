package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/plots"
	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"
)

// Grid is one run's allocation grid: who held which GPU when.
type Grid struct {
	Name       string // unique in its section
	Title      string // such as "mixed-control under fifo, seed 1"
	GPUs       int    // of the cluster
	DomainSize int    // GPUs in a link domain, whose borders are marked; 0 marks none
	Spans      *metrics.Spans
	End        sim.Time // of the run
}

// block is a rectangle of a grid: a contiguous range of GPUs for some time.
type block struct {
	Class  string
	Style  template.CSS
	Label  string // written inside; may be empty
	Detail string
	Job    bool // the first block of a job, which can be focused
}

// style places a block; GPU 0 is at the bottom.
func (g *Grid) style(r hardware.Range, start, end sim.Time) template.CSS {
	share := func(x, of float64) string { return strconv.FormatFloat(100*x/of, 'f', 3, 64) }
	gpus, whole := float64(g.GPUs), float64(g.End)
	return template.CSS(fmt.Sprintf("left:%s%%;width:%s%%;top:%s%%;height:%s%%",
		share(float64(start), whole), share(float64(end-start), whole),
		share(gpus-float64(r.End()), gpus), share(float64(r.N), gpus)))
}

// Blocks are the rectangles in the order in which the keyboard goes through
// them: services, then jobs by their start.
func (g *Grid) Blocks() []block {
	var out []block
	for _, s := range g.Spans.Services {
		if s.End <= s.Start {
			continue
		}
		wanted, idle := hardware.Size(s.GPUs), 0
		if wanted > s.Wanted {
			wanted, idle = s.Wanted, wanted-s.Wanted
		}
		detail := fmt.Sprintf("%s, real-time service: %s wanted, %s held on %s, %s", s.Service, gpuCount(s.Wanted),
			gpuCount(wanted+idle), gpuNames(s.GPUs), interval(s.Start, s.End))
		for _, r := range s.GPUs {
			serving := min(r.N, wanted)
			wanted -= serving
			if serving > 0 {
				out = append(out, block{Class: "service", Style: g.style(hardware.Range{First: r.First, N: serving}, s.Start, s.End), Detail: detail})
			}
			if r.N > serving {
				out = append(out, block{Class: "reserved", Style: g.style(hardware.Range{First: r.First + serving, N: r.N - serving}, s.Start, s.End), Detail: detail})
			}
		}
	}
	for _, j := range g.jobs() {
		for i, r := range j.GPUs {
			b := block{Class: className(j.Kind), Style: g.style(r, j.Start, j.End), Detail: g.detail(&j), Job: i == 0}
			if i == 0 {
				b.Label = j.Label
			}
			out = append(out, b)
		}
	}
	return out
}

// jobs are the jobs by their start.
func (g *Grid) jobs() []metrics.JobSpan {
	jobs := slices.Clone(g.Spans.Jobs)
	slices.SortStableFunc(jobs, func(a, b metrics.JobSpan) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.GPUs[0].First, b.GPUs[0].First))
	})
	return jobs
}

func (g *Grid) detail(j *metrics.JobSpan) string {
	return fmt.Sprintf("%s, %s, priority %g: %s, %s, waited %s", j.Label, j.Kind, j.Priority,
		gpuNames(j.GPUs), interval(j.Start, j.End), clock(j.Start-j.Submitted))
}

// Table are the jobs of the grid, for those who do not see it, and for sorting.
func (g *Grid) Table() *Table {
	hours := func(t sim.Time) Cell { return Number(t.Hours()) }
	t := &Table{
		Name:    g.Name + "-jobs",
		Caption: "Jobs of " + g.Title,
		Columns: []Column{
			{Head: "job", Text: true}, {Head: "kind", Text: true}, {Head: "priority", Decimals: 0}, {Head: "GPUs", Text: true},
			{Head: "submitted (h)", Decimals: 2}, {Head: "start (h)", Decimals: 2}, {Head: "end (h)", Decimals: 2}, {Head: "waited (h)", Decimals: 2},
		},
	}
	for _, j := range g.jobs() {
		t.Rows = append(t.Rows, []Cell{Words(j.Label), Words(j.Kind.String()), Number(j.Priority), Words(hardware.FormatRanges(j.GPUs)),
			hours(j.Submitted), hours(j.Start), hours(j.End), hours(j.Start - j.Submitted)})
	}
	return t
}

// tick is a mark of the time axis. Minor ones show when the grid is enlarged.
type tick struct {
	Left  template.CSS
	Label string
	Minor bool
}

// Ticks are the hours of a run of up to three days, and days beyond; one in
// four, or in three on few, is not minor.
func (g *Grid) Ticks() []tick {
	step, major := time.Hour, 4
	for g.End/step > 72 {
		step, major = step*24, 7
	}
	var out []tick
	for i := 0; sim.Time(i)*step <= g.End; i++ {
		at := 100 * float64(sim.Time(i)*step) / float64(g.End)
		out = append(out, tick{template.CSS("left:" + strconv.FormatFloat(at, 'f', 3, 64) + "%"), clock(sim.Time(i) * step), i%major != 0})
	}
	return out
}

// Borders are the lines between link domains.
func (g *Grid) Borders() []template.CSS {
	var out []template.CSS
	for at := g.DomainSize; g.DomainSize > 0 && at < g.GPUs; at += g.DomainSize {
		out = append(out, template.CSS("bottom:"+strconv.FormatFloat(100*float64(at)/float64(g.GPUs), 'f', 3, 64)+"%"))
	}
	return out
}

// Row is the height of a GPU in pixels, before enlarging.
func (g *Grid) Row() int { return min(max(320/g.GPUs, 6), 22) }

// Legend are the classes that occur.
func (g *Grid) Legend() []block {
	seen := map[string]bool{}
	for _, b := range g.Blocks() {
		seen[b.Class] = true
	}
	var out []block
	for _, l := range legend() {
		if seen[l.Class] {
			out = append(out, l)
		}
	}
	return out
}

func legend() []block {
	var out []block
	for _, k := range sim.Kinds() {
		out = append(out, block{Class: className(k), Label: k.String()})
	}
	return append(out, block{Class: "service", Label: "real-time service"}, block{Class: "reserved", Label: "reserved, idle"})
}

func className(k sim.Kind) string { return strings.ReplaceAll(k.String(), " ", "-") }

// gridCSS colours the kinds of jobs as the figures do.
func gridCSS(p palette) template.CSS {
	var b strings.Builder
	for _, k := range sim.Kinds() {
		ground := plots.KindColor(k)
		fmt.Fprintf(&b, ".%s{background:%s;color:%s}", className(k), p.variable(colorName(ground)), p.variable(colorName(plots.InkOn(ground))))
	}
	service, reserved, hatch := plots.ServiceColors()
	fmt.Fprintf(&b, ".service{background:%s}", p.variable(colorName(service)))
	fmt.Fprintf(&b, ".reserved{background:repeating-linear-gradient(135deg,%s 0 1px,%s 1px 5px)}",
		p.variable(colorName(hatch)), p.variable(colorName(reserved)))
	return template.CSS(b.String())
}

func gpuCount(n int) string {
	if n == 1 {
		return "1 GPU"
	}
	return strconv.Itoa(n) + " GPUs"
}

func gpuNames(r []hardware.Range) string {
	if hardware.Size(r) == 1 {
		return "GPU " + hardware.FormatRanges(r)
	}
	return "GPUs " + hardware.FormatRanges(r)
}

func interval(start, end sim.Time) string { return clock(start) + " to " + clock(end) }

// clock writes hours and minutes, "26:30"; seconds when there are any.
func clock(t sim.Time) string {
	s := int(t.Round(time.Second) / time.Second)
	text := fmt.Sprintf("%d:%02d", s/3600, s/60%60)
	if s%60 != 0 {
		text += fmt.Sprintf(":%02d", s%60)
	}
	return text
}
