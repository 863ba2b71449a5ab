package warc

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// SURT returns the key under which indexes sort a URL: its host with the labels turned around and without www, then path and
// query in lower case and with no more escapes than needed, without a slash at the end, dots, empty steps and identifiers of
// sessions, the parameters in order. It is that of the Internet Archive's tools, and thus of pywb, cdxj-indexer and OutbackCDX:
// they look for nothing else.
func SURT(uri string) string {
	uri = strings.TrimSpace(lineEnds.Replace(uri))
	scheme, rest, ok := cutScheme(uri)
	if !ok {
		scheme, rest = "http", "//"+uri
	}
	scheme = strings.ToLower(scheme)
	web := strings.HasPrefix(scheme, "http")
	for web { // "http://https://host/"
		_, again, ok := strings.Cut(rest, "//")
		inner, after, nested := cutScheme(again)
		if !ok || again == "" || !strings.HasPrefix(rest, "//") || !nested || inner != "http" && inner != "https" ||
			!strings.HasPrefix(after, "//") {
			break
		}
		scheme, rest = inner, after
	}
	rest, _, _ = strings.Cut(rest, "#")
	path, query, _ := strings.Cut(rest, "?")
	host := ""
	if after, ok := strings.CutPrefix(path, "//"); ok {
		host, path = after, ""
		if i := strings.IndexByte(after, '/'); i >= 0 {
			host, path = after[:i], after[i:]
		}
	}
	if web && host == "" {
		host, path, _ = strings.Cut(strings.TrimLeft(path, "/"), "/")
		path = "/" + path
	}
	host, port := hostAndPort(host)
	if port == "80" && scheme == "http" || port == "443" && scheme == "https" {
		port = ""
	}
	path = unescaped(path)
	key := scheme + ":"
	if host != "" {
		if path = withoutDots(path); port != "" {
			port = ":" + port
		}
		labels := strings.Split(canonicalHost(host), ".")
		slices.Reverse(labels)
		key = strings.Join(labels, ",") + escaped(port) + ")"
	}
	path = strings.ToLower(escaped(path))
	for _, session := range pathSessions {
		path = session.ReplaceAllString(path, "$1$2")
	}
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	query = escaped(unescaped(query))
	for _, session := range querySessions {
		query = session.ReplaceAllString(query, "$1$2")
	}
	if query = orderedQuery(strings.ToLower(query)); query != "" {
		path = cmp.Or(path, "/")
		path += "?" + query
	}
	return key + path
}

var (
	lineEnds     = strings.NewReplacer("\n", "", "\r", "", "\t", "")
	pathSessions = []*regexp.Regexp{
		regexp.MustCompile(`^(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)$`),
		regexp.MustCompile(`^(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)$`),
	}
	querySessions = []*regexp.Regexp{
		regexp.MustCompile(`(?i)^(.*)(?:jsessionid=[0-9a-z]{32})(?:&(.*))?$`),
		regexp.MustCompile(`(?i)^(.*)(?:phpsessid=[0-9a-z]{32})(?:&(.*))?$`),
		regexp.MustCompile(`(?i)^(.*)(?:sid=[0-9a-z]{32})(?:&(.*))?$`),
		regexp.MustCompile(`(?i)^(.*)(?:aspsessionid[a-z]{8}=[a-z]{24})(?:&(.*))?$`),
		regexp.MustCompile(`(?i)^(.*)(?:cfid=[^&]+&cftoken=[^&]+)(?:&(.*))?$`),
	}
)

// cutScheme splits a URL behind the scheme that it begins with.
func cutScheme(uri string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(uri, ":")
	for i, c := range scheme {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || !('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return "", uri, false
		}
	}
	return scheme, rest, ok && scheme != ""
}

// hostAndPort splits what stands between "//" and the path.
func hostAndPort(authority string) (host, port string) {
	host = strings.ToLower(authority[strings.LastIndexByte(authority, '@')+1:])
	if after, ok := strings.CutPrefix(host, "["); ok {
		host, port, _ = strings.Cut(after, "]")
		return host, strings.TrimPrefix(port, ":")
	}
	host, port, _ = strings.Cut(host, ":")
	return host, port
}

