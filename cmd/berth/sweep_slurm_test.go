package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startSlurm runs Slurm on this machine for one test: munged, slurmctld and
// slurmd under a folder of their own; with accounts, also slurmdbd and its
// MariaDB. Its environment makes the commands find it.
func startSlurm(t *testing.T, accounts bool) {
	tools := []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel"}
	if accounts {
		for _, tool := range []string{"slurmdbd", "mariadbd", "mariadb-install-db", "sacct"} {
			need(t, tool, "Slurm's accounts are not tested (Debian: slurmdbd slurm-wlm-mysql-plugin mariadb-server)")
		}
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("BERTH_REQUIRE_SLURM") != "" {
				t.Fatalf("BERTH_REQUIRE_SLURM is set and %s is not installed", tool)
			}
			t.Skipf("%s is not installed (Debian: slurm-wlm)", tool)
		}
	}
	if os.Getuid() != 0 {
		if os.Getenv("BERTH_REQUIRE_SLURM") != "" {
			t.Fatal("BERTH_REQUIRE_SLURM is set and slurmd needs root")
		}
		t.Skip("slurmd needs root to run jobs")
	}
	dir, err := os.MkdirTemp("", "slurm") // short: a socket's path holds 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"state", "spool", "munge"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	key := filepath.Join(dir, "munge", "key")
	if err := os.WriteFile(key, []byte(strings.Repeat("a key of one test", 8)), 0o400); err != nil {
		t.Fatal(err)
	}
	port := 20000 + 4*(os.Getpid()%5000)
	socket := filepath.Join(dir, "munge", "socket")
	storage := "AccountingStorageType=accounting_storage/none"
	if accounts {
		storage = fmt.Sprintf("AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=127.0.0.1\nAccountingStoragePort=%d\nAccountingStoragePass=%s", port+2, socket)
	}
	conf := write(t, dir, "slurm.conf", fmt.Sprintf(`ClusterName=berth
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=%[2]s
SlurmdUser=%[2]s
AuthType=auth/munge
AuthInfo=socket=%[3]s
CredType=cred/munge
SlurmctldPort=%[4]d
SlurmdPort=%[5]d
StateSaveLocation=%[6]s/state
SlurmdSpoolDir=%[6]s/spool
SlurmctldPidFile=%[6]s/slurmctld.pid
SlurmdPidFile=%[6]s/slurmd.pid
SlurmctldParameters=enable_configless
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
JobAcctGatherType=jobacct_gather/none
%[7]s
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`, host, me.Username, socket, port, port+1, dir, storage))
	t.Setenv("SLURM_CONF", conf)
	daemon(t, dir, "munged", "--foreground", "--force", "--key-file="+key, "--socket="+socket,
		"--pid-file="+filepath.Join(dir, "munge", "pid"), "--log-file="+filepath.Join(dir, "munge", "log"), "--seed-file="+filepath.Join(dir, "munge", "seed"))
	await(t, 10*time.Second, "munged", func() bool { _, err := os.Stat(socket); return err == nil })
	if accounts {
		startAccounts(t, dir, me.Username, socket, port)
	}
	daemon(t, dir, "slurmctld", "-D", "-f", conf)
	daemon(t, dir, "slurmd", "-D", "-N", host, "-f", conf)
	await(t, 30*time.Second, "an idle node", func() bool {
		out, _ := exec.Command("sinfo", "-h", "-o", "%T").Output()
		return strings.TrimSpace(string(out)) == "idle"
	})
}

// startAccounts runs MariaDB and slurmdbd.
func startAccounts(t *testing.T, dir, user, munge string, port int) {
	data, sql := filepath.Join(dir, "db"), filepath.Join(dir, "sql")
	if out, err := exec.Command("mariadb-install-db", "--no-defaults", "--datadir="+data, "--user="+user, "--auth-root-authentication-method=normal").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	daemon(t, dir, "mariadbd", "--no-defaults", "--datadir="+data, "--user="+user, "--socket="+sql, "--bind-address=127.0.0.1", fmt.Sprint("--port=", port+3))
	await(t, 30*time.Second, "MariaDB", func() bool { _, err := os.Stat(sql); return err == nil })
	conf := write(t, dir, "slurmdbd.conf", fmt.Sprintf(`DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=%d
SlurmUser=%s
AuthType=auth/munge
AuthInfo=socket=%s
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=%d
StorageUser=root
StorageLoc=slurm
PidFile=%s/slurmdbd.pid
`, port+2, user, munge, port+3, dir))
	if err := os.Chmod(conf, 0o600); err != nil { // slurmdbd insists
		t.Fatal(err)
	}
	daemon(t, dir, "slurmdbd", "-D")
	await(t, 30*time.Second, "answer of slurmdbd", func() bool {
		return exec.Command("sacctmgr", "-n", "show", "cluster").Run() == nil
	})
}

// daemon starts a program and stops it at the end of the test.
func daemon(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	log, err := os.Create(filepath.Join(dir, name+".out"))
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		timer := time.AfterFunc(5*time.Second, func() { _ = c.Process.Kill() })
		_ = c.Wait()
		timer.Stop()
		log.Close()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("%s: %s", name, text[max(0, len(text)-1500):])
		}
	})
}

