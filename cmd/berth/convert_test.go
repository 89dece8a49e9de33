package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A trace that is written in berth's own format and read again gives the same
// run; so do its parts and other spellings of the same options.
func TestConvert(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "log.swf", smallTrace)
	_, stderr, status := berth(t, dir, "trace", "convert", "log.swf", "--to", "berth", "-o", "log.csv")
	if status != 0 || !strings.Contains(stderr, "5 lines, 4 rows: 3 jobs, 1 rejected") {
		t.Fatalf("status %d, %s", status, stderr)
	}
	summary := func(args ...string) string {
		out, stderr, status := berth(t, dir, append([]string{"run"}, args...)...)
		if status != 0 {
			t.Fatalf("%v: status %d, %s", args, status, stderr)
		}
		var m map[string]any
		if err := json.Unmarshal([]byte(out), &m); err != nil {
			t.Fatal(err)
		}
		delete(m, "scenario")
		text, _ := json.Marshal(m)
		return string(text)
	}
	options := []string{"--policy", "fcfs", "--json", "--figures=false", "-o", "out"}
	a := summary(append([]string{"log.swf"}, options...)...)
	b := summary(append([]string{"log.csv"}, options...)...)
	if a != b {
		t.Errorf("SWF gives\n%s\nits conversion\n%s", a, b)
	}
	part := summary(append([]string{"log.swf", "--set", "trace.from=1", "--set", "trace.until=3s"}, options...)...)
	if !strings.Contains(part, `"submitted":1`) {
		t.Errorf("of the jobs at 0, 1 and 2 s, of which that at 2 is too large, [1 s, 3 s) has %s", part)
	}

	out, _, status := berth(t, dir, "trace", "convert", "log.swf", "--to", "batsim", "-o", "-", "--until", "1s")
	if status != 0 || !strings.Contains(out, `"profile": "delay10"`) || strings.Count(out, `"id"`) != 1 {
		t.Errorf("status %d, %s", status, out)
	}
	if _, stderr, status := berth(t, dir, "trace", "convert", "log.swf", "--to", "swf", "-o", "nowhere/x"); status != exitFailed {
		t.Errorf("status %d, %s", status, stderr)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Remedies are named as the command takes them, and do remedy.
func TestRemedies(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "pods.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"+
		"a,1000,1,1,1000,,LS,Succeeded,0,10,0\nb,1000,1,9,1000,,LS,Succeeded,0,10,0\nc,1000,1,1,500,,LS,Succeeded,0,5,5\n")
	write(t, dir, "nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,1024,2,P100\nn1,96000,1024,8,T4\n")
	out, _, _ := berth(t, dir, "trace", "info", "pods.csv", "--gpus", "8")
	for _, says := range []string{"--gpus 9 admits all", "--min-run 1s raises it"} {
		if !strings.Contains(out, says) {
			t.Errorf("no %q in %s", says, out)
		}
	}
	out, _, _ = berth(t, dir, "trace", "info", "pods.csv", "--min-run", "1s", "--nodes", "nodes.csv")
	if !strings.Contains(out, "3 rows: 3 jobs, 0 rejected") || !strings.Contains(out, "of 10 GPUs") {
		t.Error(out)
	}
	out, stderr, status := berth(t, dir, "run", "pods.csv", "--policy", "fcfs", "--set", "trace.nodes=nodes.csv", "--set", "trace.min_run=1s", "--json", "--figures=false", "-o", "out")
	if status != 0 || !strings.Contains(out, `"gpus": 10`) || !strings.Contains(out, `"completed": 3`) {
		t.Errorf("status %d, %s%s", status, stderr, out)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "out", "manifest.json"))
	if err != nil || !strings.Contains(string(manifest), "nodes.csv") || !strings.Contains(string(manifest), "pods.csv") {
		t.Errorf("error %v, manifest %s", err, manifest)
	}
	for _, c := range [][]string{
		{"trace", "info", "pods.csv", "--zone", "Mars"},
		{"trace", "info", "pods.csv", "--min-run", "x"},
		{"trace", "info", "pods.csv", "--origin", "3h"},
		{"trace", "convert", "pods.csv", "--to", "philly-csv", "-o", "x"},
		{"trace", "convert", "pods.csv"},
	} {
		if _, stderr, status := berth(t, dir, c...); status != exitUsage || !strings.Contains(stderr, "--") {
			t.Errorf("%v: status %d, %s", c, status, stderr)
		}
	}
	if _, stderr, status := berth(t, dir, "run", "pods.csv", "--set", "trace.record_end=x", "--set", "cluster.gpus=9"); status != exitInvalid || !strings.Contains(stderr, "trace.record_end") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// A service follows recorded requests: 600 tokens written in the first minute
// at 5 a second and GPU, half of the time, are 4 GPUs; none in the second.
func TestServiceTraffic(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "asked.csv", "Timestamp,Request tokens,Response tokens\n0,0,300\n30,0,300\n70,10,0\n130,0,0\n")
	scenario := "horizon_hours = 1\nstep_minutes = 1\n[cluster]\ngpus = 8\n[[service]]\nname = \"chat\"\npriority = 1\nswap_cap = 0\n[service.traffic]\n"
	write(t, dir, "s.toml", scenario+"file = \"asked.csv\"\ndecode = 5\ntarget = 0.5\nreplica = 2\n")
	_, stderr, status := berth(t, dir, "run", "s.toml", "--policy", "fifo", "--figures=false", "-o", "out")
	if status != 0 {
		t.Fatal(stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", "services.csv"))
	if err != nil || !strings.Contains(string(text), "\n0,chat,4,") || !strings.Contains(string(text), "\n60,chat,0,") {
		t.Errorf("error %v, %s", err, text)
	}
	for table, says := range map[string]string{
		"file = \"gone.csv\"\ndecode = 5\n":            "gone.csv",
		"file = \"asked.csv\"\n":                       "all 0",
		"file = \"asked.csv\"\nspeed = 5\n":            "s.toml:11: unknown key",
		"file = \"asked.csv\"\ndecode = 5\nscale=-1\n": "scale = -1",
	} {
		write(t, dir, "s.toml", scenario+table)
		if _, stderr, status := berth(t, dir, "run", "s.toml", "--policy", "fifo"); status != exitInvalid || !strings.Contains(stderr, says) {
			t.Errorf("%q: status %d, %s", table, status, stderr)
		}
	}
}
