package audit

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// requests returns lines of a log, one for each path.
func requests(paths ...string) (text string) {
	for i, p := range paths {
		text += fmt.Sprintf("192.0.2.1 - - [01/Mar/2026:12:00:%02d +0000] \"GET %s HTTP/1.1\" 200 5 \"-\" \"NewsBot/1.0\"\n", i, p)
	}
	return text
}

// TestFollow_RotatedWhileThePastIsRead: what is written before the log is followed is neither lost nor taken for what was read
// already, though the log is moved away or cut off in that time and its successor is longer.
func TestFollow_RotatedWhileThePastIsRead(t *testing.T) {
	for _, one := range []struct {
		name   string
		rotate func(log string) error
		want   int64
	}{
		{"moved", func(log string) error { return os.Rename(log, log+".1") }, 2 + 1 + 4},
		{"moved twice", func(log string) error {
			before := map[string]time.Duration{"1": 9 * time.Hour, "offset": -time.Hour} // of the log, and of another program
			for name, age := range before {
				filetest.Write(t, log+"."+name, requests("/no", "/log"))
				then := time.Now().Add(-age)
				if err := os.Chtimes(log+"."+name, then, then); err != nil {
					return err
				}
			}
			for i, next := range []string{"2", "20260301-120000", "old"} {
				if err := os.Rename(log, log+"."+next); err != nil {
					return err
				}
				filetest.Write(t, log, requests("/between/"+next, "/b"))
				then := time.Now().Add(time.Duration(i+1) * time.Second)
				if err := errors.Join(os.Chtimes(log, then, then), os.Chtimes(log+".2", time.Time{}, then.Add(-time.Hour))); err != nil {
					return err
				}
			}
			return os.Rename(log, log+"-20260301")
		}, 2 + 1 + 3*2 + 4},
		{"moved twice and compressed", func(log string) error {
			if err := os.Rename(log, log+".1"); err != nil {
				return err
			}
			filetest.Write(t, log, requests("/between", "/b"))
			soon := time.Now().Add(time.Second)
			if err := errors.Join(os.Chtimes(log, soon, soon), os.Rename(log, log+".0")); err != nil {
				return err
			}
			for name, times := range map[string]time.Time{"0": soon, "1": soon.Add(time.Second)} { // that of another program, for 1
				if err := errors.Join(pack(log+"."+name), os.Chtimes(log+"."+name+".gz", times, times)); err != nil {
					return err
				}
			}
			whole, err := os.ReadFile(log + ".0.gz")
			filetest.Write(t, log+".2.gz", string(whole[:len(whole)/2])) // as it is made
			filetest.Write(t, log+".3.gz", string(whole[:len(whole)/2])+strings.Repeat("\xff", 99))
			filetest.Write(t, log+".4.gz", string(whole[:len(whole)/2]))
			return errors.Join(err, os.Chmod(log+".4.gz", 0))
		}, 2 + 1 + 2 + 4},
		{"cut off", func(log string) error { return os.Truncate(log, 0) }, 2 + 4},
		{"cut off, as it was long ago when it began alike", func(log string) error {
			filetest.Write(t, log+".1", requests("/1", "/2", "/no"))
			filetest.Write(t, log+".2", requests("/1", "/2", "/no"))
			then := time.Now().Add(-time.Hour)
			return errors.Join(pack(log+".2"), os.Chtimes(log+".1", then, then), os.Chtimes(log+".2.gz", then, then), os.Truncate(log, 0))
		}, 2 + 4},
		{"copied and cut off", func(log string) error {
			filetest.Write(t, log+".1", requests("/1", "/2", "/3"))
			filetest.Write(t, log+".2", requests("/elsewhere", "/2", "/3", "/4"))
			return os.Truncate(log, 0)
		}, 2 + 1 + 4},
		{"copied, cut off, and compressed", func(log string) error {
			filetest.Write(t, log+".1", requests("/1", "/2", "/3"))
			filetest.Write(t, log+".2", requests("/elsewhere", "/2", "/3", "/4"))
			return errors.Join(pack(log+".1"), pack(log+".2"), os.Truncate(log, 0))
		}, 2 + 1 + 4},
	} {
		t.Run(one.name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "access.log")
			t.Setenv("TMPDIR", log+"-none") // nothing has to be kept
			filetest.Write(t, log, requests("/1", "/2"))
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var cmd cobra.Command
			cmd.SetOut(io.Discard)
			logs, err := openLogs(&cmd, []string{log})
			if err != nil {
				t.Fatal(err)
			}
			f := &follower{format: accesslog.Auto, every: time.Millisecond, tally: map[string]accesslog.Tally{}}
			f.said = newLive(&cmd, options{})
			if err := f.readPast(ctx, logs, audit.Options{Live: true}, nil); err != nil {
				t.Fatal(err)
			}
			filetest.Write(t, log, requests("/1", "/2", "/3"))
			if err := one.rotate(log); err != nil {
				t.Fatal(err)
			}
			filetest.Write(t, log, requests("/of/the/next/4", "/5", "/6", "/7"))
			time.AfterFunc(5*time.Second, stop)
			go func() {
				for ctx.Err() == nil && f.requests() < one.want {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(3 * poll) // in which more would come
				stop()
			}()
			if err := f.run(ctx, logs, nil); err != nil {
				t.Fatal(err)
			}
			if got := f.requests(); got != one.want {
				t.Errorf("%d requests, want %d", got, one.want)
			}
		})
	}
}

