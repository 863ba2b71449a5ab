package engine

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"net/http"
	"os"
	"sync/atomic"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/graph"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/indexer"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/optout"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// A ban is the refusal by which a page may not be kept any more: robots.txt forbids it now, or it does itself, or its owner is
// opted out.
type ban struct {
	ledger.Record               // the zero Record when it may be kept
	now           bool          // said since the last request for it
	answer        ledger.Record // to that request; the zero Record when it is no page, or something else was heard since
}

// outlive forgets a ban that an outcome shows to be over, as package verify sees it: that a page has not changed (304) says nothing
// of what stands in it.
func (b *ban) outlive(o ledger.Record) {
	isPage := o.Status >= 200 && o.Status < 300
	byRobots := b.Reason == string(crawler.ReasonDisallowed)
	if o.File != "" || !b.now && (isPage || byRobots && o.Status == http.StatusNotModified) {
		b.Record = ledger.Record{}
	}
	b.answer = ledger.Record{}
}

// asked takes in a request for the page. A run that was killed when it had settled a page may have left no outcome of it: then the
// answer stands for that, as a page that may not be kept is refused before it is settled.
func (b *ban) asked(r ledger.Record) {
	b.settle()
	b.now = false
	purpose := crawler.Purpose(r.Purpose)
	if r.Error == "" && (purpose == crawler.ForPage || purpose == crawler.ForRequisite) {
		b.answer = r
	}
}

// settle takes the last answer for its outcome, if there is none.
func (b *ban) settle() {
	if b.answer.Type != "" {
		b.outlive(b.answer)
	}
}

func bans(r ledger.Record) bool {
	return r.Type == ledger.Refusal && isBan(crawler.Reason(r.Reason))
}

// isBan reports whether a page that is refused for this reason may not be kept.
func isBan(r crawler.Reason) bool { return r == crawler.ReasonNoindex || r == crawler.ReasonDisallowed }

// A banWatch knows whether the ledger may hold a ban, without which it need not be searched for them.
type banWatch struct {
	whole    bool        // the ledger was recalled from its first record on
	recalled bool        // a ban of an earlier run
	lifted   bool        // an opt-out in one
	heard    atomic.Bool // one of this run
}

// recall takes in a record of an earlier run.
func (w *banWatch) recall(r ledger.Record) {
	w.whole = w.whole || r.Seq == 1
	w.recalled = w.recalled || bans(r)
	w.lifted = w.lifted || r.Event == ledger.EventLifted
}

// refusal hears of a refusal of this run.
func (w *banWatch) refusal(r crawler.Refusal) {
	if isBan(r.Reason) {
		w.heard.Store(true)
	}
}

// mayBeLifted reports whether an earlier run may have lifted an opt-out.
func (w *banWatch) mayBeLifted() bool { return !w.whole || w.lifted }

// none reports whether there is no ban for certain.
func (w *banWatch) none() bool { return w.whole && !w.recalled && !w.heard.Load() }

// bannedPages returns the stored pages that may not be kept any more, by their URLs. Whom outs names by host is opted out. Memory
// grows with what was refused, by a few bytes for each URL, and with what is returned.
func bannedPages(ctx context.Context, j *job.Job, outs *optout.List) (map[string]ban, error) {
	seed, refused := maphash.MakeSeed(), map[uint64]struct{}{}
	refusals := ledger.ReadOptions{
		Types: []ledger.Type{ledger.Refusal}, Gates: []string{string(crawler.GateMeta), string(crawler.GateRobots)},
	}
	for r, err := range ledger.ReadSound(j.Path(job.LedgerDir), refusals) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		if bans(r) {
			refused[maphash.String(seed, r.URL)] = struct{}{}
		}
	}
	stored, optedOut := map[string]ban{}, map[string]ban{}
	if len(refused) == 0 && outs.Len() == 0 {
		return stored, nil
	}
	for l, err := range pages.Read(j.Path(job.PagesDir)) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue // for check to tell
		}
		if entry, out := optOutOf(l.FinalURL, outs); out {
			optedOut[l.FinalURL] = ban{Record: ledger.Record{Reason: string(crawler.ReasonOptedOut), Rule: entry}}
		} else if _, ok := refused[maphash.String(seed, l.FinalURL)]; ok {
			stored[l.FinalURL] = ban{}
		}
	}
	if len(stored) > 0 {
		if err := judgeBans(ctx, j, stored); err != nil {
			return nil, err
		}
	}
	maps.Copy(stored, optedOut)
	return stored, nil
}

