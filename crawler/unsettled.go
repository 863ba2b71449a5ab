package crawler

import (
	"bytes"
	"slices"
	"sync"

	"github.com/cybermapper/cybermapper/frontier"
)

// unsettled are the answers whose site went to another node before they were settled. When the site comes back, as it does when no
// node could reach the brokers for a while, they are settled then instead of being asked for again.
type unsettled struct {
	most int // that are remembered; the oldest one is forgotten first

	mu      sync.Mutex // guards all below
	answers map[frontier.URL]unsettledAnswer
	order   []frontier.URL // of answers, the oldest first
}

type unsettledAnswer struct {
	entry frontier.Entry
	how   ending
}

// keep remembers how an entry would have been settled.
func (u *unsettled) keep(e frontier.Entry, how ending) {
	if how.err != nil || how.settled.Status != frontier.Done {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.answers == nil {
		u.answers = map[frontier.URL]unsettledAnswer{}
	}
	if _, ok := u.answers[e.URL]; !ok {
		u.order = append(u.order, e.URL)
	}
	u.answers[e.URL] = unsettledAnswer{e, how}
	if len(u.order) > u.most {
		delete(u.answers, u.order[0])
		u.order = u.order[1:]
	}
}

// take returns how an entry is to be settled without another request, once. An entry that was visited since has other memories.
func (u *unsettled) take(e frontier.Entry) (how ending, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	a, ok := u.answers[e.URL]
	if !ok {
		return ending{}, false
	}
	delete(u.answers, e.URL)
	u.order = slices.DeleteFunc(u.order, func(o frontier.URL) bool { return o == e.URL })
	was := a.entry
	return a.how, was.Kind == e.Kind && was.Attempt == e.Attempt && bytes.Equal(was.State, e.State)
}
