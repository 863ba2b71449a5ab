package progress

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// terminals returns a screen on a terminal, another writer to that terminal, and what it shows, once both were written to.
func terminals(t *testing.T) (s *Screen, out *os.File, shown func() string) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { master.Close() })
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("TERM", "xterm")
	if out, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skip(err)
	}
	return NewScreen(out, false), out, func() string {
		out.Close()
		b, _ := io.ReadAll(master) // EIO is its end
		return strings.ReplaceAll(string(b), "\r\n", "\n")
	}
}

func TestBusy(t *testing.T) {
	s, terminal, shown := terminals(t)
	failed := errors.New("failed")
	synctest.Test(t, func(t *testing.T) {
		err := s.Busy("x verify", terminal, func(out io.Writer) error {
			time.Sleep(3500 * time.Millisecond)
			io.WriteString(out, "found\n")
			time.Sleep(3 * time.Second)
			io.WriteString(out, "more\n")
			return failed
		})
		if !errors.Is(err, failed) {
			t.Errorf("error %v, want that of the work", err)
		}
		s.Busy("x check", terminal, func(io.Writer) error {
			time.Sleep(2500 * time.Millisecond)
			return nil
		})
	})
	want := "\r\x1b[Kx verify: at work for 2s\r\x1b[Kx verify: at work for 3s\r\x1b[Kfound\nmore\n" +
		"\r\x1b[Kx check: at work for 2s\r\x1b[K"
	if got := shown(); got != want {
		t.Errorf("shown\n%q, want\n%q", got, want)
	}
}

// Work that keeps lines of its own, as of the pages it has read, is spoken for when it has none.
func TestBusy_KeepsItself(t *testing.T) {
	s, terminal, shown := terminals(t)
	synctest.Test(t, func(t *testing.T) {
		s.Busy("x index", terminal, func(io.Writer) error {
			own := NewScreen(s, false)
			time.Sleep(2300 * time.Millisecond)
			for range 3 {
				own.Keep("7 pages read")
				time.Sleep(1500 * time.Millisecond)
			}
			own.Keep("")
			time.Sleep(2500 * time.Millisecond)
			return nil
		})
	})
	want := "\r\x1b[Kx index: at work for 2s\r\x1b[K7 pages read\r\x1b[K" +
		"\r\x1b[Kx index: at work for 7s\r\x1b[Kx index: at work for 8s\r\x1b[Kx index: at work for 9s\r\x1b[K"
	if got := shown(); got != want {
		t.Errorf("shown\n%q, want\n%q", got, want)
	}
}

// Where lines are JSON none stands among them that is not.
func TestBusy_JSON(t *testing.T) {
	s, terminal, shown := terminals(t)
	if err := s.Log(true, ""); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s.Busy("x crawl", terminal, func(io.Writer) error {
			time.Sleep(time.Minute)
			return nil
		})
	})
	if got := shown(); got != "" {
		t.Errorf("shown %q", got)
	}
}

// Where nobody looks, nothing is said, and the writer is the one that was given.
func TestBusy_NoTerminal(t *testing.T) {
	var screen, out strings.Builder
	synctest.Test(t, func(t *testing.T) {
		NewScreen(&screen, false).Busy("x verify", &out, func(w io.Writer) error {
			time.Sleep(time.Minute)
			if w != &out {
				t.Error("another writer")
			}
			return nil
		})
	})
	if screen.Len() > 0 {
		t.Errorf("said %q", screen.String())
	}
}
