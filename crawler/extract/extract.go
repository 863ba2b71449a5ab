package extract

import (
	"cmp"
	"context"

	"golang.org/x/sync/semaphore"
)

// Options bound what one page, and all pages at once, may cost. A zero field means its default.
type Options struct {
	MaxBytes       int   // bytes read of a body; default 16 MiB
	MaxTree        int64 // estimated bytes of one page's tree, beyond which it is read by its tags; default 24 MiB
	Budget         int64 // estimated bytes of all trees and transcoded bodies at once; others wait; default 48 MiB
	MaxLinks       int   // links of one page; default 5,000
	MaxLinkBytes   int   // bytes of all links of one page; default 1 MiB
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
	o.MaxBytes = cmp.Or(o.MaxBytes, 16<<20)
	o.MaxTree = cmp.Or(o.MaxTree, 24<<20)
	o.Budget = cmp.Or(o.Budget, 48<<20)
	o.MaxLinks = cmp.Or(o.MaxLinks, 5_000)
	o.MaxLinkBytes = cmp.Or(o.MaxLinkBytes, 1<<20)
	o.MaxHref = cmp.Or(o.MaxHref, 16<<10)
	o.MaxMetas = cmp.Or(o.MaxMetas, 1_000)
	o.MaxMetaBytes = cmp.Or(o.MaxMetaBytes, 256<<10)
	o.MaxTitle = cmp.Or(o.MaxTitle, 1_000)
	o.MaxDescription = cmp.Or(o.MaxDescription, 2_000)
	o.MaxKeywords = cmp.Or(o.MaxKeywords, 100)
	o.MaxKeyword = cmp.Or(o.MaxKeyword, 100)
	o.MaxText = cmp.Or(o.MaxText, 1<<20)
	return o
}

// An Extractor reads pages within limits. It is safe for concurrent use and holds nothing that must be closed.
type Extractor struct {
	opt    Options
	budget *semaphore.Weighted
}

// New returns an extractor with the given limits.
func New(o Options) *Extractor {
	o = o.withDefaults()
	return &Extractor{opt: o, budget: semaphore.NewWeighted(o.Budget)}
}

// Page reads one response. The error is that of ctx, which ends only the wait for the budget; whatever the body is, there
// is a page. A response that is not HTML has no more than its header's links.
func (x *Extractor) Page(ctx context.Context, in Input) (*Page, error) {
	p := &Page{}
	g := gatherer{opt: &x.opt, page: p}
	src := x.open(in, g.note)
	p.HTML, p.Type, p.Charset, p.CharsetSource = src.html, src.mediaType, src.decl.charset, src.decl.source
	g.query = queryEncoding(src.decl)
	g.header(in)
	if src.html {
		text, tree, release, err := x.admit(ctx, &src)
		if err != nil {
			return nil, err
		}
		defer release()
		g.body(text, tree, src.xml)
	}
	g.describe()
	g.defaultLang(in.Header.Get("Content-Language"))
	return p, nil
}

// What trees of pages take where nothing is rebuilt. "<p>" makes an element.
const (
	treePerByte = tagCost/3 + textCost
	treeOfAny   = 1 << 20
)

// admit waits until the budget has room for reading src and returns its text and whether it may be made a tree. The caller
// calls release when it has read the text.
func (x *Extractor) admit(ctx context.Context, src *source) (text []byte, tree bool, release func(), err error) {
	limit, held := x.opt.MaxTree, int64(0)
	if src.transcode { // what the tree takes is known too late to wait for it
		limit = min(limit, int64(len(src.body))*treePerByte+treeOfAny)
		held = int64(src.textSize()) + limit
	} else if !src.xml {
		held, tree = bound(src.body, limit)
	}
	held = min(held, x.opt.Budget)
	if err := x.budget.Acquire(ctx, held); err != nil {
		return nil, false, nil, err
	}
	text = src.text()
	if src.transcode && !src.xml {
		_, tree = bound(text, limit)
	}
	return text, tree, func() { x.budget.Release(held) }, nil
}

// bound returns an upper bound of the memory that parsing text into a tree takes, if that is within limit.
func bound(text []byte, limit int64) (int64, bool) {
	if cost, ok := glance(text); ok && cost <= limit {
		return cost, true
	}
	if cost, ok := weigh(text, limit); ok {
		return cost, true
	}
	return 0, false
}
