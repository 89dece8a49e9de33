package exec_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	osexec "os/exec"
	"testing"
	"time"

	"berth/policies/exec"
	"berth/sim"
	"berth/sim/hardware"
)

// firstCome answers each round by starting what became eligible, with as
// little reading of JSON as that takes: what is measured is berth.
func firstCome() {
	in := bufio.NewScanner(os.Stdin)
	out := []byte("{\"protocol\":1}\n")
	for in.Scan() {
		if bytes.HasPrefix(in.Bytes(), []byte(`{"type":"instant"`)) {
			_, rest, _ := bytes.Cut(in.Bytes(), []byte(`"round":`))
			round, rest, _ := bytes.Cut(rest, []byte(","))
			_, rest, ok := bytes.Cut(rest, []byte(`"eligible":[`))
			line, _, _ := bytes.Cut(rest, []byte("]"))
			out = append(append(out[:0], `{"round":`...), round...)
			if ok {
				out = append(append(append(out, `,"decisions":[{"line":[`...), line...), "]}]"...)
			}
			out = append(out, "}\n"...)
		}
		_, _ = os.Stdout.Write(out)
	}
}

// firstComePython is the same in Python.
const firstComePython = `
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        a = {"protocol": 1}
    else:
        a = {"round": m["round"], "decisions": [{"line": m.get("eligible", [])}]}
    sys.stdout.write(json.dumps(a) + "\n")
    sys.stdout.flush()
`

// ticks are jobs of one GPU a second apart, which run for half a second: two
// rounds a job.
type ticks struct {
	n, jobs int
	going   func() // called once the program runs
}

func (s *ticks) Next(j *sim.Job) (bool, error) {
	if s.n == s.jobs {
		return false, nil
	}
	if s.n++; s.n == 3 {
		s.going()
	}
	*j = sim.Job{ID: int64(s.n), Submit: sim.Time(s.n) * time.Second, Priority: 1, MinGPUs: 1, MaxGPUs: 1, Duration: time.Second / 2, Estimate: time.Second / 2}
	return true, nil
}

// rounds makes b.N rounds with a program.
func rounds(b *testing.B, command []string) {
	node, _ := hardware.NewTopology(hardware.Pool{GPUs: 16})
	w := &sim.Workload{Topology: node, Alignment: hardware.Scattered, Jobs: &ticks{jobs: 3 + b.N/2, going: b.ResetTimer}}
	if err := sim.Run(context.Background(), w, exec.New(exec.Config{Command: command})); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRounds is the time of one decision round of a trivial policy.
func BenchmarkRounds(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range []struct {
		name    string
		command []string
	}{{"go", []string{self, "answer", "first-come"}}, {"python", []string{"python3", "-c", firstComePython}}} {
		b.Run(p.name, func(b *testing.B) {
			if _, err := osexec.LookPath(p.command[0]); err != nil {
				b.Skip(p.command[0] + " is not there")
			}
			b.ReportAllocs()
			rounds(b, p.command)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rounds/s")
		})
	}
}
