package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
)

// fieldsAt follows a key from a struct type. It reports whether the key is
// known there, and if not which keys are accepted beside it.
func fieldsAt(at reflect.Type, key toml.Key) (accepted []string, known bool) {
	for _, part := range key {
		at = element(at)
		if ownDecoder(at) || at.Kind() == reflect.Interface {
			return nil, true
		}
		switch at.Kind() {
		case reflect.Map:
			at = at.Elem()
		case reflect.Struct:
			fields := fieldsOf(at)
			next := -1
			for i, f := range fields {
				accepted = append(accepted, f.name)
				if f.name == part || next < 0 && strings.EqualFold(f.name, part) {
					next = i
				}
			}
			if next < 0 {
				return accepted, false
			}
			at, accepted = fields[next].typ, nil
		default:
			return nil, false
		}
	}
	return nil, true
}

// element strips pointers and lists.
func element(t reflect.Type) reflect.Type {
	for !ownDecoder(t) && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		t = t.Elem()
	}
	return t
}

var unmarshaler = reflect.TypeFor[toml.Unmarshaler]()

func ownDecoder(t reflect.Type) bool {
	return t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler)
}

type field struct {
	name string
	typ  reflect.Type
	help string
}

// fieldsOf lists the keys of a struct as the decoder sees them.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		switch {
		case name == "-":
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			fields = append(fields, fieldsOf(f.Type)...)
		case !f.IsExported():
		case name == "":
			fields = append(fields, field{f.Name, f.Type, f.Tag.Get("help")})
		default:
			fields = append(fields, field{name, f.Type, f.Tag.Get("help")})
		}
	}
	return fields
}

// plain rewords the decoder's errors, whose line numbers are those of the last
// table of a list, whichever is at fault.
func plain(err error) error {
	var pe toml.ParseError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %s", pe.LastKey, pe.Message)
	}
	text := strings.TrimPrefix(err.Error(), "toml: ")
	key := ""
	if _, rest, ok := strings.Cut(text, `(last key "`); ok {
		if k, message, ok := strings.Cut(rest, `"): `); ok {
			key, text = k+": ", message
		}
	}
	if found, want, ok := strings.Cut(text, "; destination has type "); ok {
		found = strings.TrimPrefix(found, "incompatible types: TOML value has type ")
		text = fmt.Sprintf("a value of type %s; accepted is %s", tomlType(found), tomlType(want))
	}
	if _, found, ok := strings.Cut(text, ": expected table but found "); ok {
		text = fmt.Sprintf("a value of type %s; accepted is table", tomlType(found))
	}
	return errors.New(key + text)
}

// tomlType is TOML's word for a type, which the decoder may call by Go's.
func tomlType(t string) string {
	switch {
	case t == "int64":
		return "integer"
	case t == "float64":
		return "float"
	case t == "bool":
		return "boolean"
	case t == "map[string]any":
		return "table"
	case t == "slice", strings.HasPrefix(t, "[]"):
		return "array"
	case strings.HasPrefix(t, "time."):
		return "date or time"
	}
	return t
}

// TableLine is the line of the n-th header [[table]], counted from 0; 0 when
// there is none at the start of a line.
func TableLine(data []byte, table string, n int) int {
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		name, ok := strings.CutPrefix(strings.TrimSpace(text), "[[")
		if !ok {
			continue
		}
		name, _, ok = strings.Cut(name, "]]")
		if !ok || strings.TrimSpace(name) != table {
			continue
		}
		if n == 0 {
			return line
		}
		n--
	}
	return 0
}
