//go:build unix

package exec

import (
	osexec "os/exec"
	"syscall"
)

// ownGroup puts the program in a process group of its own, so that it ends
// together with the programs that it runs, and an interruption from the
// keyboard reaches berth alone.
func ownGroup(cmd *osexec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the group of a program that was started.
func kill(cmd *osexec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
