package ahead_test

import (
	"errors"
	"fmt"
	"iter"
	"testing"

	"go.uber.org/goleak"

	"github.com/cybermapper/cybermapper/storage/internal/ahead"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lines yields numbers in one buffer, as a reader of files does, and an error after each multiple of bad.
func lines(n, bad int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var buf []byte
		for i := range n {
			buf = fmt.Append(buf[:0], i)
			if !yield(buf, nil) || bad > 0 && i%bad == 0 && !yield(nil, fmt.Errorf("after %d", i)) {
				return
			}
		}
	}
}

func keep(line, memory []byte) ([]byte, []byte) {
	start := len(memory)
	memory = append(memory, line...)
	return memory[start:len(memory):len(memory)], memory
}

// Everything comes, once and in order, errors in their places; whoever has seen enough may stop.
func TestMap(t *testing.T) {
	for _, tt := range []struct{ n, bad, stop int }{{0, 0, -1}, {1, 0, -1}, {5000, 0, -1}, {5000, 7, -1}, {5000, 1000, 3000}, {100_000, 0, 1}} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			next, failed := 0, 0
			for s, err := range ahead.Map(lines(tt.n, tt.bad), tt.n%3, keep, func(line []byte, out *string) { *out = string(line) }) {
				switch {
				case err != nil:
					if err.Error() != fmt.Sprint("after ", next-1) {
						t.Fatalf("error %q after %d", err, next-1)
					}
					failed++
				case *s != fmt.Sprint(next):
					t.Fatalf("%s comes, want %d", *s, next)
				default:
					next++
				}
				if next == tt.stop {
					return
				}
			}
			if want := tt.n; next != want || tt.bad > 0 && failed != (tt.n+tt.bad-1)/tt.bad {
				t.Errorf("%d items and %d errors of %d", next, failed, want)
			}
		})
	}
}

// An error of the last line is handed out, too.
func TestMap_LastError(t *testing.T) {
	failure := errors.New("broken")
	seq := func(yield func([]byte, error) bool) { yield(nil, failure) }
	n := 0
	for _, err := range ahead.Map(seq, 0, keep, func([]byte, *string) {}) {
		if n++; !errors.Is(err, failure) {
			t.Errorf("%v, want %v", err, failure)
		}
	}
	if n != 1 {
		t.Errorf("%d items, want the error", n)
	}
}
