package disk

import (
	"context"
	"fmt"
	"iter"

	"github.com/cybermapper/cybermapper/frontier"
)

// returnsAtOnce is how many links are read before any is shown: what is shown takes its time.
const returnsAtOnce = 1024

// Returns implements frontier.Frontier. The frontier may be used, and closed, within the loop.
func (f *Frontier) Returns(ctx context.Context) iter.Seq2[frontier.Return, error] {
	return inBatches(ctx, []byte{kindReturn}, f.someReturns)
}

// someReturns appends links beginning at a key, and says where to go on.
func (f *Frontier) someReturns(ctx context.Context, some []frontier.Return, from []byte) (_ []frontier.Return, next []byte,
	more bool, err error) {
	if err := f.begin(ctx); err != nil {
		return nil, nil, false, err
	}
	defer f.using.Done()
	r, err := f.core.reader()
	if err != nil {
		return nil, nil, false, err
	}
	defer r.Close()
	policies, err := f.core.reader()
	if err != nil {
		return nil, nil, false, err
	}
	defer policies.Close()
	r.SetBounds([]byte{kindReturn}, []byte{kindReturn + 1})
	var of siteID
	var site policyRecord
	for ok := r.SeekGE(from); ok; ok = r.Next() {
		if len(some) == returnsAtOnce {
			return some, append([]byte(nil), r.Key()...), true, nil
		}
		id, _ := siteOf(r.Key())
		if site.name == "" || id != of {
			of = id
			if site, _, err = policies.policy(id); err != nil {
				return nil, nil, false, err
			}
		}
		value, err := r.ValueAndErr()
		if err != nil {
			return nil, nil, false, err
		}
		one, err := decodeReturn(value, site.name)
		if err != nil {
			return nil, nil, false, fmt.Errorf("a link of %s: %w", site.name, err)
		}
		some = append(some, one)
	}
	return some, nil, false, r.Error()
}

// remembered returns what is remembered of a URL of the site called name; nil when nothing is.
func (r *reader) remembered(k seenKey, name string) (*frontier.Return, error) {
	r.key = appendReturnKey(r.key[:0], k)
	found, known, err := record(r, func(v []byte) (frontier.Return, error) { return decodeReturn(v, name) })
	if !known {
		return nil, err
	}
	return &found, err
}

// writeReturns writes what is to be remembered of links that were settled.
func (s *step) writeReturns() {
	for i := range s.slots {
		sl := &s.slots[i]
		if sl.settled == nil {
			continue
		}
		r := frontier.Return{Link: sl.settled.taken.entry.Link, Due: sl.settled.out.Again}
		r.State = sl.settled.out.State
		s.key = appendReturnKey(s.key[:0], sl.key)
		s.value = appendReturn(s.value[:0], s.changes[sl.change].name, &r)
		s.set()
	}
}
