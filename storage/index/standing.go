package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// A State says whether a page is in the index.
type State string

// The states.
const (
	Indexed State = "indexed"
	Refused State = "refused"
	Unknown State = "unknown" // the index has never heard of it
)

// A Standing is what an index knows of one URL.
type Standing struct {
	State   State      `json:"state"`
	Page    *Page      `json:"page,omitempty"`
	Refusal *Refusal   `json:"refusal,omitempty"` // also of a URL that leads to Page now, of what was there before
	Same    []Relative `json:"same,omitempty"`    // pages with the same text: they are one hit
	Similar []Relative `json:"similar,omitempty"` // pages with nearly the same text: likewise
}

// A Page is what an index holds of a page that can be found.
type Page struct {
	URL        string    `json:"url"`
	Asked      string    `json:"asked,omitempty"` // that redirects to it
	Title      string    `json:"title"`
	Lang       string    `json:"lang,omitempty"`
	Type       string    `json:"type"`
	File       string    `json:"file"`
	Fetched    time.Time `json:"fetched"`
	Modified   time.Time `json:"modified,omitzero"`
	Expires    time.Time `json:"expires,omitzero"`
	Canonical  string    `json:"canonical,omitempty"`
	Words      int       `json:"words"`
	MaxSnippet int       `json:"max_snippet"` // negative for no bound
	NoArchive  bool      `json:"no_archive,omitempty"`
	Source     int64     `json:"-"`
}

// Why says whether the page at a URL is in the index, and if not, why.
func (x *Index) Why(ctx context.Context, url string) (*Standing, error) {
	s, err := x.why(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", url, classify(err))
	}
	return s, nil
}

func (x *Index) why(ctx context.Context, url string) (*Standing, error) {
	s := &Standing{State: Unknown}
	r := &row{}
	err := x.read.QueryRowContext(ctx, `SELECT `+pageColumns+` FROM pages WHERE url = ?1
		UNION ALL SELECT `+pageColumns+` FROM pages WHERE asked = ?1 AND asked != '' LIMIT 1`, url).Scan(r.dest()...)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return s, x.refusal(ctx, url, s)
	case err != nil:
		return nil, err
	}
	r.times()
	d := &r.doc
	if d.URL != url { // a page was there before it led to another one
		if err := x.refusal(ctx, url, s); err != nil {
			return nil, err
		}
	}
	s.State = Indexed
	s.Page = &Page{
		URL: d.URL, Asked: d.Asked, Title: clean(d.Text.Title), Lang: d.Lang, Type: d.Type, File: d.File, Fetched: d.Fetched,
		Modified: d.Modified, Expires: d.Expires, Canonical: d.Canonical, Words: d.Words, MaxSnippet: d.MaxSnippet,
		NoArchive: d.NoArchive, Source: d.Source,
	}
	if !d.Expires.IsZero() && !d.Expires.After(time.Now()) {
		s.State = Refused
		s.Refusal = &Refusal{URL: d.URL, Reason: Expired, Rule: "until " + d.Expires.Format(time.RFC3339), Time: d.Expires}
	}
	return s, x.relatives(ctx, r, s)
}

// refusal fills in why a page is not in the index.
func (x *Index) refusal(ctx context.Context, url string, s *Standing) error {
	f := Refusal{URL: url}
	var at int64
	err := x.read.QueryRowContext(ctx, `SELECT reason, rule, file, line, at, source FROM refused WHERE url = ?`, url).
		Scan(&f.Reason, &f.Rule, &f.File, &f.Line, &at, &f.Source)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	f.Time = fromUnix(at)
	s.State, s.Refusal = Refused, &f
	return err
}

// relatives fills in which pages are the same.
func (x *Index) relatives(ctx context.Context, r *row, s *Standing) error {
	type relative struct {
		Relative
		exact int64
	}
	list, err := all(ctx, x.read, func(o *relative) []any { return []any{&o.URL, &o.Title, &o.exact} },
		`SELECT url, title, exact FROM pages WHERE grp = ? AND id != ? ORDER BY id LIMIT ?`, r.group, r.id, maxRelatives)
	for _, o := range list {
		o.Title = clean(o.Title)
		if o.exact == r.exact && o.exact != 0 {
			s.Same = append(s.Same, o.Relative)
			continue
		}
		s.Similar = append(s.Similar, o.Relative)
	}
	return err
}

// Counts is how much an index holds.
type Counts struct {
	Pages   int            `json:"pages"`
	Refused map[Reason]int `json:"refused"`
	Bytes   int64          `json:"bytes"` // of the file
}

