package traces

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"berth/sim"
)

// maxColumns bounds the columns of a CSV header.
const maxColumns = 1000

// table reads comma-separated rows under a header whose columns are found by
// name, in any order. Fields may be in double quotes, but not span lines.
type table struct {
	in     *input
	head   []string // names of the columns, in small letters
	fields [][]byte // of the current row, valid until the next
	width  int
	extra  []string // columns that nobody asked for
}

// openTable reads the header. cols maps each wanted column to where its index
// is put; all of them must be there.
func openTable(in *input, cols map[string]*int) (*table, error) {
	t := &table{in: in}
	for {
		line, ok, err := in.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, &InputError{File: in.name, Line: in.line, Msg: "has no header; accepted are columns " + names(cols)}
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if t.split(line) != nil || len(t.fields) > maxColumns {
			return nil, &InputError{File: in.name, Line: in.line, Msg: "header is not one line of at most 1,000 comma-separated names"}
		}
		return t, t.header(cols)
	}
}

func (t *table) header(cols map[string]*int) error {
	t.width = len(t.fields)
	seen := map[string]bool{}
	for i, f := range t.fields {
		name := string(bytes.ToLower(bytes.TrimSpace(f)))
		t.head = append(t.head, name)
		at, wanted := cols[name]
		switch {
		case wanted && seen[name]:
			return &InputError{File: t.in.name, Line: t.in.line, Msg: fmt.Sprintf("column %q is there twice; accepted is once", name)}
		case wanted:
			*at = i
		default:
			t.extra = append(t.extra, name)
		}
		seen[name] = true
	}
	for name := range cols {
		if !seen[name] {
			return &InputError{File: t.in.name, Line: t.in.line, Msg: fmt.Sprintf(
				"header %s lacks a column; accepted are %s, in any order, and others, which are ignored", quote(bytes.Join(t.fields, []byte{','})), names(cols))}
		}
	}
	return nil
}

// find puts the index of each column, or −1 where there is none, to where
// cols says.
func (t *table) find(cols map[string]*int) {
	for name, at := range cols {
		*at = slices.Index(t.head, name)
	}
	t.extra = slices.DeleteFunc(t.extra, func(name string) bool { return cols[name] != nil })
}

// next reads the next row into t.fields, or says false at the end. It leaves
// out blank lines and, with KeepGoing, malformed ones.
func (t *table) next() (bool, error) {
	for {
		line, ok, err := t.in.next()
		if err != nil || !ok {
			return false, err
		}
		if skipBlank(line, 0) == len(line) {
			continue
		}
		err = t.split(line)
		if err == nil && len(t.fields) != t.width {
			err = fmt.Errorf("%d fields; accepted are %d, as in the header", len(t.fields), t.width)
		}
		if err == nil {
			return true, nil
		}
		if err := t.in.malformed("%s", err); err != nil {
			return false, err
		}
	}
}

// each turns the rows of a table into jobs, one function call a row. The
// function says false where it has rejected the row, or, with an error, where
// the row is malformed.
type each struct {
	*table
	row int64 // number of the row, from 1, blank lines aside
	job func(*sim.Job) (bool, error)
}

func (e *each) next(j *sim.Job) (bool, error) {
	for {
		ok, err := e.table.next()
		if err != nil || !ok {
			return false, err
		}
		e.row++
		admitted, err := e.job(j)
		if admitted {
			return true, nil
		}
		if err != nil {
			if err := e.in.malformed("%s", err); err != nil {
				return false, err
			}
		}
	}
}

// optional is a field of a column that may be missing; a missing one is blank.
func (t *table) optional(at int) []byte {
	if at < 0 {
		return nil
	}
	return t.fields[at]
}

// text is an optional field as one string for equal fields; "" when blank.
func (t *table) text(at int) string {
	if f := t.optional(at); !blank(f) {
		return t.in.tenants.get(f)
	}
	return ""
}

// split cuts a line at its commas; fields alias the line.
func (t *table) split(line []byte) error {
	t.fields = t.fields[:0]
	most := t.width + 1 // no need to cut a row that has too many
	if t.width == 0 {
		most = maxColumns + 1
	}
	for len(t.fields) < most {
		if len(line) > 0 && line[0] == '"' {
			field, rest, ok := unquote(line)
			if !ok {
				return fmt.Errorf("field %d has an unmatched quote", len(t.fields)+1)
			}
			t.fields = append(t.fields, field)
			if len(rest) == 0 {
				return nil
			}
			line = rest[1:]
			continue
		}
		i := bytes.IndexByte(line, ',')
		if i < 0 {
			t.fields = append(t.fields, line)
			return nil
		}
		t.fields = append(t.fields, line[:i])
		line = line[i+1:]
	}
	return nil
}

// unquote reads a quoted field in place; rest is empty or starts with a comma.
func unquote(line []byte) (field, rest []byte, ok bool) {
	field = line[1:1]
	for i := 1; i < len(line); i++ {
		if line[i] == '"' {
			if i+1 == len(line) || line[i+1] == ',' {
				return field, line[i+1:], true
			}
			if i++; line[i] != '"' {
				return nil, nil, false
			}
		}
		field = append(field, line[i])
	}
	return nil, nil, false
}

// hasColumns says whether the first line names all of these columns.
func hasColumns(head []byte, want ...string) bool {
	line := headLine(head)
	have := map[string]bool{}
	for _, f := range bytes.SplitN(line, []byte{','}, maxColumns) {
		have[strings.ToLower(strings.Trim(string(f), "\" \t\r"))] = true
	}
	for _, w := range want {
		if !have[w] {
			return false
		}
	}
	return true
}

func names(cols map[string]*int) string {
	var list []string
	for name := range cols {
		list = append(list, name)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
