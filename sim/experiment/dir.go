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
	made []string // folders that were not there before, the innermost first
	open []created
}

// created is a file that is not in its place yet.
type created struct {
	*os.File
	name string
}

// OpenDir makes the directory if need be.
func OpenDir(path string) (*Dir, error) {
	d := &Dir{path: path}
	for at := path; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		d.made = append(d.made, at)
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("output directory: %w", err)
	}
	return d, nil
}

// Path is a file's or folder's place in the directory.
func (d *Dir) Path(name string) string { return filepath.Join(d.path, name) }

const partial = ".partial"

// Create opens a file that Commit will put in its place.
func (d *Dir) Create(name string) (*os.File, error) {
	f, err := d.temp(name)
	if err != nil {
		return nil, err
	}
	d.open = append(d.open, created{f, name})
	return f, nil
}

// temp opens a file beside a place. Its name is the process's own: two may
// write one file at a time.
func (d *Dir) temp(name string) (*os.File, error) {
	f, err := os.CreateTemp(d.path, "."+name+".*"+partial)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o644); err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

// place closes a file and puts it in its place, or removes it.
func (d *Dir) place(f created) error {
	err := f.Close()
	if err == nil {
		err = os.Rename(f.Name(), d.Path(f.name))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Commit closes the created files and puts them in their places.
func (d *Dir) Commit() error {
	var errs []error
	for _, f := range d.open {
		errs = append(errs, d.place(f))
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

// Discard closes and removes the created files that were not committed, and the
// folders that OpenDir made and that are still empty.
func (d *Dir) Discard() {
	for _, f := range d.open {
		f.Close()
		os.Remove(f.Name())
	}
	d.open = nil
	for _, folder := range d.made {
		if os.Remove(folder) != nil {
			return
		}
	}
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
	f, err := d.temp(name)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return err
	}
	return d.place(created{f, name})
}
