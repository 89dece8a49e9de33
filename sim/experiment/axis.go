package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"berth/sim"
)

// SweepAxis is one setting that a sweep varies: either Values, or a range From
// … To of Step or of Count levels, both ends included.
type SweepAxis struct {
	Key     string   `toml:"key" json:"key"` // what is set, as policy.window
	Values  []any    `toml:"values" json:"values,omitempty"`
	From    *float64 `toml:"from" json:"from,omitempty"`
	To      *float64 `toml:"to" json:"to,omitempty"`
	Step    float64  `toml:"step" json:"step,omitempty"`
	Count   int      `toml:"count" json:"count,omitempty"`
	Log     bool     `toml:"log" json:"log,omitempty"`         // equal ratios instead of equal steps
	Integer bool     `toml:"integer" json:"integer,omitempty"` // levels are rounded; what then is twice counts once
	Zip     string   `toml:"zip" json:"zip,omitempty"`         // axes of one zip move together; the others are crossed
}

// Latin is a Latin hypercube: each axis is cut into as many strata as there are
// samples, and each stratum is drawn from once. It is crossed with the other
// axes.
type Latin struct {
	Samples int         `toml:"samples" json:"samples,omitempty"`
	Seed    uint64      `toml:"seed" json:"seed,omitempty"`
	Axes    []SweepAxis `toml:"axis" json:"axes,omitempty"` // key, from, to, log, integer
}

// Level is one value of an axis.
type Level struct {
	Text   string // as it is shown
	TOML   string // as it is set
	Number bool
}

// Point is one level of each axis, in the order of Keys.
type Point []Level

// bundle is a set of axes that move together.
type bundle struct {
	zip  string
	keys []string
	at   []Point
}

// Points are the points of a sweep, in row-major order of its axes, the Latin
// hypercube last. Without axes there is one point, that of the base.
func Points(axes []SweepAxis, latin Latin) (keys []string, points []Point, err error) {
	bundles, err := bundlesOf(axes)
	if err != nil {
		return nil, nil, err
	}
	if len(latin.Axes) > 0 || latin.Samples != 0 {
		b, err := latin.bundle()
		if err != nil {
			return nil, nil, err
		}
		bundles = append(bundles, b)
	}
	points = []Point{nil}
	for _, b := range bundles {
		for _, key := range b.keys {
			if slices.Contains(keys, key) {
				return nil, nil, fmt.Errorf("axis %q is named twice", key)
			}
			keys = append(keys, key)
		}
		var next []Point
		for _, p := range points {
			for _, levels := range b.at {
				next = append(next, slices.Concat(p, levels))
			}
		}
		points = next
	}
	return keys, points, nil
}

func bundlesOf(axes []SweepAxis) ([]*bundle, error) {
	var bundles []*bundle
	for _, a := range axes {
		levels, err := a.levels()
		if err != nil {
			return nil, fmt.Errorf("axis %q: %w", a.Key, err)
		}
		i := slices.IndexFunc(bundles, func(b *bundle) bool { return a.Zip != "" && b.zip == a.Zip })
		if i < 0 {
			b := &bundle{zip: a.Zip, keys: []string{a.Key}}
			for _, l := range levels {
				b.at = append(b.at, Point{l})
			}
			bundles = append(bundles, b)
			continue
		}
		b := bundles[i]
		if len(levels) != len(b.at) {
			return nil, fmt.Errorf("axis %q has %d levels and %q has %d; axes of zip %q need as many", a.Key, len(levels), b.keys[0], len(b.at), a.Zip)
		}
		b.keys = append(b.keys, a.Key)
		for l := range levels {
			b.at[l] = append(b.at[l], levels[l])
		}
	}
	return bundles, nil
}

