package verify

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
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
	logAhead    = 10 * time.Minute        // by which the log of a crawl that runs may have more than the record
	logClock    = time.Minute             // by which clocks may differ without more than a note
	logLate     = 10 * time.Minute        // after which a server may note a request that we have given up: when it is done with it
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
	steady     int64 // of a record: when it left, by the clock of the run, and between runs by one that nobody has set
	status     int16
	client     int16  // number of the address it came from
	port       uint16 // of a line: that of the host it names, if that is another one than the site has; 0 for none
	found      bool   // in the other one
	unnamed    bool   // in the log, on a line without a name
	givenUp    bool   // of a record: it was sent, and we did not wait for all of the answer
	late       bool   // and a line from after that may be of it
	rewritten  bool   // the log may have what the server made of the target, without its query and escapes
	index      bool   // which may be any, then
	posts      bool   // the method is another one than GET
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

// An onRecord is what the ledger tells.
type onRecord struct {
	told       []compared
	toldOf     map[uint64][]int     // places of requests, by target
	givenUp    map[uint64][]int     // likewise, of those that were given up and are not in the log
	asked      map[uint64]bool      // targets; nil until they are needed
	refused    map[uint64][]refused // by target, of lines that may have been under way when a process was killed
	names      []string             // that we have called ourselves
	runs       []period             // these times are covered
	losses     []lostTime
	rules      files  // for what may have been lost
	reader     reader // of the last run
	cuts       []cutTime
	connection int   // requests that may be under way at once
	made       int64 // when it was looked at
	shared     bool  // other nodes may have asked the site
	near       *neighbourhood
	others     int64 // requests to other sites that are on record here
	neighbours int64 // requests to other sites of the server that are on a record that is not here; negative when nobody says
}

// An inLog is what the logs tell.
type inLog struct {
	logged      []compared              // lines with our name
	surround    []surrounding           // of each of them, in the order of the logs
	announced   map[int]checkpoint.Head // what lines say of the ledger, by their place in the order of the logs
	broken      []compared              // lines without a name of requests that the server broke off before it had read who asks
	bare        int                     // lines without a name, because the log has no field for it
	first, last int64                   // times
	busy        map[int64]bool          // minutes that have a line
	exact       bool                    // times are known to more than seconds
	decoded     bool                    // a line tells of a target with its escapes undone
	files       []string
	clients     []string
	known       map[string]int16 // numbers of the clients
	otherHosts  map[string]int   // that lines with our name name, and how many do
	alias       string           // of these, what the server calls the site; empty if the log has the host of the site, or none
	ports       map[uint16]bool  // other ports under which the log has what is on record
	copied      string           // the first line that is a copy, in words
	later       string           // the first that is later than the record, likewise
	badLine     string           // the first that could not be read, likewise
	unread      int              // lines that could not be read, and have our name
	reading     reading
}

type period struct{ from, to int64 }

// A cutTime is the time of which a repair says that records may be lost: from the last one before it until it.
type cutTime struct {
	period
	seq uint64 // of the record that says so
}

