package robots

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
)

const maxHops = 5 // redirects followed; RFC 9309 section 2.3.1.2 wants five

// ask asks an origin for its file, following redirects, and returns the state after that and the file, if there is one.
func (c *Cache) ask(ctx context.Context, known State, fetch FetchFunc) (State, *File, error) {
	good, err := c.load(known.LastGood)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return State{}, nil, err
	}
	address := known.Origin + "/robots.txt"
	visited := map[string]bool{}
	for hops := 0; ; hops++ {
		visited[address] = true
		var etag, modified string
		if good != nil && address == known.FinalURL {
			etag, modified = known.ETag, known.LastModified
		}
		resp := fetch(ctx, address, etag, modified)
		if resp.Abort != nil {
			return State{}, nil, resp.Abort
		}
		if resp.Err != nil && ctx.Err() != nil {
			return State{}, nil, ctx.Err()
		}
		switch OutcomeOf(resp.Status, resp.Err) {
		case Found:
			return c.keep(known, good, resp, address, hops)
		case NotModified:
			if etag == "" && modified == "" {
				return c.retryLater(known, resp, "304 to an unconditional request"), nil, nil
			}
			return c.expire(known.notModified(resp, address, hops), resp), good, nil
		case Unavailable:
			if isDeniedForNow(resp) {
				return c.retryLater(known, resp, failure(resp)), nil, nil
			}
			return c.expire(known.unavailable(resp, ""), resp), nil, nil
		case Unreachable:
			return c.retryLater(known, resp, failure(resp)), nil, nil
		}
		target, err := ResolveLocation(address, resp.Header.Get("Location"))
		switch {
		case errors.Is(err, errScheme):
			return c.retryLater(known, resp, err.Error()), nil, nil
		case err != nil:
			return c.expire(known.unavailable(resp, err.Error()), resp), nil, nil
		case visited[target]:
			return c.expire(known.unavailable(resp, "redirect loop"), resp), nil, nil
		case hops == maxHops:
			return c.expire(known.unavailable(resp, fmt.Sprintf("more than %d redirects", hops)), resp), nil, nil
		}
		address = target
	}
}

// keep keeps the body of a file that was found. A page of HTML counts as a file without rules, for MinLife. Where there was another
// file before, it is more likely of a network that wants a login first, or of a filter: then nobody knows the rules, for a day.
func (c *Cache) keep(known State, good *File, resp Response, address string, hops int) (State, *File, error) {
	body, err := unpack(resp.Body)
	if err != nil {
		return c.retryLater(known, resp, "gzip that cannot be unpacked: "+err.Error()), nil, nil
	}
	file := Parse(body, c.options.Dialect)
	first := known.FirstPage
	if first.IsZero() || first.After(now()) { // the clock was set back
		first = now()
	}
	if file.isPage() && good.hasText() && now().Sub(first) < MaxLife {
		s := c.retryLater(known, resp, "a page of HTML came in place of robots.txt, which was another file before")
		s.FirstPage = first
		return s, nil, nil
	}
	digest, err := c.options.Bodies.Put(body)
	if err != nil {
		return State{}, nil, err
	}
	s := c.expire(known.found(resp, digest, address, hops), resp)
	if file.isPage() {
		s.Expires = s.FetchedAt.Add(min(c.options.MinLife, c.options.MaxLife))
	}
	return s, file, nil
}

// isPage reports whether a file is a page of HTML in which there is no rule.
func (f *File) isPage() bool {
	text := strings.TrimSpace(f.text)
	if !strings.HasPrefix(text, "<") {
		return false
	}
	text = strings.ToLower(text)
	return !strings.Contains(text, "user-agent") && !strings.Contains(text, "disallow")
}

// hasText reports whether there is a file, and it is neither empty nor a page.
func (f *File) hasText() bool { return f != nil && strings.TrimSpace(f.text) != "" && !f.isPage() }

// unpack returns what Parse reads of a body: MaxBytes, and a byte beyond that tells a cut line from a whole one. A file that was
// compressed, and is sent as if it were not, has no rules as it stands, which would permit what its owner forbids.
func unpack(body []byte) ([]byte, error) {
	if bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		packed, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		if body, err = io.ReadAll(io.LimitReader(packed, MaxBytes+1)); err != nil {
			return nil, err
		}
	}
	return body[:min(len(body), MaxBytes+1)], nil
}

