package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"berth/plots/report"
	"berth/sim"
	"berth/sim/experiment"
)

// chapter is one study of the paper, with a folder of its own.
type chapter struct {
	name     string // of --only and of the folder
	title    string
	question string // what it answers, in a sentence
	tables   []string
	figures  []string // names of its files, without extensions

	// run makes the study: it writes figures and data into the folder, prints its
	// table, and returns tables, figures and notes. The tables' files are written
	// from what it returns. An errAbsent leaves the study out.
	run func(p *paper, dir *experiment.Dir) (*report.Section, error)
}

// chapters are the studies in the order of the paper.
var chapters = []chapter{
	{"scenarios", "Seven scenarios", "What does deciding with foresight gain over FIFO, and how does that compare with the published figures?",
		[]string{"scenarios"}, []string{"scenarios"}, (*paper).scenarios},
	{"ablation", "Ablation", "What does each part of the allocator bring: reservation, ordering, planning?",
		[]string{"ablation", "ablation-by-scenario"}, []string{"ablation"}, (*paper).ablation},
	{"horizon", "The end of the horizon", "Does planning the day and committing the hour absorb forecast errors, and avoid a loss at the end of the horizon?",
		[]string{"horizon-summary"}, horizonFigures, (*paper).horizon},
	{"forecast", "Forecasts", "How accurate are the forecasts on data that they have not seen?",
		[]string{"forecast"}, []string{"forecast-accuracy"}, (*paper).forecast},
	{"fragmentation", "Fragmentation", "How many GPUs of a recorded cluster can each placement give away, and is that what was published?",
		[]string{"fragmentation-summary"}, []string{"fragmentation"}, (*paper).fragmentation},
	{"traces", "Recorded traces", "What do users of two recorded clusters wait under four orders of the queue?",
		[]string{"traces"}, []string{"delays-philly", "queue-philly", "delays-openb", "queue-openb"}, (*paper).traces},
	{"gap", "Gap to the bound", "How far are the planners from a proven bound?",
		[]string{"gap-by-planner"}, []string{"gap", "gap-by-planner"}, (*paper).gap},
}

// errAbsent says that a study cannot be made here, for want of recorded data or
// of a program.
var errAbsent = errors.New("cannot be made here")

