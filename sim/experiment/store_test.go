package experiment_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"berth/sim/experiment"
	"berth/sim/metrics"
)

// What a crash left of a cell is no outcome: the cell is run again.
func TestDamagedOutcomesAreNone(t *testing.T) {
	dir := t.TempDir()
	store, err := experiment.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Put(&experiment.Outcome{ID: "a", Report: &metrics.Report{}}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "cells", "a.json")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if o, err := store.Get("a"); o == nil || err != nil {
		t.Fatalf("%v, %v", o, err)
	}
	for _, text := range []string{"", "null", "{}", `{"id":"a"}`, `{"id":"b","report":{}}`, string(whole[:len(whole)/2])} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if o, err := store.Get("a"); o != nil || err != nil {
			t.Errorf("%q is %+v, %v", text, o, err)
		}
	}
}

// A result that cannot be kept is a failure of its cell, not of the sweep.
func TestReportsThatCannotBeKept(t *testing.T) {
	store, err := experiment.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := experiment.Sweeper{Store: store, Run: func(_ context.Context, c experiment.SweepCell) (*metrics.Report, error) {
		return &metrics.Report{Utilization: math.Log(float64(c.Seed) - 1)}, nil
	}}
	got, err := s.Sweep(context.Background(), []experiment.SweepCell{{ID: "a", Seed: 1}, {ID: "b", Seed: 2}})
	if err != nil || got.Ran != 1 || got.Failed != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if o, err := store.Get("a"); err != nil || o == nil || o.Error == "" {
		t.Errorf("%+v, %v", o, err)
	}
}

// From another folder come results, and failures of cells not known yet; no
// failure takes the place of a result or of a failure of one's own.
func TestTake(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	store, _ := experiment.OpenStore(dir)
	from, err := experiment.OpenStore(other)
	if err != nil {
		t.Fatal(err)
	}
	result := func(version string) *experiment.Outcome {
		return &experiment.Outcome{Version: version, Report: &metrics.Report{}}
	}
	failure := func(version string) *experiment.Outcome {
		return &experiment.Outcome{Version: version, Error: "broken"}
	}
	var cells []experiment.SweepCell
	want := map[string]string{} // whose outcome is kept
	for _, c := range []struct {
		id           string
		mine, theirs *experiment.Outcome
		want         string
	}{
		{"both", result("mine"), result("theirs"), "mine"},
		{"my result", result("mine"), failure("theirs"), "mine"},
		{"their result", failure("mine"), result("theirs"), "theirs"},
		{"failures", failure("mine"), failure("theirs"), "mine"},
		{"their failure", nil, failure("theirs"), "theirs"},
		{"mine alone", result("mine"), nil, "mine"},
		{"nobody's", nil, nil, ""},
	} {
		for s, o := range map[*experiment.Store]*experiment.Outcome{store: c.mine, from: c.theirs} {
			if o == nil {
				continue
			}
			o.ID = c.id
			if err := s.Put(o); err != nil {
				t.Fatal(err)
			}
		}
		cells, want[c.id] = append(cells, experiment.SweepCell{ID: c.id}), c.want
	}
	if err := store.Take(other, cells); err != nil {
		t.Fatal(err)
	}
	for id, want := range want {
		got := ""
		if o, err := store.Get(id); err != nil {
			t.Fatal(err)
		} else if o != nil {
			got = o.Version
		}
		if got != want {
			t.Errorf("%s: kept is %q, want %q", id, got, want)
		}
	}
}

// Two processes may write one folder: a file is one's or the other's, whole.
func TestFoldersAreShared(t *testing.T) {
	path := t.TempDir()
	err := experiment.Each(context.Background(), 200, 8, func(_ context.Context, i int) error {
		d, err := experiment.OpenDir(path)
		if err != nil {
			return err
		}
		f, err := d.Create("created")
		if err != nil {
			return err
		}
		content := bytes.Repeat([]byte{byte('a' + i%26)}, 10_000)
		_, err = f.Write(content)
		return errors.Join(err, d.WriteFile("written", content), d.Commit())
	})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) != 2 {
		t.Fatalf("%v, %v", entries, err)
	}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(path, e.Name()))
		if err != nil || len(content) != 10_000 || bytes.Count(content, content[:1]) != len(content) {
			t.Errorf("%s: %d bytes, %v", e.Name(), len(content), err)
		}
	}
}
