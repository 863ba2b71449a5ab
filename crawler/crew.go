package crawler

import "sync"

// idleReaders is how many goroutines wait for a page to read.
const idleReaders = 64

// A crew calls functions in goroutines which wait for the next one when theirs is done, a bounded number of them: reading and
// storing a page needs a large stack, which would have to grow anew for every page.
type crew struct {
	work    chan func()
	waiting chan struct{} // one for each that waits
	over    chan struct{}
	all     sync.WaitGroup
}

func newCrew(waiting int) *crew {
	return &crew{work: make(chan func()), waiting: make(chan struct{}, waiting), over: make(chan struct{})}
}

// Go calls f in a goroutine at once.
func (c *crew) Go(f func()) {
	select {
	case c.work <- f:
	default:
		c.all.Go(func() { c.serve(f) })
	}
}

func (c *crew) serve(f func()) {
	for {
		f()
		select {
		case c.waiting <- struct{}{}:
		default:
			return
		}
		select {
		case f = <-c.work:
			<-c.waiting
		case <-c.over:
			return
		}
	}
}

// end waits until all functions have returned. None is called any more.
func (c *crew) end() {
	close(c.over)
	c.all.Wait()
}
