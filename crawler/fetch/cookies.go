package fetch

import (
	"cmp"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"
)

// Cookies are those that requests to some origins carry, each where its domain, path and Secure allow (RFC 6265). They are kept in
// memory only. Cookies are safe for concurrent use.
type Cookies struct {
	jar  *cookiejar.Jar
	take bool

	mu   sync.Mutex
	held map[string]map[cookieKey]struct{} // that servers set, by host
}

// A cookieKey is what a cookie is known by on its host.
type cookieKey struct{ name, domain, path string }

const (
	maxCookies = 50   // of a host: those that it sets beyond are not taken (RFC 6265 section 6.1 asks for as many)
	maxCookie  = 4096 // bytes of a name and its value; likewise
)

// NewCookies returns cookies, none yet. If take is set, those that servers set are taken and sent back; else they are forgotten.
func NewCookies(take bool) *Cookies {
	jar, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // it has no error
	return &Cookies{jar: jar, take: take, held: map[string]map[cookieKey]struct{}{}}
}

// Add adds cookies as if host had set them over TLS. One whose domain does not hold host is left out.
func (c *Cookies) Add(host string, cookies ...*http.Cookie) {
	c.jar.SetCookies(&url.URL{Scheme: "https", Host: host, Path: "/"}, cookies)
}

// takeFrom takes the cookies that a response sets.
func (c *Cookies) takeFrom(u *url.URL, r *http.Response) {
	if len(r.Header["Set-Cookie"]) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.held[u.Host]
	if held == nil {
		held = map[cookieKey]struct{}{}
		c.held[u.Host] = held
	}
	var taken []*http.Cookie
	for _, k := range r.Cookies() {
		key := cookieKey{k.Name, k.Domain, k.Path}
		if _, ok := held[key]; !ok && len(held) >= maxCookies || len(k.Name)+len(k.Value) > maxCookie {
			continue
		}
		held[key] = struct{}{}
		taken = append(taken, k)
	}
	c.jar.SetCookies(cookieURL(u), taken)
}

// field returns the Cookie field of a request for a URL; empty for none.
func (c *Cookies) field(u *url.URL) string {
	var pairs []string
	for _, k := range c.jar.Cookies(cookieURL(u)) {
		value := k.Value
		if k.Quoted {
			value = `"` + value + `"`
		}
		pairs = append(pairs, k.Name+"="+value)
	}
	return strings.Join(pairs, "; ")
}

// cookieURL returns a URL whose path stands where a jar looks for it.
func cookieURL(u *url.URL) *url.URL {
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: cmp.Or(u.Opaque, u.EscapedPath())}
}
