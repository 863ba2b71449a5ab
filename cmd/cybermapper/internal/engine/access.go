package engine

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// setWays completes options with proxies and with what some hosts want besides, of which the secrets are read now.
func setWays(o *fetch.Options, c config.Config) error {
	login, err := proxyLogin(c.Fetch.ProxyLogin)
	if err == nil && c.Fetch.Proxy != "" {
		o.Proxy, err = fetch.ParseProxy(c.Fetch.Proxy, login)
	}
	o.Proxies, o.Access = c.Proxies(login), map[string]*fetch.Access{}
	taken := fetch.NewCookies(true)
	for name, h := range c.Hosts {
		if err == nil && h.HasAccess() {
			var a *fetch.Access
			if a, err = accessTo(name, h); err != nil {
				err = fmt.Errorf("hosts.%s: %w", name, err)
			}
			for _, origin := range originsOf(name, h.Cleartext) {
				o.Access[origin] = a
			}
		} else if h.AcceptCookies {
			for _, origin := range originsOf(name, true) {
				o.Access[origin] = &fetch.Access{Cookies: taken}
			}
		}
	}
	if err != nil {
		return &cli.Error{Code: cli.ExitConfig, Err: err, Hint: "nothing was asked for"}
	}
	return nil
}

// originsOf returns to which origins the secrets of an entry of hosts go: over http only where that was asked for, or where it
// does not leave this machine.
func originsOf(name string, cleartext bool) []string {
	var all []string
	for _, scheme := range []string{"https", "http"} {
		u, err := frontier.ParseURL(scheme + "://" + name + "/")
		if err == nil && (scheme == "https" || cleartext || cli.IsLoopback(u)) {
			all = append(all, u.Origin())
		}
	}
	return all
}

// IsWithheld reports whether a URL is one of a host whose entry would have us send something, but not without TLS.
func IsWithheld(u frontier.URL, c config.Config) bool {
	h := c.Hosts[u.Site()]
	return h.HasAccess() && !slices.Contains(originsOf(u.Site(), h.Cleartext), u.Origin())
}

func proxyLogin(s config.Secret) (*fetch.Login, error) {
	if s == "" {
		return nil, nil
	}
	user, password, err := userPassword(s)
	if err != nil {
		return nil, fmt.Errorf("fetch.proxy_login: %w", err)
	}
	return &fetch.Login{User: user, Password: password}, nil
}

// userPassword reads a secret of the form user:password.
func userPassword(s config.Secret) (user, password string, err error) {
	text, err := s.Read()
	if err != nil {
		return "", "", err
	}
	user, password, ok := strings.Cut(text, ":")
	if !ok {
		return "", "", fmt.Errorf("%s does not hold user:password", s)
	}
	return user, password, nil
}

// accessTo returns what requests to a host carry besides.
func accessTo(host string, h config.Host) (*fetch.Access, error) {
	a := &fetch.Access{Header: http.Header{}}
	for _, line := range h.Headers {
		name, value, secret, err := config.Header(line)
		if err == nil && secret != "" {
			value, err = secret.Read()
		}
		if err != nil {
			return nil, fmt.Errorf("headers: %w", err)
		}
		a.Header.Add(name, value)
	}
	switch {
	case h.Basic != "":
		user, password, err := userPassword(h.Basic)
		if err != nil {
			return nil, fmt.Errorf("basic: %w", err)
		}
		a.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
	case h.Bearer != "":
		token, err := h.Bearer.Read()
		if err != nil {
			return nil, fmt.Errorf("bearer: %w", err)
		}
		a.Header.Set("Authorization", "Bearer "+token)
	}
	for name, values := range a.Header {
		if slices.ContainsFunc(values, func(v string) bool { return !httpguts.ValidHeaderFieldValue(v) }) {
			return nil, fmt.Errorf("the value of %s cannot stand in a header", name)
		}
	}
	if h.Cookies != "" || h.AcceptCookies {
		a.Cookies = fetch.NewCookies(h.AcceptCookies)
	}
	if h.Cookies != "" {
		cookies, err := readCookies(h.Cookies, host)
		if err != nil {
			return nil, fmt.Errorf("cookies: %w", err)
		}
		a.Cookies.Add(host, cookies...)
	}
	if h.Certificate != "" {
		cert, err := tls.LoadX509KeyPair(h.Certificate, h.Certificate)
		if err != nil {
			return nil, fmt.Errorf("certificate: %s must hold a certificate and its key in PEM: %w", h.Certificate, err)
		}
		a.Certificate = &cert
	}
	return a, nil
}

// readCookies reads the cookies of a Netscape file that are for a host; that there is none is an error.
func readCookies(name, host string) ([]*http.Cookie, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	host, _, _ = strings.Cut(host, ":")
	var cookies []*http.Cookie
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		c, err := parseCookie(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if c != nil && (c.Domain == host || strings.HasPrefix(c.Domain, ".") && strings.HasSuffix("."+host, c.Domain)) &&
			(c.Expires.IsZero() || time.Now().Before(c.Expires)) {
			if c.Domain == host {
				c.Domain = "" // for no host below it
			}
			cookies = append(cookies, c)
		}
	}
	if lines.Err() == nil && len(cookies) == 0 {
		return nil, fmt.Errorf("%s holds no cookie for %s that has not expired", name, host)
	}
	return cookies, lines.Err()
}

// parseCookie reads a line of a Netscape cookie file: domain, whether hosts below it are meant too, path, whether it is for TLS
// only, when it expires, name and value. It returns nil for a comment.
func parseCookie(line string) (*http.Cookie, error) {
	line, _ = strings.CutPrefix(strings.TrimRight(line, "\r"), "#HttpOnly_")
	if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
		return nil, nil
	}
	f := strings.Split(line, "\t")
	if len(f) == 6 {
		f = append(f, "") // an empty value
	}
	if len(f) != 7 {
		return nil, errors.New("not a line of a Netscape cookie file: 7 fields between tabs")
	}
	seconds, err := strconv.ParseInt(f[4], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is not a time in seconds", f[4])
	}
	c := &http.Cookie{
		Domain: strings.ToLower(strings.TrimPrefix(f[0], ".")), Path: f[2], Secure: strings.EqualFold(f[3], "TRUE"),
		Name: f[5], Value: f[6],
	}
	if strings.EqualFold(f[1], "TRUE") {
		c.Domain = "." + c.Domain
	}
	if seconds > 0 {
		c.Expires = time.Unix(seconds, 0)
	}
	if !httpguts.ValidHeaderFieldValue(c.Name+c.Value) || strings.ContainsAny(c.Name+c.Value, ";") {
		return nil, errors.New("the cookie cannot stand in a header")
	}
	return c, nil
}

// carried says what requests to a host carry besides, for the ledger: the names, never the values.
func carried(h config.Host) string {
	var names []string
	add := func(is bool, name string) {
		if is {
			names = append(names, name)
		}
	}
	add(h.Basic != "", "basic credentials")
	add(h.Bearer != "", "a bearer token")
	add(h.Cookies != "", "cookies")
	add(h.AcceptCookies, ledger.TakenCookies)
	add(h.Certificate != "", "a certificate")
	for _, line := range h.Headers {
		if name, _, _, err := config.Header(line); err == nil {
			add(true, "the field "+name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "requests carry " + strings.Join(names, ", ")
}
