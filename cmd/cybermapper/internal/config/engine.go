package config

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/robots"
)

// Crawler translates what the operator wrote into what the engine reads: where the file has 0 for "none" the engine
// wants a negative number.
func (c Config) Crawler() crawler.Config {
	p, t := c.Politeness, c.Traps
	return crawler.Config{
		Workers: c.Crawl.Workers, SlowMemory: int64(c.Crawl.SlowMemory), Retries: none(c.Crawl.Retries),
		RetryDelay: none(time.Duration(c.Crawl.RetryDelay)), Patience: none(time.Duration(c.Crawl.Patience)),
		GiveUp: none(time.Duration(c.Robots.GiveUp)), DrainTime: none(time.Duration(c.Crawl.DrainTime)), Actions: c.ActionLinks,
		Politeness: crawler.Politeness{
			Delay: none(time.Duration(p.Delay)), Factor: none(p.DelayFactor), MaxDelay: atOnce(p.MaxDelay),
			Jitter: none(float64(p.Jitter)), PerAddress: p.PerAddress, Rest: time.Duration(p.HostRest),
			LongDelay: none(time.Duration(p.LongDelay)), MaxRest: time.Duration(p.HostRestMax),
			MaxRetryAfter: time.Duration(p.RetryAfterMax), FailuresInRow: p.FailuresInRow, DenialsInRow: p.DenialsInRow,
			SignalsPerPage: p.SignalsPerPage,
		},
		CheckLinks: c.Crawl.CheckLinks,
		Requisites: crawler.Requisites{
			Fetch: c.Crawl.Requisites, Hosts: commaLists(c.Crawl.RequisiteHosts),
			PerPage: none(t.RequisitesPerPage), Nested: t.NestedStyles,
		},
		Sitemaps: crawler.Sitemaps{
			Read: c.Crawl.Sitemaps, PerSite: none(t.SitemapsPerSite), Proofs: none(t.SitemapProofs),
		},
		Hosts: c.overrides(), Hours: hours(c.Crawl.Hours), Priorities: priorities(c.Priority),
		Scope: crawler.Scope{
			Mode: crawler.ScopeMode(c.Crawl.Scope), Include: patterns(c.Crawl.Include), Exclude: patterns(c.Crawl.Exclude),
		},
		MediaTypes: crawler.MediaTypes{Accept: commaLists(c.Crawl.Accept), Reject: commaLists(c.Crawl.Reject)},
		Limits: crawler.Limits{
			SeedsOnly: c.Crawl.Depth == 0, Depth: c.Crawl.Depth, Pages: c.Crawl.MaxPages, PagesPerHost: c.Crawl.MaxPagesPerHost,
			BytesPerHost: int64(c.Crawl.MaxBytesPerHost), TimePerHost: time.Duration(c.Crawl.MaxTimePerHost),
			Bytes: int64(c.Crawl.MaxBytes), Time: time.Duration(c.Crawl.MaxTime),
		},
		Recrawl: crawler.Recrawl{
			First: time.Duration(c.Recrawl.First), Min: time.Duration(c.Recrawl.Min), Max: time.Duration(c.Recrawl.Max),
			GoneRest: time.Duration(c.Recrawl.GoneRest), Gone: none(c.Recrawl.Gone),
		},
		Traps: crawler.Traps{
			URLLength: none(t.URLLength), PathSegments: none(t.PathSegments), Repeats: none(t.RepeatedSegments),
			Redirects: none(t.Redirects), Outlinks: t.LinksPerPage, QueriesPerPath: none(t.QueriesPerPath),
			PrefixPages: none(t.PagesPerDirectory), PrefixSample: none(t.DirectorySample),
			PrefixYield: none(float64(t.DirectoryYield)), EndlessSample: none(t.EndlessSample), ScoutDepth: t.ScoutDepth,
			Spellings: none(t.Spellings), Guises: none(t.Guises), Archives: none(t.RevisionArchives), Released: patterns(t.Release),
			HostsPerDomain: none(t.HostsPerDomain),
			KeepSoft404:    !t.Soft404, KeepOrders: !t.ListingOrders, SessionParams: t.SessionParameters, Remembered: t.Remembered,
		},
	}
}

// overrides translates hosts: a delay that is not given keeps the usual ones.
func (c Config) overrides() map[string]crawler.Override {
	hosts := map[string]crawler.Override{}
	for name, h := range c.Hosts {
		o := crawler.Override{Connections: h.Connections, Release: h.Release, Priority: h.Priority, Hours: hours(h.Hours)}
		o.Limits = crawler.HostLimits{Pages: h.MaxPages, Bytes: int64(h.MaxBytes), Time: time.Duration(h.MaxTime)}
		if h.Delay != nil {
			o.Delay = none(time.Duration(*h.Delay))
		}
		hosts[name] = o
	}
	return hosts
}

// hours reads times that validate has found to be good.
func hours(text string) *crawler.Hours {
	h, _ := crawler.ParseHours(text)
	return h
}

// commaLists takes lists apart: "pdf,image/*" is two entries.
func commaLists(texts []string) (entries []string) {
	for _, text := range texts {
		for entry := range strings.SplitSeq(text, ",") {
			entries = append(entries, strings.TrimSpace(entry))
		}
	}
	return entries
}

// patterns compiles regular expressions that validate has found to be good.
func patterns(texts []string) []*regexp.Regexp {
	var compiled []*regexp.Regexp
	for _, text := range texts {
		compiled = append(compiled, regexp.MustCompile(text))
	}
	return compiled
}

// FetchOptions translates what the operator wrote into what asks the network, in the name of a version of this program.
func (c Config) FetchOptions(version string) fetch.Options {
	f := c.Fetch
	return fetch.Options{
		UserAgent: c.Agent.UserAgent(version), From: c.Agent.From(), AllowPrivate: f.AllowPrivate,
		MaxHeader: int64(f.MaxHeader), MaxBody: int64(f.MaxBody), MaxRatio: int64(f.MaxRatio), BodyMemory: int64(f.BodyMemory),
		ConnectTimeout: time.Duration(f.ConnectTimeout), HeaderTimeout: time.Duration(f.HeaderTimeout),
		BodyTimeout: time.Duration(f.BodyTimeout), BodyRate: int64(f.BodyRate),
		RateWindow: time.Duration(f.RateWindow), MinRate: none(int64(f.MinRate)),
		MaxIdle: 2 * c.Crawl.Workers, MaxRate: int64(f.LimitRate), LocalAddr: c.bind(),
	}
}

// CacheOptions translates what the operator wrote into how robots.txt is read and kept.
func (c Config) CacheOptions() robots.CacheOptions {
	r := c.Robots
	dialect, err := robots.ParseDialect(r.Dialect)
	if err != nil {
		panic(err) // validate has found it to be good
	}
	return robots.CacheOptions{
		Product: c.Agent.Product, Dialect: dialect, MinLife: time.Duration(r.MinLife), MaxLife: time.Duration(r.MaxLife),
		BackOff: time.Duration(r.BackOff), MaxBackOff: time.Duration(r.MaxBackOff),
		HostRest: time.Duration(c.Politeness.HostRest), MaxHostRest: time.Duration(c.Politeness.HostRestMax),
		MaxRetryAfter: time.Duration(c.Politeness.RetryAfterMax), UseLastGood: r.UseLastGood,
	}
}

// atOnce turns 0, a bound that leaves no room, into the shortest bound there is.
func atOnce(d Duration) time.Duration { return max(time.Duration(d), 1) }

// none turns 0 into -1.
func none[N int | int64 | float64 | time.Duration](n N) N { return cmp.Or(n, -1) }
