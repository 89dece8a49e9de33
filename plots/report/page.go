package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strconv"
)

// Page is a report: one file of HTML without links to other files.
type Page struct {
	Title    string
	Summary  string
	Sections []*Section

	// Inside says that the page lies in the folder of its one section, beside
	// the data that it names; otherwise it lies above the sections' folders.
	Inside bool
}

//go:embed page.html
var pageText string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// viewed is the page as the template sees it.
type viewed struct {
	*Page
	CSS, Dark, GridCSS template.CSS
	Font               template.CSS
	JS                 template.JS
	palette            palette
}

// HTML writes the page, the same bytes for the same sections.
func (p *Page) HTML() ([]byte, error) {
	v := &viewed{Page: p, CSS: template.CSS(pageCSS), JS: template.JS(pageJS), palette: palette{}}
	v.GridCSS = gridCSS(v.palette)
	figures := map[string]template.HTML{}
	for _, s := range p.Sections {
		for _, f := range s.Figures {
			id := figureID(s, f)
			svg, err := inlineSVG(f.SVG, id, f.Alt, v.palette)
			if err != nil {
				return nil, err
			}
			figures[id] = svg
		}
	}
	v.Dark = v.palette.css()
	if len(figures) > 0 {
		var err error
		if v.Font, err = fontFace(figures); err != nil {
			return nil, err
		}
	}
	t, err := template.New("page").Funcs(template.FuncMap{
		"drawing":  func(s *Section, f Figure) template.HTML { return figures[figureID(s, f)] },
		"id":       figureID,
		"cells":    (*Table).cells,
		"headings": (*Table).headings,
	}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// figureID is the anchor of a figure: letters, digits and dashes.
func figureID(s *Section, f Figure) string {
	id := []byte("fig-" + s.Name + "-" + f.Name)
	for i, c := range id {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			id[i] = '-'
		}
	}
	return string(id)
}

// heading is a column as the page shows it.
type heading struct {
	Text    string
	Numeric bool
}

func (t *Table) headings() []heading {
	var out []heading
	for _, i := range t.shown() {
		out = append(out, heading{t.Columns[i].Head, !t.Columns[i].Text})
	}
	return out
}

// shownCell is a cell as the page shows it; Sort is the number to sort by.
type shownCell struct {
	Value, Half, Sort string
	Numeric, Header   bool
}

func (t *Table) cells() [][]shownCell {
	var out [][]shownCell
	for _, row := range t.Rows {
		var cells []shownCell
		for _, i := range t.shown() {
			c := &t.Columns[i]
			cell := shownCell{Numeric: !c.Text, Header: len(cells) == 0}
			cell.Value, cell.Half = c.show(row[i])
			if v := row[i].Value; !c.Text && v == v {
				cell.Sort = strconv.FormatFloat(v, 'g', 10, 64)
			}
			cells = append(cells, cell)
		}
		out = append(out, cells)
	}
	return out
}

// Check reports names that two tables, figures or grids of the page share.
func (p *Page) Check() error {
	var ids []string
	for _, s := range p.Sections {
		ids = append(ids, s.Name)
		for _, f := range s.Figures {
			ids = append(ids, figureID(s, f))
		}
		for _, t := range s.Tables {
			ids = append(ids, "table "+t.Name)
		}
		for _, g := range s.Grids {
			ids = append(ids, "grid "+s.Name+" "+g.Name)
		}
	}
	slices.Sort(ids)
	for i := 1; i < len(ids); i++ {
		if ids[i] == ids[i-1] {
			return fmt.Errorf("report: the name %q is there twice", ids[i])
		}
	}
	return nil
}
