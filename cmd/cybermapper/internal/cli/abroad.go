package cli

// An answer is what stands here for a flag of another program.
type answer struct {
	flag string // ours, without dashes; empty if there is none
	text string // how ours differs, or what to do without one
}

// abroad has the flags by which other crawlers and downloaders are known, without dashes, and what answers them here. The help
// topic coming-from has the same table by program.
var abroad = map[string]answer{
	// how far
	"max-depth":        {"depth", ""},
	"level":            {"depth", ""},
	"l":                {"depth", ""},
	"recursive":        {"", "a crawl always follows links; --depth bounds how far"},
	"r":                {"", "a crawl always follows links; --depth bounds how far"},
	"mirror":           {"", "a crawl always follows links, and the same command goes on where it stopped"},
	"m":                {"", "a crawl always follows links, and the same command goes on where it stopped"},
	"domains":          {"scope", "host, domain, prefix or any"},
	"span-hosts":       {"scope", "host, domain, prefix or any"},
	"H":                {"scope", "host, domain, prefix or any"},
	"field-scope":      {"scope", "host, domain, prefix or any"},
	"scopeType":        {"scope", "host, domain, prefix or any"},
	"no-parent":        {"scope", "--scope prefix stays below the folder of a seed"},
	"np":               {"scope", "--scope prefix stays below the folder of a seed"},
	"A":                {"accept", "extensions and media types"},
	"types":            {"accept", "extensions and media types"},
	"mime-types":       {"accept", "extensions and media types"},
	"max-filesize":     {"max-body", ""},
	"accept-regex":     {"include", ""},
	"crawl-scope":      {"include", ""},
	"cs":               {"include", ""},
	"R":                {"reject", "extensions and media types"},
	"reject-regex":     {"exclude", ""},
	"crawl-out-scope":  {"exclude", ""},
	"cos":              {"exclude", ""},
	"page-limit":       {"max-pages", ""},
	"pageLimit":        {"max-pages", ""},
	"limit":            {"max-pages", ""},
	"quota":            {"max-bytes", ""},
	"Q":                {"max-bytes", ""},
	"sizeLimit":        {"max-bytes", ""},
	"timeLimit":        {"max-time", ""},
	"crawl-duration":   {"max-time", ""},
	"ct":               {"max-time", ""},
	"exclude-domains":  {"opt-out", "a file of hosts and *.domains to leave alone"},
	"sitemap":          {"sitemaps", ""},
	"useSitemap":       {"sitemaps", ""},
	"follow-sitemaps":  {"sitemaps", ""},
	"exclude-loopback": {"", "loopback and private addresses are left alone unless --allow-private is given"},

	// watching
	"metrics":      {"serve", "an address; the figures are at /metrics there"},
	"metrics-port": {"serve", "an address; the figures are at /metrics there"},
	"listen":       {"serve", "an address, for a browser, /metrics and /healthz"},
	"status-port":  {"serve", "an address, for a browser, /metrics and /healthz"},

	// how fast
	"wait":            {"delay", "a duration with a unit, like 3s"},
	"w":               {"delay", "a duration with a unit, like 3s"},
	"pause":           {"delay", "a duration with a unit, like 3s"},
	"download-delay":  {"delay", "a duration with a unit, like 3s"},
	"pageExtraDelay":  {"delay", "a duration with a unit, like 3s"},
	"random-wait":     {"", "politeness.jitter in the configuration file"},
	"rate-limit":      {"delay", "the pause between two requests to one site; a site is asked once at a time"},
	"rl":              {"delay", "the pause between two requests to one site; a site is asked once at a time"},
	"concurrency":     {"workers", "sites visited at once; one site is asked once at a time"},
	"parallelism":     {"workers", "sites visited at once; one site is asked once at a time"},
	"p":               {"workers", "sites visited at once; one site is asked once at a time"},
	"threads":         {"workers", "sites visited at once; one site is asked once at a time"},
	"max-threads":     {"workers", "sites visited at once; one site is asked once at a time"},
	"max-concurrency": {"workers", "sites visited at once; one site is asked once at a time"},
	"tries":           {"retries", ""},
	"t":               {"retries", ""},
	"retry":           {"retries", ""},
	"max-retries":     {"retries", ""},
	"waitretry":       {"retry-delay", ""},
	"retry-wait-time": {"retry-delay", ""},
	"timeout":         {"", "fetch.connect_timeout, header_timeout and body_timeout in the configuration file"},
	"T":               {"", "fetch.connect_timeout, header_timeout and body_timeout in the configuration file"},

	// who we are
	"user-agent":     {"contact", "the User-Agent is made of --product and --contact, so that sites can write to you"},
	"U":              {"contact", "the User-Agent is made of --product and --contact, so that sites can write to you"},
	"userAgent":      {"contact", "the User-Agent is made of --product and --contact, so that sites can write to you"},
	"email":          {"contact", ""},
	"ignore-robots":  {"", "robots.txt is always obeyed; for a site of your own, let its robots.txt allow the crawler"},
	"no-robots":      {"", "robots.txt is always obeyed; for a site of your own, let its robots.txt allow the crawler"},
	"robots":         {"", "robots.txt is always obeyed; --dialect chooses how strictly it is read"},
	"execute":        {"", "robots.txt is always obeyed; settings are in the configuration file"},
	"e":              {"", "robots.txt is always obeyed; settings are in the configuration file"},
	"ca-certificate": {"ca", ""},
	"ca-bundle":      {"ca", ""},
	"cacert":         {"ca", ""},
	"insecure":       {"ca", "certificates are always checked; --ca trusts another authority"},
	"k":              {"ca", "certificates are always checked; --ca trusts another authority"},

	"no-check-certificate": {"ca", "certificates are always checked; --ca trusts another authority"},

	// from where and to where
	"list":             {"seeds", ""},
	"input-file":       {"seeds", ""},
	"i":                {"seeds", ""},
	"url":              {"", "URLs are arguments: cybermapper crawl URL..., or lines of --seeds FILE"},
	"urlFile":          {"seeds", ""},
	"seedFile":         {"seeds", ""},
	"output":           {"job", "the directory that holds the crawl"},
	"o":                {"job", "the directory that holds the crawl"},
	"output-dir":       {"job", "the directory that holds the crawl"},
	"directory-prefix": {"job", "the directory that holds the crawl"},
	"P":                {"job", "the directory that holds the crawl"},
	"collection":       {"job", "the directory that holds the crawl"},
	"cwd":              {"job", "the directory that holds the crawl"},
	"jobs":             {"job", "the directory that holds the crawl"},
	"resume":           {"", "the same command goes on where it stopped"},
	"continue":         {"", "the same command goes on where it stopped"},
	"restart":          {"fresh", ""},
	"overwrite":        {"fresh", ""},
	"silent":           {"quiet", ""},
	"debug":            {"log-level", "debug, info, warn or error"},
	"loglevel":         {"log-level", "debug, info, warn or error"},
	"logging":          {"log-level", "debug, info, warn or error"},
	"jsonl":            {"json", ""},

	// what is not there
	"headless":         {"", "no JavaScript is run, so links that only a script makes are not found"},
	"js-crawl":         {"", "no JavaScript is run, so links that only a script makes are not found"},
	"jc":               {"", "no JavaScript is run, so links that only a script makes are not found"},
	"behaviors":        {"", "no JavaScript is run, so links that only a script makes are not found"},
	"post-data":        {"", "GET is all that is ever sent"},
	"method":           {"", "GET is all that is ever sent"},
	"form-fill":        {"", "forms are never filled in: GET is all that is ever sent"},
	"load-cookies":     {"", "hosts: in the configuration names a file of cookies for a host; cybermapper help network"},
	"cookies":          {"", "hosts: in the configuration names a file of cookies for a host; cybermapper help network"},
	"header":           {"", "hosts: in the configuration has headers for a host; who you are is in --contact and --product"},
	"headers":          {"", "hosts: in the configuration has headers for a host; who you are is in --contact and --product"},
	"http-user":        {"", "hosts: in the configuration says where credentials for a host are; cybermapper help network"},
	"http-password":    {"", "hosts: in the configuration says where credentials for a host are; cybermapper help network"},
	"user":             {"", "hosts: in the configuration says where credentials for a host are; cybermapper help network"},
	"u":                {"", "hosts: in the configuration says where credentials for a host are; cybermapper help network"},
	"password":         {"", "hosts: in the configuration says where credentials for a host are; cybermapper help network"},
	"certificate":      {"", "hosts: in the configuration names a certificate for a host; cybermapper help network"},
	"cert":             {"", "hosts: in the configuration names a certificate for a host; cybermapper help network"},
	"bind-address":     {"bind", ""},
	"interface":        {"bind", "an address of this machine"},
	"basic-auth":       {"", "hosts: in the configuration says where credentials for a host are; cybermapper help network"},
	"x":                {"proxy", ""},
	"proxyServer":      {"proxy", ""},
	"append-output":    {"log-file", ""},
	"output-file":      {"log-file", "for messages; pages are in --job"},
	"a":                {"log-file", ""},
	"http-proxy":       {"proxy", ""},
	"proxy-user":       {"proxy-login", "where user:password is"},
	"proxy-password":   {"proxy-login", "where user:password is"},
	"no-clobber":       {"", "a page is asked for once; the same command goes on where it stopped"},
	"timestamping":     {"", "a page is asked for once; --fresh starts over"},
	"convert-links":    {"", "pages are kept as they were served"},
	"adjust-extension": {"", "a page keeps the name its URL gives it; pages.jsonl has its media type"},
}

// Abroad returns the flags of other programs that are answered, without dashes, each with ours, which is empty if there is none.
func Abroad() map[string]string {
	flags := make(map[string]string, len(abroad))
	for theirs, a := range abroad {
		flags[theirs] = a.flag
	}
	return flags
}
