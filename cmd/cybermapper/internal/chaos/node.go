package chaos

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// A node is a job of one who takes part, and the process that works on it.
type node struct {
	run  *Run
	name string
	bind string // where the process asks from, which no other did
	env  string // a variable for its environment; empty for none
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended
}

// start starts a process.
func (n *node) start() error {
	log, err := os.OpenFile(n.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer log.Close()
	r := n.run
	n.bind = fmt.Sprintf("127.0.%d.%d", 200+r.starts/250, 1+r.starts%250)
	r.starts++
	n.cmd = exec.Command(r.Command)
	n.cmd.Args = []string{
		"cybermapper", "crawl", "--config", r.config, "--job", n.job(), "--bind", n.bind, "--seeds", r.seeds(), "--depth", "-1",
		"--quiet", "--log-level", "warn",
	}
	n.cmd.Stdout, n.cmd.Stderr = log, log
	if n.env != "" {
		n.cmd.Env = append(os.Environ(), n.env)
	}
	if err := n.cmd.Start(); err != nil {
		return err
	}
	cmd, done := n.cmd, make(chan struct{})
	n.done = done
	go func() { cmd.Wait(); close(done) }() // kill, leave or end wait for it
	return nil
}

func (n *node) job() string { return filepath.Join(n.run.jobs(), n.name) }

func (n *node) log() string { return filepath.Join(n.run.Work, n.name+".log") }

func (n *node) hasEnded() bool {
	select {
	case <-n.done:
		return true
	default:
		return false
	}
}

// kill ends the process without any farewell.
func (n *node) kill() {
	if n.hasEnded() {
		return
	}
	n.cmd.Process.Kill()
	<-n.done
	n.run.dead[n.bind] = time.Now()
}

// leave asks the process to end, which it should do soon.
func (n *node) leave() {
	n.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-n.done:
	case <-time.After(20 * time.Second):
		n.run.mistake("%s does not leave", n.name)
		n.kill()
		return
	}
	const interrupted = 130
	if code := n.cmd.ProcessState.ExitCode(); code != interrupted && code != 0 {
		n.run.mistake("%s left with %d; see %s", n.name, code, n.log())
	}
}