func (a *SweepAxis) levels() ([]Level, error) {
	ranged := a.From != nil || a.To != nil || a.Step != 0 || a.Count != 0 || a.Log || a.Integer
	switch {
	case a.Key == "":
		return nil, errors.New("key is needed")
	case len(a.Values) > 0 && ranged:
		return nil, errors.New("values and a range exclude each other")
	case len(a.Values) > 0:
		return listed(a.Values)
	case !ranged:
		return nil, errors.New("values, or from and to with step or count, are needed")
	}
	if err := a.checkRange(); err != nil {
		return nil, err
	}
	n := a.Count
	switch {
	case a.Step == 0 && n < 2:
		return nil, fmt.Errorf("count = %d; a range needs step, or count of at least 2", n)
	case a.Step != 0 && (n != 0 || a.Log):
		return nil, errors.New("step excludes count and log")
	case a.Step != 0:
		steps := (*a.To - *a.From) / a.Step
		if !(steps >= 0 && steps < maxLevels) {
			return nil, fmt.Errorf("step = %v does not lead from %v to %v in at most %d levels", a.Step, *a.From, *a.To, maxLevels)
		}
		n = int(steps+1e-9) + 1
	case n > maxLevels:
		return nil, fmt.Errorf("count = %d; at most %d is accepted", n, maxLevels)
	}
	var levels []Level
	for i := range n {
		share := float64(i) / float64(max(1, n-1))
		x := a.at(share)
		if a.Step != 0 {
			x = *a.From + float64(i)*a.Step
		}
		if l := a.level(x); !slices.Contains(levels, l) {
			levels = append(levels, l)
		}
	}
	return levels, nil
}

// maxLevels bounds an axis, so that a slip of the pen is an error and no flood.
const maxLevels = 100_000

func (a *SweepAxis) checkRange() error {
	switch {
	case a.From == nil || a.To == nil:
		return errors.New("a range needs from and to")
	case math.IsInf(*a.From, 0) || math.IsInf(*a.To, 0) || math.IsNaN(*a.From) || math.IsNaN(*a.To):
		return errors.New("from and to must be finite")
	case a.Log && (*a.From <= 0 || *a.To <= 0):
		return fmt.Errorf("a log range from %v to %v; both must be above 0", *a.From, *a.To)
	}
	return nil
}

// at is the value at a share 0 … 1 of the range.
func (a *SweepAxis) at(share float64) float64 {
	if a.Log {
		return *a.From * math.Pow(*a.To / *a.From, share)
	}
	return *a.From + share*(*a.To-*a.From)
}

// level is a number of a range, to twelve digits, so that 0.1+0.2 is 0.3.
func (a *SweepAxis) level(x float64) Level {
	if a.Integer {
		x = math.Round(x)
	}
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	text := strconv.FormatFloat(x, 'f', -1, 64)
	return Level{text, text, true}
}

func listed(values []any) ([]Level, error) {
	var levels []Level
	for _, v := range values {
		var l Level
		switch v := v.(type) {
		case string:
			l = Level{v, strconv.Quote(v), false}
		case bool:
			l = Level{fmt.Sprint(v), fmt.Sprint(v), false}
		case int64:
			l = Level{fmt.Sprint(v), fmt.Sprint(v), true}
		case float64:
			text := strconv.FormatFloat(v, 'f', -1, 64)
			l = Level{text, text, true}
		default:
			return nil, fmt.Errorf("value %v is a %T; numbers, strings and booleans are accepted", v, v)
		}
		levels = append(levels, l)
	}
	return levels, nil
}

// bundle draws the hypercube. Each axis has a stream of its own, so that one
// more axis leaves the others' samples as they were.
func (l *Latin) bundle() (*bundle, error) {
	if l.Samples < 1 || l.Samples > maxLevels || len(l.Axes) == 0 {
		return nil, fmt.Errorf("latin: samples = %d and %d axes; 1 to %d samples and at least one axis are needed", l.Samples, len(l.Axes), maxLevels)
	}
	b := &bundle{at: make([]Point, l.Samples)}
	for _, a := range l.Axes {
		if a.Key == "" || len(a.Values) > 0 || a.Step != 0 || a.Count != 0 || a.Zip != "" {
			return nil, fmt.Errorf("latin axis %q: key, from, to, log and integer are accepted", a.Key)
		}
		if err := a.checkRange(); err != nil {
			return nil, fmt.Errorf("latin axis %q: %w", a.Key, err)
		}
		b.keys = append(b.keys, a.Key)
		rng := sim.Stream(l.Seed, "latin "+a.Key)
		for i, stratum := range rng.Perm(l.Samples) {
			share := (float64(stratum) + rng.Float64()) / float64(l.Samples)
			b.at[i] = append(b.at[i], a.level(a.at(share)))
		}
	}
	return b, nil
}
