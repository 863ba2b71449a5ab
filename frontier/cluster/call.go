package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// What a node asks the owner of a partition.
const (
	opLookup = "lookup" // what is known of a URL
	opSite   = "site"   // what is known of a site
	opStats  = "stats"  // how the partition stands
	opBusy   = "busy"   // the sites that have most in their queues
	opPermit = "permit" // whether a site may be asked now
	opDone   = "done"   // nothing: the request has ended
)

// A call is a question to the owner of a partition.
type call struct {
	Op   string        `json:"op"`
	URL  frontier.URL  `json:"url,omitzero"`
	Site string        `json:"site,omitempty"`
	ID   uint64        `json:"id,omitempty"`  // of a permit, chosen by who asks for it; the same one when it is asked for again
	Gap  time.Duration `json:"gap,omitempty"` // owed since
	Most int           `json:"most,omitempty"`
}

// An answer is what the owner of a partition says.
type answer struct {
	Error string             `json:"error,omitempty"`
	Gone  bool               `json:"gone,omitempty"` // with Error: who was asked owns the partition no more
	Info  *frontier.Info     `json:"info,omitempty"`
	Site  *frontier.SiteInfo `json:"site,omitempty"`
	Owned *Owned             `json:"owned,omitempty"`
	Taken uint64             `json:"taken,omitempty"` // the place in the inbox up to which links were taken in, with Owned
	Busy  []BusySite         `json:"busy,omitempty"`

	// Of a permit: the request may leave; or it may not yet, and the asker should ask again; or it may not before a time.
	ID      uint64                 `json:"id,omitempty"`
	Rested  time.Duration          `json:"rested,omitempty"` // since the last request ended; 0 when none is known
	Owed    time.Duration          `json:"owed,omitempty"`
	Blocked *frontier.BlockedError `json:"blocked,omitempty"`
}

// patience is how long an answer is waited for before the question is asked again.
func (c call) patience() time.Duration {
	if c.Op == opDone { // it is answered at once
		return donePatience
	}
	return callPatience
}

// errGone says that who was asked owns the partition no more.
var errGone = errors.New("it was given back")

// ask asks the owner of a partition, which may be this node, until one answers or ctx ends.
func (f *Frontier) ask(ctx context.Context, id int, c call) (a answer, err error) {
	question, err := json.Marshal(c)
	if err != nil {
		return a, err
	}
	err = again(ctx, func() error {
		a = answer{}
		if p := f.partition(id); p != nil {
			a = p.answer(ctx, c)
		} else {
			patience, cancel := context.WithTimeout(ctx, c.patience())
			defer cancel()
			reply, err := f.opts.Brokers.Call(patience, id, question)
			if err != nil {
				return err
			}
			if err := json.Unmarshal(reply, &a); err != nil {
				return err
			}
		}
		if a.Gone {
			return errGone
		}
		return nil
	})
	switch {
	case err != nil && ctx.Err() != nil:
		err = fmt.Errorf("frontier: ask the owner of partition %d: %w", id, ctx.Err())
	case err == nil && a.Error != "":
		err = fmt.Errorf("frontier: partition %d: %s", id, a.Error)
	}
	return a, err
}

// askWhileOpen is ask until this node closes: then there may be no owner any more that could answer.
func (f *Frontier) askWhileOpen(ctx context.Context, id int, c call) (a answer, err error) {
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(f.ctx, cancel)()
	if a, err = f.ask(asking, id, c); err != nil && ctx.Err() == nil && f.ctx.Err() != nil {
		return a, frontier.ErrClosed
	}
	return a, err
}

// serve answers the calls of other nodes.
func (p *partition) serve(ctx context.Context) error {
	defer p.permits.endAll()
	return again(ctx, func() error {
		return p.node.opts.Brokers.Serve(ctx, p.id, func(ctx context.Context, b []byte) []byte {
			var c call
			a := answer{}
			if err := json.Unmarshal(b, &c); err != nil {
				a.Error = err.Error()
			} else {
				a = p.answer(ctx, c)
			}
			reply, err := json.Marshal(a)
			if err != nil {
				reply, _ = json.Marshal(answer{Error: err.Error()})
			}
			return reply
		})
	})
}

// answer answers one call.
func (p *partition) answer(ctx context.Context, c call) (a answer) {
	var err error
	switch c.Op {
	case opLookup:
		var info frontier.Info
		if info, err = p.store.Lookup(ctx, c.URL); err == nil {
			a.Info = &info
		}
	case opSite:
		var info frontier.SiteInfo
		var known bool
		if info, known, err = p.store.Site(ctx, c.Site); known {
			a.Site = &info
		}
	case opStats:
		var o Owned
		if o, err = p.state(ctx); err == nil {
			a.Owned, a.Taken = &o, p.store.Taken()
		}
	case opBusy:
		a.Busy, err = p.busy(ctx, c.Most)
	case opPermit:
		a, err = p.lendPermit(ctx, c.Site, c.ID)
	case opDone:
		p.permits.end(c.ID, c.Gap)
	default:
		err = fmt.Errorf("%q is no call", c.Op)
	}
	if err != nil {
		a.Error, a.Gone = err.Error(), ctx.Err() != nil || ignoreLost(p, err) == nil
	}
	return a
}

