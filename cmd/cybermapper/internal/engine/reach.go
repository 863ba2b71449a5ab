package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A reach is how far the operator lets a crawl go: all that gates judge links by but the wishes of others.
type reach struct {
	Scope        string               `json:"scope"`
	Include      []string             `json:"include"`
	Exclude      []string             `json:"exclude"`
	Accept       []string             `json:"accept,omitempty"`
	Reject       []string             `json:"reject,omitempty"`
	Depth        int                  `json:"depth"`
	PagesPerHost int64                `json:"max_pages_per_host"`
	BytesPerHost config.Size          `json:"max_bytes_per_host,omitempty"`
	TimePerHost  config.Duration      `json:"max_time_per_host,omitempty"`
	Hosts        map[string]hostReach `json:"hosts,omitempty"`
	ActionLinks  []string             `json:"action_links"`
	Traps        config.Traps         `json:"traps"`
	Seeds        string               `json:"seeds"` // a digest; they are part of the scope
}

func reachOf(c config.Config, digest string) reach {
	return reach{
		Scope: c.Crawl.Scope, Include: c.Crawl.Include, Exclude: c.Crawl.Exclude,
		Accept: c.Crawl.Accept, Reject: c.Crawl.Reject, Depth: c.Crawl.Depth,
		PagesPerHost: c.Crawl.MaxPagesPerHost, BytesPerHost: c.Crawl.MaxBytesPerHost, TimePerHost: c.Crawl.MaxTimePerHost,
		Hosts: hostReaches(c.Hosts), ActionLinks: c.ActionLinks, Traps: c.Traps, Seeds: digest,
	}
}

// A hostReach is how much the operator wants of one host.
type hostReach struct {
	Pages int64           `json:"max_pages"`
	Bytes config.Size     `json:"max_bytes"`
	Time  config.Duration `json:"max_time"`
}

func hostReaches(hosts map[string]config.Host) map[string]hostReach {
	all := map[string]hostReach{}
	for name, h := range hosts {
		if r := (hostReach{h.MaxPages, h.MaxBytes, h.MaxTime}); r != (hostReach{}) {
			all[name] = r
		}
	}
	return all
}

// A widener lets a job go on as far as it may go now, though it was told to go less far before.
type widener struct {
	name       string // of the file in which the job keeps the reach under which all that was found has been judged
	dir        string // of the ledger
	reconsider func(context.Context, []frontier.Link) (int, error)
	out        io.Writer
	always     bool // what was turned away is judged anew in any case: the seeds were taken in meanwhile
}

// follow queues what an earlier run turned away if the reach is another one now, and only then writes down the new one: if the
// process is killed in between, the next run does it again.
func (w *widener) follow(ctx context.Context, now reach) error {
	text, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	before, err := os.ReadFile(w.name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // the first run, or one of a version that did not write it down
	case err != nil:
		return fmt.Errorf("read how far the job went: %w", err)
	case bytes.Equal(text, before) && !w.always:
		return nil
	}
	queued, err := w.requeue(ctx)
	if err != nil {
		return fmt.Errorf("queue what was turned away: %w", err)
	}
	if queued > 0 {
		fmt.Fprintf(w.out, "cybermapper: the crawl may go further than before: queued %s that had been turned away\n",
			say.Plural(queued, "link"))
	}
	return job.WriteFile(w.name, text)
}

// requeue lets the gates of the operator judge anew what they refused, but for what no setting lets pass, and links that were only
// checked, for they were out of scope.
func (w *widener) requeue(ctx context.Context) (queued int, err error) {
	mayPass := func(r ledger.Record) bool { return crawler.Reason(r.Reason) != crawler.ReasonPartFeed }
	gates := []crawler.Gate{crawler.GateAction, crawler.GateScope, crawler.GateTrap, crawler.GateLimit}
	for _, turnedAway := range []iter.Seq2[[]frontier.Link, error]{refusedLinks(w.dir, mayPass, gates...), checkedLinks(w.dir)} {
		for links, err := range turnedAway {
			if err != nil {
				return queued, err
			}
			n, err := w.reconsider(ctx, links)
			if err != nil {
				return queued, err
			}
			queued += n
		}
	}
	return queued, nil
}

// refusedAtOnce is how many links are yielded in one step.
const refusedAtOnce = 1000

// refusedLinks yields the links that gates refused for which keep holds, as the ledger in dir has them.
func refusedLinks(dir string, keep func(ledger.Record) bool, gates ...crawler.Gate) iter.Seq2[[]frontier.Link, error] {
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Refusal}}
	for _, g := range gates {
		o.Gates = append(o.Gates, string(g))
	}
	return linksIn(dir, o, keep)
}

// checkedLinks yields the links of which only was asked whether their page is there.
func checkedLinks(dir string) iter.Seq2[[]frontier.Link, error] {
	return linksIn(dir, ledger.ReadOptions{Types: []ledger.Type{ledger.Outcome}}, func(r ledger.Record) bool {
		return crawler.Reason(r.Reason) == crawler.ReasonChecked && crawler.Purpose(r.Purpose) != crawler.ForRequisite
	})
}

// linksIn yields the links that some records are about.
func linksIn(dir string, o ledger.ReadOptions, keep func(ledger.Record) bool) iter.Seq2[[]frontier.Link, error] {
	return func(yield func([]frontier.Link, error) bool) {
		var links []frontier.Link
		for r, err := range ledger.ReadSound(dir, o) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !keep(r) {
				continue
			}
			link, ok := linkOf(r)
			if !ok {
				continue
			}
			if links = append(links, link); len(links) == refusedAtOnce {
				if !yield(links, nil) {
					return
				}
				links = links[:0]
			}
		}
		if len(links) > 0 {
			yield(links, nil)
		}
	}
}

// linkOf returns the link that a refusal is about; false when it never was a URL.
func linkOf(r ledger.Record) (frontier.Link, bool) {
	u, err := frontier.ParseURL(r.URL)
	via, _ := frontier.ParseURL(r.Via) // zero for a seed
	return frontier.Link{URL: u, Via: via, Depth: r.Depth, Kind: crawler.Purpose(r.Purpose).Kind()}, err == nil
}
