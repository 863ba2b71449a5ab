package disk

import (
	"context"
	"errors"
	"iter"

	"github.com/cybermapper/cybermapper/frontier"
)

// Waiting iterates over the entries of a site that are queued or to be tried again, each in their order, as they were when the
// iteration began. The frontier must not be closed within the loop.
func (f *Frontier) Waiting(ctx context.Context, site string) iter.Seq2[frontier.Entry, error] {
	return func(yield func(frontier.Entry, error) bool) {
		tell := func(e frontier.Entry) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !yield(e, nil) {
				return errStop
			}
			return nil
		}
		if err := f.eachWaiting(ctx, site, tell); err != nil && !errors.Is(err, errStop) {
			yield(frontier.Entry{}, err)
		}
	}
}

func (f *Frontier) eachWaiting(ctx context.Context, site string, tell func(frontier.Entry) error) error {
	if err := f.begin(ctx); err != nil {
		return err
	}
	defer f.using.Done()
	r, err := f.core.reader()
	if err != nil {
		return err
	}
	defer r.Close()
	id := f.core.siteID(site)
	err = r.queue(&f.core, id, site, position{}, func(_ position, live []placed) error {
		for i := range live {
			if err := tell(live[i].entry); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.retries(id, site, 0, func(_ retryPlace, e frontier.Entry) error { return tell(e) })
}
