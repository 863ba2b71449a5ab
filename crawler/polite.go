package crawler

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

// gap returns the pause owed to a site after a request that took response, and which rule asked for it: the largest of
// the operator's floor, a multiple of the response time, and the site's own wish, plus jitter. Only an override that
// names the host replaces it.
func (c *Crawler) gap(site string, response time.Duration, rules *robots.Rules) (time.Duration, string) {
	if o := c.Hosts[site]; o.Delay != 0 {
		return max(o.Delay, 0), "override"
	}
	p := &c.Politeness
	gap, why := p.Delay, "floor"
	if d := min(time.Duration(p.Factor*float64(response)), max(p.MaxDelay, p.Delay)); d > gap {
		gap, why = d, "response-time"
	}
	if rules != nil {
		if d, _ := rules.Delay(); d > gap {
			gap, why = d, "crawl-delay"
		}
	}
	return gap + time.Duration(rand.Float64()*p.Jitter*float64(gap)), why
}

// rest returns how long a host is left alone after failures in a row.
func (p *Politeness) rest(failures int) time.Duration {
	d := p.Rest
	for i := 1; i < failures && d < p.MaxRest; i++ {
		d *= 2
	}
	return min(d, p.MaxRest)
}

// retryAfter reads a Retry-After header, seconds or a date (RFC 9110 section 10.2.3); zero when absent, past or unreadable.
func retryAfter(h http.Header, now time.Time, most time.Duration) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0
	}
	if n, err := strconv.ParseUint(v, 10, 64); err == nil {
		if n > uint64(most/time.Second) {
			return most
		}
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil {
		return min(max(t.Sub(now), 0), most)
	}
	return 0
}