func await(t *testing.T, limit time.Duration, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s after %v", what, limit)
		}
	}
}

// An array of shards and a merge give the bytes of one machine; a lost task is
// found and submitted again.
func TestSlurm(t *testing.T) {
	startSlurm(t, false)
	dir := t.TempDir()
	write(t, dir, "s.toml", smallSweep)
	berth(t, dir, "sweep", "s.toml", "-o", "one")
	submit := func() string {
		t.Helper()
		stdout, stderr, status := berth(t, dir, "sweep", "submit", "s.toml", "--engine", "slurm", "--shards", "3", "-o", "o")
		if status != 0 {
			t.Fatalf("status %d: %s", status, stderr)
		}
		return stdout
	}
	merged := func() {
		t.Helper()
		await(t, 60*time.Second, "empty queue", func() bool {
			out, err := exec.Command("squeue", "-h").Output()
			return err == nil && len(out) == 0
		})
		for _, name := range []string{"results.csv", "results.parquet", "manifest.json"} {
			if read(t, dir, "o", name) != read(t, dir, "one", name) {
				t.Errorf("%s differs from that of one machine", name)
			}
		}
	}
	if out := submit(); !strings.Contains(out, "shards 1,2,3 of 3") {
		t.Errorf("submit: %s", out)
	}
	merged()
	if out := submit(); !strings.Contains(out, "nothing to submit") {
		t.Errorf("submit again: %s", out)
	}

	// A task that never wrote its cells: those of shard 2 are gone.
	s, err := loadSweep(filepath.Join(dir, "s.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range s.cells {
		if i%3 == 1 {
			if err := os.Remove(filepath.Join(dir, "o", "cells", c.ID+".json")); err != nil {
				t.Fatal(err)
			}
		}
	}
	os.Remove(filepath.Join(dir, "o", "results.csv"))
	if out, _, _ := berth(t, dir, "sweep", "status", "s.toml", "-o", "o"); !strings.Contains(out, "lost: shards 2;") {
		t.Errorf("status: %s", out)
	}
	if out := submit(); !strings.Contains(out, "shards 2 of 3") {
		t.Errorf("resubmit: %s", out)
	}
	merged()
}

// Where Slurm keeps accounts, status says how the task of a lost shard ended:
// here it completed, and its cells are gone.
func TestSlurmAccounts(t *testing.T) {
	startSlurm(t, true)
	dir := t.TempDir()
	write(t, dir, "s.toml", smallSweep)
	if _, stderr, status := berth(t, dir, "sweep", "submit", "s.toml", "--shards", "3", "-o", "o"); status != 0 {
		t.Fatal(stderr)
	}
	await(t, 60*time.Second, "empty queue", func() bool {
		out, err := exec.Command("squeue", "-h").Output()
		return err == nil && len(out) == 0
	})
	s, err := loadSweep(filepath.Join(dir, "s.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(s.cells); i += 3 {
		if err := os.Remove(filepath.Join(dir, "o", "cells", s.cells[i].ID+".json")); err != nil {
			t.Fatal(err)
		}
	}
	await(t, 20*time.Second, "account of the lost task", func() bool {
		out, _, _ := berth(t, dir, "sweep", "status", "s.toml", "-o", "o")
		return strings.Contains(out, "lost: completed") && strings.Contains(out, "lost: shards 2;")
	})
}

// With accounts, status says how a lost task ended, by its last submission;
// without, the folder and the queue still find it. The programs are stand-ins
// that print in the form that Slurm's manual gives.
func TestLostTasksByAccounts(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	write(t, dir, "s.toml", smallSweep)
	if err := os.MkdirAll(filepath.Join(dir, "o", "slurm"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "o", "slurm"), "jobs.json", `{"shards": 5, "arrays": ["7", "9"], "merge": "10"}`)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	program := func(name, script string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program("squeue", "echo '9 4 RUNNING'; echo '9 5 PENDING'; echo '8 1 RUNNING'; echo '9 2 COMPLETING'\n")
	for accounts, want := range map[string][]string{
		"printf '7_1|TIMEOUT\\n7_2|NODE_FAIL\\n7_3|COMPLETED\\n9_4|RUNNING\\n9_[5]|PENDING\\n9_1|OUT_OF_MEMORY\\n9_2|CANCELLED by 1000\\n'": {
			"lost: out_of_memory", "lost: cancelled", "lost: completed", "running", "pending"},
		"echo 'Slurm accounting storage is disabled' >&2; exit 1": {"lost", "lost", "lost", "running", "pending"},
	} {
		program("sacct", accounts+"\n")
		out, stderr, status := berth(t, dir, "sweep", "status", "s.toml", "-o", "o")
		if status != 0 || !strings.Contains(out, "lost: shards 1,2,3;") {
			t.Fatalf("status %d: %s%s", status, out, stderr)
		}
		for i, line := range strings.Split(out, "\n")[1:6] {
			if !strings.HasSuffix(line, "  "+want[i]) {
				t.Errorf("%q; want %s", line, want[i])
			}
		}
	}
}
