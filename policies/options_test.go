package policies_test

// What Options says of Config, and of who reads what.

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"berth/policies"
)

// Options has every key of Config, in its order, and the page of the policies
// or of the protocol tells of each.
func TestOptionsAreThoseOfConfig(t *testing.T) {
	var keys, described []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[policies.Config]()) {
		if key := f.Tag.Get("toml"); key != "-" {
			keys = append(keys, key)
		}
	}
	for _, o := range policies.Options() {
		described = append(described, o.Key)
	}
	if d := cmp.Diff(keys, described); d != "" {
		t.Errorf("Config and Options (-Config +Options):\n%s", d)
	}
	pages := ""
	for _, path := range []string{"../docs/policies.md", "../docs/protocol.md"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pages += string(text)
	}
	for _, key := range keys {
		if !strings.Contains(pages, key) {
			t.Errorf("no page tells of %s", key)
		}
	}
}

// settings are values of the options that make a difference where they are
// read; those of exec have tests of their own.
var settings = map[string]func(*policies.Config){
	"reserve":             func(c *policies.Config) { c.Reserve = "curve" },
	"partition":           func(c *policies.Config) { c.Partition = 1 },
	"placement":           func(c *policies.Config) { c.Placement = "random" },
	"threshold_gpu_hours": func(c *policies.Config) { c.ThresholdGPUHours = 1e-3 },
	"promote":             func(c *policies.Config) { c.Promote = 0.1 },
	"window":              func(c *policies.Config) { c.Window = 2 },
	"commit":              func(c *policies.Config) { c.Commit = 6 },
	"replan":              func(c *policies.Config) { c.Replan = "step" },
	"replan_minutes":      func(c *policies.Config) { c.ReplanMinutes = 7 },
	"budget":              func(c *policies.Config) { c.Budget = "1" },
	"boundary":            func(c *policies.Config) { c.Window, c.Boundary = 4, "closed" },
	"sigma":               func(c *policies.Config) { c.Window, c.Boundary, c.Sigma = 4, "salvage", 0.9 },
	"gamma":               func(c *policies.Config) { c.PlanGamma = 0.2 },
	"lambda":              func(c *policies.Config) { c.PlanLambda = 1e-6 },
	"forecast":            func(c *policies.Config) { c.Forecast = "cold" },
	"quantile":            func(c *policies.Config) { c.Forecast, c.Quantile = "cold", 0.1 },
	"duration_sigma":      func(c *policies.Config) { c.DurationSigma = 2 },
	"demand_bias":         func(c *policies.Config) { c.DemandBias = -0.9 },
	"demand_level":        func(c *policies.Config) { c.DemandLevel = 2 },
	"demand_noise":        func(c *policies.Config) { c.DemandNoise = 2 },
	"demand_missed":       func(c *policies.Config) { c.DemandMissed = 1 },
	"demand_settle":       func(c *policies.Config) { c.DemandNoise, c.DemandSettle = 2, 20 },
}

// before is the configuration that a setting is compared with: the default, or
// that of another setting which the first needs to have a meaning.
var before = map[string]func(*policies.Config){
	"reserve":       func(c *policies.Config) { c.Reserve = "peak" },
	"boundary":      func(c *policies.Config) { c.Window = 4 },
	"sigma":         func(c *policies.Config) { c.Window, c.Boundary = 4, "salvage" },
	"quantile":      settings["forecast"],
	"demand_settle": settings["demand_noise"],
}

// An option changes something in some world under the policies that are said
// to read it, and nothing in any world under the others.
func TestOptionsAreReadAsSaid(t *testing.T) {
	moved := map[string]bool{} // "policy:key"
	worlds := 0
	rapid.Check(t, func(t *rapid.T) {
		worlds++
		if worlds > 150 {
			return
		}
		w := drawWorld(t)
		for _, e := range policies.All() {
			if e.Name == "exec" {
				continue
			}
			outcomes := map[string]string{}
			written := func(key string, changes ...func(*policies.Config)) string {
				c := policies.Config{Gamma: worldGamma, Lambda: worldLambda, Seed: 7, Budget: "20"}
				for _, change := range changes {
					if change != nil {
						change(&c)
					}
				}
				if key == "" {
					key = "default"
				}
				if _, known := outcomes[key]; !known || len(changes) > 0 {
					o := run(t, w, e.Name, c)
					outcomes[key] = o.jobs.String() + o.services.String() + o.timeline.String()
				}
				return outcomes[key]
			}
			for _, o := range policies.Options() {
				change, name := settings[o.Key], e.Name+":"+o.Key
				if change == nil || o.ReadBy(e.Name) && moved[name] || !o.ReadBy(e.Name) && worlds > 15 {
					continue
				}
				want := written("")
				if b := before[o.Key]; b != nil {
					want = written("before "+o.Key, b)
				}
				if written(o.Key, change) != want {
					if !o.ReadBy(e.Name) {
						t.Errorf("%s is moved by %s", e.Name, o.Key)
					}
					moved[name] = true
				}
			}
		}
	})
	for _, o := range policies.Options() {
		for _, e := range policies.All() {
			if settings[o.Key] != nil && e.Name != "exec" && o.ReadBy(e.Name) && !moved[e.Name+":"+o.Key] {
				t.Errorf("%s is not moved by %s", e.Name, o.Key)
			}
		}
	}
	if exempt := []string{"command", "timeout", "record", "replay", "mode", "node_limit"}; len(settings)+len(exempt) != len(policies.Options()) ||
		slices.ContainsFunc(exempt, func(key string) bool { return settings[key] != nil }) {
		t.Errorf("%d settings are tested, of %d", len(settings), len(policies.Options())-len(exempt))
	}
}
