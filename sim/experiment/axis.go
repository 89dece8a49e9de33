package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"berth/sim"
)

// SweepAxis is one setting that a sweep varies: either Values, or a range From
// … To of Step or of Count levels, both ends included.
type SweepAxis struct {
	Key     string   `toml:"key" json:"key"`               // what is set, as policy.window
	Label   string   `toml:"label" json:"label,omitempty"` // in figures; default made of the key
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
	Axes    []SweepAxis `toml:"axis" json:"axis,omitempty"` // key, label, from, to, log, integer
}

// Level is one value of an axis.
type Level struct {
	Text   string // as it is shown
	TOML   string // as it is set
	Number bool
}

// Point is one level of each axis, in the order of Keys.
type Point []Level

// Dimension is what a sweep varies independently of the rest: an axis, axes of
// one zip, or a Latin hypercube.
type Dimension struct {
	Keys   []string
	Labels []string // of the keys, in words
	Levels []Point  // of the keys
	Log    bool     // levels in equal ratios
	Latin  bool

	zip string
}

// Numeric reports whether the levels of a single axis, or of the first of a
// zip, are numbers.
func (d *Dimension) Numeric() bool {
	return !d.Latin && !slices.ContainsFunc(d.Levels, func(p Point) bool { return !p[0].Number })
}

// Dimensions are what a sweep varies, in the order of their first axes, the
// Latin hypercube last.
func Dimensions(axes []SweepAxis, latin Latin) ([]*Dimension, error) {
	var dims []*Dimension
	for _, a := range axes {
		levels, err := a.levels()
		if err != nil {
			return nil, fmt.Errorf("axis %q: %w", a.Key, err)
		}
		i := slices.IndexFunc(dims, func(d *Dimension) bool { return a.Zip != "" && d.zip == a.Zip })
		if i < 0 {
			d := &Dimension{Keys: []string{a.Key}, Labels: []string{a.title()}, Log: equalRatios(levels), zip: a.Zip}
			for _, l := range levels {
				d.Levels = append(d.Levels, Point{l})
			}
			dims = append(dims, d)
			continue
		}
		d := dims[i]
		if len(levels) != len(d.Levels) {
			return nil, fmt.Errorf("axis %q has %d levels and %q has %d; axes of zip %q need as many", a.Key, len(levels), d.Keys[0], len(d.Levels), a.Zip)
		}
		d.Keys, d.Labels = append(d.Keys, a.Key), append(d.Labels, a.title())
		for l := range levels {
			d.Levels[l] = append(d.Levels[l], levels[l])
		}
	}
	if len(latin.Axes) > 0 || latin.Samples != 0 {
		d, err := latin.dimension()
		if err != nil {
			return nil, err
		}
		dims = append(dims, d)
	}
	seen := map[string]bool{}
	for _, d := range dims {
		if err := d.checkLevels(); err != nil {
			return nil, err
		}
		for _, key := range d.Keys {
			if seen[key] {
				return nil, fmt.Errorf("axis %q is named twice", key)
			}
			seen[key] = true
		}
	}
	return dims, nil
}

// set is the levels of a point as they are set.
func (p Point) set() string {
	var words []string
	for _, l := range p {
		words = append(words, l.TOML)
	}
	return strings.Join(words, ", ")
}

// checkLevels reports levels that stand in an axis, or in axes of one zip, twice:
// their runs would count as different ones.
func (d *Dimension) checkLevels() error {
	seen := map[string]bool{}
	for _, p := range d.Levels {
		at := p.set()
		if seen[at] {
			return fmt.Errorf("axis %q has %s twice", strings.Join(d.Keys, ", "), at)
		}
		seen[at] = true
	}
	return nil
}

// MaxCells bounds a sweep, so that a slip of the pen is an error and no flood.
const MaxCells = 1_000_000

