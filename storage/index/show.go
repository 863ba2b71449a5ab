package index

import (
	"context"
	"math"
	"time"
)

// show makes hits of the matches that are asked for.
func (s *search) show() error {
	groups := map[int64]int{} // index in hits
	var hits []Hit
	for i := range s.ranked {
		m := &s.ranked[i]
		if len(hits) > s.q.Offset+s.q.Limit {
			break
		}
		if err := s.load(m); err != nil {
			return err
		}
		r := m.row
		if r == nil || r.expires != 0 && r.expires <= s.now {
			continue
		}
		if at, known := groups[r.group]; known && !s.q.Ungrouped {
			hits[at].join(r, s.ranked[hits[at].Rank].row)
			continue
		}
		groups[r.group] = len(hits)
		hits = append(hits, Hit{
			Rank: i, URL: r.doc.URL, Host: hostOf(r.doc.URL), Lang: r.doc.Lang, Type: r.doc.Type, Fetched: r.doc.Fetched,
			Modified: r.doc.Modified, File: r.doc.File, Archive: !r.doc.NoArchive && r.doc.MaxSnippet != 0,
			Score: math.Round(m.score*1000) / 1000,
		})
	}
	s.r.More = len(hits) > s.q.Offset+s.q.Limit && s.q.Offset+s.q.Limit < MaxHits
	s.r.Capped = !s.r.More && s.r.Total > MaxHits
	from, to := min(s.q.Offset, len(hits)), min(s.q.Offset+s.q.Limit, len(hits))
	for i := from; i < to; i++ {
		h := hits[i]
		r, m := s.ranked[h.Rank].row, s.m
		if s.r.Some = s.r.Some || h.Rank >= s.full; h.Rank >= s.full && s.some != nil {
			s.m = s.some
		}
		h.Rank = i + 1
		err := s.excerpts(&h, r)
		if s.m = m; err != nil {
			return err
		}
		s.r.Hits = append(s.r.Hits, h)
	}
	return nil
}

// maxRelatives bounds the pages that a hit lists as the same.
const maxRelatives = 20

// join takes in a page that is the same as the hit, or nearly so. The one that the others call canonical is the one to be shown.
func (h *Hit) join(r, own *row) {
	other := Relative{URL: r.doc.URL, Title: clean(r.doc.Text.Title)}
	same := r.doc.Exact == own.doc.Exact && own.doc.Exact != 0
	list := &h.Similar
	if same {
		list = &h.Same
	}
	if same && own.doc.Canonical == r.doc.URL {
		other = Relative{URL: h.URL, Title: other.Title}
		h.URL, h.Host, h.File, h.Fetched = r.doc.URL, hostOf(r.doc.URL), r.doc.File, r.doc.Fetched
	}
	if len(*list) < maxRelatives {
		*list = append(*list, other)
	}
}

// maxLanguages bounds the languages that a query may be in.
const maxLanguages = 30

// languages returns those that a twentieth of the pages have at least, three at most.
func (x *Index) languages(ctx context.Context) ([]string, error) {
	x.langsMu.Lock()
	defer x.langsMu.Unlock()
	if time.Since(x.langsAt) < 10*time.Second {
		return x.langs, nil
	}
	type share struct {
		lang  string
		pages int
	}
	list, err := all(ctx, x.read, func(s *share) []any { return []any{&s.lang, &s.pages} },
		`SELECT lang, count(*) FROM pages GROUP BY lang ORDER BY 2 DESC`)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, s := range list {
		total += s.pages
	}
	var langs []string
	kept := []string{}
	for _, s := range list {
		if s.lang == "" {
			continue
		}
		langs = append(langs, s.lang)
		if len(kept) < 3 && s.pages*20 >= total {
			kept = append(kept, s.lang)
		}
	}
	x.langs, x.allLangs, x.langsAt = kept, langs[:min(len(langs), maxLanguages)], time.Now()
	return kept, nil
}
