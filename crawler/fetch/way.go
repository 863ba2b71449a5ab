package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// An Access is what requests to one origin carry besides, because its owner gave it to the operator. It goes to no other origin:
// no redirect is followed, so each request is made for its own URL.
type Access struct {
	Header      http.Header      // fields; those that the client sets itself are not replaced
	Cookies     []*http.Cookie   // of which each goes where its domain, path and Secure allow; what servers set is forgotten
	Certificate *tls.Certificate // with which TLS is answered when it asks for one
}

// A way is how the servers of one origin are reached.
type way struct {
	proxy  *Proxy
	access *Access
}

// wayKey is the key of the *way among the values of a context: net/http passes them on to whoever connects.
type wayKey struct{}

func wayOf(ctx context.Context) *way {
	if w, ok := ctx.Value(wayKey{}).(*way); ok {
		return w
	}
	return &way{}
}

func (c *Client) wayTo(u *url.URL) *way {
	return &way{proxy: c.Proxy(u.Host), access: c.opts.Access[originOf(u.Scheme+"://"+u.Host)]}
}

// Proxy returns the proxy through which host, as it stands in a URL, is reached; nil when there is none.
func (c *Client) Proxy(host string) *Proxy {
	if p, own := c.opts.Proxies[host]; own {
		return p
	}
	return c.opts.Proxy
}

// apply adds to a request what the way wants of it, and returns the names of the fields that nobody else should see.
func (w *way) apply(r *http.Request) (secret []string) {
	if w.access == nil {
		return nil
	}
	for name, values := range w.access.Header {
		if _, ours := r.Header[name]; !ours {
			r.Header[name] = values
			secret = append(secret, name)
		}
	}
	if c := cookiesFor(w.access.Cookies, r.URL, r.Host, time.Now()); c != "" {
		r.Header["Cookie"] = []string{c}
		secret = append(secret, "Cookie")
	}
	return secret
}

// cookiesFor returns the Cookie field for a URL (RFC 6265 section 5.4).
func cookiesFor(all []*http.Cookie, u *url.URL, host string, now time.Time) string {
	name := strings.ToLower((&url.URL{Host: host}).Hostname())
	path := u.Opaque
	if path == "" {
		path = u.EscapedPath()
	}
	var pairs []string
	for _, c := range all {
		switch {
		case c.Secure && u.Scheme != "https", !c.Expires.IsZero() && !now.Before(c.Expires):
		case !cookieDomain(c.Domain, name), !cookiePath(c.Path, path):
		default:
			pairs = append(pairs, c.Name+"="+c.Value)
		}
	}
	return strings.Join(pairs, "; ")
}

// cookieDomain reports whether a cookie of domain, with a dot in front for the hosts below it too, goes to host.
func cookieDomain(domain, host string) bool {
	if below, ok := strings.CutPrefix(domain, "."); ok {
		return host == below || strings.HasSuffix(host, domain)
	}
	return host == domain
}

// cookiePath reports whether a cookie of a path goes to a path (RFC 6265 section 5.1.4).
func cookiePath(of, path string) bool {
	path = cmp.Or(path, "/")
	rest, ok := strings.CutPrefix(path, of)
	return ok && (rest == "" || strings.HasSuffix(of, "/") || rest[0] == '/' || rest[0] == '?')
}

// clientCertificate answers a server that asks who we are: nobody, unless there is a certificate for its origin.
func clientCertificate(info *tls.CertificateRequestInfo) (*tls.Certificate, error) {
	if a := wayOf(info.Context()).access; a != nil && a.Certificate != nil {
		return a.Certificate, nil
	}
	return &tls.Certificate{}, nil
}

// joinPort is net.JoinHostPort for a number.
func joinPort(host string, port uint16) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(int(port))
}

// hideFields replaces the values of fields in a request that is kept.
func hideFields(request []byte, secret []string) []byte {
	if len(secret) == 0 {
		return request
	}
	lines := strings.SplitAfter(string(request), "\r\n")
	for i, line := range lines {
		for _, name := range secret {
			if value, ok := strings.CutPrefix(line, name+": "); ok {
				lines[i] = name + ": " + hidden + value[len(strings.TrimRight(value, "\r\n")):]
			}
		}
	}
	return []byte(strings.Join(lines, ""))
}

// hidden stands for a value that is not kept.
const hidden = "(not kept)"
