package config

import (
	"maps"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/guess"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// validate calls wrong with a sentence for every setting that is well-formed but makes no sense.
func (c *Config) validate(wrong complaint) {
	c.Agent.validate(wrong)
	c.Crawl.validate(wrong)
	c.Politeness.validate(wrong)
	c.Frontier.validate(wrong)
	for _, name := range slices.Sorted(maps.Keys(c.Hosts)) {
		validateHost(name, c.Hosts[name], wrong)
	}
	validatePriorities(wrong, c.Priority)
	c.validateBounds(wrong)
	c.validateNetwork(wrong)
	for _, a := range c.ActionLinks {
		if strings.TrimSpace(a) == "" {
			wrong("action_links", "an empty name would match nothing")
		}
	}
	oneOf(wrong, "archive.compression", c.Archive.Compression, "gzip", "zstd", "none")
	oneOf(wrong, "search.mode", c.Search.Mode, "words", "title", "lead", "meta")
	least(wrong, "search.dynamic_life", c.Search.DynamicLife, 0)
	oneOf(wrong, "robots.dialect", c.Robots.Dialect, "cautious", "rfc9309", "std1994")
	oneOf(wrong, "log.level", c.Log.Level, "debug", "info", "warn", "error")
	oneOf(wrong, "log.format", c.Log.Format, "auto", "console", "json")
}

// A complaint reports what is wrong with the setting at path.
type complaint = func(path, format string, args ...any)

func (a *Agent) validate(wrong complaint) {
	if !robots.IsProductToken(a.Product) {
		wrong("agent.product", "%q is not a product token: only letters, - and _ may occur in it", a.Product)
	}
	if strings.ContainsFunc(a.Version,
		func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`()/<>@,;:\"[]?={}`, r) }) {
		wrong("agent.version", "%q cannot stand in a User-Agent header: use digits, letters and dots", a.Version)
	}
	if a.Contact != "" && !IsContact(a.Contact) {
		wrong("agent.contact", "%q is neither a mail address nor an http(s) URL", a.Contact)
	}
	if u, err := url.Parse(a.SignatureAgent); a.SignatureAgent != "" &&
		(err != nil || u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.User != nil ||
			u.RawQuery != "") {
		wrong("agent.signature_agent", "%q is not https://HOST", a.SignatureAgent)
	}
	for _, text := range a.Ranges {
		if _, err := netip.ParsePrefix(text); err != nil && !isAddress(text) {
			wrong("agent.ranges", "%q is neither an IP address nor a range such as 192.0.2.0/24", text)
		}
	}
	if u, err := url.Parse(a.Discuss); a.Discuss != "" && !isMailbox(a.Discuss) && (err != nil || u.Host == "") {
		wrong("agent.discuss", "%q is neither a URL nor a mail address", a.Discuss)
	}
	if strings.ContainsFunc(a.Purpose, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`()\`, r) }) {
		wrong("agent.purpose", "%q cannot stand in a User-Agent header: use plain words without brackets", a.Purpose)
	}
}

// IsContact reports whether s is a mail address or an http(s) URL, in a form that can stand in a header.
func IsContact(s string) bool {
	if strings.ContainsAny(s, " ()<>\"\\") || !isASCII(s) {
		return false
	}
	if u, err := url.Parse(s); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		return u.Host != "" && u.User == nil
	}
	return isMailbox(s)
}

// isMailbox reports whether s is a mail address and nothing else, with a domain that has a dot.
func isMailbox(s string) bool {
	a, err := mail.ParseAddress(strings.TrimPrefix(s, "mailto:"))
	if err != nil || a.Name != "" {
		return false
	}
	_, domain, _ := strings.Cut(a.Address, "@")
	return strings.Contains(strings.Trim(domain, "."), ".")
}

func validateTypes(wrong complaint, path string, texts []string) {
	for _, entry := range commaLists(texts) {
		if _, ok := crawler.NormalType(entry); !ok {
			wrong(path, "%q is neither a media type (application/pdf, image/*) nor an extension (pdf)", entry)
		}
	}
}

func isAddress(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

func (c *Crawl) validate(wrong complaint) {
	oneOf(wrong, "crawl.scope", c.Scope, "host", "domain", "prefix", "any")
	validatePatterns(wrong, "crawl.include", c.Include)
	validateHours(wrong, "crawl.hours", c.Hours)
	validatePatterns(wrong, "crawl.exclude", c.Exclude)
	validateTypes(wrong, "crawl.accept", c.Accept)
	validateTypes(wrong, "crawl.reject", c.Reject)
	least(wrong, "crawl.depth", c.Depth, -1)
	least(wrong, "crawl.max_pages", c.MaxPages, 0)
	least(wrong, "crawl.max_pages_per_host", c.MaxPagesPerHost, 0)
	least(wrong, "crawl.max_bytes_per_host", c.MaxBytesPerHost, 0)
	least(wrong, "crawl.max_time_per_host", c.MaxTimePerHost, 0)
	least(wrong, "crawl.workers", c.Workers, 1)
	least(wrong, "crawl.slow_memory", c.SlowMemory, crawler.SlowBytes)
	least(wrong, "crawl.retries", c.Retries, 0)
	if c.Retries > 0 && c.RetryDelay == 0 {
		wrong("crawl.retry_delay", "retries without a pause are not polite: set a delay, or crawl.retries to 0")
	}
}

func validateHours(wrong complaint, path, text string) {
	if _, err := crawler.ParseHours(text); err != nil {
		wrong(path, "%s", err)
	}
}

func validatePatterns(wrong complaint, path string, patterns []string) {
	for _, p := range patterns {
		if p == "" {
			wrong(path, "an empty pattern matches every URL: [] is a list without patterns")
		}
		if _, err := regexp.Compile(p); err != nil {
			wrong(path, "%q is not a regular expression: %s", p, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
	}
}

func (p *Politeness) validate(wrong complaint) {
	if !(p.DelayFactor >= 0 && p.DelayFactor <= 1e6) {
		wrong("politeness.delay_factor", "must lie between 0 and 1000000, not %v", p.DelayFactor)
	}
	least(wrong, "politeness.per_address", p.PerAddress, 1)
	least(wrong, "politeness.failures_in_row", p.FailuresInRow, 1)
	least(wrong, "politeness.denials_in_row", p.DenialsInRow, 1)
	least(wrong, "politeness.signals_per_page", p.SignalsPerPage, 1)
	if p.HostRest == 0 {
		wrong("politeness.host_rest", "a host that fails must be left alone for some time")
	}
	if p.HostRestMax < p.HostRest {
		wrong("politeness.host_rest_max", "%s is less than politeness.host_rest, %s", p.HostRestMax, p.HostRest)
	}
	least(wrong, "politeness.retry_after_max", p.RetryAfterMax, leastRetryAfter) // what a site asks for is not ours to undo
}

// leastRetryAfter is the least bound of what a Retry-After can ask for.
const leastRetryAfter = Duration(time.Hour)

func validateHost(name string, h Host, wrong complaint) {
	path := "hosts." + name
	switch u, err := frontier.ParseURL("http://" + name + "/"); {
	case err != nil || strings.ContainsAny(name, `/\?#@* `):
		wrong(path, "%q is not a host name, or host:port: an entry is for one host", name)
	case u.Site() != name: // no site would ever be found under it
		wrong(path, "%q is not how the crawl names that host: write %q", name, u.Site())
	}
	if !isPriority(h.Priority) {
		wrong(path+".priority", "%d does not lie between %d and %d", h.Priority, -frontier.MaxPriority, frontier.MaxPriority)
	}
	validateHours(wrong, path+".hours", h.Hours)
	least(wrong, path+".connections", h.Connections, 0)
	least(wrong, path+".max_pages", h.MaxPages, -1)
	least(wrong, path+".max_bytes", h.MaxBytes, 0)
	least(wrong, path+".max_time", h.MaxTime, 0)
	validateAccess(path, h, wrong)
}

