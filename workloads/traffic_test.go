package workloads

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"berth/sim"
)

// TestTraffic: the levels that reading gives become the demand, cut, repeated
// and ended as the table says; its other keys reach who reads.
func TestTraffic(t *testing.T) {
	for _, c := range []struct {
		traffic Traffic
		horizon float64
		want    []int
	}{
		{Traffic{File: "f"}, 24, []int{1, 2, 3}},
		{Traffic{File: "f"}, 2, []int{1, 2}},
		{Traffic{File: "f", Skip: 1}, 24, []int{2, 3}},
		{Traffic{File: "f", Repeat: true}, 7, []int{1, 2, 3, 1, 2, 3, 1}},
		{Traffic{File: "f", Repeat: true, Skip: 2}, 3, []int{3, 3, 3}},
	} {
		s := &Scenario{HorizonHours: c.horizon, Cluster: Cluster{GPUs: 8}, Services: []Service{{Name: "s", Priority: 1, Traffic: &c.traffic}}}
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "LoadTraffic") {
			t.Errorf("before loading: %v", err)
		}
		err := s.LoadTraffic(func(got *Traffic, step sim.Time) (sim.Curve, error) {
			if got != &c.traffic || step != time.Hour {
				t.Errorf("read with %+v, step %v", got, step)
			}
			return sim.Curve{Step: step, Levels: []int{1, 2, 3}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		w, err := s.Generate(1)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, w.Services[0].Demand.Levels); d != "" {
			t.Errorf("%+v: %s", c.traffic, d)
		}
	}
}

func TestTrafficErrors(t *testing.T) {
	failing := errors.New("cannot be read")
	for _, c := range []struct {
		service Service
		says    string
	}{
		{Service{Traffic: &Traffic{}}, "file is missing"},
		{Service{Traffic: &Traffic{File: "f"}, Demand: []int{1}}, "exclude"},
		{Service{Traffic: &Traffic{File: "f"}, Peak: 3}, "exclude"},
		{Service{Traffic: &Traffic{File: "f", Scale: -1}}, "scale = -1"},
		{Service{Traffic: &Traffic{File: "f", Target: 2}}, "target = 2"},
		{Service{Traffic: &Traffic{File: "f", Skip: 9}}, "no full step"},
		{Service{Traffic: &Traffic{File: "bad"}}, "cannot be read"},
	} {
		c.service.Name, c.service.Priority = "s", 1
		s := &Scenario{HorizonHours: 4, Cluster: Cluster{GPUs: 8}, Services: []Service{c.service}}
		err := s.LoadTraffic(func(tr *Traffic, step sim.Time) (sim.Curve, error) {
			if tr.File == "bad" {
				return sim.Curve{}, failing
			}
			return sim.Curve{Step: step, Levels: []int{1}}, nil
		})
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "service 1 (s): traffic: ") {
			t.Errorf("%+v: error %v, want %q", c.service.Traffic, err, c.says)
		}
	}
}
