package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // for hours, where the system has no time zones: containers, Windows

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/frontier/cluster/broker"
)

// echo is how long a signal may come again without being a second one: timeout and other wrappers send it to the process and then
// to its group, which the process is in.
const echo = 250 * time.Millisecond

func main() {
	broker.Main() // a process that "cluster dev" has started is a broker, and does not return
	cli.LimitMemory(cli.MaxMemory())
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	inBackground := signal.Ignored(os.Interrupt) // of a shell script: without us the signal would be ignored again
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, func() { // the first signal drains; from then on the next one ends the process at once
		<-time.After(echo)
		again := make(chan os.Signal, 1)
		if inBackground {
			signal.Notify(again, os.Interrupt)
		}
		stop()
		<-again
		os.Exit(128 + int(syscall.SIGINT))
	})
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
