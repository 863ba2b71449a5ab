package warc

import (
	"net/url"
	"slices"
	"strings"
)

// SURT returns the key under which indexes sort a URL: its host with the labels turned around and without www, then path and query
// in lower case, the parameters in order. It is that of warcio and pywb. What is no http or https URL is its own key.
func SURT(uri string) string {
	lower := strings.ToLower(uri)
	scheme, rest, ok := strings.Cut(lower, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return uri
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
	if asked && query != "" {
		path += "?" + sortedQuery(query)
	}
	return key + ")" + printable(path)
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

// printable escapes what would end the key of an index line.
func printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) < 0 {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c == 0x7f {
			b.WriteString(strings.ToLower(url.QueryEscape(string(c))))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
