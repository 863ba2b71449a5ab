package audit

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// Probes are requests for what attackers look for, which the site does not have: log-in pages of other software, keys, backups.
type Probes struct {
	Requests int64    `json:"requests"`
	Clients  int      `json:"clients"`             // that sent hardly anything else under names of browsers; they are no People
	Others   int64    `json:"requests_of_clients"` // of them
	Paths    []string `json:"paths"`               // some of them
}

// probed are parts of paths that only attackers ask for where they are not found. The first that a path has counts: a longer one
// comes before its beginning.
var probed = [][]byte{
	[]byte("wp-login"), []byte("wp-admin/"), []byte("wp-admin"), []byte("xmlrpc.php"), []byte("/.env"), []byte("/.git/"),
	[]byte("/.aws"), []byte("/.ssh"), []byte("phpmyadmin"), []byte("phpunit"), []byte("/actuator"), []byte("/cgi-bin/"),
	[]byte("/boaform"), []byte("/hnap1"), []byte("/shell"), []byte("/config.php"), []byte("/wp-content/plugins/"),
	[]byte("/wp-content/themes/"), []byte("/wp-content/"), []byte("/wp-includes/"), []byte("eval-stdin"), []byte("/solr/"),
	[]byte("/owa/"), []byte("/.ds_store"), []byte("/backup"), []byte("/id_rsa"), []byte("/setup.php"),
}

// maxServed bounds the places that are known to be the site's own.
const maxServed = 1000

// isProbe reports whether a request is one of an attacker: the answer was that there is nothing, and nothing has been found in its
// place before. A site that runs programs in /cgi-bin/ has pages missing there, too.
func (s *site) isProbe(e *accesslog.Entry) bool {
	found := e.Status >= 200 && e.Status < 300
	if !found && (e.Status < 400 || e.Status >= 500 || e.Status == 429) {
		return false
	}
	var room [200]byte
	place := probedPlace(room[:copy(room[:], e.Target)])
	switch {
	case place == nil || s.served[string(place)]:
		return false
	case found && len(s.served) < maxServed:
		s.served[string(place)] = true
	}
	return !found
}

// probedPlace returns path down to the segment that attackers ask for, in lower case, as /cgi-bin/man of /cgi-bin/man/7; nil for
// other paths. A script in PHP is a place of its own: attackers look for theirs in folders that a site has. It overwrites path.
func probedPlace(path []byte) []byte {
	for i, c := range path {
		if 'A' <= c && c <= 'Z' {
			path[i] = c + 'a' - 'A'
		}
	}
	for _, p := range probed {
		if i := bytes.Index(path, p); i >= 0 {
			end := i + len(p)
			if file, _, _ := bytes.Cut(path, []byte("?")); i < len(file) && bytes.HasSuffix(file, []byte(".php")) {
				return file
			}
			if n := bytes.IndexAny(path[end:], "/?"); n >= 0 {
				return path[:end+n]
			}
			return path
		}
	}
	return nil
}

// isProber reports whether a robot or tool looks for hardly anything else, or is made for nothing else.
func (r *Robot) isProber() bool {
	return r.Probes > 2 && 2*r.Probes > r.Requests || scanners[strings.ToLower(r.Token)]
}

// addProbe counts a request of an attacker.
func (s *site) addProbe(e *accesslog.Entry) {
	s.probes.Requests++
	if s.probes.Paths == nil {
		s.probes.Paths = []string{}
	}
	if path := clip(e.Target); len(s.probes.Paths) < maxShown && !slices.Contains(s.probes.Paths, path) {
		s.probes.Paths = append(s.probes.Paths, path)
	}
}

// A Referral is how many documents people got who came from pages of an operator, and how many requests its robots made.
type Referral struct {
	Operator string `json:"operator"`
	Visits   int64  `json:"visits"`
	Taken    int64  `json:"requests_of_its_robots"`
}

// referrers are hosts of search and answer engines, and who runs them as the roster calls them.
var referrers = map[string]string{
	"chatgpt.com": "OpenAI", "chat.openai.com": "OpenAI", "perplexity.ai": "Perplexity", "claude.ai": "Anthropic",
	"copilot.microsoft.com": "Microsoft", "bing.com": "Microsoft", "gemini.google.com": "Google", "google.com": "Google",
	"duckduckgo.com": "DuckDuckGo", "chat.mistral.ai": "Mistral AI", "search.brave.com": "Brave", "yandex.ru": "Yandex",
	"yandex.com": "Yandex", "baidu.com": "Baidu", "you.com": "You.com", "kagi.com": "Kagi", "qwant.com": "Qwant",
	"ecosia.org": "Ecosia", "search.yahoo.com": "Yahoo", "startpage.com": "Startpage", "meta.ai": "Meta", "grok.com": "xAI",
	"chat.deepseek.com": "DeepSeek", "mojeek.com": "Mojeek", "seznam.cz": "Seznam.cz", "phind.com": "Phind", "poe.com": "Quora",
}

