package fetch

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// A Request is one GET.
type Request struct {
	URL     string // absolute, http or https, canonical; user-info and fragment are not sent, ^ and | in the path encoded
	Comment string // said in the comment of the User-Agent besides what is there; "" says nothing
	Accept  string // "" means pages first, then anything
	Referer string // sent without user-info and fragment, to another origin only its origin, to http nothing of https

	// ETag and LastModified, of the copy at hand and as the server gave them, ask for changes only (304 if none). ETag may be a
	// list; a *, which is no ETag and would be any page (RFC 9110 section 13.1.2), is not sent.
	ETag, LastModified string

	HeadOnly bool // the body is not read: the connection is closed once the head of the response is there

	// Unwanted, unless nil, is asked when the response head is there; if it says so, the body is not read, and CutUnwanted.
	Unwanted func(status int, h http.Header) bool

	MaxBody int64 // a lower limit than Options.MaxBody; 0 means that one

	// Spool keeps the body out of Response.Body, and in a file if it is large, for [Response.Open] to read; its limit is
	// Options.MaxSpool. Only gzip is offered as its coding: what comes in another all the same is a Body with the limit of one.
	Spool bool
}

const defaultAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

// header returns the fields of the request. Values that are no legal field value are left out; they come from servers.
func (r Request) header(constant http.Header) http.Header {
	h := make(http.Header, len(constant)+4)
	maps.Copy(h, constant)
	set := func(name, value string) {
		if value != "" && httpguts.ValidHeaderFieldValue(value) {
			h[name] = []string{value}
		}
	}
	accept := cmp.Or(r.Accept, defaultAccept)
	set("Accept", accept)
	if r.Spool {
		set("Accept-Encoding", "gzip")
	}
	if r.Comment != "" {
		set("User-Agent", commented(constant.Get("User-Agent"), r.Comment))
	}
	set("Referer", referer(r.Referer, r.URL))
	if r.ETag != "*" {
		set("If-None-Match", r.ETag)
	}
	set("If-Modified-Since", r.LastModified)
	return h
}

// commented adds to the comment of a User-Agent (RFC 9110 section 10.1.5), which ends it if there is one.
func commented(agent, comment string) string {
	if strings.ContainsAny(comment, "()\\") {
		return agent
	}
	if inner, ok := strings.CutSuffix(agent, ")"); ok {
		return inner + "; " + comment + ")"
	}
	return agent + " (" + comment + ")"
}

// referer returns what may be said of the page that led to target (RFC 9110, 10.1.3), which is what browsers say by default
// (Referrer Policy, strict-origin-when-cross-origin): the page to its own origin, to others its origin alone, and to http nothing
// of https.
func referer(from, target string) string {
	scheme, rest, ok := strings.Cut(from, "://")
	if !ok || scheme == "https" && strings.HasPrefix(target, "http:") {
		return ""
	}
	rest, _, _ = strings.Cut(rest, "#")
	authority, path := splitPath(rest)
	origin := scheme + "://" + withoutUserInfo(authority)
	if origin != originOf(target) {
		return origin + "/"
	}
	return origin + path
}

// originOf returns scheme://host[:port] of a URL.
func originOf(rawURL string) string {
	scheme, rest, _ := strings.Cut(rawURL, "://")
	rest, _, _ = strings.Cut(rest, "#")
	authority, _ := splitPath(rest)
	return scheme + "://" + withoutUserInfo(authority)
}

// target reads a URL in such a way that net/http sends its path and query as they are written, but for ^ and | in the path: see
// sentPath. net/url would rewrite some octets and refuse a stray percent sign, and then a robots rule would be matched with one
// path and another be asked for.
func target(raw string) (*url.URL, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return nil, errors.New("not an absolute http or https URL")
	}
	if i := strings.IndexFunc(raw, func(r rune) bool { return r <= ' ' || r >= 0x7f }); i >= 0 {
		return nil, fmt.Errorf("character %q must be percent-encoded", raw[i])
	}
	rest, _, _ = strings.Cut(rest, "#")
	authority, path := splitPath(rest)
	authority = withoutUserInfo(authority)
	if authority == "" {
		return nil, errors.New("no host")
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	if strings.HasPrefix(path, "//") { // as an opaque path net/url would take it for an authority
		return url.Parse(scheme + "://" + authority + path)
	}
	path, query, marked := strings.Cut(path, "?")
	path = sentPath(path)
	return &url.URL{Scheme: scheme, Host: authority, Opaque: path, RawQuery: query, ForceQuery: marked && query == ""}, nil
}

// sentPath encodes what RFC 3986 lets stand in no path, though it may in a canonical URL, as Chromium does: strict servers, such as
// Tomcat, answer 400 to it. Rules of robots.txt mean the same by both (RFC 9309 section 2.2.2).
func sentPath(path string) string {
	if strings.ContainsAny(path, "^|") {
		return strings.NewReplacer("^", "%5E", "|", "%7C").Replace(path)
	}
	return path
}

// splitPath splits what follows "://" before the path or query.
func splitPath(s string) (authority, path string) {
	if i := strings.IndexAny(s, "/?"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

func withoutUserInfo(authority string) string {
	return authority[strings.LastIndexByte(authority, '@')+1:]
}
