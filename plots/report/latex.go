package report

import (
	"fmt"
	"strings"
)

// latexEscapes are the characters that TeX reads as commands, and those that
// its text fonts lack.
var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`,
	"−", `$-$`, "–", "--", "—", "---", "±", `$\pm$`, "×", `$\times$`, "÷", `$\div$`, "≤", `$\le$`, "≥", `$\ge$`, "→", `$\to$`,
	"σ", `$\sigma$`, "λ", `$\lambda$`, "γ", `$\gamma$`, "µ", `$\mu$`, "μ", `$\mu$`, "·", `$\cdot$`, "…", `\ldots{}`,
	"“", "``", "”", "''", "\u00a0", "~",
)

// EscapeLaTeX makes text safe in LaTeX.
func EscapeLaTeX(text string) string { return latexEscapes.Replace(text) }

// LaTeX is the table for \input: a table environment in the style of booktabs
// (packages booktabs and amsmath), numbers aligned at the right and at their ±,
// notes below.
func (t *Table) LaTeX() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%% needs \\usepackage{booktabs,amsmath}\n\\begin{table}\n\\centering\n\\caption{%s}\n\\label{tab:%s}\n\\footnotesize\n\\setlength{\\tabcolsep}{3.5pt}\n",
		EscapeLaTeX(t.Caption), t.Name)
	shown := t.shown()
	spec, heads := "", []string(nil)
	for _, i := range shown {
		c := &t.Columns[i]
		switch {
		case c.Text:
			spec += "l"
			heads = append(heads, EscapeLaTeX(c.Head))
		case c.Interval:
			spec += `r@{${}\pm{}$}l`
			heads = append(heads, fmt.Sprintf(`\multicolumn{2}{c}{%s}`, stacked(c.Head, t.letters(i))))
		default:
			spec += "r"
			heads = append(heads, fmt.Sprintf(`\multicolumn{1}{r}{%s}`, stacked(c.Head, t.letters(i))))
		}
	}
	fmt.Fprintf(&b, "\\begin{tabular}{%s}\n\\toprule\n%s \\\\\n\\midrule\n", spec, strings.Join(heads, " & "))
	for _, row := range t.Rows {
		var cells []string
		for _, i := range shown {
			cells = append(cells, t.Columns[i].latex(row[i]))
		}
		fmt.Fprintf(&b, "%s \\\\\n", strings.Join(cells, " & "))
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	for _, note := range t.Notes {
		fmt.Fprintf(&b, "\n\\smallskip\n\\parbox{\\linewidth}{\\footnotesize %s}\n", EscapeLaTeX(note))
	}
	b.WriteString("\\end{table}\n")
	return []byte(b.String())
}

// letters is the width of a column's widest cell.
func (t *Table) letters(column int) (widest int) {
	for _, row := range t.Rows {
		value, half := t.Columns[column].show(row[column])
		widest = max(widest, len([]rune(value))+len(half))
	}
	return widest
}

// stacked is a heading over as many lines as make it no wider than its cells,
// or eight letters.
func stacked(head string, cells int) string {
	narrow := max(cells, 8)
	var lines []string
	for _, word := range strings.Fields(head) {
		if n := len(lines); n > 0 && len(lines[n-1])+1+len(word) <= narrow {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	if len(lines) < 2 {
		return EscapeLaTeX(head)
	}
	for i := range lines {
		lines[i] = EscapeLaTeX(lines[i])
	}
	return `\shortstack{` + strings.Join(lines, `\\`) + `}`
}

// latex is a cell, or the two cells of a mean and its interval.
func (c *Column) latex(cell Cell) string {
	value, half := c.show(cell)
	value = EscapeLaTeX(value)
	switch {
	case !c.Interval:
		return value
	case half == "":
		return `\multicolumn{2}{c}{` + value + `}`
	}
	return value + " & " + half
}
