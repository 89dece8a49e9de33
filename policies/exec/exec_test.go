package exec_test

// What happens when a program does what it should, and when it does not.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/policies/exec"
	"berth/sim"
	"berth/sim/hardware"
)

// TestMain makes the test binary a program that answers when it is told to.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "answer" {
		answer(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// answer answers hello, and then each round with the decisions that a script
// says; several rounds are separated by "|", the last is repeated. Some words
// stand for what a program should not do.
func answer(script string) {
	if script == "first-come" {
		firstCome()
		return
	}
	in := bufio.NewReader(os.Stdin)
	hello, rounds, ok := strings.Cut(script, "||")
	if !ok {
		hello, rounds = `{"protocol":1}`, script
	}
	says := strings.Split(rounds, "|")
	for n := 0; ; n++ {
		if _, err := in.ReadString('\n'); err != nil {
			if rounds == "stay" {
				time.Sleep(time.Hour)
			}
			return
		}
		if n == 0 {
			fmt.Println(hello)
			continue
		}
		switch text := says[min(n, len(says))-1]; text {
		case "die":
			fmt.Fprintln(os.Stderr, "first I said", strings.Repeat("something long, ", 1000))
			fmt.Fprintln(os.Stderr, "then I died")
			os.Exit(7)
		case "half":
			fmt.Printf(`{"round":%d`, n)
			os.Exit(0)
		case "sleep":
			time.Sleep(time.Hour)
		case "child": // which keeps everything open
			child := osexec.Command("sleep", "3600")
			child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
			_ = child.Start()
			os.Exit(0)
		case "close":
			os.Stdout.Close()
			time.Sleep(time.Hour)
		case "late":
			fmt.Printf("{\"round\":%d}\n", n-1)
		case "stay": // when the input ends
			fmt.Printf("{\"round\":%d}\n", n)
		default:
			if !strings.HasPrefix(text, "[") {
				fmt.Println(text)
				continue
			}
			fmt.Printf("{\"round\":%d,\"decisions\":%s}\n", n, text)
		}
	}
}

// program is the command of a program that follows a script.
func program(t testing.TB, script string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{self, "answer", script}
}

// small is a node of four GPUs, a service, and two jobs of two GPUs each that
// come at once, and one that comes later.
func small() *sim.Workload {
	node, _ := hardware.NewTopology(hardware.Pool{GPUs: 4})
	job := func(id int64, at sim.Time) sim.Job {
		return sim.Job{ID: id, Submit: at, Priority: 1, MinGPUs: 2, MaxGPUs: 2, Duration: time.Hour, Estimate: time.Hour}
	}
	return &sim.Workload{
		Name: "small", Topology: node, Horizon: 5 * time.Hour,
		Services: []sim.Service{{Name: "chat", Max: 2, SwapCap: 1, Demand: sim.Curve{Step: time.Hour, Levels: []int{1, 2, 0}}}},
		Jobs:     &sim.Jobs{List: []sim.Job{job(1, 0), job(2, 0), job(3, 90*time.Minute)}},
	}
}

// Each thing that a program can do wrong is an error that says what it did, at
// which round, and what is accepted; and never takes long.
func TestMistakes(t *testing.T) {
	const services, preempt = `{"protocol":1,"features":["services"]}||`, `{"protocol":1,"features":["preempt"]}||`
	for _, c := range []struct {
		script string
		says   []string
		rule   string
	}{
		{`[]|die`, []string{"round 2", "exit status 7", "then I died"}, ""},
		{`half`, []string{"round 1", "exit status 0"}, ""},
		{`sleep`, []string{"round 1", "longer than", "policy.timeout"}, ""},
		{`child`, []string{"round 1"}, ""},
		{`close`, []string{"round 1", "closed its standard output"}, ""},
		{`[]|late`, []string{"to round 1", "round 2 was asked"}, ""},
		{`hm, let me think`, []string{"hm, let me think", `{"round":N,"decisions":[…]}`, "byte 1"}, ""},
		{`{"round":1,"decision":[]}`, []string{"/decision", "unknown"}, ""},
		{`{"round":"1"}`, []string{"/round", "string", "whole number"}, ""},
		{`7`, []string{"number", "object"}, ""},
		{`[{"start":1,"gpus":"2-1"}]`, []string{"/decisions/0/gpus", `"2-1"`, "0-7 12"}, ""},
		{`[{"start":1,"wake":5}]`, []string{"decision 1 of round 1", "2 of the keys line, start"}, ""},
		{`[{"line":[]},{"gpus":"0"}]`, []string{"decision 2 of round 1", "0 of the keys"}, ""},
		{`[{"reject":1}]`, []string{"reason"}, ""},
		{`[{"wake":3600000000000,"reason":"tired"}]`, []string{"wake goes"}, ""},
		{`[{"wake":0}]`, []string{"wake at 0", "not after now"}, ""},
		{`[{"grow":"chat","gpus":"0"}]`, []string{`"services"`, "hello"}, ""},
		{`[{"preempt":1}]`, []string{`"preempt"`, "hello"}, ""},
		{services + `[{"grow":"chat"}]`, []string{"grow needs gpus"}, ""},
		{`{"protocol":2}||[]`, []string{"protocol 2", "1 is accepted"}, ""},
		{`{"protocol":1,"features":["magic"]}||[]`, []string{"magic", "free, preempt, services"}, ""},
		{`welcome||[]`, []string{"welcome", "the answer to hello is not"}, ""},

		{`[{"start":1,"gpus":"0-2"}]`, nil, "demand range"},
		{`[{"start":1,"gpus":"0 2"}]`, nil, "block"},
		{`[{"start":1,"gpus":"0-1"},{"start":2,"gpus":"1-2"}]`, nil, "capacity"},
		{`[{"line":[1,2]},{"start":2}]`, nil, "no interruption"},
		{`[{"start":1,"node":0}]`, nil, "demand range"},
		{`[{"start":9}]`, nil, "existence"},
		{`[{"line":[1,9]}]`, nil, "existence"},
		{`[{"line":[1]},{"reject":1,"reason":"late"}]`, nil, "reject"},
		{services + `[{"grow":"shop","gpus":"0"}]`, nil, "existence"},
		{services + `[{"grow":"chat","gpus":"0-2"}]`, nil, "demand range"},
		{services + `[{"shrink":"chat","gpus":"0"}]`, nil, "capacity"},
		{preempt + `[{"preempt":1}]`, nil, "preemption"},
	} {
		t.Run(c.script, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			timeout := time.Minute
			if c.script == "sleep" || c.script == "child" { // which only the time limit ends
				timeout = 4 * time.Second
			}
			p := exec.New(exec.Config{Command: program(t, c.script), Timeout: timeout})
			err := sim.Run(t.Context(), small(), p)
			if err == nil {
				t.Fatal("no error")
			}
			var rule *sim.RuleError
			if errors.As(err, &rule) != (c.rule != "") || rule != nil && rule.Rule != c.rule {
				t.Errorf("%v; want the rule %q", err, c.rule)
			}
			for _, word := range c.says {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("nothing about %q: %v", word, err)
				}
			}
			if n := len(err.Error()); n > 4096 {
				t.Errorf("an error of %d bytes", n)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
	p := exec.New(exec.Config{Command: []string{"/nowhere/to/be/found"}})
	if err := sim.Run(t.Context(), small(), p); err == nil || !strings.Contains(err.Error(), "/nowhere/to/be/found") {
		t.Errorf("a program that is not there: %v", err)
	}
}

// A run that is interrupted while it waits ends at once, and so does its
// program; a program that ignores the end of its input is ended too.
func TestNothingIsLeftBehind(t *testing.T) {
	for _, script := range []string{"sleep", "stay"} {
		pids := filepath.Join(t.TempDir(), "pids")
		wrapped := append([]string{"sh", "-c", `exec 3<&0; echo $$ > "$0"; "$@" <&3 & echo $! >> "$0"; wait`, pids}, program(t, script)...)
		if script == "stay" {
			wrapped[2] = `echo $$ > "$0"; exec "$@"`
		}
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		if script == "sleep" {
			time.AfterFunc(300*time.Millisecond, cancel)
		}
		err := sim.Run(ctx, small(), exec.New(exec.Config{Command: wrapped}))
		cancel()
		if script == "sleep" && !errors.Is(err, sim.ErrInterrupted) || script == "stay" && err != nil {
			t.Errorf("%s: %v", script, err)
		}
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("%s: it took %v", script, took)
		}
		text, err := os.ReadFile(pids)
		if err != nil {
			t.Fatal(err)
		}
		for _, pid := range strings.Fields(string(text)) {
			n := 0
			fmt.Sscan(pid, &n)
			deadline := time.Now().Add(2 * time.Second) // the system may need a moment for what is not ours to wait for
			for alive(n) && time.Now().Before(deadline) {
				time.Sleep(10 * time.Millisecond)
			}
			if alive(n) {
				t.Errorf("%s: process %d is still there", script, n)
			}
		}
	}
}

// alive reports whether a process runs; one that has ended and that nobody
// has asked about does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// A record answers as the program did; and says at which of its lines a run
// departs from it.
func TestRecord(t *testing.T) {
	const script = `[{"line":[1,2]}]|[]`
	for _, name := range []string{"record.jsonl", "record.jsonl.zst"} {
		path := filepath.Join(t.TempDir(), name)
		if err := sim.Run(t.Context(), small(), exec.New(exec.Config{Command: program(t, script), Record: path})); err != nil {
			t.Fatal(err)
		}
		if err := sim.Run(t.Context(), small(), exec.New(exec.Config{Replay: path})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for says, change := range map[string]func(*sim.Workload){
			":1: the record is of another run: there": func(w *sim.Workload) { w.Services[0].SwapCap = 2 },
			":3: the record is of another run":        func(w *sim.Workload) { w.Jobs.(*sim.Jobs).List[1].Estimate++ },
		} {
			w := small()
			change(w)
			err := sim.Run(t.Context(), w, exec.New(exec.Config{Replay: path}))
			if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v; want %q", name, err, says)
			}
		}
	}
	whole := filepath.Join(t.TempDir(), "record.jsonl")
	if err := sim.Run(t.Context(), small(), exec.New(exec.Config{Command: program(t, script), Record: whole})); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for n, says := range map[int]string{2: ":3: the record ends here", 4: ":5: the record ends here", len(lines): "", len(lines) + 2: fmt.Sprintf(":%d: the record goes on here", len(lines))} {
		changed := strings.Join(append(lines, lines[:2]...)[:n], "")
		if err := os.WriteFile(whole, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		err := sim.Run(t.Context(), small(), exec.New(exec.Config{Replay: whole}))
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%d lines of the record: %v; want %q", n, err, says)
		}
	}
	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	if err := os.WriteFile(bad, []byte("> {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{bad: `bad.jsonl:1: a line {"berth":…} is expected`, "/nowhere.jsonl": "policy.replay"} {
		if err := sim.Run(t.Context(), small(), exec.New(exec.Config{Replay: path})); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want %q", path, err, says)
		}
	}
	nonsense := filepath.Join(t.TempDir(), "nonsense.jsonl")
	asked := sim.Run(t.Context(), small(), exec.New(exec.Config{Command: program(t, "hm, \"what\"?"), Record: nonsense}))
	again := sim.Run(t.Context(), small(), exec.New(exec.Config{Replay: nonsense}))
	if asked == nil || again == nil || asked.Error() != again.Error() {
		t.Errorf("nonsense: %v; from its record: %v", asked, again)
	}
}
