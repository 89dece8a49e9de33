package traces

import (
	"bytes"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// decoded are names and fields of an object by the library.
func decoded(b []byte) (list []string, err error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(b))
	err = members(d, func(name []byte) error {
		plain, err := jsontext.AppendUnquote(nil, name)
		if err != nil {
			return err
		}
		value, err := jsonField(d, nil)
		list = append(list, string(plain), string(value))
		return err
	})
	return list, err
}

// What flatObject takes, the library takes too and reads the same; plain
// objects it does take. Texts are objects with some bytes changed.
func TestFlatObjectAgainstTheLibrary(t *testing.T) {
	member := rapid.SampledFrom([]string{
		`"id": 7`, `"id":"a b"`, `"subtime" : 10.5`, `"walltime":-0.0e+10`, `"res":12E3`, `"x": true`, `"y":false`, "\"z\":\n\tnull", `"":""`,
	})
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfNDistinct(member, 0, 8, func(s string) string { return s[:3] }).Draw(t, "members")
		text := []byte(" { " + string(bytes.Join(toBytes(list), []byte(" ,"))) + "} ")
		read := func(b []byte) (fields []string, ok bool) {
			ok = flatObject(b, func(name, value []byte) { fields = append(fields, string(name), string(flatField(value))) })
			return fields, ok
		}
		want, err := decoded(text)
		if got, ok := read(text); err != nil || !ok || !slices.Equal(got, want) {
			t.Fatalf("%s: %q (%v), the library %q (%v)", text, got, ok, want, err)
		}
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
			with := rapid.SampledFrom([]string{"", `"`, "{", "}", ",", ":", "0", "9", ".", "e", "-", "+", " ", "\\", "n", "null", "\x00", "\x7f", "é", "\xff", "[]", `,"id":1`}).Draw(t, "with")
			text = slices.Concat(text[:at], []byte(with), text[at+1:])
			if len(text) == 0 {
				return
			}
		}
		if got, ok := read(text); ok {
			if want, err := decoded(text); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%q: %q, the library %q (%v)", text, got, want, err)
			}
		}
	})
}

func toBytes(list []string) (out [][]byte) {
	for _, s := range list {
		out = append(out, []byte(s))
	}
	return out
}
