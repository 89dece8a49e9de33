package traces

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"berth/sim"
)

// Format is a file format that Open reads. A new one is one file that
// registers itself.
type Format struct {
	Name        string // for Options.Format
	Description string // one line
	Times       string // their unit, origin and zone, in a few words
	Sorted      bool   // its rows are in the order of submission

	// sniff says whether the first bytes of a file, at most sniffBytes of
	// them, are of the format.
	sniff func(head []byte) bool
	// open reads whatever precedes the first row.
	open func(*input) (rows, error)
}

// rows yields the rows of a file that can run, in the order of the file, with
// Submit in the format's own time.
type rows interface {
	next(*sim.Job) (bool, error)
}

const sniffBytes = 64 << 10

var formats []Format // by name

func register(f Format) {
	formats = append(formats, f)
	slices.SortFunc(formats, func(a, b Format) int { return strings.Compare(a.Name, b.Name) })
}

// Formats are the formats that can be read, by name.
func Formats() []Format { return slices.Clone(formats) }

func formatNames() string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// choose finds the format by name, or by content when the name is empty.
func choose(opts Options, file string, head []byte) (Format, error) {
	name := opts.Format
	for _, f := range formats {
		if name == f.Name || name == "" && f.sniff(head) {
			return f, nil
		}
	}
	if name != "" {
		return Format{}, fmt.Errorf("traces: format %q is unknown; accepted are %s", name, formatNames())
	}
	first := headLine(head)
	switch {
	case hasColumns(head, clusterFormats[0].columns()...), hasColumns(head, clusterFormats[1].columns()...):
		return Format{}, &InputError{File: file, Line: 1, Msg: "is a list of nodes; it makes a cluster, beside a trace of jobs"}
	case hasColumns(head, "contexttokens"), hasColumns(head, "request tokens"), hasColumns(head, "request_type"), bytes.Contains(first, []byte(`"input_length"`)):
		return Format{}, &InputError{File: file, Line: 1, Msg: "is a trace of requests; it makes the demand of a service (service.traffic), not jobs"}
	}
	return Format{}, &InputError{File: file, Line: 1, Msg: fmt.Sprintf(
		"format not recognised from %s; accepted are %s; %sNAME forces one", quote(first), formatNames(), opts.remedies("{as}"))}
}

// headLine is the first line that is not blank, without a byte order mark.
func headLine(head []byte) []byte {
	head = bytes.TrimPrefix(head, bom)
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line
		}
		head = rest
	}
	return nil
}

// quote shows the start of a piece of input in an error.
func quote(b []byte) string {
	const most = 40
	if len(b) > most {
		return fmt.Sprintf("%q…", b[:most])
	}
	return fmt.Sprintf("%q", b)
}