// canonicalHost returns a host in ASCII, without www.
func canonicalHost(host string) string {
	host = unescaped(host)
	if ascii, err := idna.Punycode.ToASCII(strings.ToLower(host)); err == nil {
		host = ascii
	}
	host = strings.ToLower(strings.Trim(strings.ReplaceAll(host, "..", "."), "."))
	if rest, ok := strings.CutPrefix(host, "www"); ok {
		if after, ok := strings.CutPrefix(strings.TrimLeft(rest, "0123456789"), "."); ok {
			host = after
		}
	}
	return escaped(host)
}

// unescaped resolves percent escapes, also those that show only when others are resolved.
func unescaped(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		b = append(b, s[i])
		for n := len(b); n >= 3 && b[n-3] == '%'; n = len(b) {
			c, err := strconv.ParseUint(string(b[n-2:]), 16, 8)
			if err != nil {
				break
			}
			b = append(b[:n-3], byte(c))
		}
	}
	return string(b)
}

// escaped escapes what is no visible ASCII, "#" and "%".
func escaped(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '#' || c == '%' {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// withoutDots resolves the steps "." and ".." of a path, and leaves out those that are empty.
func withoutDots(path string) string {
	steps := strings.Split(path, "/")[1:]
	kept := make([]string, 0, len(steps))
	for _, step := range steps {
		switch {
		case step == ".":
		case step == ".." && len(kept) > 0:
			kept = kept[:len(kept)-1]
		default:
			kept = append(kept, step)
		}
	}
	if len(kept) == 0 {
		return "/"
	}
	last := len(kept) - 1
	return "/" + strings.Join(append(slices.DeleteFunc(kept[:last:last], func(s string) bool { return s == "" }), kept[last]), "/")
}

// orderedQuery sorts parameters by name, then value.
func orderedQuery(query string) string {
	params := strings.Split(query, "&")
	slices.SortStableFunc(params, func(a, b string) int {
		name, value, given := strings.Cut(a, "=")
		otherName, otherValue, otherGiven := strings.Cut(b, "=")
		switch {
		case name != otherName:
			return strings.Compare(name, otherName)
		case given != otherGiven && !given:
			return -1
		case given != otherGiven:
			return 1
		}
		return strings.Compare(value, otherValue)
	})
	return strings.Join(params, "&")
}

// playerSURT is what warcio.js, and with it ReplayWeb.page, look for instead: path and query stay as they are, but for their case,
// the order of the parameters, and what a browser encodes in the URL that it asks for. What is no http or https URL is its own key,
// in which a space would end the key.
func playerSURT(uri string) string {
	lower := strings.ToLower(uri)
	scheme, rest, ok := strings.Cut(lower, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return strings.ReplaceAll(uri, " ", "%20")
	}
	rest, _, _ = strings.Cut(rest, "#")
	authority, path := rest, ""
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.HasSuffix(authority, "]") {
		host, port = authority[:i], authority[i+1:]
	}
	if port == "80" && scheme == "http" || port == "443" && scheme == "https" {
		port = ""
	}
	key := withoutWWW(host)
	if !strings.HasPrefix(key, "[") {
		labels := strings.Split(key, ".")
		slices.Reverse(labels)
		key = strings.Join(labels, ",")
	}
	if port != "" {
		key += ":" + port
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	path, query, asked := strings.Cut(path, "?")
	path = encodedPath(path)
	if asked && query != "" {
		path += "?" + sortedQuery(encodedQuery(query))
	}
	return key + ")" + path
}

// withoutWWW removes "www.", "www2." and so on.
func withoutWWW(host string) string {
	rest, ok := strings.CutPrefix(host, "www")
	if !ok {
		return host
	}
	rest = strings.TrimLeft(rest, "0123456789")
	if after, ok := strings.CutPrefix(rest, "."); ok && after != "" {
		return after
	}
	return host
}

func sortedQuery(query string) string {
	params := strings.Split(query, "&")
	slices.Sort(params)
	return strings.Join(params, "&")
}
