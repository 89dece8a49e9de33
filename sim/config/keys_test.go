package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"berth/sim/config"
)

// Each key that Keys lists is accepted with a value of its type, and all keys
// that can be written are listed.
func TestKeys(t *testing.T) {
	type inner struct {
		Depth int    `toml:"depth" help:"of the water"`
		Note  string `toml:"note"`
	}
	type embedded struct {
		Ratio float64 `toml:"ratio"`
	}
	type outer struct {
		embedded
		Inner  inner    `toml:"inner"`
		Many   []inner  `toml:"many"`
		Words  []string `toml:"words"`
		On     *bool    `toml:"on"`
		Level  level    `toml:"level"`
		Hidden int      `toml:"-"`
	}
	want := []config.Key{
		{"ratio", "float", ""}, {"inner.depth", "integer", "of the water"}, {"inner.note", "string", ""},
		{"words", "array", ""}, {"on", "boolean", ""}, {"level", "string", ""},
	}
	if d := cmp.Diff(want, config.Keys(&outer{})); d != "" {
		t.Error(d)
	}
	for _, k := range config.Keys(&outer{}) {
		value := map[string]string{"float": "0.5", "integer": "3", "string": `"low"`, "array": `["a"]`, "boolean": "true"}[k.Type]
		if err := config.DecodeStrict([]byte(k.Name+" = "+value), "text", &outer{}); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
}