// expire says when the answer that a state came from has to be asked for again.
func (c *Cache) expire(s State, resp Response) State {
	life, ok := lifetime(resp.Header, s.FetchedAt)
	if !ok {
		life = c.options.MaxLife
	}
	s.Expires = s.FetchedAt.Add(min(max(life, c.options.MinLife), c.options.MaxLife))
	return s
}

// retryLater returns the state after a failure, with the time of the next try.
func (c *Cache) retryLater(known State, resp Response, why string) State {
	s := known.unreachable(resp, why)
	wait, most := c.options.BackOff, c.options.MaxBackOff
	if resp.Status == http.StatusTooManyRequests || resp.Status == http.StatusServiceUnavailable {
		wait, most = max(wait, c.options.HostRest), max(most, c.options.MaxHostRest)
	}
	for i := 1; i < s.Failures && wait < most; i++ {
		wait *= 2
	}
	wait = min(wait, most)
	wait = max(wait, min(RetryAfter(resp.Header, s.FetchedAt), c.options.MaxRetryAfter))
	s.NextTry = s.FetchedAt.Add(wait)
	return s
}

// isDeniedForNow reports whether a denial says when to come again, as some sites tell with 403 who asks too much: it does not say
// that there is no file.
func isDeniedForNow(resp Response) bool {
	denies := resp.Status == http.StatusUnauthorized || resp.Status == http.StatusForbidden
	return denies && RetryAfter(resp.Header, now()) > 0
}

// failure says in few words why an exchange counts as failed.
func failure(resp Response) string {
	if resp.Err == nil {
		return fmt.Sprintf("status %d", resp.Status)
	}
	const few = 200
	why := resp.Err.Error()
	return why[:min(len(why), few)]
}

// errScheme: a redirect leads where we cannot ask, so nobody can say that there is no file.
var errScheme = errors.New("redirect leaves http")

// ResolveLocation returns where the Location of a redirect of the URL from leads, without user name, password and fragment. It is
// read as browsers read it (WHATWG URL): blanks around it do not count, a backslash is a slash, and of slashes behind "http:" there
// may be too few or too many. The error says why nobody can ask there.
func ResolveLocation(from, location string) (string, error) {
	if location == "" {
		return "", errors.New("redirect without location")
	}
	base, err := url.Parse(from)
	if err != nil {
		return "", err
	}
	target, err := base.Parse(mendLocation(location, base.Scheme))
	if err != nil {
		return "", errors.New("redirect to a location that is no URL")
	}
	if target.Scheme != "http" && target.Scheme != "https" {
		return "", fmt.Errorf("%w: to %.40q", errScheme, target.Scheme)
	}
	if target.Host == "" {
		return "", errors.New("redirect to a location without host")
	}
	target.Fragment, target.User = "", nil
	return target.String(), nil
}

// mendLocation writes a Location so that package url reads it as browsers do.
func mendLocation(location, scheme string) string {
	location = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(location)
	location = strings.TrimFunc(location, func(c rune) bool { return c <= ' ' })
	path, rest := location, ""
	if i := strings.IndexAny(location, "?#"); i >= 0 {
		path, rest = location[:i], location[i:]
	}
	path = strings.ReplaceAll(path, `\`, "/")
	if own, after, ok := strings.Cut(path, ":"); ok && isWeb(own) {
		if path = after; !equalFold(own, scheme) || strings.HasPrefix(after, "//") {
			path = own + "://" + strings.TrimLeft(after, "/")
		}
	} else if strings.HasPrefix(path, "//") {
		path = "//" + strings.TrimLeft(path, "/")
	}
	return escapeStray(path) + rest
}

// escapeStray writes %25 for each percent sign that begins no escape.
func escapeStray(path string) string {
	parts := strings.Split(path, "%")
	for i, part := range parts[1:] {
		if len(part) < 2 || strings.Trim(part[:2], "0123456789ABCDEFabcdef") != "" {
			parts[i+1] = "25" + part
		}
	}
	return strings.Join(parts, "%")
}

// checkOrigin reports what is wrong with an origin.
func checkOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil {
		return fmt.Errorf("robots: origin %q: %w", origin, err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || origin != u.Scheme+"://"+u.Host {
		return fmt.Errorf("robots: %q is no origin, want scheme://host[:port]", origin)
	}
	return nil
}
