// Package report writes what a study found: tables as CSV and LaTeX, and a
// page of HTML that holds tables, figures and allocation grids in one file and
// asks the network for nothing.
//
// A number is kept as it was computed, in the unit of its column's key (a
// utilization is a fraction); a column says how it is shown.
package report

// Section is one study: the question it answers and what it made.
type Section struct {
	Name     string // of its folder, and the section's anchor
	Title    string
	Question string
	Notes    []string // paragraphs on how it was made, or why it was not
	Tables   []*Table
	Figures  []Figure
	Grids    []*Grid
}

// Figure is a drawing of a section, saved as Name.svg, Name.pdf and Name.png
// in the section's folder.
type Figure struct {
	Name    string // path in the section's folder, without extension
	Caption string
	Alt     string // what it shows, for those who do not see it
	Data    string // the CSV file behind it; may be empty

	SVG []byte // filled in from the folder
}
