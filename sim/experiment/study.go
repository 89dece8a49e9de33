package experiment

import (
	"fmt"
	"strings"
)

// Factor is one setting that a study varies, the others standing at their
// defaults.
type Factor struct {
	Name   string   `toml:"name"`
	Key    string   `toml:"key"`    // what is set, as policy.window
	Levels []any    `toml:"levels"` // TOML values
	With   []string `toml:"with"`   // settings that hold at every level, as "policy.commit=24"
}

// Grid crosses several settings.
type Grid struct {
	Name string `toml:"name"`
	Axes []Axis `toml:"axis"`
}

// Axis is one setting of a grid.
type Axis struct {
	Key    string `toml:"key"`
	Levels []any  `toml:"levels"`
}

// Cell is one point of a study: settings to be applied to its base.
type Cell struct {
	Factor, Level string
	Settings      []string // key=value
}

// Cells are the points of a study: each level of each factor, then the grids
// in row-major order.
func Cells(factors []Factor, grids []Grid) ([]Cell, error) {
	var cells []Cell
	for _, f := range factors {
		if f.Name == "" || f.Key == "" || len(f.Levels) == 0 {
			return nil, fmt.Errorf("factor %q: name, key and levels are needed", f.Name)
		}
		for _, level := range f.Levels {
			cells = append(cells, Cell{f.Name, fmt.Sprint(level), append([]string{setting(f.Key, level)}, f.With...)})
		}
	}
	for _, g := range grids {
		if g.Name == "" || len(g.Axes) == 0 {
			return nil, fmt.Errorf("grid %q: name and axes are needed", g.Name)
		}
		cells = append(cells, g.cells(nil, nil)...)
	}
	return cells, nil
}

// cells crosses the axes that have no level yet.
func (g *Grid) cells(levels, settings []string) []Cell {
	if len(levels) == len(g.Axes) {
		return []Cell{{g.Name, strings.Join(levels, " × "), settings}}
	}
	var cells []Cell
	axis := g.Axes[len(levels)]
	for _, level := range axis.Levels {
		cells = append(cells, g.cells(
			append(levels[:len(levels):len(levels)], fmt.Sprint(level)),
			append(settings[:len(settings):len(settings)], setting(axis.Key, level)))...)
	}
	return cells
}

func setting(key string, level any) string {
	if text, ok := level.(string); ok {
		return fmt.Sprintf("%s=%q", key, text)
	}
	return fmt.Sprintf("%s=%v", key, level)
}
