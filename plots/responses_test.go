package plots

import (
	"bytes"
	"math"
	"testing"
)

func TestResponses(t *testing.T) {
	f := ResponseFigure{
		Title: "value", Factor: "window (steps)", Levels: []string{"2", "4", "8"},
		Series:     []Response{{"commit 1", []float64{3, 5, 5.5}, []float64{0.2, 0.3, math.NaN()}}, {"commit 24", []float64{3, 4, 4.2}, []float64{0, 0.1, 0.1}}},
		References: []Reference{{"fifo", 2}},
	}
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		drawn, err := Responses(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := drawn.Encode(b, "svg"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two drawings differ")
	}
	for _, word := range []string{"commit 1", "commit 24", "fifo", "window (steps)"} {
		if !bytes.Contains(first.Bytes(), []byte(word)) {
			t.Errorf("%q is not in the figure", word)
		}
	}
	for name, spoil := range map[string]func(*ResponseFigure){
		"no levels":      func(f *ResponseFigure) { f.Levels = nil },
		"no series":      func(f *ResponseFigure) { f.Series = nil },
		"one mean short": func(f *ResponseFigure) { f.Series = []Response{{"a", []float64{1, 2}, []float64{0, 0}}} },
		"not a number":   func(f *ResponseFigure) { f.References = []Reference{{"b", math.NaN()}} },
	} {
		bad := f
		spoil(&bad)
		if _, err := Responses(bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