// Compare holds what a ledger says of a site against the logs of the server of that site, both ways. Lines are taken for ours by
// the product token in their User-Agent.
func Compare(ctx context.Context, j Job, site string, logs []accesslog.Source, o Options) (*Comparison, error) {
	c := &comparer{
		site: site, host: hostOf(site), running: j.Running, most: o.withDefaults().Findings,
		seed: maphash.MakeSeed(), targets: map[uint64]string{},
		onRecord: onRecord{connection: 1, near: newNeighbourhood(site), rules: files{jobs: []Job{j}, most: o.withDefaults().Rules}},
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
	c.rearrange()
	c.findRefused()
	if c.alias != "" && c.out.Matched == 0 { // it is another one
		c.logged, c.out.Lines = nil, 0
	}
	if err := errors.Join(c.findElsewhere(ctx, j), c.findRefusals(ctx, j), c.findOtherwise(ctx, j)); err != nil {
		return nil, err
	}
	c.judge()
	if err := c.judgeAnnounced(j); err != nil {
		return nil, err
	}
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

// target returns what a path, with its query, is known by. ^ and | are encoded when they are asked for in a path, and were not by
// earlier versions: both are the same.
func (c *comparer) target(path string) uint64 {
	sent := path
	if strings.ContainsAny(path, "^|") {
		before, query, marked := strings.Cut(path, "?")
		sent = strings.NewReplacer("^", "%5E", "|", "%7C").Replace(before)
		if marked {
			sent += "?" + query
		}
	}
	h := maphash.String(c.seed, sent)
	if len(c.targets) < maxTargets {
		c.targets[h] = path
	}
	return h
}

// readLedger collects what is on record.
func (c *comparer) readLedger(ctx context.Context, j Job) error {
	told := teller{comparer: c}
	report, err := j.walk(func(e *ledger.Entry) bool {
		told.add(e)
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
		c.made = max(j.Bundle.Info.Made.UnixNano(), told.last) // it cannot have been made before what it has
		c.neighbours = j.Bundle.Info.neighbours()
	case c.running:
		c.made = told.last
	}
	c.reader = told.by
	if told.open {
		told.end()
	}
	return nil
}

// A teller tells a comparer what a ledger says, record by record.
type teller struct {
	*comparer
	last    int64         // when the last record was made
	open    bool          // a run has begun and not ended
	boot    string        // of the machine the run is on
	by      reader        // the build that runs
	gap     time.Duration // between two requests of the site
	inForce string        // the digest of the robots.txt
	origin  string        // of which that is; empty if the site has several
	origins int
	steady  steadyClock
	began   int64 // when the clock of the run began, by the steady one; as of the first request to the site
	due     int64 // no request to the site may leave before, by the steady clock; 0 when nobody can tell
}

func (t *teller) add(e *ledger.Entry) {
	at := e.Time.UnixNano()
	t.steady.see(e)
	if e.Type == ledger.Request {
		t.decide(e)
	}
	switch {
	case e.Type == ledger.Run:
		t.run(e, at)
	case e.Type == ledger.Request && siteOf(e.URL) == t.site:
		t.request(e)
	case e.Type == ledger.Request:
		t.others++
	}
	if n := len(t.runs); n > 0 && (t.open || e.Event == ledger.EventStop) {
		t.runs[n-1].to = max(t.runs[n-1].to, at)
	}
	t.last = at
}

func (t *teller) run(e *ledger.Entry, at int64) {
	switch {
	case e.Event == ledger.EventStart:
		if t.open { // the run before was killed
			t.lost(period{t.last, at}, t.left(e.Boot))
			t.runs[len(t.runs)-1].to = at
		}
		t.open, t.connection, t.boot, t.by = true, 1, e.Boot, readerOf(e)
		if t.gap == 0 && e.Policy != nil {
			t.gap = time.Duration(e.Policy.Delay)
		}
		t.runs, t.began, t.due = append(t.runs, period{at, at}), 0, 0
		for _, name := range []string{e.Product, productOf(e.UserAgent)} {
			if name = strings.ToLower(name); name != "" && !slices.Contains(t.names, name) {
				t.names = append(t.names, name)
			}
		}
	case e.Event == ledger.EventOverride && e.Site == t.site:
		t.connection, t.due = max(e.Connections, 1), 0
	case e.Event == ledger.EventRepair:
		t.cuts = append(t.cuts, cutTime{period{t.last, at}, e.Seq})
	case e.Event == ledger.EventStop:
		t.open = false
		for i := range t.losses {
			t.losses[i].done = t.losses[i].done || e.Why == doneRun
		}
	}
}

// left returns how many requests may be missing of a run that was killed, given on which start of the machine the next one is; ""
// if nobody knows. A machine that goes down may take the records of the last second with it.
func (t *teller) left(boot string) int {
	if boot != "" && boot == t.boot {
		return t.connection
	}
	return t.connection * (1 + int(logLost/max(t.gap, time.Millisecond)))
}

// decide notes what a request tells of the robots.txt in force.
func (t *teller) decide(e *ledger.Entry) {
	origin, digest := e.Origin, e.Digest
	if e.Purpose != forRobots {
		origin, _ = splitURL(e.URL)
		digest = e.RobotsDigest
	} else if outcome := robots.Outcome(e.Outcome); outcome != robots.Found && outcome != robots.Unavailable {
		return
	}
	if siteOf(origin) != t.site {
		return
	}
	if t.inForce = digest; origin != t.origin {
		t.origins++
	}
	if t.origin = origin; t.origins > 1 {
		t.origin = ""
	}
}

func (t *teller) request(e *ledger.Entry) {
	_, path := splitURL(e.URL)
	t.near.add(&e.Record)
	t.gap, t.shared = time.Duration(e.Gap), t.shared || e.Tenure != ""
	start := e.Start.UnixNano()
	steady := start - int64(t.steady.set)
	if e.Clock != 0 {
		if t.began == 0 {
			t.began = steady - int64(e.Clock)
		}
		steady = t.began + int64(e.Clock)
	}
	if t.due = 0; t.connection == 1 && !t.shared {
		t.due = e.End.Add(time.Duration(e.Gap) - t.steady.set).UnixNano()
	}
	t.told = append(t.told, compared{
		target: t.target(path), decoded: t.target(asDecoded(path)),
		start: start, end: e.End.UnixNano(), steady: steady, status: int16(e.Status), seq: e.Seq,
		givenUp: e.Truncated != "" || e.Status == 0 && !slices.Contains([]string{"dns", "connection-refused", "tls"}, e.Error),
	})
}

// lost notes a time after which up to left requests may be missing from the ledger. None of them left before the pause after the
// last one on record had passed.
func (t *teller) lost(p period, left int) {
	if t.due != 0 {
		p.from = max(p.from, t.due+int64(t.steady.set))
	}
	t.losses = append(t.losses, lostTime{
		period: p, most: left, left: left, digest: t.inForce, origin: t.origin, reader: t.by,
	})
}

// end is called for a ledger whose last run did not end.
func (t *teller) end() {
	run := &t.runs[len(t.runs)-1]
	if !t.running {
		run.to = max(t.last, t.due+int64(t.steady.set)) + int64(time.Minute) // what is under way left when its pause had passed
		t.lost(period{t.last, run.to}, t.left(""))
		return
	}
	from := run.from // what is under way now left after what was told of last
	for i := range t.told {
		from = max(from, t.told[i].end)
	}
	t.lost(period{from, t.last}, t.connection)
}

// productOf returns the first product of a User-Agent.
func productOf(agent string) string {
	name, _, _ := strings.Cut(agent, "/")
	name, _, _ = strings.Cut(name, " ")
	return name
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
