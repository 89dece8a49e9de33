//go:build !unix

package exec

import osexec "os/exec"

func ownGroup(*osexec.Cmd) {}

// kill ends a program that was started.
func kill(cmd *osexec.Cmd) { _ = cmd.Process.Kill() }