func newPaper() *cobra.Command {
	p := &paper{}
	var checked bool
	cmd := &cobra.Command{
		Use:   "paper",
		Short: "Regenerate the project's tables and figures",
		Long: `paper regenerates tables and figures, the same bytes every time: a folder a
study, with each figure as SVG, PDF and PNG, each table as CSV and LaTeX, and
report.html, which has all of it in one page. With --only the page of a study
is in its folder, and that of the whole paper stays as it was. --check compares
with the figures that the program carries and says what moved beyond its
tolerance.

` + chapterList(),
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p.cmd, p.ctx = cmd, cmd.Context()
			chosen, err := p.chosen()
			if err != nil {
				return err
			}
			if (checked || p.accepted != "") && p.seeds != paperSeeds {
				return usage(fmt.Errorf("--seeds %d: expected figures are those of %d seeds", p.seeds, paperSeeds))
			}
			page, err := p.make(chosen)
			if err == nil && p.accepted != "" {
				err = p.accept(page)
			}
			if err == nil && checked {
				err = p.check(page)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&p.only, "only", nil, "make only these")
	f.StringVarP(&p.out, "output", "o", filepath.Join("out", "paper"), "output folder")
	f.BoolVar(&checked, "check", false, "compare with the expected figures; status 1 when one moved")
	f.StringVar(&p.expected, "expected", "", "of --check: a `folder` of expected figures, in place of the program's own")
	f.StringVar(&p.accepted, "accept", "", "write the tables to a `folder` as the expected figures")
	f.IntVar(&p.seeds, "seeds", paperSeeds, "number of seeds behind a figure, from 2 on")
	f.StringVar(&p.data, "data", cmp.Or(os.Getenv("BERTH_DATA"), "../shared/data"), "folder of recorded traces (environment: BERTH_DATA)")
	f.BoolVar(&p.clock, "clock", false, "of gap: budgets in time, more seeds; a measurement, not the same bytes")
	addParallel(f, &p.parallel)
	return cmd
}

func chapterList() string {
	var b strings.Builder
	for _, c := range chapters {
		fmt.Fprintf(&b, "  %-14s %s\n", c.name, c.title)
	}
	return strings.TrimRight(b.String(), "\n")
}

// paper is one call of the command.
type paper struct {
	cmd      *cobra.Command
	ctx      context.Context
	only     []string
	out      string
	expected string // folder of expected figures; "" for those of the program
	accepted string // folder to write expected figures to; may be empty
	seeds    int    // of studies that do not say otherwise
	clock    bool   // gap is measured against the clock
	parallel int
	data     string // folder of recorded traces
}

// chosen are the studies to make.
func (p *paper) chosen() ([]chapter, error) {
	if p.seeds < 2 {
		return nil, usage(fmt.Errorf("--seeds %d: at least 2 are needed for an interval", p.seeds))
	}
	for _, name := range p.only {
		if !slices.ContainsFunc(chapters, func(c chapter) bool { return c.name == name }) {
			return nil, usage(fmt.Errorf("--only %s is unknown; accepted are:\n%s", name, chapterList()))
		}
	}
	var chosen []chapter
	for _, c := range chapters {
		if len(p.only) == 0 || slices.Contains(p.only, c.name) {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

// make makes the studies, and leaves out those that cannot be made here unless
// they were asked for by name.
func (p *paper) make(chosen []chapter) (*report.Page, error) {
	page := &report.Page{Title: "berth: tables and figures", Summary: pageSummary}
	for _, c := range chosen {
		s, err := p.chapter(c)
		if errors.Is(err, errAbsent) && len(p.only) == 0 {
			fmt.Fprintln(p.cmd.ErrOrStderr(), "left out:", err)
			s = &report.Section{Name: c.name, Title: c.title, Question: c.question, Notes: []string{"Left out: " + err.Error() + "."}}
		} else if err != nil {
			return nil, err
		}
		page.Sections = append(page.Sections, s)
		if len(p.only) > 0 {
			one := &report.Page{Title: "berth: " + s.Title, Summary: pageSummary, Sections: []*report.Section{s}, Inside: true}
			if err := p.writePage(one, filepath.Join(p.out, c.name)); err != nil {
				return nil, err
			}
		}
	}
	if len(p.only) > 0 {
		return page, nil
	}
	return page, p.writePage(page, p.out)
}

const pageSummary = "Policies for GPU clusters compared by simulation. Every number comes from berth paper; the same version makes the same bytes."

// writePage writes the report on what was made into a folder.
func (p *paper) writePage(page *report.Page, folder string) error {
	if err := page.Check(); err != nil {
		return err
	}
	text, err := page.HTML()
	if err != nil {
		return err
	}
	dir, err := experiment.OpenDir(folder)
	if err != nil {
		return err
	}
	if err := dir.WriteFile("report.html", text); err != nil {
		return err
	}
	fmt.Fprintf(p.cmd.ErrOrStderr(), "report: %s\n", dir.Path("report.html"))
	return nil
}

// chapter makes one study.
func (p *paper) chapter(c chapter) (*report.Section, error) {
	dir, err := experiment.OpenDir(filepath.Join(p.out, c.name))
	if err != nil {
		return nil, err
	}
	defer dir.Discard()
	s, err := c.run(p, dir)
	if errors.Is(err, sim.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return nil, interrupted(fmt.Errorf("interrupted; %s was not finished, what was made before it is kept", c.name))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	s.Name, s.Title, s.Question = c.name, c.title, c.question
	for _, t := range s.Tables {
		if err := errors.Join(dir.WriteFile(t.Name+".csv", t.CSV()), dir.WriteFile(t.Name+".tex", t.LaTeX())); err != nil {
			return nil, err
		}
	}
	for i := range s.Figures {
		f := &s.Figures[i]
		if f.SVG, err = os.ReadFile(dir.Path(f.Name + ".svg")); err != nil {
			return nil, fmt.Errorf("%s: figure %s was not drawn: %w", c.name, f.Name, err)
		}
	}
	fmt.Fprintf(p.cmd.OutOrStdout(), "\nwritten to %s\n", dir.Path(""))
	return s, nil
}
