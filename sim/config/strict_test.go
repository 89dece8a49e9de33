package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"berth/sim/config"
)

type common struct {
	Name string `toml:"name"`
}

type level uint8

func (l *level) UnmarshalText(text []byte) error {
	if string(text) != "low" {
		return fmt.Errorf("level %q is unknown; accepted is low", text)
	}
	return nil
}

// window is written as one string and decodes itself.
type window struct{ from, to string }

func (w *window) UnmarshalTOML(v any) error {
	w.from, w.to, _ = strings.Cut(fmt.Sprint(v), "-")
	return nil
}

type scenario struct {
	common
	Seed    *int              `toml:"seed"`
	Level   level             `toml:"level"`
	Window  window            `toml:"window"`
	Labels  map[string]string `toml:"labels"`
	Extra   map[string]any    `toml:"extra"`
	Service []struct {
		ID     string  `toml:"id"`
		Min    int     `toml:"min"`
		Demand []int   `toml:"demand"`
		Rate   float64 `toml:"rate,omitempty"`
		Skip   int     `toml:"-"`
		Shapes []struct {
			GPUs int `toml:"gpus"`
		} `toml:"shapes"`
	} `toml:"service"`
}

const good = `# a comment
name = "mixed"
seed = 3
level = "low"
window = "a-b"

[labels]
owner = "someone"

[extra]
a = {b = [{c = 1}]}

[[service]]
id = "chat"
min = 1
demand = [
  1, 2, # a comment
  3,
]

[[service]]
id = "code"
rate = 2
shapes = [{gpus = 1}, {gpus = 2}]
`

func TestDecodeStrict(t *testing.T) {
	var s scenario
	if err := config.DecodeStrict([]byte(good), "mixed.toml", &s); err != nil {
		t.Fatal(err)
	}
	if s.Name != "mixed" || *s.Seed != 3 || s.Window.to != "b" || s.Labels["owner"] != "someone" ||
		len(s.Service) != 2 || !cmp.Equal(s.Service[0].Demand, []int{1, 2, 3}) || s.Service[1].Shapes[1].GPUs != 2 {
		t.Errorf("decoded %+v", s)
	}
}

func TestDecodeStrictErrors(t *testing.T) {
	tests := []struct{ name, from, to, want string }{
		{"unknown key at the top", "seed = 3", "sed = 3",
			`f.toml:3: unknown key "sed"; accepted here: name, seed, level, window, labels, extra, service`},
		{"unknown table", "[labels]", "[lables]",
			`f.toml:7: unknown key "lables"; accepted here: name, seed, level, window, labels, extra, service`},
		{"unknown key in the first of two tables", "min = 1", "mim = 1",
			`f.toml:15: unknown key "service.mim"; accepted here: id, min, demand, rate, shapes`},
		{"unknown key after a long statement", "id = \"code\"", "id = \"code\"\nhidden = 1",
			`f.toml:23: unknown key "service.hidden"; accepted here: id, min, demand, rate, shapes`},
		{"unknown key in an inline table", "{gpus = 2}", "{gpus = 2, steps = 3}",
			`f.toml:24: unknown key "service.shapes.steps"; accepted here: gpus`},
		{"a key below a value's own type", "seed = 3", "seed.x = 3",
			`f.toml:3: seed: a value of type table; accepted is integer`},
		{"wrong type in the first of two tables", "min = 1", "min = \"one\"",
			`f.toml:15: service.min: a value of type string; accepted is integer`},
		{"wrong type inside a long statement", "3,", "3.5,",
			`f.toml:16: service.demand: a value of type float; accepted is integer`},
		{"a value where tables belong", "[{gpus = 1}, {gpus = 2}]", "3",
			`f.toml:24: service.shapes: a value of type integer; accepted is array`},
		{"values where tables belong", "[{gpus = 1}, {gpus = 2}]", "[3]",
			`f.toml:24: service.shapes: a value of type integer; accepted is table`},
		{"a text that its type refuses", `"low"`, `"high"`,
			`f.toml:4: level: level "high" is unknown; accepted is low`},
		{"no TOML", "seed = 3", "seed = = 3",
			`f.toml:3: expected value but found '=' instead`},
		{"a key twice", "seed = 3", "name = 3",
			`f.toml:3: Key 'name' has already been defined.`},
	}
	for _, tt := range tests {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			data := strings.Replace(good, tt.from, tt.to, 1)
			var s scenario
			err := config.DecodeStrict([]byte(data), "f.toml", &s)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
	deep := []byte("seed = " + strings.Repeat("[", 1<<23))
	if err := config.DecodeStrict(deep, "f.toml", &scenario{}); err == nil {
		t.Error("endless nesting is no error")
	}
	if err := config.DecodeStrict(nil, "f.toml", scenario{}); err == nil {
		t.Error("decoding into no pointer is no error")
	}
}

func TestTableLine(t *testing.T) {
	for n, want := range []int{13, 21, 0} {
		if got := config.TableLine([]byte(good), "service", n); got != want {
			t.Errorf("[[service]] %d is at line %d, want %d", n, got, want)
		}
	}
}

func FuzzDecodeStrict(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("seed = 'x'\n[service]\n"))
	f.Add([]byte("[[service.shapes]]\r\n\"a b\".c = 1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s scenario
		_ = config.DecodeStrict(data, "f.toml", &s)
	})
}

func ExampleDecodeStrict() {
	var into struct {
		Name string `toml:"name"`
		GPUs int    `toml:"gpus"`
	}
	data := []byte("name = \"small\"\ngpu = 8\n")
	fmt.Println(config.DecodeStrict(data, "small.toml", &into))
	// Output: small.toml:2: unknown key "gpu"; accepted here: name, gpus
}

func TestDecodeSetting(t *testing.T) {
	type machine struct {
		GPUs   int    `toml:"gpus"`
		Label  string `toml:"label"`
		Nested struct {
			Share float64 `toml:"share"`
		} `toml:"nested"`
	}
	var m machine
	for _, s := range [][2]string{{"gpus", "8"}, {"label", "two words"}, {"nested.share", "0.5"}, {"label", "300"}, {"label", `"quoted"`}} {
		if err := config.DecodeSetting(s[0], s[1], &m); err != nil {
			t.Errorf("%v: %v", s, err)
		}
	}
	if m.GPUs != 8 || m.Label != "quoted" || m.Nested.Share != 0.5 {
		t.Errorf("got %+v", m)
	}
	before := m
	for want, s := range map[string][2]string{
		"gpus: a value of type string; accepted is integer":       {"gpus", "x"},
		"gpus: a value of type float; accepted is integer":        {"gpus", "1.5"},
		`unknown key "gpu"; accepted here: gpus, label, nested`:   {"gpu", "3"},
		`unknown key "nested.shares"; accepted here: share`:       {"nested.shares", "x y"},
		`"a b" is no key of TOML`:                                 {"a b", "3"},
		"nested.share: a value of type string; accepted is float": {"nested.share", "a lot"},
	} {
		if err := config.DecodeSetting(s[0], s[1], &m); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", s, err, want)
		}
	}
	if m != before {
		t.Errorf("a refused setting changed %+v to %+v", before, m)
	}
}
