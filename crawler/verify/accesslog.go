package verify

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// The promises that a log of the site judges.
const (
	Written Name = "written"
	Seen    Name = "seen"
	Agreed  Name = "agreed"
)

// A Comparison is what came of holding a ledger against the log of a site.
type Comparison struct {
	Lines       int64     `json:"lines"`         // of the log that are requests
	Ours        int       `json:"ours"`          // that have our name
	From        time.Time `json:"from,omitzero"` // of the log, by its clock
	To          time.Time `json:"to,omitzero"`
	Requests    int       `json:"requests"`    // on record
	Matched     int       `json:"matched"`     // that are in both
	Unanswered  int       `json:"unanswered"`  // on record as having got no answer, and not in the log
	Uncovered   int       `json:"uncovered"`   // on record, from before the log begins or after it ends
	Later       int       `json:"later"`       // in the log, from after the record was looked at
	Interrupted int       `json:"interrupted"` // in the log, under way when a process was killed
	Offsets     []Offset  `json:"offsets"`

	Promises []Promise `json:"promises"`
	Notes    []string  `json:"notes"`
}

// An Offset says how far the clock of the server was ahead of that of the crawl.
type Offset struct {
	By       time.Duration `json:"by_ns"`
	Requests int           `json:"requests"` // that show it
	From     time.Time     `json:"from"`     // by the clock of the crawl
	To       time.Time     `json:"to"`
}

// Bounds of a comparison.
const (
	maxCompared = 4_000_000               // requests, and lines with our name
	logSlack    = 2500 * time.Millisecond // between two clocks that agree: logs round to seconds, and note the beginning or the end
	logClock    = time.Minute             // by which clocks may differ without more than a note
	maxOffsets  = 50
	maxPairs    = 64 // of requests for the same thing that are looked at to find an offset
	leastLines  = 3  // that must agree on an offset besides the first
)

// A compared is a request, as the record or the log tells of it. Times are nanoseconds by the clock of who tells.
type compared struct {
	target     uint64
	start, end int64
	status     int16
	client     int16  // number of the address it came from
	found      bool   // in the other one
	seq        uint64 // of the record
	line       int64  // of the log
	request    int    // of a line that was found: its place in the list
	file       int16
}

// A comparer holds the ledger of one site against its log.
type comparer struct {
	site, host string
	names      []string // that we have called ourselves
	told       []compared
	logged     []compared
	runs       []period // the record covers these
	losses     []lostTime
	connection int // requests that may be under way at once
	clients    []string
	known      map[string]int16
	files      []string
	seed       maphash.Seed
	busy       map[int64]bool // minutes of which the log has a line
	first      int64
	last       int64
	running    bool
	made       int64 // when the record was looked at
	exact      bool  // the log knows more than seconds
	bare       int   // lines without a name, because the log has no field for it
	others     int64
	out        Comparison
	full       bool
	most       int // findings
	targets    map[uint64]string
}

type period struct{ from, to int64 }

// A lostTime is the time between the last record of a run that was killed and the next.
type lostTime struct {
	period
	left int // requests that may have been under way
}

// Compare holds what a ledger says of a site against the log of the server of that site, both ways. Lines are taken for ours by the
// product token in their User-Agent.
func Compare(ctx context.Context, j Job, site string, log *accesslog.Merge, o Options) (*Comparison, error) {
	c := &comparer{
		site: site, host: hostOf(site), known: map[string]int16{}, seed: maphash.MakeSeed(), busy: map[int64]bool{},
		running: j.Running, most: o.withDefaults().Findings, connection: 1, targets: map[uint64]string{},
	}
	if err := c.readLedger(ctx, j); err != nil {
		return nil, err
	}
	err := log.Each(c.begin, func(e *accesslog.Entry, file string, line int64, _ []byte) { c.line(e, file, line) })
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	c.match()
	c.judge()
	return &c.out, nil
}

// hostOf returns the host of a site without its port.
func hostOf(site string) string {
	u, err := url.Parse("http://" + site)
	if err != nil {
		return site
	}
	return strings.ToLower(u.Hostname())
}