// validateBounds checks the settings that are counts or sizes and nothing else.
func (c *Config) validateBounds(wrong complaint) {
	t, f, r := &c.Traps, &c.Fetch, &c.Robots
	least(wrong, "traps.url_length", t.URLLength, 0)
	least(wrong, "traps.path_segments", t.PathSegments, 0)
	least(wrong, "traps.repeated_segments", t.RepeatedSegments, 0)
	least(wrong, "traps.redirects", t.Redirects, 0)
	least(wrong, "traps.links_per_page", t.LinksPerPage, 1)
	least(wrong, "traps.requisites_per_page", t.RequisitesPerPage, 0)
	if t.NestedStyles < 1 || t.NestedStyles > crawler.MaxNested {
		wrong("traps.nested_styles", "must lie between 1 and %d, not %d", crawler.MaxNested, t.NestedStyles)
	}
	least(wrong, "traps.queries_per_path", t.QueriesPerPath, 0)
	least(wrong, "traps.pages_per_directory", t.PagesPerDirectory, 0)
	least(wrong, "traps.directory_sample", t.DirectorySample, 0)
	validatePatterns(wrong, "traps.release", t.Release)
	for _, host := range commaLists(c.Crawl.RequisiteHosts) {
		if name := strings.TrimPrefix(host, "*."); name == "" || strings.ContainsAny(name, "*/ ?#@") {
			wrong("crawl.requisite_hosts", "%q is no host: write cdn.example.org, *.example.org or any", host)
		}
	}
	least(wrong, "traps.endless_sample", t.EndlessSample, 0)
	least(wrong, "traps.scout_depth", t.ScoutDepth, 1)
	least(wrong, "traps.spellings", t.Spellings, 0)
	least(wrong, "traps.guises", t.Guises, 0)
	least(wrong, "traps.revision_archives", t.RevisionArchives, 0)
	least(wrong, "traps.hosts_per_domain", t.HostsPerDomain, 0)
	least(wrong, "traps.sitemaps_per_site", t.SitemapsPerSite, 0)
	least(wrong, "traps.sitemap_proofs", t.SitemapProofs, 0)
	least(wrong, "traps.remembered", t.Remembered, 1000)
	least(wrong, "fetch.max_body", f.MaxBody, 1<<10)
	least(wrong, "fetch.max_header", f.MaxHeader, 1<<10)
	least(wrong, "fetch.max_ratio", f.MaxRatio, 1)
	least(wrong, "fetch.connect_timeout", f.ConnectTimeout, Duration(time.Millisecond))
	least(wrong, "fetch.header_timeout", f.HeaderTimeout, Duration(time.Millisecond))
	least(wrong, "fetch.body_timeout", f.BodyTimeout, Duration(time.Millisecond))
	least(wrong, "fetch.body_rate", f.BodyRate, 1)
	least(wrong, "fetch.rate_window", f.RateWindow, Duration(time.Second))
	least(wrong, "fetch.body_memory", f.BodyMemory, f.MaxBody)
	least(wrong, "fetch.dns_life", f.DNSLife, Duration(time.Second))
	least(wrong, "fetch.dns_error_life", f.DNSErrorLife, Duration(time.Second))
	least(wrong, "extract.memory", c.Extract.Memory, 1<<20)
	least(wrong, "robots.min_life", r.MinLife, Duration(time.Minute))
	if r.MaxLife > Duration(robots.MaxLife) {
		wrong("robots.max_life", "must be at most %v, not %v (RFC 9309 section 2.4)", Duration(robots.MaxLife), r.MaxLife)
	}
	least(wrong, "robots.max_life", r.MaxLife, r.MinLife)
	least(wrong, "robots.back_off", r.BackOff, Duration(time.Second))
	least(wrong, "robots.max_back_off", r.MaxBackOff, r.BackOff)
	least(wrong, "recrawl.first", c.Recrawl.First, Duration(time.Second))
	least(wrong, "recrawl.min", c.Recrawl.Min, Duration(time.Second))
	least(wrong, "recrawl.max", c.Recrawl.Max, c.Recrawl.Min)
	least(wrong, "recrawl.gone_rest", c.Recrawl.GoneRest, Duration(time.Second))
	least(wrong, "recrawl.gone", c.Recrawl.Gone, 0)
	least(wrong, "archive.file", c.Archive.File, 1<<20)
	least(wrong, "storage.ledger_file", c.Storage.LedgerFile, 1<<20)
	if c.Evidence.Key == "" && (c.Evidence.Announce || c.Evidence.Publish != "") {
		wrong("evidence.key", "must name a key if checkpoints are to be announced or published: without one none is signed")
	}
}

func least[N int | int64 | Size | Duration](wrong complaint, path string, n, least N) {
	if n < least {
		wrong(path, "must be at least %v, not %v", least, n)
	}
}

func oneOf(wrong complaint, path, value string, known ...string) {
	if slices.Contains(known, value) {
		return
	}
	if name, ok := guess.Word(value, known); ok {
		wrong(path, "%q is unknown: did you mean %s?", value, name)
		return
	}
	wrong(path, "%q is unknown: choose from %s", value, strings.Join(known, ", "))
}
