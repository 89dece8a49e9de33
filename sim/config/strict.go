// Package config reads TOML configuration strictly: what the program would not
// read is an error that says where it stands and what is accepted there.
package config

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
)

// DecodeStrict decodes TOML into the struct that into points to. Errors begin
// with file and line:
//
//	mixed.toml:12: unknown key "service.cap"; accepted here: id, priority, min, max
//
// The line is that of the statement (`key = value` or a table header) at
// fault; with several faults it is the first one's. Values inside a map of any
// or a type with its own UnmarshalTOML are that type's affair.
func DecodeStrict(data []byte, file string, into any) error {
	target := reflect.TypeOf(into)
	if target == nil || target.Kind() != reflect.Pointer || target.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("%s: cannot decode into a %v; a pointer to a struct is accepted", file, target)
	}
	if err := syntax(data); err != nil {
		if pe, ok := err.(toml.ParseError); ok {
			return fmt.Errorf("%s:%d: %s", file, pe.Position.Line, pe.Message)
		}
		return fmt.Errorf("%s: %w", file, err)
	}
	if unfit(data, target.Elem()) == nil {
		_, err := toml.Decode(string(data), into)
		return err
	}
	line, err := firstFault(data, target.Elem())
	return fmt.Errorf("%s:%d: %w", file, line, err)
}

// DecodeSetting gives a dotted key a value that is TOML, or words that stand for
// a string. Errors name the key and what is accepted, and no line.
func DecodeSetting(key, value string, into any) error {
	target := reflect.TypeOf(into).Elem()
	raw, quoted := key+" = "+value, fmt.Sprintf("%s = %q", key, value)
	if syntax([]byte(quoted)) != nil {
		return fmt.Errorf("%q is no key of TOML", key)
	}
	text, fault := quoted, unfit([]byte(quoted), target)
	if syntax([]byte(raw)) == nil {
		if err := unfit([]byte(raw), target); err == nil || fault != nil {
			text, fault = raw, err
		}
	}
	if fault != nil {
		return fault
	}
	_, err := toml.Decode(text, into)
	return err
}

// maxNesting bounds lists in lists; the decoder would run out of stack on a
// file of brackets.
const maxNesting = 10_000

// syntax reports whether data is TOML at all.
func syntax(data []byte) error {
	depth := 0
	for _, b := range data {
		switch b {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth > maxNesting {
			return fmt.Errorf("lists are nested too deeply; accepted are %d levels", maxNesting)
		}
	}
	var anything map[string]any
	_, err := toml.Decode(string(data), &anything)
	return err
}

// unfit says why well-formed data does not fit the struct type, or nil.
func unfit(data []byte, target reflect.Type) error {
	meta, err := toml.Decode(string(data), reflect.New(target).Interface())
	if err != nil {
		return plain(err)
	}
	for _, key := range meta.Undecoded() {
		if accepted, known := fieldsAt(target, key); !known {
			if len(accepted) == 0 {
				return fmt.Errorf("unknown key %q; no key is accepted here", key.String())
			}
			return fmt.Errorf("unknown key %q; accepted here: %s", key.String(), strings.Join(accepted, ", "))
		}
	}
	return nil
}

// firstFault finds the statement at fault: the one that ends the shortest run
// of whole statements that does not fit. It bisects over lines; a run that
// ends inside a statement is no TOML and is stretched to the statement's end.
func firstFault(data []byte, target reflect.Type) (int, error) {
	ends := lineEnds(data)
	good, bad := 0, len(ends)    // numbers of lines; the runs fit and do not fit
	fault := unfit(data, target) // of the run of bad lines
	for top := bad; good+1 < top; {
		mid := (good + top) / 2
		n := mid
		for n < top && syntax(data[:ends[n-1]]) != nil {
			n++
		}
		if n == top {
			top = mid
			continue
		}
		if err := unfit(data[:ends[n-1]], target); err != nil {
			bad, top, fault = n, mid, err
		} else {
			good = n
		}
	}
	return good + 1, fault
}

// lineEnds are the offsets one past each line's newline.
func lineEnds(data []byte) []int {
	var ends []int
	for at := 0; at < len(data); {
		n := bytes.IndexByte(data[at:], '\n') + 1
		if n == 0 {
			n = len(data) - at
		}
		at += n
		ends = append(ends, at)
	}
	return ends
}
