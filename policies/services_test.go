package policies_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"berth/policies"
	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"
)

// held notes how many GPUs the first service holds, over time.
type held struct {
	sim.IgnoreAll
	text *string
}

func (h held) ServiceChanged(now sim.Time, s *sim.ActiveService, _, _ []hardware.Range) {
	*h.text += fmt.Sprintf("%v:%d ", now, s.Held)
}

func runService(t *testing.T, s sim.Service, jobs []sim.Job, name string, c policies.Config) (string, *metrics.Report) {
	t.Helper()
	topology, err := hardware.NewTopology(hardware.Pool{GPUs: 8})
	if err != nil {
		t.Fatal(err)
	}
	p, err := policies.New(name, c)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	collector := metrics.NewCollector(8, metrics.Objective{Gamma: 1, Lambda: 1, Step: time.Hour})
	w := &sim.Workload{Topology: topology, Horizon: 8 * time.Hour, Services: []sim.Service{s}, Jobs: &sim.Jobs{List: jobs}}
	if err := sim.Run(context.Background(), w, p, collector, held{text: &text}); err != nil {
		t.Fatal(err)
	}
	return text, collector.Report()
}

// A service whose GPUs are held by a job that overruns gets them as soon as the
// job lets go, not at the next step.
func TestServiceRecoversFromAnOverrun(t *testing.T) {
	s := sim.Service{Name: "chat", Priority: 1, Max: 8, Demand: sim.Curve{Step: time.Hour, Levels: []int{1, 1, 8, 8, 1}}}
	job := sim.Job{ID: 1, MinGPUs: 4, MaxGPUs: 4, Priority: 1, Duration: 150 * time.Minute, Estimate: 2 * time.Hour}
	for _, policy := range []string{"fcfs", "easy", "fifo"} {
		got, _ := runService(t, s, []sim.Job{job}, policy, policies.Config{Reserve: "curve"})
		if want := "0s:1 2h0m0s:4 2h30m0s:8 4h0m0s:1 5h0m0s:0 "; got != want {
			t.Errorf("%s: %s, want %s", policy, got, want)
		}
	}
}

// Where there is room, horizon follows demand that exceeds its forecast, and
// what follows forecasts that are too high is idle, not missing.
func TestHorizonReactsToDemand(t *testing.T) {
	s := sim.Service{Name: "chat", Priority: 1, Max: 8, Demand: sim.Curve{Step: time.Hour, Levels: []int{1, 3, 6, 2, 5, 1}}}
	for _, bias := range []float64{-0.5, 0, 0.5} {
		text, r := runService(t, s, nil, "horizon", policies.Config{Gamma: 0.97, Lambda: 8, Budget: "5", DemandBias: bias})
		if r.ShortfallGPUHours > 1e-9 || r.GPUHours.Realtime != 18 {
			t.Errorf("bias %v: shortfall %v, real-time %v GPU-hours (%s)", bias, r.ShortfallGPUHours, r.GPUHours.Realtime, text)
		}
		if bias <= 0 && r.GPUHours.ReservedIdle > 1e-9 {
			t.Errorf("bias %v: %v GPU-hours idle (%s)", bias, r.GPUHours.ReservedIdle, text)
		}
	}
	// A swap cap of 1 lets it follow a step behind the rise from 1 to 3 and to 6.
	s.SwapCap = 1
	if _, r := runService(t, s, nil, "horizon", policies.Config{Gamma: 0.97, Lambda: 8, Budget: "5", DemandBias: -0.99}); r.ShortfallGPUHours == 0 {
		t.Error("a swap cap of 1 does not hold the service back")
	}
}

// Between steps, horizon does not start a job that would run into the next
// step, which a service needs.
func TestHorizonLooksAheadBetweenSteps(t *testing.T) {
	s := sim.Service{Name: "chat", Priority: 1, Max: 8, Demand: sim.Curve{Step: time.Hour, Levels: []int{0, 8, 8, 0}}}
	job := sim.Job{ID: 1, Submit: 30 * time.Minute, MinGPUs: 8, MaxGPUs: 8, Priority: 1, Duration: 45 * time.Minute, Estimate: 45 * time.Minute}
	got, r := runService(t, s, []sim.Job{job}, "horizon", policies.Config{Gamma: 0.97, Lambda: 8, Budget: "20"})
	if r.ShortfallGPUHours != 0 || r.Jobs.Completed != 1 || r.WaitSeconds.Mean != 2.5*3600 {
		t.Errorf("shortfall %v, %+v, wait %+v (%s)", r.ShortfallGPUHours, r.Jobs, r.WaitSeconds, got)
	}
}
