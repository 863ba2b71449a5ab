package verify

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/url"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
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
	Unnamed     int       `json:"unnamed"`     // on record as answered with 400, and in the log without a name
	Uncovered   int       `json:"uncovered"`   // on record, from before the log begins or after it ends
	Later       int       `json:"later"`       // in the log, from after the record was looked at
	Interrupted int       `json:"interrupted"` // in the log, under way when a process was killed
	Elsewhere   int       `json:"elsewhere"`   // in the log, on record as made to another site of its server
	Hostless    int       `json:"hostless"`    // in the log, for this site and on no record, or for another: the log does not say
	Doubled     int       `json:"doubled"`     // lines with our name that are copies of others; they count once
	Malformed   int64     `json:"malformed"`   // lines of the log that could not be read
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
	logLost     = time.Second             // of which the records may not be on stable storage
	logClock    = time.Minute             // by which clocks may differ without more than a note
	logHaze     = time.Second             // by which a line may be off besides: some servers look at the clock once a second
	clockDrift  = 2000                    // one part in so many of a time is lost or gained by clocks that nobody sets
	brokenOff   = 5 * time.Second         // after which a client may have given up before the server had answered
	mostSets    = 2                       // of clocks, that are believed
	maxOffsets  = 50
	maxFiles    = 1 << 14
	maxTargets  = 100_000 // that findings can name
	maxPairs    = 64      // of requests for the same thing that are looked at to find an offset
	leastLines  = 3       // that must agree on an offset besides the first
)

// A compared is a request, as the record or the log tells of it. Times are nanoseconds by the clock of who tells.
type compared struct {
	target     uint64
	decoded    uint64 // the target as a server tells of it that undoes escapes
	start, end int64
	status     int16
	client     int16  // number of the address it came from
	found      bool   // in the other one
	unnamed    bool   // in the log, on a line without a name
	rewritten  bool   // the log may have what the server made of the target, without its query and escapes
	index      bool   // which may be any, then
	otherwise  bool   // the target is on record so, if it is
	hostless   bool   // the log does not say for which site of its server it was
	elsewhere  int8   // whether it was for another one: nowhere, perhapsElsewhere or elsewhere
	seq        uint64 // of the record
	line       int64  // of the log
	at         int    // of a line: its place in the order of the logs
	other      int    // of what was found: its place in the other list
	file       int16
}

// A comparer holds the ledger of one site against its log.
type comparer struct {
	site, host string
	onRecord
	inLog
	seed    maphash.Seed
	targets map[uint64]string // by their hashes
	ahead   []int64           // by how much the clock of the server was, most of the time first
	running bool              // the crawl
	full    bool              // there is more than is compared
	most    int               // findings
	out     Comparison
}

// Compare holds what a ledger says of a site against the logs of the server of that site, both ways. Lines are taken for ours by
// the product token in their User-Agent.
func Compare(ctx context.Context, j Job, site string, logs []accesslog.Source, o Options) (*Comparison, error) {
	c := &comparer{
		site: site, host: hostOf(site), running: j.Running, most: o.withDefaults().Findings,
		seed: maphash.MakeSeed(), targets: map[uint64]string{},
		onRecord: onRecord{connection: 1, near: newNeighbourhood(site)},
		inLog:    inLog{known: map[string]int16{}, busy: map[int64]bool{}, otherHosts: map[string]int{}},
	}
	if err := c.readLedger(ctx, j); err != nil {
		return nil, err
	}
	if err := c.readLogs(ctx, logs); err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	c.dropCopies()
	c.match()
	c.ahead = c.offsets()
	c.findRefused()                          // from here on what was not matched is looked for elsewhere
	if c.alias != "" && c.out.Matched == 0 { // it is another one
		c.logged, c.out.Lines = nil, 0
	}
	if err := errors.Join(c.findElsewhere(ctx, j), c.findRefusals(ctx, j), c.findOtherwise(ctx, j)); err != nil {
		return nil, err
	}
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
	if len(c.targets) < maxTargets {
		c.targets[h] = path
	}
	return h
}

// name returns what was asked for, as it was told.
func (c *comparer) name(r *compared) string {
	if c.decoded {
		return c.targets[r.decoded]
	}
	return c.targets[r.target]
}

// where names a line of the log.
func (c *comparer) where(l *compared) string {
	if l.file < 0 {
		return fmt.Sprintf("line %d", l.line)
	}
	return fmt.Sprintf("%s line %d", c.files[l.file], l.line)
}