// CheckSize reports a sweep of too many cells: the points of its dimensions,
// each run so many times.
func CheckSize(dims []*Dimension, runs int) error {
	cells, sizes := float64(runs), []string{}
	for _, d := range dims {
		cells *= float64(len(d.Levels))
		sizes = append(sizes, strconv.Itoa(len(d.Levels)))
	}
	if cells > MaxCells {
		return fmt.Errorf("axes of %s levels, each point run %d times, make %.3g cells; at most %d are accepted", strings.Join(sizes, " × "), runs, cells, MaxCells)
	}
	return nil
}

// Points are the points of a sweep, in row-major order of its dimensions.
// Without any there is one point, that of the base.
func Points(dims []*Dimension) (keys []string, points []Point) {
	points = []Point{nil}
	for _, d := range dims {
		keys = append(keys, d.Keys...)
		var next []Point
		for _, p := range points {
			for _, levels := range d.Levels {
				next = append(next, slices.Concat(p, levels))
			}
		}
		points = next
	}
	return keys, points
}

// equalRatios reports whether levels are numbers of a wide range of which each is
// about as many times the one before.
func equalRatios(levels []Level) bool {
	var logs []float64
	for _, l := range levels {
		x, err := strconv.ParseFloat(l.Text, 64)
		if err != nil || !l.Number || x <= 0 {
			return false
		}
		logs = append(logs, math.Log(x))
	}
	span := logs[len(logs)-1] - logs[0]
	if len(logs) < 3 || math.Abs(span) < math.Log(8) {
		return false
	}
	step := span / float64(len(logs)-1)
	for i, x := range logs {
		if math.Abs(x-logs[0]-float64(i)*step) > 0.2*math.Abs(step) {
			return false
		}
	}
	return true
}

// title is the label, or the last part of the key in words: "reserve" for
// policy.reserve, "restart (minutes)" for restart_minutes.
func (a *SweepAxis) title() string {
	if a.Label != "" {
		return a.Label
	}
	words := strings.ReplaceAll(a.Key[strings.LastIndexByte(a.Key, '.')+1:], "_", " ")
	for _, unit := range []string{"gpu hours", "hours", "minutes", "seconds"} {
		if rest, ok := strings.CutSuffix(words, " "+unit); ok {
			words = rest + " (" + strings.ReplaceAll(unit, " ", "-") + ")"
			break
		}
	}
	return strings.ReplaceAll(words, "gpu", "GPU")
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

// dimension draws the hypercube. Each axis has a stream of its own, so that one
// more axis leaves the others' samples as they were. Samples that are the same
// once rounded count once.
func (l *Latin) dimension() (*Dimension, error) {
	if l.Samples < 1 || l.Samples > maxLevels || len(l.Axes) == 0 {
		return nil, fmt.Errorf("latin: samples = %d and %d axes; 1 to %d samples and at least one axis are needed", l.Samples, len(l.Axes), maxLevels)
	}
	d := &Dimension{Levels: make([]Point, l.Samples), Latin: true}
	for _, a := range l.Axes {
		if a.Key == "" || len(a.Values) > 0 || a.Step != 0 || a.Count != 0 || a.Zip != "" {
			return nil, fmt.Errorf("latin axis %q: key, label, from, to, log and integer are accepted", a.Key)
		}
		if err := a.checkRange(); err != nil {
			return nil, fmt.Errorf("latin axis %q: %w", a.Key, err)
		}
		d.Keys, d.Labels = append(d.Keys, a.Key), append(d.Labels, a.title())
		rng := sim.Stream(l.Seed, "latin "+a.Key)
		for i, stratum := range rng.Perm(l.Samples) {
			share := (float64(stratum) + rng.Float64()) / float64(l.Samples)
			d.Levels[i] = append(d.Levels[i], a.level(a.at(share)))
		}
	}
	seen := map[string]bool{}
	d.Levels = slices.DeleteFunc(d.Levels, func(p Point) bool {
		at := p.set()
		twice := seen[at]
		seen[at] = true
		return twice
	})
	return d, nil
}