// refer counts a document that somebody got who came from another page.
func (s *site) refer(referrer []byte) {
	_, host, ok := bytes.Cut(referrer, []byte("://"))
	if !ok {
		return
	}
	if i := bytes.IndexAny(host, "/:?#"); i >= 0 {
		host = host[:i]
	}
	host = bytes.TrimPrefix(host, []byte("www."))
	if operator, ok := referrers[string(host)]; ok {
		s.referred[operator]++
	} else if bytes.HasPrefix(host, []byte("google.")) && len(host) <= len("google.com.au") { // of a country
		s.referred["Google"]++
	}
}

// addReferrals sets what operators sent against what they took.
func (a *Auditor) addReferrals(r *Report) {
	taken := map[string]int64{}
	for _, s := range r.Standings {
		if s.Operator != "" && s.Identity != Disproved {
			taken[s.Operator] += s.Requests
		}
	}
	r.Referrals = []Referral{}
	for operator, n := range a.site.referred {
		r.Referrals = append(r.Referrals, Referral{operator, n, taken[operator]})
	}
	for operator, n := range taken {
		if a.site.referred[operator] == 0 && n >= fewDocuments && !strings.HasPrefix(operator, "whoever") {
			r.Referrals = append(r.Referrals, Referral{operator, 0, n})
		}
	}
	slices.SortFunc(r.Referrals, func(x, y Referral) int {
		return cmp.Or(cmp.Compare(y.Visits, x.Visits), cmp.Compare(y.Taken, x.Taken), cmp.Compare(x.Operator, y.Operator))
	})
}

// A PathCost is what the paths that begin alike cost, for one robot.
type PathCost struct {
	Prefix   string  `json:"prefix"` // up to two directories; with ? at the end for those with a query
	Requests int64   `json:"requests"`
	Bytes    int64   `json:"bytes"`
	Seconds  float64 `json:"response_seconds,omitempty"`
}

// maxPrefixes bounds the beginnings of paths that are told apart for a robot.
const maxPrefixes = 200

// paths follow what the paths of a robot cost.
type paths struct {
	byPrefix map[string]*PathCost
	latest   *PathCost // a robot mostly stays where it is
	prefix   []byte    // of that
}

// add takes in a request.
func (p *paths) add(e *accesslog.Entry) {
	prefix, query := e.Target, false
	if i := bytes.IndexByte(prefix, '?'); i >= 0 {
		prefix, query = prefix[:i], true
	}
	for i, n := 1, 0; i < len(prefix); i++ {
		if prefix[i] == '/' {
			if n++; n == 2 {
				prefix = prefix[:i+1]
				break
			}
		}
	}
	if i := bytes.LastIndexByte(prefix, '/'); !query && i >= 0 {
		prefix = prefix[:i+1]
	}
	c := p.latest
	if c == nil || !bytes.Equal(prefix, p.prefix) {
		if c = p.of(prefix, query); c == nil {
			return
		}
		p.latest, p.prefix = c, append(p.prefix[:0], prefix...)
	}
	c.Requests++
	c.Bytes += e.Bytes
	c.Seconds += max(0, e.Taken.Seconds())
}

// of returns what a beginning costs; nil when there are too many.
func (p *paths) of(prefix []byte, query bool) *PathCost {
	c := p.byPrefix[string(prefix)]
	if c != nil || len(p.byPrefix) >= maxPrefixes {
		return c
	}
	if p.byPrefix == nil {
		p.byPrefix = map[string]*PathCost{}
	}
	c = &PathCost{Prefix: clip(prefix)}
	if query {
		c.Prefix += "?"
	}
	p.byPrefix[string(prefix)] = c
	return c
}

// report lists the costliest.
func (p *paths) report() []PathCost {
	list := []PathCost{}
	for _, c := range topOf(maps.Values(p.byPrefix), maxStandings, func(x, y *PathCost) int {
		return cmp.Or(cmp.Compare(y.Seconds, x.Seconds), cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(x.Prefix, y.Prefix))
	}) {
		list = append(list, *c)
	}
	return list
}
