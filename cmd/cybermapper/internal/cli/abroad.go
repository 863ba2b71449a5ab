package cli

import "strings"

// An answer is what stands here for flags of other programs.
type answer struct {
	theirs string // without dashes, between blanks
	flag   string // ours, without dashes; empty if there is none
	text   string // how ours differs, or what to do without one
}

// abroad has the flags by which other crawlers and downloaders are known, without dashes, and what answers them here. The help
// topic coming-from has the same table by program.
var abroad = byFlag([]answer{
	// how far
	{"max-depth level recursion-level l d", "depth", "links from a seed; what is no bound elsewhere, 0, is -1"},
	{"recursive r", "", "a crawl always follows links; --depth bounds how far"},
	{"mirror m", "", "a crawl always follows links, and the same command goes on where it stopped"},
	{"domains D span-hosts field-scope fs scopeType", "scope", "host, domain, prefix or any"},
	{"H", "scope", "as of wget --scope any; as of curl and katana headers of hosts: in the configuration"},
	{"page-requisites", "requisites", "from other hosts as --requisite-hosts says"},
	{"no-parent np", "scope", "--scope prefix stays below the folder of a seed"},
	{"A types mime-types", "accept", "extensions and media types; for patterns of names --include, a regular expression"},
	{"max-filesize", "max-body", ""},
	{"accept-regex crawl-scope cs", "include", ""},
	{"include-directories I", "include", "a regular expression, like ^https://example.org/docs/"},
	{"R", "reject", "extensions and media types; for patterns of names --exclude, a regular expression"},
	{"reject-regex ignore-url crawl-out-scope cos", "exclude", ""},
	{"exclude-directories X", "exclude", "a regular expression, like /archive/"},
	{"page-limit pageLimit limit", "max-pages", ""},
	{"quota Q sizeLimit", "max-bytes", ""},
	{"timeLimit crawl-duration ct", "max-time", ""},
	{"exclude-domains", "opt-out", "a file of hosts and *.domains to leave alone"},
	{"sitemap useSitemap follow-sitemaps known-files kf", "sitemaps", ""},
	{"spider check-extern", "check-links", ""},
	{"location", "", "redirects are followed, to hosts in scope"},
	{"L relative", "", "as of curl, redirects are followed, to hosts in scope; as of wget --scope host, which is the default"},
	{"exclude-loopback", "", "loopback and private addresses are left alone unless --allow-private is given"},

	// watching
	{"metrics metrics-port", "serve", "an address; the figures are at /metrics there"},
	{"listen status-port", "serve", "an address, for a browser, /metrics and /healthz"},

	// how fast
	{"wait w pause download-delay pageExtraDelay", "delay", "a duration with a unit, like 3s"},
	{"random-wait", "", "politeness.jitter in the configuration file"},
	{"rate-limit rl", "delay", "the pause between two requests to one site; a site is asked once at a time"},
	{"rate", "delay", "the pause between two requests to one site; --limit-rate is of the line"},
	{"max-rate", "limit-rate", "a size per second with a unit, like 500KiB"},
	{"concurrency parallelism threads max-threads max-concurrency", "workers",
		"sites visited at once; one site is asked once at a time"},
	{"p", "requisites", "as of wget; as of katana --workers, the sites visited at once"},
	{"tries t", "retries", "further attempts: one less than tries"},
	{"retry max-retries", "retries", ""},
	{"schedule", "hours", "times of the day, as 22:00-06:00 Europe/Berlin"},
	{"waitretry retry-wait-time", "retry-delay", ""},
	{"max-redirect max-redirects", "", "traps.redirects in the configuration file"},
	{"timeout T", "", "fetch.connect_timeout, header_timeout and body_timeout in the configuration file"},

	// who we are
	{"user-agent U userAgent", "contact", "the User-Agent is made of --product and --contact, so that sites can write to you"},
	{"email", "contact", ""},
	{"agent robot bot user-agent userAgent", "product", "the name that a robot goes by in robots.txt"},
	{"ignore-robots no-robots", "", "robots.txt is always obeyed; for a site of your own, let its robots.txt allow the crawler"},
	{"robots", "", "robots.txt is always obeyed; --dialect chooses how strictly it is read"},
	{"execute e", "", "robots.txt is always obeyed; settings are in the configuration file"},
	{"ca-certificate ca-bundle cacert", "ca", ""},
	{"k", "", "as of wget, a copy to browse: cybermapper export site, afterwards; certificates are always checked"},
	{"insecure no-check-certificate", "ca", "certificates are always checked; --ca trusts another authority"},

	// from where and to where
	{"list input-file i urlFile seedFile", "seeds", ""},
	{"url", "", "URLs are arguments: cybermapper crawl URL..., or lines of --seeds FILE"},
	{"output o output-dir directory-prefix P collection cwd jobs", "job",
		"the directory that holds the crawl; what is printed goes to a file with > FILE"},
	{"resume continue", "", "the same command goes on where it stopped"},
	{"restart overwrite", "fresh", ""},
	{"warc-file", "warc", "the files are in JOB/archive"},
	{"generateWACZ", "warc", "cybermapper archive wacz makes one afterwards"},
	{"generateCDX warc-cdx", "warc", "cybermapper archive index prints one afterwards"},
	{"delete-after", "pages", "--pages=false keeps none"},
	{"no-verbose nv silent", "quiet", ""},
	{"debug loglevel logging", "log-level", "debug, info, warn or error"},
	{"jsonl", "json", ""},

	// what is not there
	{"headless js-crawl jc behaviors", "", "no JavaScript is run, so links that only a script makes are not found"},
	{"post-data method", "", "GET is all that is ever sent"},
	{"form-fill", "", "forms are never filled in: GET is all that is ever sent"},
	{"load-cookies cookies", "", "hosts: in the configuration names a file of cookies for a host; cybermapper help network"},
	{"header headers", "", "hosts: in the configuration has headers for a host; who you are is in --contact and --product"},
	{"http-user http-password user u password basic-auth", "",
		"hosts: in the configuration says where credentials for a host are; cybermapper help network"},
	{"certificate cert", "", "hosts: in the configuration names a certificate for a host; cybermapper help network"},
	{"bind-address", "bind", ""},
	{"interface", "bind", "an address of this machine"},
	{"proxyServer http-proxy", "proxy", ""},
	{"x", "proxy", "as of curl; as of wget, folders are always made"},
	{"append-output a", "log-file", ""},
	{"output-file", "log-file", "for messages; pages are in --job"},
	{"proxy-user proxy-password", "proxy-login", "where user:password is"},
	{"no-clobber nc", "", "a page is asked for once; the same command goes on where it stopped"},
	{"timestamping N", "again", "pages that are due are asked for anew, under a condition"},
	{"convert-links", "", "cybermapper export site writes such a copy of what was crawled"},
	{"adjust-extension E", "", "a page keeps the name its URL gives it; pages.jsonl has its media type"},
})

// byFlag sorts answers by flag. Of several, the first counts whose flag a command has.
func byFlag(answers []answer) map[string][]answer {
	all := map[string][]answer{}
	for _, a := range answers {
		for theirs := range strings.FieldsSeq(a.theirs) {
			all[theirs] = append(all[theirs], a)
		}
	}
	return all
}

// Abroad returns the flags of other programs that are answered, without dashes, each with ours, which is empty if there is none.
func Abroad() map[string]string {
	flags := make(map[string]string, len(abroad))
	for theirs, answers := range abroad {
		flags[theirs] = answers[0].flag
	}
	return flags
}
