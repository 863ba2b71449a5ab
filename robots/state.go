package robots

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A State is what is known of the robots.txt file of one origin: small, and good as JSON, so that it can outlive the
// process next to whatever else is known of the site. The zero value knows nothing. The body is in Bodies, by digest.
type State struct {
	Origin       string    `json:"origin,omitempty"`
	Outcome      Outcome   `json:"outcome,omitempty"` // Found, Unavailable or Unreachable; empty when nobody asked yet
	Status       int       `json:"status,omitempty"`  // of the last answer, 304 too; 0 when there was none
	Err          string    `json:"err,omitempty"`     // why the outcome is not what the status says
	FetchedAt    time.Time `json:"fetched_at,omitzero"`
	Expires      time.Time `json:"expires,omitzero"`        // when to ask again; zero while unreachable
	Digest       string    `json:"digest,omitempty"`        // of the file, while Found
	ETag         string    `json:"etag,omitempty"`          // of LastGood
	LastModified string    `json:"last_modified,omitempty"` // of LastGood, as the server wrote it
	FinalURL     string    `json:"final_url,omitempty"`     // where LastGood came from
	Hops         int       `json:"hops,omitempty"`          // redirects on the way there
	Failures     int       `json:"failures,omitempty"`      // exchanges in a row that ended Unreachable
	FirstFailure time.Time `json:"first_failure,omitzero"`
	FirstPage    time.Time `json:"first_page,omitzero"` // since when a page of HTML has come, each time, in place of LastGood
	NextTry      time.Time `json:"next_try,omitzero"`   // nothing is asked before; zero unless Unreachable
	LastGood     string    `json:"last_good,omitempty"` // digest of the last file that was Found; empty once there is none
}

// found returns the state after a file was had.
func (s State) found(resp Response, digest, url string, hops int) State {
	return State{
		Origin: s.Origin, Outcome: Found, Status: resp.Status, FetchedAt: now(),
		Digest: digest, LastGood: digest, FinalURL: url, Hops: hops,
		ETag: shortHeader(resp.Header, "ETag"), LastModified: shortHeader(resp.Header, "Last-Modified"),
	}
}

// notModified returns the state after the last good file was confirmed. A 304 may bring new validators (RFC 9111 section
// 4.3.4).
func (s State) notModified(resp Response, url string, hops int) State {
	next := s.found(resp, s.LastGood, url, hops)
	next.ETag = cmp.Or(next.ETag, s.ETag)
	next.LastModified = cmp.Or(next.LastModified, s.LastModified)
	return next
}

// unavailable returns the state after the server said, or by its redirects made clear, that there is no file.
func (s State) unavailable(resp Response, why string) State {
	return State{Origin: s.Origin, Outcome: Unavailable, Status: resp.Status, Err: why, FetchedAt: now()}
}

// unreachable returns the state after a failure. What is known of the last good file stays.
func (s State) unreachable(resp Response, why string) State {
	s.Outcome, s.Status, s.Err, s.FetchedAt = Unreachable, resp.Status, why, now()
	s.Digest, s.Expires, s.FirstPage = "", time.Time{}, time.Time{}
	if s.Failures++; s.Failures == 1 {
		s.FirstFailure = s.FetchedAt
	}
	return s
}

// now is the wall clock, since states are compared with those of other processes; among those of one process the clock counts that
// nobody sets.
func now() time.Time { return time.Now().UTC() }

// shortHeader returns a validator, or nothing if it is longer than any sane one.
func shortHeader(h http.Header, name string) string {
	const sane = 512
	if v := h.Get(name); len(v) <= sane {
		return v
	}
	return ""
}

// lifetime is how long a response stays fresh (RFC 9111 section 4.2.1) at time at; ok is false when it does not say.
func lifetime(h http.Header, at time.Time) (d time.Duration, ok bool) {
	for directive := range strings.SplitSeq(strings.Join(h.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch strings.ToLower(name) {
		case "no-cache", "no-store":
			return 0, true
		case "max-age":
			if age, valid := deltaSeconds(strings.Trim(value, `"`)); valid {
				d, ok = age, true
			}
		}
	}
	if expires := h.Values("Expires"); !ok && len(expires) > 0 {
		when, err := http.ParseTime(expires[0])
		if err != nil {
			return 0, true // "0" and other non-dates are in the past, RFC 9111 section 5.3
		}
		if date, err := http.ParseTime(h.Get("Date")); err == nil {
			at = date
		}
		d, ok = when.Sub(at), true
	}
	if age, valid := deltaSeconds(h.Get("Age")); valid {
		d -= age
	}
	return d, ok
}

// RetryAfter returns the longest wait that Retry-After headers ask for (RFC 9110 section 10.2.3), as of the time at; 0 when there
// is none, or none that can be read. Each is a date, also with a zone as a number, or the seconds that it begins with: "4.5",
// "120 seconds" and "60, 60" are sent, too.
func RetryAfter(h http.Header, at time.Time) (longest time.Duration) {
	for _, value := range h.Values("Retry-After") {
		longest = max(longest, readRetryAfter(strings.TrimSpace(value), at))
	}
	return longest
}

func readRetryAfter(value string, at time.Time) time.Duration {
	when, err := http.ParseTime(value)
	for _, layout := range []string{time.RFC1123Z, time.RFC3339} {
		if err != nil {
			when, err = time.Parse(layout, value)
		}
	}
	if err == nil {
		return when.Sub(at)
	}
	d, rest, ok := leadingSeconds(value)
	if !ok || rest != "" && !strings.ContainsRune(" ,;s", rune(rest[0])) {
		return 0
	}
	return d
}

// deltaSeconds reads a count of seconds; above a year it is a year.
func deltaSeconds(s string) (time.Duration, bool) {
	s = strings.TrimSpace(s)
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > int64(maxPace.Seconds()) {
		return maxPace, true
	}
	return time.Duration(n) * time.Second, true
}
