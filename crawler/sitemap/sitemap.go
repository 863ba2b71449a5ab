package sitemap

import (
	"cmp"
	"errors"
	"io"
	"time"
)

// An Entry is one URL that a sitemap names.
type Entry struct {
	Loc     string        // as written, without blanks around it; never empty
	LastMod time.Time     // when the page changed, says the file; zero when it does not say or no date can be made of it
	Every   time.Duration // how often it changes, says the file (changefreq); zero when it does not say
	Sitemap bool          // it leads to another sitemap, not to a page
	Next    bool          // it leads to the next part of this feed (RFC 5005), not to the page of an entry
	Bases   [3]string     // the xml:base of a feed of Atom, its entry and the link; a relative one is relative to that before it
}

// A Format is a kind of sitemap.
type Format string

// The formats. The zero value is none that is known.
const (
	URLSet Format = "urlset"
	Index  Format = "sitemapindex"
	RSS    Format = "rss"
	Atom   Format = "feed"
	Text   Format = "text"
)

// A Reason says why a file, the rest of it, or an entry is left out.
type Reason string

// The reasons. The first ones end the reading.
const (
	TooManyURLs     Reason = "sitemap-urls"
	TooManySitemaps Reason = "sitemap-index-entries"
	TooLarge        Reason = "sitemap-bytes"
	TooDense        Reason = "sitemap-ratio"   // it inflates to more than any list of URLs would
	TooDeep         Reason = "sitemap-nesting" // elements within elements
	LongToken       Reason = "sitemap-token"   // a tag, a comment or a text
	HasDTD          Reason = "sitemap-dtd"
	Broken          Reason = "sitemap-broken"  // XML or gzip that is none from some place on
	Unknown         Reason = "sitemap-unknown" // none of the formats

	LongLoc Reason = "sitemap-loc-length"
	NoLoc   Reason = "sitemap-no-loc" // an entry without a URL, a line of text that is none
)

// Options are the bounds of Read. Zero and negative values mean the defaults, which are the limits of the protocol where it has
// one.
type Options struct {
	MaxEntries int    // URLs, or sitemaps of an index: 50,000
	MaxBytes   int64  // inflated: 50 MiB, 52,428,800 bytes
	MaxRatio   int64  // bytes inflated per byte of gzip, judged beyond 1 MiB: 256
	MaxLoc     int    // bytes of a URL: 2,047 ("less than 2,048 characters")
	MaxToken   int    // bytes of a tag, comment or text of XML: 1 MiB
	MaxDepth   int    // elements within elements: 32
	Charset    string // that the Content-Type names; "" when it names none
	Cut        bool   // the file is known to break off: what stands at its end may be half
}

func (o Options) withDefaults() Options {
	o.MaxEntries = cmp.Or(max(o.MaxEntries, 0), 50_000)
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), 50<<20)
	o.MaxRatio = cmp.Or(max(o.MaxRatio, 0), 256)
	o.MaxLoc = cmp.Or(max(o.MaxLoc, 0), 2047)
	o.MaxToken = cmp.Or(max(o.MaxToken, 0), 1<<20)
	o.MaxDepth = cmp.Or(max(o.MaxDepth, 0), 32)
	return o
}

// A Summary says what a file was.
type Summary struct {
	Format  Format
	Entries int            // handed over
	Bytes   int64          // read, inflated
	Ended   Reason         // why the reading ended before the file; empty when it did not
	Detail  string         // Ended in words
	Skipped map[Reason]int // entries left out; nil when none was
}

// Read reads a sitemap and hands each entry to found, in the order of the file. The error is that of found, which ends the
// reading; what is wrong with the file is in the Summary, and so is an error of r: a file that cannot be read to its end is
// Broken there.
func Read(r io.Reader, o Options, found func(Entry) error) (Summary, error) {
	p := &parser{opts: o.withDefaults(), found: found}
	err := p.read(r)
	var end *ended
	var own *foundError
	switch {
	case errors.As(err, &own):
		return p.summary, own.error
	case errors.As(err, &end):
		p.summary.Ended, p.summary.Detail = end.reason, end.detail
	case err != nil:
		p.summary.Ended, p.summary.Detail = Broken, err.Error()
	}
	return p.summary, nil
}

// A parser is one Read.
type parser struct {
	opts    Options
	found   func(Entry) error
	summary Summary
}

// ended is the error that ends a reading for a Reason.
type ended struct {
	reason Reason
	detail string
}

func (e *ended) Error() string { return e.detail }

// foundError is an error of the caller's own.
type foundError struct{ error }

// entry hands over an entry, unless it is none or one too many.
func (p *parser) entry(e Entry) error {
	switch {
	case len(e.Loc) > p.opts.MaxLoc:
		p.skip(LongLoc)
		return nil
	case e.Loc == "":
		p.skip(NoLoc)
		return nil
	case p.summary.Entries >= p.opts.MaxEntries && e.Sitemap:
		return endf(TooManySitemaps, "more than %d sitemaps", p.opts.MaxEntries)
	case p.summary.Entries >= p.opts.MaxEntries:
		return endf(TooManyURLs, "more than %d URLs", p.opts.MaxEntries)
	}
	p.summary.Entries++
	if err := p.found(e); err != nil {
		return &foundError{err}
	}
	return nil
}

func (p *parser) skip(r Reason) {
	if p.summary.Skipped == nil {
		p.summary.Skipped = map[Reason]int{}
	}
	p.summary.Skipped[r]++
}
