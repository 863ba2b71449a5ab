package cluster

import (
	"context"
	"errors"
	"fmt"
)

// MaxText bounds a text that nodes share, in bytes.
const MaxText = 256 << 10

// Share adds a text to a list that all nodes read in the same order; it is there for good on return. The name of a list is a word
// of letters. A text may be there twice if the connection to the brokers is lost meanwhile.
func (f *Frontier) Share(ctx context.Context, list string, text []byte) error {
	if len(text) > MaxText {
		return fmt.Errorf("frontier: a text of %d bytes cannot be shared, only %d", len(text), MaxText)
	}
	b := f.opts.Brokers
	for n := 0; ; n++ {
		key := textKey(list, n)
		_, revision, err := b.Get(ctx, key)
		if err == nil && revision == 0 {
			_, err = b.CompareAndSet(ctx, key, text, 0)
			if err == nil {
				return nil
			}
		}
		if err != nil && !errors.Is(err, ErrConflict) {
			return fmt.Errorf("frontier: share: %w", err)
		}
	}
}

// Shared returns the texts of a list from place n on; the next one will be at n and as many as it returns.
func (f *Frontier) Shared(ctx context.Context, list string, n int) (texts [][]byte, err error) {
	for ; ; n++ {
		text, revision, err := f.opts.Brokers.Get(ctx, textKey(list, n))
		if err != nil {
			return texts, fmt.Errorf("frontier: read what is shared: %w", err)
		}
		if revision == 0 {
			return texts, nil
		}
		texts = append(texts, text)
	}
}

func textKey(list string, n int) string { return fmt.Sprintf("%s.%d", list, n) }

// Begin returns a text that whoever came first has chosen for all nodes: this one's, which may be the first if it wants to, or
// another's. It is nil when nobody has.
func (f *Frontier) Begin(ctx context.Context, name string, text []byte, wants bool) (chosen []byte, isFirst bool, err error) {
	b := f.opts.Brokers
	for {
		chosen, revision, err := b.Get(ctx, name)
		switch {
		case err != nil:
			return nil, false, fmt.Errorf("frontier: read what is shared: %w", err)
		case revision != 0 || !wants:
			return chosen, false, nil
		}
		if _, err = b.CompareAndSet(ctx, name, text, 0); err == nil {
			return text, true, nil
		}
		if !errors.Is(err, ErrConflict) {
			return nil, false, fmt.Errorf("frontier: share: %w", err)
		}
	}
}
