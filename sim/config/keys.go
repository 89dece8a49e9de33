package config

import (
	"reflect"
)

// Key is a dotted key that DecodeStrict accepts, and TOML's word for the type
// of its value: integer, float, string, boolean, array, or value where it is
// read in a way of its own. Help is the field's tag of that name.
type Key struct {
	Name string
	Type string
	Help string
}

// Keys lists the dotted keys of what a pointer to a struct points to, in order
// of declaration. Tables that can stand several times are left out: no dotted
// key names one of them.
func Keys(into any) []Key { return keysOf(reflect.TypeOf(into).Elem(), "") }

func keysOf(t reflect.Type, prefix string) (keys []Key) {
	for _, f := range fieldsOf(t) {
		name, typ := prefix+f.name, f.typ
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		switch {
		case ownDecoder(typ):
			keys = append(keys, Key{name, "value", f.help})
		case reflect.PointerTo(typ).Implements(textUnmarshaler):
			keys = append(keys, Key{name, "string", f.help})
		case typ.Kind() == reflect.Struct:
			keys = append(keys, keysOf(typ, name+".")...)
		case typ.Kind() == reflect.Slice && element(typ).Kind() == reflect.Struct:
		default:
			keys = append(keys, Key{name, typeWord(typ), f.help})
		}
	}
	return keys
}

var textUnmarshaler = reflect.TypeFor[interface{ UnmarshalText([]byte) error }]()

func typeWord(t reflect.Type) string {
	switch k := t.Kind(); {
	case k >= reflect.Int && k <= reflect.Uint64:
		return "integer"
	case k == reflect.Float32, k == reflect.Float64:
		return "float"
	case k == reflect.Bool:
		return "boolean"
	case k == reflect.String:
		return "string"
	case k == reflect.Slice, k == reflect.Array:
		return "array"
	case k == reflect.Map:
		return "table"
	}
	return "value"
}
