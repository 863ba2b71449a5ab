package engine

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// forgetRobots has robots.txt asked for again where the ledger may not tell of what is known of it: no request could name it as its
// reason.
func (r *repairer) forgetRobots(ctx context.Context) error {
	if !r.done.LedgerAnew && r.done.LedgerBehind == "" {
		return nil
	}
	for info, err := range r.stores.own.Sites(ctx) {
		if err == nil && len(crawler.KnownRobots(info.Policy)) > 0 {
			err = r.stores.own.ChangeState(ctx, info.Site, crawler.WithoutRobots)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settleStored settles, in a queue that was built anew, the pages that are stored when no ledger tells of them.
func (r *repairer) settleStored(ctx context.Context) error {
	if r.done.Queue == "" || !r.done.LedgerAnew {
		return nil
	}
	for l, err := range pages.Read(r.job.Path(job.PagesDir)) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		u, err := frontier.ParseURL(l.URL)
		if err != nil || !r.sound[r.key(l.FinalURL)] {
			continue
		}
		if l.Kind != "" {
			r.needed[l.URL] = true
		}
		r.batch[u] = frontier.Outcome{Status: frontier.Done, Code: l.Status, Page: l.Kind == "", Bytes: l.Bytes}
		r.links[u] = l.Depth
		if len(r.batch) < settledAtOnce {
			continue
		}
		if err := r.settle(ctx); err != nil {
			return err
		}
	}
	return r.settle(ctx)
}

// queueLost queues what is to be asked for again, and says so in the ledger.
func (r *repairer) queueLost(ctx context.Context) error {
	for url, l := range r.lost {
		if r.sitemaps[url] {
			continue
		}
		if err := r.queueAgain(ctx, url, l); err != nil {
			return err
		}
		r.done.AskedAgain++
	}
	if r.done.Queue == "" {
		return nil
	}
	for url := range r.sitemaps { // they are read when robots.txt names them again
		if err := r.stores.ledger.Append(ledger.Record{Type: ledger.Outcome, URL: url, Outcome: "retrying", Reason: "lost",
			NotBefore: time.Now()}); err != nil {
			return err
		}
	}
	for url, rec := range r.retrying {
		if r.sitemaps[url] {
			continue
		}
		u, err := frontier.ParseURL(url)
		if err != nil {
			continue
		}
		added, err := r.stores.frontier.Add(ctx, []frontier.Link{{URL: u, Depth: rec.Depth, Force: true, Kind: r.kindOf(url)}})
		if err != nil {
			return err
		}
		r.done.Queued += int64(added.New)
	}
	return nil
}

// queueAgain queues a URL whose page is lost.
func (r *repairer) queueAgain(ctx context.Context, url string, l loss) error {
	u, err := frontier.ParseURL(url)
	if err != nil {
		return nil
	}
	if l.state == nil {
		info, err := r.stores.frontier.Lookup(ctx, u)
		if err != nil {
			return err
		}
		if info.Return != nil {
			l.state = crawler.Unmade(info.Return.State)
		}
	}
	link := frontier.Link{URL: u, Depth: l.depth, Force: true, Kind: r.kindOf(url), State: l.state}
	added, err := r.stores.frontier.Add(ctx, []frontier.Link{link})
	if err != nil || added.New == 0 {
		return err
	}
	r.done.Queued++
	return r.stores.ledger.Append(ledger.Record{Type: ledger.Outcome, URL: url, Depth: l.depth, Outcome: "retrying", Reason: "lost",
		NotBefore: time.Now()})
}

// queueFound finds again what a lost queue held: the seeds, what was submitted, where redirects led, and the links of all stored
// pages.
func (r *repairer) queueFound(ctx context.Context) error {
	if r.done.Queue == "" {
		return nil
	}
	err := r.eachSeeds(func(seeds []seed.Seed) error {
		links := make([]frontier.Link, len(seeds))
		for i, s := range seeds {
			links[i] = s.Link()
		}
		return r.reconsider(ctx, links...)
	})
	if err != nil {
		return err
	}
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Outcome, ledger.Seed}}
	for rec, err := range ledger.ReadSound(r.job.Path(job.LedgerDir), o) {
		if err != nil {
			return err
		}
		if u, err := frontier.ParseURL(rec.URL); rec.Type == ledger.Seed && rec.Outcome == "queued" && err == nil {
			if err := r.reconsider(ctx, frontier.Link{URL: u, Depth: rec.Depth}); err != nil {
				return err
			}
			continue
		}
		from, ferr := frontier.ParseURL(rec.URL)
		to, terr := frontier.ParseURL(rec.Location)
		if ferr != nil || terr != nil {
			continue
		}
		if err := r.reconsider(ctx, frontier.Link{URL: to, Via: from, Depth: rec.Depth, Hops: []frontier.URL{from},
			Kind: crawler.Purpose(rec.Purpose).Kind()}); err != nil {
			return err
		}
	}
	for l, err := range pages.Read(r.job.Path(job.PagesDir)) {
		if err != nil {
			return err
		}
		links, err := r.linksOf(ctx, l)
		if err == nil {
			err = r.reconsider(ctx, links...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachSeeds calls f with the seeds of the job, some at a time: they may be more than memory holds.
func (r *repairer) eachSeeds(f func([]seed.Seed) error) error {
	some := make([]seed.Seed, 0, streamBatch)
	for s, err := range job.EachSeed(r.job.Path("")) {
		if err != nil {
			return err
		}
		if some = append(some, s); len(some) < streamBatch {
			continue
		}
		if err := f(some); err != nil {
			return err
		}
		some = some[:0]
	}
	return f(some)
}

func (r *repairer) reconsider(ctx context.Context, links ...frontier.Link) error {
	n, err := r.engine.Reconsider(ctx, links)
	r.done.Queued += int64(n)
	return err
}

// linksOf reads a stored page the way the engine did, but for links in its header, which is not kept.
func (r *repairer) linksOf(ctx context.Context, l pages.Line) ([]frontier.Link, error) {
	u, err := frontier.ParseURL(l.FinalURL)
	if err != nil {
		return nil, nil
	}
	body, err := job.ReadFile(r.pageFile(l), l.Bytes)
	if err != nil {
		return nil, nil // lost, and asked for again
	}
	h := http.Header{"Content-Type": {l.Type}, "X-Robots-Tag": {strings.Join(l.Directives, ", ")}}
	if l.Charset != "" {
		h.Set("Content-Type", l.Type+"; charset="+l.Charset)
	}
	links, err := r.requisitesOf(ctx, u, h, body)
	if err != nil || !l.IsPage() {
		return links, err
	}
	reading, err := crawler.Read(ctx, r.extract, r.config.Agent.Product, u, h, body)
	if err != nil || !reading.Directives.MayFollow() {
		return nil, err // of a page that asks so none of its requisites were asked for, either
	}
	seen := map[frontier.URL]bool{u: true}
	for _, o := range reading.Outlinks {
		if !o.URL.IsZero() && o.Rel.MayFollow() && !reading.NamesPartFeed(o, l.Depth) && !seen[o.URL] {
			seen[o.URL] = true
			links = append(links, frontier.Link{URL: o.URL, Via: u, Depth: l.Depth + 1})
		}
	}
	return links, nil
}

// requisitesOf reads what a stored page or style sheet needs, if that is fetched.
func (r *repairer) requisitesOf(ctx context.Context, u frontier.URL, h http.Header, body []byte) ([]frontier.Link, error) {
	if !r.config.Crawl.Requisites {
		return nil, nil
	}
	all, _, err := crawler.ReadRequisites(ctx, r.extract, u, h, body)
	var links []frontier.Link
	for _, q := range all {
		if !q.URL.IsZero() {
			links = append(links, frontier.Link{URL: q.URL, Via: u, Kind: crawler.ForRequisite.Kind()})
		}
	}
	return links, err
}

// kindOf returns the frontier.Link.Kind of what is no sitemap.
func (r *repairer) kindOf(url string) uint8 {
	if r.needed[url] {
		return crawler.ForRequisite.Kind()
	}
	return crawler.ForPage.Kind()
}

// settle brings the batch into the queue, which holds nothing else, and settles all of it.
func (r *repairer) settle(ctx context.Context) error {
	if len(r.batch) == 0 {
		return nil
	}
	f := r.stores.frontier
	links := make([]frontier.Link, 0, len(r.batch))
	for u := range r.batch {
		links = append(links, frontier.Link{URL: u, Depth: r.links[u], Force: true, Kind: r.kindOf(u.String())})
	}
	if _, err := f.Add(ctx, links); err != nil {
		return err
	}
	for {
		l, err := f.Lease(ctx, 0)
		if errors.Is(err, frontier.ErrIdle) {
			break
		}
		if err == nil {
			err = r.settleSite(ctx, l)
		}
		if err != nil {
			return err
		}
	}
	r.done.Settled += int64(len(r.batch))
	clear(r.batch)
	clear(r.links)
	return nil
}

func (r *repairer) settleSite(ctx context.Context, l frontier.Lease) error {
	var all []frontier.Outcome
	for {
		e, ok, err := l.Next(ctx)
		if err != nil {
			return errors.Join(err, l.Close())
		}
		if !ok {
			break
		}
		o := r.batch[e.URL]
		o.Entry = e
		all = append(all, o)
	}
	_, err := l.Settle(ctx, all...)
	return errors.Join(err, l.Close())
}

// oweWithin is how long ago a site may have been asked last for its whole gap to be owed from now on: who knows what was under way.
const oweWithin = 10 * time.Minute

// owe carries over what each site is owed.
func (r *repairer) owe(ctx context.Context) error {
	if r.done.Queue == "" {
		return nil
	}
	now := time.Now()
	for site, last := range r.last {
		if now.Sub(last.End) > max(oweWithin, time.Duration(last.Gap)) {
			continue
		}
		if err := r.stores.own.Owe(ctx, site, now, time.Duration(last.Gap)); err != nil {
			return err
		}
	}
	if err := r.oweLater(ctx, now); err != nil {
		return err
	}
	politeness := r.config.Crawler().Politeness
	return recallGates(ctx, r.job.Path(job.LedgerDir), r.stores.own, &politeness, r.stores.began)
}

// oweLater carries over what a queue that is of later than the ledger knows to be owed.
func (r *repairer) oweLater(ctx context.Context, now time.Time) error {
	if r.done.LedgerBehind == "" {
		return nil
	}
	debts := map[string]crawler.Debt{}
	if err := addDebts(ctx, r.job, debts); err != nil {
		return err
	}
	for site, d := range debts {
		err := r.stores.own.Owe(ctx, site, now, d.Until.Sub(now))
		if err == nil && d.Failures > 0 {
			err = r.stores.own.Block(ctx, site, d.Until, d.Reason)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