func (c *comparer) target(path string) uint64 {
	h := maphash.String(c.seed, path)
	if len(c.targets) < 100_000 {
		c.targets[h] = path
	}
	return h
}

// readLedger collects what is on record.
func (c *comparer) readLedger(ctx context.Context, j Job) error {
	last, open := int64(0), false
	report, err := j.walk(func(e *ledger.Entry) bool {
		at := e.Time.UnixNano()
		switch {
		case e.Type == ledger.Run && e.Event == ledger.EventStart:
			if open {
				c.losses = append(c.losses, lostTime{period{last, at}, c.connection})
				c.runs[len(c.runs)-1].to = at
			}
			open, c.connection = true, 1
			c.runs = append(c.runs, period{at, at})
			for _, name := range []string{e.Product, productOf(e.UserAgent)} {
				if name = strings.ToLower(name); name != "" && !slices.Contains(c.names, name) {
					c.names = append(c.names, name)
				}
			}
		case e.Type == ledger.Run && e.Event == ledger.EventOverride && e.Site == c.site:
			c.connection = max(e.Connections, 1)
		case e.Type == ledger.Run && e.Event == ledger.EventStop:
			open = false
		case e.Type == ledger.Request && siteOf(e.URL) == c.site:
			_, path := splitURL(e.URL)
			c.told = append(c.told, compared{
				target: c.target(path), start: e.Start.UnixNano(), end: e.End.UnixNano(), status: int16(e.Status), seq: e.Seq,
			})
		}
		if n := len(c.runs); n > 0 && open || e.Event == ledger.EventStop && n > 0 {
			c.runs[n-1].to = max(c.runs[n-1].to, at)
		}
		last = at
		c.full = len(c.told) > maxCompared
		return !c.full && ctx.Err() == nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("read the ledger: %w", err)
	case ctx.Err() != nil:
		return ctx.Err()
	case report.Records == 0:
		return ErrNoLedger
	}
	c.made = time.Now().UnixNano()
	switch {
	case j.Bundle != nil:
		c.made = j.Bundle.Info.Made.UnixNano()
	case c.running:
		c.made = last
	}
	if open && !c.running {
		c.losses = append(c.losses, lostTime{period{last, last + int64(time.Minute)}, c.connection})
		c.runs[len(c.runs)-1].to = last + int64(time.Minute)
	}
	return nil
}

// productOf returns the first product of a User-Agent.
func productOf(agent string) string {
	name, _, _ := strings.Cut(agent, "/")
	name, _, _ = strings.Cut(name, " ")
	return name
}

// begin forgets what was read of the log.
func (c *comparer) begin() {
	c.logged, c.clients, c.files, c.bare, c.others = c.logged[:0], nil, nil, 0, 0
	clear(c.known)
	clear(c.busy)
	c.out.Lines, c.first, c.last = 0, 0, 0
}

// line takes in a line of the log.
func (c *comparer) line(e *accesslog.Entry, file string, line int64) {
	if host := string(e.Host); host != "" && hostOf(host) != c.host {
		return // another site of the same server
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
		c.others++
		return
	}
	if c.full = c.full || len(c.logged) >= maxCompared; c.full {
		return
	}
	if n := len(c.files); n == 0 || c.files[n-1] != file {
		if i := slices.Index(c.files, file); i < 0 && n < 1<<14 {
			c.files = append(c.files, file)
		}
	}
	l := compared{
		target: c.target(string(e.Target)), start: at, end: at, status: int16(e.Status), line: line,
		client: c.client(string(e.Client)), file: int16(slices.Index(c.files, file)),
	}
	if len(e.Method) > 0 && string(e.Method) != "GET" {
		l.target = c.target(string(e.Method) + " " + string(e.Target))
	}
	c.exact = e.Fraction
	c.logged = append(c.logged, l)
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

// where names a line of the log.
func (c *comparer) where(l *compared) string {
	if l.file < 0 {
		return fmt.Sprintf("line %d", l.line)
	}
	return fmt.Sprintf("%s line %d", c.files[l.file], l.line)
}