// TestTail_CutOff: what is written between the last look at a log and its end is read in the copy, from the middle of a line on.
func TestTail_CutOff(t *testing.T) {
	log := filepath.Join(t.TempDir(), "access.log")
	whole := requests("/1", "/2", "/3", "/4")
	half := len(whole) / 2
	filetest.Write(t, log, "")
	in, err := openTail(log)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	filetest.Write(t, log, whole[:half])
	var got strings.Builder
	err = in.each(ctx, func(text io.Reader, _ int64) error {
		first := got.Len() == 0
		if first {
			if _, err := io.CopyN(&got, text, int64(half)); err != nil {
				return err
			}
			filetest.Write(t, log+".1", whole)
			if err := os.Truncate(log, 0); err != nil {
				return err
			}
		}
		_, err := io.Copy(&got, text)
		if first {
			stop()
		}
		return err
	})
	if err != nil || got.String() != whole {
		t.Errorf("%v: %q", err, got.String())
	}
}

// TestTail_NumberOfAnother: a log that was moved away between two looks is read though it has got the number of a file that was
// read before and is gone; that one is not read again, though it was written on.
func TestTail_NumberOfAnother(t *testing.T) {
	log := filepath.Join(t.TempDir(), "access.log")
	for _, name := range []string{".1", "-20260301", ""} {
		filetest.Write(t, log+name, requests("/of/"+name))
	}
	infoOf := func(name string, age time.Duration) os.FileInfo {
		then := time.Now().Add(-age)
		if err := os.Chtimes(log+name, then, then); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(log + name)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	own := &readLog{FileInfo: infoOf("-20260301", time.Hour)}
	moved := infoOf(".1", time.Minute)
	for head, want := range map[string]string{requests("/of/.2"): log + ".1", requests("/of/.1"): log} {
		next := &tail{name: log, before: &readLog{FileInfo: moved, head: []byte(head)}}
		file, err := next.next(t.Context(), own)
		if err != nil || file.Name() != want {
			t.Fatalf("next is %v, %v, want %s", file, err, want)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}

// pack compresses a file with gzip, as what moves logs away does.
func pack(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	packed, err := os.Create(name + ".gz")
	if err != nil {
		return err
	}
	z := gzip.NewWriter(packed)
	_, err = z.Write(text)
	return errors.Join(err, z.Close(), packed.Close(), os.Remove(name))
}

// TestFollow_WithOlderLogs: what was read of a log is not read once more under the name to which it is moved, though that of an
// older one was given, too; nor is the older one, into which its server wrote until after the log had begun.
func TestFollow_WithOlderLogs(t *testing.T) {
	for name, paths := range map[string][]string{"written": {"/1", "/2"}, "still empty": nil} {
		t.Run(name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "access.log")
			filetest.Write(t, log+".1", requests("/0"))
			filetest.Write(t, log, requests(paths...))
			for name, age := range map[string]time.Duration{log + ".1": time.Hour, log: time.Hour + time.Second} {
				then := time.Now().Add(-age)
				if err := os.Chtimes(name, then, then); err != nil {
					t.Fatal(err)
				}
			}
			followRotation(t, log, int64(len(paths))+2)
		})
	}
}

// followRotation follows a log and the one before it, which are moved on, and expects so many requests.
func followRotation(t *testing.T, log string, want int64) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var cmd cobra.Command
	cmd.SetOut(io.Discard)
	logs, err := openLogs(&cmd, []string{log + ".1", log})
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{format: accesslog.Auto, every: time.Millisecond, tally: map[string]accesslog.Tally{}, said: newLive(&cmd, options{})}
	if err := f.readPast(ctx, logs, audit.Options{Live: true}, nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename(log+".1", log+".2"), os.Rename(log, log+".1")); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, log, requests("/3"))
	time.AfterFunc(5*time.Second, stop)
	go func() {
		for ctx.Err() == nil && f.requests() < want {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(3 * poll) // in which more would come
		stop()
	}()
	if err := f.run(ctx, logs, nil); err != nil {
		t.Fatal(err)
	}
	if got := f.requests(); got != want {
		t.Errorf("%d requests, want %d", got, want)
	}
}

// requests returns how many were taken in.
func (f *follower) requests() (n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.auditor.Report().Robots {
		n += r.Requests
	}
	return n
}
