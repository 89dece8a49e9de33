package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"berth/sim"
	"berth/sim/metrics"
)

// ResultSchema is the version of what results mean: it is raised with any change
// of berth that gives other numbers for the same configuration, and with any
// change of what a cell keeps. It is part of a cell's address, so that results
// of another version are made anew.
const ResultSchema = 2

// SweepCell is one run of a sweep.
type SweepCell struct {
	ID     string // address: a hash of all that the result depends on
	Point  Point
	Policy string
	Seed   uint64
}

// Outcome is what a cell came to: a report, or an error.
type Outcome struct {
	ID      string          `json:"id"`
	Version string          `json:"version"` // of the program
	Error   string          `json:"error,omitempty"`
	Report  *metrics.Report `json:"report,omitempty"`
}

// Store keeps outcomes by address, a file each, so that many processes can
// share one folder.
type Store struct{ dir *Dir }

// OpenStore opens the outcomes of an output folder, and makes their folder if
// need be.
func OpenStore(path string) (*Store, error) {
	d, err := OpenDir(path)
	if err != nil {
		return nil, err
	}
	d, err = OpenDir(d.Path("cells"))
	return &Store{d}, err
}

// Get reads an outcome; nil when there is none. A file that holds no outcome of
// the cell, as one that a crash cut short, is none.
func (s *Store) Get(id string) (*Outcome, error) {
	text, err := os.ReadFile(s.dir.Path(id + ".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o := &Outcome{}
	if json.Unmarshal(text, o) != nil || o.ID != id || o.Error == "" && o.Report == nil {
		return nil, nil
	}
	return o, nil
}

// Put keeps an outcome.
func (s *Store) Put(o *Outcome) error {
	text, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("cell %s: %w", o.ID, err)
	}
	return s.dir.WriteFile(o.ID+".json", append(text, '\n'))
}

// Sweeper runs the cells of a sweep that its store does not have.
type Sweeper struct {
	Store    *Store
	Version  string // of the program, kept with each outcome
	Parallel int    // runs at a time; 0 means 1
	FailFast bool   // the first failing cell stops the rest
	Renew    bool   // run cells again that another version of the program ran
	Run      func(context.Context, SweepCell) (*metrics.Report, error)
	Done     func() // when not nil, called after each cell, from any goroutine
}

// Tally counts distinct cells.
type Tally struct {
	Cells, Ran, Kept, Failed int

	Other map[string]int // of Kept, those that another version of the program ran, by version
}

// Sweep runs the cells. A failing one is recorded and the rest goes on; one
// that failed before is tried again. An interruption comes back as an error,
// with what was done until then counted and kept.
func (s *Sweeper) Sweep(ctx context.Context, cells []SweepCell) (Tally, error) {
	cells = Distinct(cells)
	t := Tally{Cells: len(cells), Other: map[string]int{}}
	var mu sync.Mutex
	err := Each(ctx, len(cells), s.Parallel, func(ctx context.Context, i int) error {
		kept, failure, err := s.cell(ctx, cells[i])
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		switch {
		case failure != nil:
			t.Failed++
			if s.FailFast {
				return &CellError{cells[i], failure}
			}
		case kept == nil:
			t.Ran++
		default:
			t.Kept++
			if kept.Version != s.Version {
				t.Other[kept.Version]++
			}
		}
		if s.Done != nil {
			s.Done()
		}
		return nil
	})
	return t, err
}

// CellError is the failure of a cell that stopped a sweep.
type CellError struct {
	Cell SweepCell
	Err  error
}

func (e *CellError) Error() string {
	return fmt.Sprintf("%s, seed %d: %v", e.Cell.Policy, e.Cell.Seed, e.Err)
}

func (e *CellError) Unwrap() error { return e.Err }

// cell runs one cell, unless its outcome is kept. failure is the cell's own
// error, err one that stops the sweep.
func (s *Sweeper) cell(ctx context.Context, c SweepCell) (kept *Outcome, failure, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	kept, err = s.Store.Get(c.ID)
	if err != nil || kept != nil && kept.Error == "" && !(s.Renew && kept.Version != s.Version) {
		return kept, nil, err
	}
	o := &Outcome{ID: c.ID, Version: s.Version}
	o.Report, failure = s.Run(ctx, c)
	if errors.Is(failure, sim.ErrInterrupted) || errors.Is(failure, context.Canceled) {
		return nil, nil, failure
	}
	if failure == nil {
		_, failure = json.Marshal(o.Report) // which has no NaN and no infinity
	}
	if failure != nil {
		o.Report, o.Error = nil, failure.Error()
	}
	return nil, failure, s.Store.Put(o)
}

// Distinct leaves out cells that are the same run as an earlier one.
func Distinct(cells []SweepCell) []SweepCell {
	seen := make(map[string]bool, len(cells))
	var out []SweepCell
	for _, c := range cells {
		if !seen[c.ID] {
			seen[c.ID] = true
			out = append(out, c)
		}
	}
	return out
}

// Shard is the i-th of n parts of a sweep's distinct cells, counted from 1.
// Neighbours go to different shards: they take about as long.
func Shard(cells []SweepCell, i, n int) []SweepCell {
	var out []SweepCell
	for k, c := range Distinct(cells) {
		if k%n == i-1 {
			out = append(out, c)
		}
	}
	return out
}

// Take copies from another output folder what the store lacks: results, and
// failures of cells that it knows nothing of.
func (s *Store) Take(path string, cells []SweepCell) error {
	d := &Dir{path: path}
	from := &Store{&Dir{path: d.Path("cells")}}
	if _, err := os.Stat(from.dir.path); err != nil {
		return fmt.Errorf("%s is no output folder of a sweep: %w", path, err)
	}
	for _, c := range Distinct(cells) {
		have, err := s.Get(c.ID)
		if err != nil {
			return err
		}
		if have != nil && have.Error == "" {
			continue
		}
		o, err := from.Get(c.ID)
		if err != nil {
			return err
		}
		if o != nil && (o.Error == "" || have == nil) {
			if err := s.Put(o); err != nil {
				return err
			}
		}
	}
	return nil
}
