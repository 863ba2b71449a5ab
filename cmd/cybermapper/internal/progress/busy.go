package progress

import (
	"io"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// busyAfter is how long work goes on before the screen says that it does.
const busyAfter = 2 * time.Second

// Busy does work that may take minutes before it writes anything, as it reads all of a job, and returns its error. Until it ends,
// or first writes to the out that it is given, which may be the same terminal or that of a pager, the line that the screen keeps
// says what has been at work for how long, while the work itself keeps none.
func (s *Screen) Busy(what string, out io.Writer, work func(out io.Writer) error) error {
	if !s.keepsLine() {
		return work(out)
	}
	done := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for begun := time.Now(); ; {
			select {
			case <-done:
				s.Keep("")
				return
			case <-tick.C:
				if took := time.Since(begun); took >= busyAfter {
					s.keepIdle(what + ": at work for " + say.Span(took.Truncate(time.Second)))
				}
			}
		}
	})
	stop := sync.OnceFunc(func() {
		close(done)
		telling.Wait()
	})
	defer stop()
	return work(writerFunc(func(p []byte) (int, error) {
		stop()
		return out.Write(p)
	}))
}
