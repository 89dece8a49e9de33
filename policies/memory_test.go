package policies_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"berth/policies"
	"berth/sim"
	"berth/sim/hardware"
	"berth/sim/metrics"
	"berth/traces"
)

// log writes a mix of jobs as SWF without holding it.
type log struct {
	mix
	rest []byte
}

func (l *log) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		var j sim.Job
		if ok, _ := l.Next(&j); !ok {
			return 0, io.EOF
		}
		l.rest = fmt.Appendf(l.rest, "%d %d -1 %d %d -1 -1 -1 -1 -1 1 7 1 -1 -1 -1 -1 -1\n", j.ID, j.Submit/1e9, j.Duration/1e9, j.MaxGPUs)
	}
	n := copy(p, l.rest)
	l.rest = l.rest[:copy(l.rest, l.rest[n:])]
	return n, nil
}

// inUse is an observer that looks at what is in use, a hundred times a run.
type inUse struct {
	sim.IgnoreAll
	every, ended int
	peak         uint64
}

func (h *inUse) JobEnded(sim.Time, *sim.ActiveJob) {
	if h.ended++; h.ended%h.every == 0 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		h.peak = max(h.peak, m.HeapAlloc)
	}
}

// TestReplayMemoryIsFlat: a log ten times as long needs no more memory to be
// read, replayed, measured and written down, once samples are counted.
func TestReplayMemoryIsFlat(t *testing.T) {
	peak := func(jobs int) uint64 {
		trace, err := traces.NewReader(&log{mix: mix{left: jobs}}, "x", traces.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer trace.Close()
		topology, err := hardware.NewTopology(hardware.Pool{GPUs: 128})
		if err != nil {
			t.Fatal(err)
		}
		p, err := policies.New("easy", policies.Config{})
		if err != nil {
			t.Fatal(err)
		}
		c := metrics.NewCollector(128, metrics.Objective{Gamma: 1, Step: time.Hour})
		for _, s := range []*metrics.Sample{&c.Delays.Wait, &c.Delays.Slowdown, &c.Delays.Turnaround} {
			s.Limit = 1000
		}
		h := &inUse{every: jobs / 100}
		w := &sim.Workload{Topology: topology, Jobs: trace, Alignment: hardware.Scattered}
		err = sim.Run(context.Background(), w, p, c, h, metrics.NewTimeline(), &metrics.Spans{}, sim.NewRecorder(io.Discard, io.Discard, io.Discard))
		if err != nil {
			t.Fatal(err)
		}
		if n := c.Report().Jobs.Completed; n != jobs {
			t.Fatalf("%d jobs of %d", n, jobs)
		}
		return h.peak
	}
	short, long := peak(80_000), peak(800_000)
	t.Logf("heap in use: %d KiB for 80,000 jobs, %d KiB for 800,000", short>>10, long>>10)
	if long > short+512<<10 {
		t.Errorf("heap in use: %d bytes for 80,000 jobs, %d for 800,000", short, long)
	}
}
