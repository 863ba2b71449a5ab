package verify

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
)

// readLogs reads the logs. If no line names the host of the site, but lines with our name name others, it takes the one that most
// of them name for another name of the site: a server writes the one that it calls itself by, not the one that it was asked for.
func (c *comparer) readLogs(ctx context.Context, logs []accesslog.Source) error {
	for {
		c.logged, c.surround, c.broken, c.files, c.out.Malformed, c.badLine = nil, nil, nil, nil, 0, ""
		c.unread = 0
		c.announced = map[int]checkpoint.Head{}
		for _, log := range logs {
			if err := c.readLog(ctx, log); err != nil {
				return err
			}
		}
		if c.out.Lines > 0 || c.alias != "" || len(c.otherHosts) == 0 {
			return nil
		}
		for _, host := range slices.Sorted(maps.Keys(c.otherHosts)) {
			if c.alias == "" || c.otherHosts[host] > c.otherHosts[c.alias] {
				c.alias = host
			}
		}
	}
}

// readLog reads a log in the order of its lines.
func (c *comparer) readLog(ctx context.Context, log accesslog.Source) (err error) {
	in, err := log.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	r := accesslog.NewReader(in, accesslog.Auto)
	r.Host(log.Host)
	r.Malformed(func(text []byte) {
		if c.isOurs(strings.ReplaceAll(string(text), `"`, " ")) {
			c.unread++
		}
	})
	file := int16(-1)
	if len(c.files) < maxFiles {
		file, c.files = int16(len(c.files)), append(c.files, log.Name)
	}
	c.reading = reading{from: len(c.surround)}
	for r.Next() {
		c.line(r, file)
		if r.Line()%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	c.endLog()
	tally := r.Tally()
	if c.out.Malformed += tally.Malformed; len(tally.Samples) > 0 && c.badLine == "" {
		c.badLine = fmt.Sprintf("%s line %d: %s", log.Name, tally.Samples[0].Line, tally.Samples[0].Why)
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("%s: %w", log.Name, err)
	}
	return nil
}

// line takes in a line of the log.
func (c *comparer) line(r *accesslog.Reader, file int16) {
	e := r.Entry()
	host := string(e.Host)
	if name := hostOf(host); host != "" && name != c.host && name != c.alias { // another site of the same server
		if c.isOurs(string(e.Agent)) && (c.otherHosts[name] > 0 || len(c.otherHosts) < maxFiles) {
			c.otherHosts[name]++
		}
		c.pass(r.Text(), e.Time)
		return
	}
	at := e.Time.UnixNano()
	if c.out.Lines++; c.out.Lines == 1 {
		c.first = at
	}
	c.first, c.last = min(c.first, at), max(c.last, at)
	if len(c.busy) < 1<<20 {
		c.busy[at/int64(time.Minute)] = true
	}
	switch {
	case !e.HasAgent:
		c.bare++
	case !c.isOurs(string(e.Agent)):
		if len(e.Agent) == 0 && e.Status == http.StatusBadRequest && len(c.broken) < maxCompared {
			c.broken = append(c.broken, compared{target: c.target(string(e.Target)), start: at, status: int16(e.Status)})
		}
		c.pass(r.Text(), e.Time)
		return
	}
	if c.full = c.full || len(c.logged) >= maxCompared; c.full {
		return
	}
	target, posts := string(e.Target), len(e.Method) > 0 && string(e.Method) != "GET"
	if posts {
		target = string(e.Method) + " " + target
	}
	l := compared{
		target: c.target(target), decoded: c.target(asDecoded(target)), start: at, end: at, status: int16(e.Status), line: r.Line(),
		client: c.client(string(e.Client)), port: c.otherPort(host), file: file, hostless: !c.isNamed(host), at: len(c.logged),
		rewritten: e.Rewritten, index: e.IsIndex(), posts: posts,
	}
	if e.Decoded {
		l.decoded, c.decoded = c.target(asLogged(target)), true // match has the two change places
	}
	if head, ok := announcedIn(string(e.Agent)); ok && len(c.announced) < maxAnnounced {
		c.announced[len(c.logged)] = head
	}
	c.exact = e.Fraction
	c.logged = append(c.logged, l)
	c.surround = append(c.surround, c.reading.own(maphash.Bytes(c.seed, r.Text()), at))
}

// isNamed reports whether what a log says of the host of a line names the site: a server may have others at other ports.
func (c *comparer) isNamed(host string) bool { return host != "" && siteOf("http://"+host) == c.site }

// otherPort returns the port that a log gives the host of a line, 0 if it gives none or that of the site.
func (c *comparer) otherPort(host string) uint16 {
	u, err := url.Parse("http://" + host)
	if err != nil || u.Port() == "" || c.isNamed(host) {
		return 0
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return 0
	}
	return uint16(n)
}

// isOurs reports whether a User-Agent has a name that we have called ourselves, as a product and not within a word or an address.
func (c *comparer) isOurs(agent string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(agent), func(r rune) bool { return strings.ContainsRune(" ;,()", r) }) {
		if name, _, _ := strings.Cut(word, "/"); slices.Contains(c.names, name) {
			return true
		}
	}
	return false
}

// client returns the number of an address.
func (c *comparer) client(name string) int16 {
	if at, err := netip.ParseAddr(name); err == nil {
		name = at.Unmap().String()
	}
	n, ok := c.known[name]
	if !ok && len(c.clients) < 1<<14 {
		n = int16(len(c.clients))
		c.clients, c.known[name] = append(c.clients, name), n
	}
	return n
}
