package config

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
)

// Tree is a configuration as its TOML file would have it: tables are maps under
// the file's keys, and what has its zero value, that is the default, is absent.
// Values that write themselves as text or JSON are left to do so.
func Tree(v any) any { return tree(reflect.ValueOf(v)) }

func tree(v reflect.Value) any {
	switch v.Interface().(type) {
	case encoding.TextMarshaler, json.Marshaler:
		return v.Interface()
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return tree(v.Elem())
	case reflect.Slice, reflect.Array:
		list := []any{}
		for i := range v.Len() {
			list = append(list, tree(v.Index(i)))
		}
		return list
	case reflect.Map:
		m := map[string]any{}
		for _, key := range v.MapKeys() {
			m[key.String()] = tree(v.MapIndex(key))
		}
		return m
	case reflect.Struct:
		m := map[string]any{}
		addFields(m, v)
		return m
	}
	return v.Interface()
}

// addFields adds the fields of a struct, and of those embedded in it.
func addFields(m map[string]any, v reflect.Value) {
	for f, value := range v.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		switch {
		case name == "-":
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			addFields(m, value)
		case !f.IsExported() || value.IsZero():
		case name == "":
			m[f.Name] = tree(value)
		default:
			if t := tree(value); !empty(t) {
				m[name] = t
			}
		}
	}
}

// empty reports whether a table has nothing in it.
func empty(t any) bool {
	m, ok := t.(map[string]any)
	return ok && len(m) == 0
}
