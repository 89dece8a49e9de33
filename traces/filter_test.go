package traces

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"berth/sim"
)

// hourly is a source with an epoch: a job every hour, tenants in turn.
type hourly struct {
	sim.Jobs
	epoch time.Time
}

func (h *hourly) Epoch() (time.Time, bool) { return h.epoch, !h.epoch.IsZero() }

func newHourly(n int, epoch time.Time) *hourly {
	h := &hourly{epoch: epoch}
	for i := range n {
		h.List = append(h.List, sim.Job{ID: int64(i), Submit: sim.Time(i) * time.Hour, Tenant: string(rune('a' + i%3)), Duration: 1, MinGPUs: 1, MaxGPUs: 1})
	}
	return h
}

func filtered(t *testing.T, f Filter, src sim.Source) (ids []int64, at []sim.Time, s *Filtered) {
	t.Helper()
	s, err := f.Apply(src)
	if err != nil {
		t.Fatal(err)
	}
	for {
		var j sim.Job
		ok, err := s.Next(&j)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return ids, at, s
		}
		ids, at = append(ids, j.ID), append(at, j.Submit)
	}
}

func instant(t *testing.T, text string) Instant {
	t.Helper()
	i, err := ParseInstant(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestFilter(t *testing.T) {
	epoch := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	ids, at, s := filtered(t, Filter{From: instant(t, "2h"), Until: instant(t, "2020-01-01 06:00:00"), ScaleLoad: 2}, newHourly(9, epoch))
	if d := cmp.Diff([]int64{2, 3, 4, 5}, ids); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]sim.Time{0, 30 * time.Minute, time.Hour, 90 * time.Minute}, at); d != "" {
		t.Error(d)
	}
	if e, ok := s.Epoch(); !ok || !e.Equal(epoch.Add(2*time.Hour)) {
		t.Errorf("epoch %v", e)
	}
	ids, _, _ = filtered(t, Filter{Tenants: []string{"b"}}, newHourly(7, time.Time{}))
	if d := cmp.Diff([]int64{1, 4}, ids); d != "" {
		t.Error(d)
	}
}

// TestSample: a sample has about the share asked for, is the same for the same
// seed, and choosing a tenant takes from the same sample.
func TestSample(t *testing.T) {
	const n = 10_000
	all, _, _ := filtered(t, Filter{Sample: 0.3, Seed: 7}, newHourly(n, time.Time{}))
	if share := float64(len(all)) / n; share < 0.28 || share > 0.32 { // more than four standard deviations
		t.Errorf("share %v", share)
	}
	again, _, _ := filtered(t, Filter{Sample: 0.3, Seed: 7}, newHourly(n, time.Time{}))
	if !slices.Equal(all, again) {
		t.Error("another sample for the same seed")
	}
	one, _, _ := filtered(t, Filter{Sample: 0.3, Seed: 7, Tenants: []string{"a"}}, newHourly(n, time.Time{}))
	if want := slices.DeleteFunc(all, func(id int64) bool { return id%3 != 0 }); !slices.Equal(one, want) {
		t.Error("the tenant's jobs are not those of the sample")
	}
}

func TestFilterErrors(t *testing.T) {
	for _, f := range []Filter{{Sample: -1}, {Sample: 2}, {ScaleLoad: -1}, {ScaleLoad: 1e9}} {
		if _, err := f.Apply(newHourly(1, time.Time{})); err == nil {
			t.Errorf("%+v is accepted", f)
		}
	}
	s, _ := Filter{From: instant(t, "2020-01-01")}.Apply(newHourly(1, time.Time{}))
	if _, err := s.Next(&sim.Job{}); err == nil || !strings.Contains(err.Error(), "calendar time of the trace is not known") {
		t.Errorf("error %v", err)
	}
	for _, text := range []string{"", "x", "-3", "2020-13-01", "1e300", "d"} {
		if _, err := ParseInstant(text, nil); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	if i := instant(t, "1.5d"); i.Since != 36*time.Hour {
		t.Errorf("1.5d is %v", i.Since)
	}
}
