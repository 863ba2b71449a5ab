package clocktest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A Step is a moment at which the wall clock is set.
type Step struct {
	In time.Duration // from now
	By time.Duration // in whole seconds; forward, or back
}

// Steps returns the variable for the environment of programs, one after the other, that were built with Overlay.
func Steps(steps ...Step) string {
	now := monotonic()
	text := make([]string, len(steps))
	for i, s := range steps {
		text[i] = fmt.Sprintf("%d:%d", int64(now+s.In), int64(s.By/time.Second))
	}
	return variable + "=" + strings.Join(text, ",")
}

// UntilStep returns how long it takes until the first step that the environment of this program names; it is negative
// afterwards.
func UntilStep() time.Duration {
	at, _, _ := strings.Cut(os.Getenv(variable), ":")
	n, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		panic(err)
	}
	return time.Duration(n) - monotonic()
}

func monotonic() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}

const variable = "CLOCK_STEPS"

// Overlay is WriteOverlay for a test, which it skips when it cannot help.
func Overlay(t *testing.T) string {
	t.Helper()
	overlay, err := WriteOverlay(t.TempDir())
	if err != nil {
		t.Skip(err)
	}
	return overlay
}

// WriteOverlay writes into dir what the flag -overlay of go build and go test needs to replace the package time, and returns
// the flag's value: the wall clock of time.Now is set as Steps says, and the monotonic clock goes on. It is an error where the
// package is not as it is known here, or there is no Go.
func WriteOverlay(dir string) (overlay string, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	const before = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	if !bytes.Contains(text, []byte(before)) {
		return "", fmt.Errorf("%s is not as it is known here", source)
	}
	patched := strings.Replace(string(text), before, before+"\tsec += stepped(mono)\n", 1)
	config := fmt.Sprintf(`{"Replace":{%q:%q,%q:%q}}`, source, filepath.Join(dir, "time.go"),
		filepath.Join(filepath.Dir(source), "stepped.go"), filepath.Join(dir, "stepped.go"))
	overlay = filepath.Join(dir, "overlay.json")
	for name, content := range map[string]string{"time.go": patched, "stepped.go": stepped, "overlay.json": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			return "", err
		}
	}
	return overlay, nil
}

// stepped goes into package time.
const stepped = `package time

import "syscall"

type clockStep struct{ at, by int64 }

var clockSteps = readClockSteps()

// readClockSteps reads pairs of a time on the monotonic clock and seconds, "AT:BY,AT:BY".
func readClockSteps() (steps []clockStep) {
	text, _ := syscall.Getenv("CLOCK_STEPS")
	var s clockStep
	sign, n := int64(1), int64(0)
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || text[i] == ',':
			if s.at != 0 {
				steps = append(steps, clockStep{s.at, sign * n})
			}
			s, sign, n = clockStep{}, 1, 0
		case text[i] == ':':
			s.at, n = n, 0
		case text[i] == '-':
			sign = -1
		default:
			n = n*10 + int64(text[i]-'0')
		}
	}
	return steps
}

func stepped(mono int64) (by int64) {
	for i := range clockSteps {
		if clockSteps[i].at <= mono {
			by += clockSteps[i].by
		}
	}
	return by
}
`
