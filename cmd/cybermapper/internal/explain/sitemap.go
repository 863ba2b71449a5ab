package explain

import (
	"net/http"
	"slices"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A Sitemap is what came of reading a URL as a sitemap.
type Sitemap struct {
	URLs int      `json:"urls"`
	New  int      `json:"new"` // of these, queued for the first time
	Left []string `json:"left_out,omitempty"`
}

// sitemapOf returns what was read, if it has not changed since; nil when the URL is no sitemap, or was not read.
func sitemapOf(h *history) *Sitemap {
	n := len(h.outcomes)
	for n > 0 && h.outcomes[n-1].Reason == string(crawler.ReasonUnchanged) {
		n--
	}
	if n == 0 || h.outcomes[n-1].Status != http.StatusOK {
		return nil
	}
	asked := len(h.attempts) > 0 && h.attempts[len(h.attempts)-1].Purpose == string(crawler.ForSitemap)
	isSitemap := func(r ledger.Record) bool { return r.Purpose == string(crawler.ForSitemap) } // what a seed is shows only then
	if !asked && !slices.ContainsFunc(h.outcomes[n-1:], isSitemap) {
		return nil
	}
	s := &Sitemap{URLs: h.outcomes[n-1].LinksFound, New: h.outcomes[n-1].LinksNew}
	for _, r := range h.refusals {
		if r.Gate == string(crawler.GateSitemap) {
			s.Left = append(s.Left, say.Reason(crawler.Reason(r.Reason))+": "+r.Rule+" ("+r.Reason+")")
		}
	}
	return s
}

// print writes rows.
func (s *Sitemap) print(row func(label, format string, args ...any)) {
	row("sitemap", "%s, %s of them new; read and not stored", say.Plural(s.URLs, "URL"), say.Count(int64(s.New)))
	for _, left := range s.Left {
		row("", "%s", left)
	}
}
