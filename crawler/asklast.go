package crawler

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/crawler/trap"
	"github.com/cybermapper/cybermapper/frontier"
)

// What is parked is asked last: when nothing else is left, scouts are sent into each place once more (trap.Detector.Rehear). A
// place that proves to be finite now is visited whole; of the others no more is asked for.

// A ParkedLink is one that is parked.
type ParkedLink struct {
	frontier.Link
	Rule string // of the refusal that told it
}

// askLast queues what is parked and should be asked for now. It is called when nothing is queued.
func (c *Crawler) askLast(ctx context.Context) (queued int, err error) {
	p := c.parking
	if p.detector == nil || c.config.Parked == nil || p.parked.Load() == 0 || !p.detector.Rehear() {
		return 0, nil
	}
	batch, seen := []frontier.Link(nil), map[frontier.URL]bool{}
	flush := func() error {
		n, err := c.reconsider(ctx, batch, c.mayAskLast)
		queued += n
		batch = batch[:0]
		clear(seen)
		return err
	}
	for l, err := range c.config.Parked {
		if err != nil {
			return queued, fmt.Errorf("list what is parked: %w", err)
		}
		if f, ok := trap.ParseFinding(l.Rule); !ok || !f.Kind.IsJudged() || seen[l.URL] {
			continue
		}
		seen[l.URL] = true
		if batch = append(batch, l.Link); len(batch) == parkedAtOnce {
			if err := flush(); err != nil {
				return queued, err
			}
		}
	}
	err = flush()
	c.config.Log.Info("what is parked is asked last", zap.Int("queued", queued))
	return queued, err
}

// parkedAtOnce is how many parked links are judged, and queued, in one step.
const parkedAtOnce = 1000

// mayAskLast is mayQueue for what is parked, when nothing else is left.
func (c *Crawler) mayAskLast(ctx context.Context, l *frontier.Link) (again, parked bool, err error) {
	info, err := c.config.Frontier.Lookup(ctx, l.URL)
	if err != nil || info.Status != frontier.Refused || Reason(info.Reason) != ReasonEndless {
		return false, false, err
	}
	again = c.parking.detector.Wanted(trapURLs(l.URL, l.Via))
	return again, again, nil
}
