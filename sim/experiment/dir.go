package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir is an output directory. Files are written beside their place and
// renamed into it, so that none is ever seen half-written.
type Dir struct {
	path string
	open []*os.File
}

// OpenDir makes the directory if need be.
func OpenDir(path string) (*Dir, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("output directory: %w", err)
	}
	return &Dir{path: path}, nil
}

// Path is a file's or folder's place in the directory.
func (d *Dir) Path(name string) string { return filepath.Join(d.path, name) }

const partial = ".partial"

// Create opens a file that Commit will put in its place.
func (d *Dir) Create(name string) (*os.File, error) {
	f, err := os.Create(d.Path("." + name + partial))
	if err != nil {
		return nil, err
	}
	d.open = append(d.open, f)
	return f, nil
}

// Commit closes the created files and puts them in their places.
func (d *Dir) Commit() error {
	var errs []error
	for _, f := range d.open {
		err := f.Close()
		if err == nil {
			base := filepath.Base(f.Name())
			err = os.Rename(f.Name(), d.Path(base[1:len(base)-len(partial)]))
		}
		errs = append(errs, err)
	}
	d.open = nil
	return errors.Join(errs...)
}

// Remove removes files, where there are any of these names.
func (d *Dir) Remove(names ...string) error {
	var errs []error
	for _, name := range names {
		if err := os.Remove(d.Path(name)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Discard closes and removes the created files that were not committed.
func (d *Dir) Discard() {
	for _, f := range d.open {
		f.Close()
		os.Remove(f.Name())
	}
	d.open = nil
}

// WriteJSON writes a file of indented JSON at once.
func (d *Dir) WriteJSON(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return d.WriteFile(name, append(text, '\n'))
}

// WriteFile writes a whole file at once.
func (d *Dir) WriteFile(name string, content []byte) error {
	temp := d.Path("." + name + partial)
	if err := os.WriteFile(temp, content, 0o644); err != nil {
		os.Remove(temp)
		return err
	}
	return os.Rename(temp, d.Path(name))
}
