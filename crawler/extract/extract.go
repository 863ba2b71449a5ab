package extract

import (
	"cmp"
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Options bound what one page, and all pages at once, may cost. Zero means the default, and so does a negative
// value.
type Options struct {
	MaxBytes       int   // bytes read of a body; default 16 MiB
	MaxTree        int64 // estimated bytes of a page's tree, if it needs one, beyond which it is read roughly; default 24 MiB
	Budget         int64 // estimated bytes of all trees and transcoded bodies at once; others wait; default 48 MiB
	MaxLinks       int   // links of one page, those that are repeated counted once; default 100,000
	MaxLinkBytes   int   // bytes of all links of one page; default 8 MiB
	MaxHref        int   // bytes of one reference; default 16 KiB, as much as frontiers take
	MaxMetas       int   // META elements of one page; default 1,000
	MaxMetaBytes   int   // bytes of all META elements of one page; default 256 KiB
	MaxTitle       int   // bytes of a title; default 1,000
	MaxDescription int   // bytes of a description; default 2,000
	MaxKeywords    int   // phrases of META KEYWORDS; default 100
	MaxKeyword     int   // bytes of such a phrase; default 100
	MaxText        int   // bytes of Text; default 1 MiB
}

func (o Options) withDefaults() Options {
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), 16<<20)
	o.MaxTree = cmp.Or(max(o.MaxTree, 0), 24<<20)
	o.Budget = cmp.Or(max(o.Budget, 0), 48<<20)
	o.MaxLinks = cmp.Or(max(o.MaxLinks, 0), 100_000)
	o.MaxLinkBytes = cmp.Or(max(o.MaxLinkBytes, 0), 8<<20)
	o.MaxHref = cmp.Or(max(o.MaxHref, 0), 16<<10)
	o.MaxMetas = cmp.Or(max(o.MaxMetas, 0), 1_000)
	o.MaxMetaBytes = cmp.Or(max(o.MaxMetaBytes, 0), 256<<10)
	o.MaxTitle = cmp.Or(max(o.MaxTitle, 0), 1_000)
	o.MaxDescription = cmp.Or(max(o.MaxDescription, 0), 2_000)
	o.MaxKeywords = cmp.Or(max(o.MaxKeywords, 0), 100)
	o.MaxKeyword = cmp.Or(max(o.MaxKeyword, 0), 100)
	o.MaxText = cmp.Or(max(o.MaxText, 0), 1<<20)
	return o
}

// An Extractor reads pages within limits. It is safe for concurrent use and holds nothing that must be closed.
type Extractor struct {
	opt           Options
	budget        *semaphore.Weighted
	constructions sync.Pool // of *construction
	treesOnly     bool      // read no page by its tags if it can be a tree; tests compare
}

// New returns an extractor with the given limits.
func New(o Options) *Extractor {
	o = o.withDefaults()
	return &Extractor{
		opt:           o,
		budget:        semaphore.NewWeighted(o.Budget),
		constructions: sync.Pool{New: func() any { return newConstruction() }},
	}
}

// Page reads one response. The error is that of ctx, which ends only the wait for the budget; whatever the body is, there
// is a page. A response that is not HTML has no more than its header's links.
func (x *Extractor) Page(ctx context.Context, in Input) (*Page, error) {
	p := &Page{}
	g := gatherer{opt: &x.opt, page: p}
	src := x.open(in, g.note)
	p.HTML, p.Type, p.Charset, p.CharsetSource = src.html, src.mediaType, src.decl.charset, src.decl.source
	g.query = ofQueries(src.decl)
	g.header(in)
	if src.html {
		if err := x.body(ctx, &g, &src); err != nil {
			return nil, err
		}
	}
	g.describe()
	g.defaultLang(in.Header.Get("Content-Language"))
	return p, nil
}