// permits are the requests that other nodes make at sites of a partition, by the ids that those have chosen for them: so none is
// taken for another that a former owner gave leave for, and who did not hear of its leave gets the same again.
type permits struct {
	mu     sync.Mutex
	out    map[uint64]permit
	isOver bool          // there are to be no more
	none   chan struct{} // closed when there are to be no more, and none is out; nil when nobody waits
}

// A permit is one of them.
type permit struct {
	frontier.Grant
	end func(gap time.Duration)
}

const (
	permitWait   = callPatience / 2 // that an asker waits for its turn before it is told to ask again
	permitLife   = 2 * time.Minute  // of a lent request, after which its end is taken for granted
	donePatience = callPatience / 4 // until it is told once more that a request has ended
)

// lendPermit lets another node make one request.
func (p *partition) lendPermit(ctx context.Context, site string, id uint64) (a answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, permitWait)
	defer cancel()
	g, isOut, isOver := p.permits.get(id)
	switch {
	case isOut && !p.tenure.Valid():
		return a, frontier.ErrLost
	case isOut:
	case isOver: // the next owner is to be asked
		<-ctx.Done()
		return answer{}, nil
	default:
		g, err = p.store.Permit(ctx, site)
	}
	var blocked *frontier.BlockedError
	switch {
	case errors.As(err, &blocked):
		return answer{Blocked: blocked}, nil
	case errors.Is(err, context.DeadlineExceeded):
		return answer{}, nil
	case err != nil:
		return a, err
	case isOut:
	case !p.tenure.Valid():
		g.Done(0)
		return a, frontier.ErrLost
	case !p.permits.begin(id, g, permitLife, p.node.opts.Disk.DefaultDelay):
		g.Done(0)
		return answer{}, nil
	}
	if a.ID, a.Owed = id, g.Owed; !g.LastEnd.IsZero() {
		a.Rested = time.Since(g.LastEnd)
	}
	return a, nil
}

// get returns a permit that is out. isOver says that there are to be no more.
func (s *permits) get(id uint64) (g frontier.Grant, isOut, isOver bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, isOut := s.out[id]
	return p.Grant, isOut, s.isOver
}

// begin notes a request that is under way, unless it is known, as it was asked for twice at once, or there are to be no more. Its
// end is taken for granted after life.
func (s *permits) begin(id uint64, g frontier.Grant, life, gap time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, isOut := s.out[id]; isOut || s.isOver {
		return false
	}
	if s.out == nil {
		s.out = make(map[uint64]permit)
	}
	timer := time.AfterFunc(life, func() { s.end(id, gap) })
	s.out[id] = permit{g, func(owed time.Duration) {
		timer.Stop()
		g.Done(max(owed, gap))
	}}
	return true
}

// end notes that a request has ended.
func (s *permits) end(id uint64, gap time.Duration) {
	s.mu.Lock()
	p, isOut := s.out[id]
	delete(s.out, id)
	s.tellLocked()
	s.mu.Unlock()
	if isOut {
		p.end(gap)
	}
}

// stop lets no more begin. What it returns is closed when those that are out have ended.
func (s *permits) stop() (none <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isOver, s.none = true, make(chan struct{})
	none = s.none
	s.tellLocked()
	return none
}

func (s *permits) tellLocked() {
	if s.none != nil && len(s.out) == 0 {
		close(s.none)
		s.none = nil
	}
}

func (s *permits) endAll() {
	s.mu.Lock()
	out := s.out
	s.out = nil
	s.tellLocked()
	s.mu.Unlock()
	for _, p := range out {
		p.end(0)
	}
}

// permit asks the owner of a site of another partition for leave to make a request. until ends with the lease of the asker.
func (f *Frontier) permit(ctx, until context.Context, site string) (frontier.Grant, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(until, cancel)()
	id, c := f.place.of(site), call{Op: opPermit, Site: site, ID: rand.Uint64() | 1}
	for {
		a, err := f.ask(ctx, id, c)
		switch {
		case err != nil:
			return frontier.Grant{}, err
		case a.Blocked != nil:
			return frontier.Grant{}, a.Blocked
		case a.ID == 0 && ctx.Err() != nil:
			return frontier.Grant{}, ctx.Err()
		case a.ID == 0:
			continue
		}
		g := frontier.Grant{Site: site, Owed: a.Owed}
		if a.Rested > 0 {
			g.LastEnd = time.Now().Add(-a.Rested)
		}
		var once sync.Once
		g.Done = func(gap time.Duration) { once.Do(func() { f.returned(id, a.ID, gap) }) }
		return g, nil
	}
}

// returned tells the owner of a partition that a request has ended.
func (f *Frontier) returned(id int, permit uint64, gap time.Duration) {
	tell := func() {
		ctx, cancel := context.WithTimeout(context.Background(), callPatience)
		defer cancel()
		if _, err := f.ask(ctx, id, call{Op: opDone, ID: permit, Gap: gap}); err != nil {
			f.opts.Logger.Sugar().Warnf("the end of a request could not be told to the owner of partition %d: %v", id, err)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() == nil {
		f.running.Go(tell)
	}
}
