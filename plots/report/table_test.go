package report

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCSV(t *testing.T) {
	want := `name,use,use_ci95,gain,seeds
b_1,0.5,0.012,-2,3
a&b,0.25,,10,3
c,,,,3
d,0.9,0.1,9.5,3
`
	if diff := cmp.Diff(want, string(sampleTable().CSV())); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{Exact, "0.01", "0.01", "0.5", "0"}, sampleTable().Tolerances()); diff != "" {
		t.Error(diff)
	}
}

func TestShow(t *testing.T) {
	for _, c := range []struct {
		column      Column
		cell        Cell
		value, half string
	}{
		{Column{Decimals: 1, Percent: true, Interval: true}, Estimate(0.8416, 0.0099), "84.2", "1.0"},
		{Column{Decimals: 1}, Estimate(2, 1), "2.0", ""},
		{Column{Signed: true}, Number(3), "+3", ""},
		{Column{Signed: true, Decimals: 1}, Number(-0.04), "+0.0", ""},
		{Column{Decimals: 1}, Number(-0.06), "−0.1", ""},
		{Column{}, Missing(), "–", ""},
		{Column{}, Cell{Text: "52–85", Value: math.NaN()}, "52–85", ""},
	} {
		if value, half := c.column.show(c.cell); value != c.value || half != c.half {
			t.Errorf("%+v of %+v is shown as %q ± %q, want %q ± %q", c.cell, c.column, value, half, c.value, c.half)
		}
	}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := sampleTable().Text(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(line)); n > textWidth+1 {
			t.Errorf("%d letters: %s", n, line)
		}
	}
	if !strings.Contains(b.String(), "50.0 ± 1.2   −2.00") {
		t.Errorf("the row of b_1 is not there:\n%s", &b)
	}
}

// Whatever the words, nothing that TeX reads as a command is left of them.
func TestEscapeLaTeX(t *testing.T) {
	commands := regexp.MustCompile(`\\(textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|ldots)\{\}|\\[{}$&#%_]`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune(`ab \{}$&#%_~^<>|`))).Draw(t, "text")
		if left := commands.ReplaceAllString(EscapeLaTeX(text), ""); strings.ContainsAny(left, `\{}$&#%_~^<>|`) {
			t.Errorf("%q becomes %q", text, EscapeLaTeX(text))
		}
	})
}

// Every row has as many cells as the tabular has columns.
func TestLaTeXStructure(t *testing.T) {
	text := string(sampleTable().LaTeX())
	spec := regexp.MustCompile(`\\begin\{tabular\}\{(.*)\}\n`).FindStringSubmatch(text)
	if spec == nil {
		t.Fatalf("no tabular:\n%s", text)
	}
	columns := len(regexp.MustCompile(`@\{[^}]*\}[^}]*\}\$\}|[lr]`).ReplaceAllStringFunc(spec[1], func(s string) string {
		if len(s) > 1 {
			return ""
		}
		return "x"
	}))
	if columns != 4 {
		t.Errorf("%d columns of %s, want 4: words, mean and interval, number", columns, spec[1])
	}
	multi := regexp.MustCompile(`\\multicolumn\{2\}`)
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, " \\\\\n") {
			continue
		}
		cells := strings.Count(strings.ReplaceAll(line, `\&`, ""), "&") + 1 + len(multi.FindAllString(line, -1))
		if cells != columns {
			t.Errorf("%d cells, want %d: %s", cells, columns, line)
		}
	}
	for _, rule := range []string{`\toprule`, `\midrule`, `\bottomrule`, `a\&b`, `b\_1`, `$-$2.00`, `24--105`} {
		if strings.Count(text, rule) != 1 {
			t.Errorf("%s is there %d times:\n%s", rule, strings.Count(text, rule), text)
		}
	}
}

// Where there is a TeX, it takes the tables.
func TestLaTeXCompiles(t *testing.T) {
	if _, err := exec.LookPath("pdflatex"); err != nil {
		t.Skip("pdflatex is not there: the tables are not compiled")
	}
	dir := t.TempDir()
	awkward := sampleTable()
	awkward.Notes = append(awkward.Notes, `all of \{}$&#%_~^<>| and − – — ± × ÷ ≤ ≥ → σ λ γ µ · … “x”`)
	text := `\documentclass{article}\usepackage{booktabs,amsmath}\begin{document}` + string(awkward.LaTeX()) + `\end{document}`
	if err := os.WriteFile(filepath.Join(dir, "t.tex"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A heading of many words does not make a column wider than its numbers need.
func TestHeadingsAreAsNarrowAsCells(t *testing.T) {
	table := &Table{
		Columns: []Column{{Head: "wait p95 (h)", Decimals: 2}, {Head: "gain in value (%)", Decimals: 1, Interval: true}},
		Rows:    [][]Cell{{Number(58.9), Estimate(134.1, 8.4)}},
	}
	text := string(table.LaTeX())
	for _, want := range []string{`\shortstack{wait p95\\(h)}`, `\shortstack{gain in\\value\\(\%)}`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
