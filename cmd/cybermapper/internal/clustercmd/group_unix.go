//go:build unix

package clustercmd

import (
	"os/exec"
	"syscall"
)

// setGroup lets Ctrl-C at a terminal reach this process only, which passes it on once: the second one would end a node at once.
func setGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
