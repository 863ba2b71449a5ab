package cluster

import (
	"context"
	"iter"

	"github.com/cybermapper/cybermapper/frontier"
)

// Lookup implements frontier.Frontier; the owner of the URL is asked.
func (f *Frontier) Lookup(ctx context.Context, u frontier.URL) (info frontier.Info, err error) {
	if err := f.begin(ctx); err != nil {
		return info, err
	}
	if u.IsZero() {
		return info, nil
	}
	answer, err := f.askWhileOpen(ctx, f.place.of(u.Site()), call{Op: opLookup, URL: u})
	if err != nil || answer.Info == nil {
		return info, err
	}
	return *answer.Info, nil
}

// Site implements frontier.Frontier; the owner of the site is asked.
func (f *Frontier) Site(ctx context.Context, site string) (info frontier.SiteInfo, known bool, err error) {
	if err := f.begin(ctx); err != nil {
		return info, false, err
	}
	answer, err := f.askWhileOpen(ctx, f.place.of(site), call{Op: opSite, Site: site})
	if err != nil || answer.Site == nil {
		return info, false, err
	}
	return *answer.Site, true, nil
}

// Sites implements frontier.Frontier for the partitions that this node owns.
func (f *Frontier) Sites(ctx context.Context) iter.Seq2[frontier.SiteInfo, error] {
	return each(f, func(p *partition) iter.Seq2[frontier.SiteInfo, error] { return p.store.Sites(ctx) })
}

// Returns implements frontier.Frontier for the partitions that this node owns.
func (f *Frontier) Returns(ctx context.Context) iter.Seq2[frontier.Return, error] {
	return each(f, func(p *partition) iter.Seq2[frontier.Return, error] { return p.store.Returns(ctx) })
}

// each yields what of yields of all partitions of this node. One that is lost meanwhile ends early.
func each[T any](f *Frontier, of func(*partition) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if err := f.begin(context.Background()); err != nil {
			var none T
			yield(none, err)
			return
		}
		for _, p := range f.partitions() {
			for v, err := range of(p) {
				if err != nil && ignoreLost(p, err) == nil {
					break
				}
				if !yield(v, err) || err != nil {
					return
				}
			}
		}
	}
}
