package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// textWidth is the width of a terminal.
const textWidth = 80

// Text writes the table for a terminal: as many columns side by side as 80
// letters hold, the first repeated on each block of columns. Long words are cut.
func (t *Table) Text(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n", t.Caption)
	columns := t.textColumns()
	for rest := columns[1:]; len(rest) > 0; {
		block, width := columns[:1:1], columns[0].width
		for len(rest) > 0 && (len(block) == 1 || width+2+rest[0].width <= textWidth) {
			block, width, rest = append(block, rest[0]), width+2+rest[0].width, rest[1:]
		}
		fmt.Fprintln(out)
		for line := range len(t.Rows) + 1 {
			text := ""
			for _, c := range block {
				text += c.pad(c.cells[line]) + "  "
			}
			fmt.Fprintln(out, strings.TrimRight(text, " "))
		}
	}
	return out.Flush()
}

// textColumn is a heading and cells of one width.
type textColumn struct {
	cells []string
	width int
	left  bool
}

func (c *textColumn) pad(s string) string {
	blank := strings.Repeat(" ", c.width-utf8.RuneCountInString(s))
	if c.left {
		return s + blank
	}
	return blank + s
}

func (t *Table) textColumns() []textColumn {
	const longest = 28
	var out []textColumn
	for _, i := range t.shown() {
		col := &t.Columns[i]
		c := textColumn{left: col.Text, cells: []string{col.Head}}
		for _, row := range t.Rows {
			value, half := col.show(row[i])
			if half != "" {
				value += " ± " + half
			}
			c.cells = append(c.cells, value)
		}
		for k, s := range c.cells {
			if r := []rune(s); len(r) > longest {
				c.cells[k] = string(r[:longest-1]) + "…"
			}
			c.width = max(c.width, utf8.RuneCountInString(c.cells[k]))
		}
		out = append(out, c)
	}
	return out
}