// optOutOf returns the entry of a list that names the host of a URL.
func optOutOf(url string, outs *optout.List) (entry string, out bool) {
	if outs.Len() == 0 {
		return "", false
	}
	u, err := frontier.ParseURL(url)
	if err != nil {
		return "", false
	}
	return outs.Host(u.Hostname())
}

// judgeBans finds out which of some URLs may not be kept, by what the ledger heard of each last, and forgets the others.
func judgeBans(ctx context.Context, j *job.Job, stored map[string]ban) error {
	all := ledger.ReadOptions{Types: []ledger.Type{ledger.Request, ledger.Refusal, ledger.Outcome}}
	for r, err := range ledger.ReadSound(j.Path(job.LedgerDir), all) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		b, known := stored[r.URL]
		if !known {
			continue
		}
		switch {
		case bans(r):
			b = ban{Record: r, now: true}
		case r.Type == ledger.Request:
			b.asked(r)
		case r.Type == ledger.Outcome:
			b.outlive(r)
		}
		stored[r.URL] = b
	}
	for u, b := range stored {
		if b.settle(); b.Reason == "" {
			delete(stored, u)
			continue
		}
		stored[u] = b
	}
	return nil
}

// purge removes the stored pages that may not be kept any more, if that is wanted, and tells how many there are. The ledger says so
// before: what a process that is killed has not removed, the next one does.
func (r *run) purge(ctx context.Context) error {
	outs := r.optOuts.last // which the ledger has
	if r.Again == AgainNone && !r.Config.Recrawl.Purge || ctx.Err() != nil || r.bans.none() && outs.Len() == 0 {
		return nil
	}
	if err := r.stores.ledger.Flush(); err != nil {
		return err
	}
	banned, err := bannedPages(ctx, r.job, outs)
	switch {
	case ctx.Err() != nil: // the next run does it
		return nil
	case err != nil:
		return fmt.Errorf("look for pages that may not be kept: %w", err)
	case len(banned) == 0:
		return nil
	case !r.Config.Recrawl.Purge:
		if !r.Quiet {
			fmt.Fprintf(r.Screen, "cybermapper: kept as before: %s that noindex, robots.txt or an opt-out forbids now; "+
				"--again --purge removes such pages\n", say.Plural(int64(len(banned)), "stored page"))
		}
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	if err := r.notePurge(banned); err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	kept := graph.Remove(r.Dir) // it has their titles, and is made again when somebody asks for it
	unwanted := func(l *pages.Line) bool { return banned[l.FinalURL].Reason != "" }
	done, err := r.stores.pages.Remove(ctx, unwanted)
	if err = errors.Join(err, kept); err != nil {
		return err
	}
	if !r.Quiet {
		fmt.Fprintf(r.Screen, "cybermapper: removed %s that may not be kept any more: %s, %s\n",
			say.Plural(int64(len(banned)), "page"), say.Plural(done.Lines, "version"), say.Plural(done.Files, "file"))
	}
	return nil
}

// notePurge writes down durably what is about to be removed: each body of each page once.
func (r *run) notePurge(banned map[string]ban) error {
	type version struct{ url, file, digest string }
	noted := map[version]bool{}
	for l, err := range pages.Read(r.job.Path(job.PagesDir)) {
		b := banned[l.FinalURL]
		v := version{l.FinalURL, l.File, string(l.Digest)}
		if err != nil || b.Reason == "" || noted[v] {
			continue
		}
		noted[v] = true
		removal := ledger.Record{Type: ledger.Purge, URL: v.url, Reason: b.Reason, Rule: b.Rule, File: v.file, Digest: v.digest}
		if err := r.stores.ledger.Append(removal); err != nil {
			return err
		}
	}
	return r.stores.ledger.Sync()
}

// isRemoved is for crawler.Config.Removed. What robots.txt has forbidden may have been removed, and any page whose owner was opted
// out and is not any more. Another node of a cluster may have removed it, too; so counts what cannot be looked up.
func (r *run) isRemoved(u frontier.URL, refused bool) bool {
	switch {
	case r.stores.node != nil:
		return refused || r.bans.lifted
	case !refused && !r.bans.mayBeLifted() && r.Config.OptOut == "":
		return false
	}
	has, err := r.stores.pages.Has(u.String())
	return err != nil || !has
}

// hasIndex reports whether the pages of the job can be searched.
func (p *Session) hasIndex() bool {
	_, err := os.Stat(indexer.File(p.Dir))
	return err == nil
}