// Counts returns how much the index holds.
func (x *Index) Counts(ctx context.Context) (c Counts, err error) {
	c.Refused = map[Reason]int{}
	if err := x.read.QueryRowContext(ctx, `SELECT count(*) FROM pages`).Scan(&c.Pages); err != nil {
		return c, classify(err)
	}
	if err := x.read.QueryRowContext(ctx, `SELECT page_count * page_size FROM pragma_page_count(),
		pragma_page_size()`).Scan(&c.Bytes); err != nil {
		return c, classify(err)
	}
	type refused struct {
		reason Reason
		n      int
	}
	list, err := all(ctx, x.read, func(r *refused) []any { return []any{&r.reason, &r.n} },
		`SELECT reason, count(*) FROM refused GROUP BY reason`)
	for _, r := range list {
		c.Refused[r.reason] = r.n
	}
	return c, classify(err)
}

// An Entry is one page of an index, or one refusal, as whoever derives the index looks through them.
type Entry struct {
	URL     string
	Source  int64
	Refusal Reason // empty for a page that is in the index
}

// Entries returns up to most entries whose URLs follow after in order, refused ones among them; those of one origin only if that is
// not empty.
func (x *Index) Entries(ctx context.Context, origin, after string, most int) (list []Entry, err error) {
	end, comparison := "\U0010FFFF", ">"
	if origin != "" {
		end = origin + "/\U0010FFFF"
		if after < origin+"/" {
			after, comparison = origin+"/", ">=" // its front page is the first of an origin
		}
	}
	list, err = all(ctx, x.read, func(e *Entry) []any { return []any{&e.URL, &e.Source, &e.Refusal} },
		`SELECT url, source, '' FROM pages WHERE url `+comparison+` ?1 AND url < ?2
		UNION ALL SELECT url, source,
			reason FROM refused WHERE url `+comparison+` ?1 AND url < ?2 ORDER BY 1 LIMIT ?3`, after, end, most)
	return list, classify(err)
}

// A Found is what the index knows of the page at a URL itself, not of one that the URL leads to.
type Found struct {
	Entry
	Fetched time.Time // zero when the page is refused
}

// Find returns what the index knows of some URLs, without those of which it knows nothing.
func (x *Index) Find(ctx context.Context, urls []string) (map[string]Found, error) {
	found, err := x.find(ctx, urls)
	return found, classify(err)
}

func (x *Index) find(ctx context.Context, urls []string) (found map[string]Found, err error) {
	conn, err := x.read.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	db := sqlfile.NewPrepared(conn)
	defer func() { err = errors.Join(err, db.Close()) }()
	found = map[string]Found{}
	var at int64
	dest := func(f *Found) []any { return []any{&f.URL, &f.Source, &f.Refusal, &at} }
	for _, url := range urls {
		brief, err := sqlfile.Brief(ctx)
		if err != nil {
			return nil, err
		}
		for f, err := range sqlfile.Rows(brief, db, dest, `SELECT url, source, '', fetched FROM pages WHERE url = ?1
			UNION ALL SELECT url, source, reason, 0 FROM refused WHERE url = ?1`, url) {
			if err != nil {
				return nil, err
			}
			if _, isPage := found[url]; isPage {
				break
			}
			f.Fetched = fromUnix(at)
			found[url] = f
		}
	}
	return found, nil
}

// Outdated returns the URLs of up to most pages whose time was up at a moment.
func (x *Index) Outdated(ctx context.Context, now time.Time, most int) (urls []string, err error) {
	urls, err = all(ctx, x.read, sqlfile.Column[string], `SELECT url FROM pages WHERE expires != 0 AND expires <= ? LIMIT ?`,
		now.Unix(), most)
	return urls, classify(err)
}

// Marks returns all marks.
func (x *Index) Marks(ctx context.Context) (map[string]string, error) {
	type mark struct{ key, value string }
	list, err := all(ctx, x.read, func(m *mark) []any { return []any{&m.key, &m.value} }, `SELECT key, value FROM meta`)
	marks := map[string]string{}
	for _, m := range list {
		marks[m.key] = m.value
	}
	return marks, classify(err)
}

// Hosts returns the hosts, with their ports, that there are pages of.
func (x *Index) Hosts(ctx context.Context) (hosts []string, err error) {
	hosts, err = all(ctx, x.read, sqlfile.Column[string], `SELECT DISTINCT host FROM pages`)
	return hosts, classify(err)
}
