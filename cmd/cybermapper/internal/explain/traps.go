package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/trap"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// Traps is the trap report of a job, or of one site of it: the refusals at the gate "trap", by what the traps look like.
type Traps struct {
	Site     string  `json:"site,omitempty"` // empty: the whole job
	Refusals int64   `json:"refusals"`
	Traps    []*Trap `json:"traps"`            // most refusals first
	Others   int64   `json:"others,omitempty"` // refusals in traps beyond the first thousand

	patterns *patterns
	byKey    map[trapKey]*Trap
}

// A Trap is a place that seems to have no end.
type Trap struct {
	Site    string         `json:"site"`
	Where   string         `json:"where"` // the beginning of the path; N stands for a number
	Pattern Pattern        `json:"pattern"`
	Reason  crawler.Reason `json:"reason"`
	Bound   string         `json:"bound,omitempty"`   // that was struck
	Setting string         `json:"setting,omitempty"` // that overrules it
	Count   int64          `json:"count"`
	Samples []string       `json:"samples"` // the first ones
	First   time.Time      `json:"first"`
	Last    time.Time      `json:"last"`
}

type trapKey struct {
	site, where string
	pattern     Pattern
	reason      crawler.Reason
}

// Bounds of a trap report.
const (
	maxTraps   = 1000
	maxSamples = 3
)

func newTraps(site string, c config.Config) *Traps {
	return &Traps{Site: site, Traps: []*Trap{}, patterns: newPatterns(c.Traps.SessionParameters), byKey: map[trapKey]*Trap{}}
}

// JobTraps returns the trap report of the job that v looks at; of one site of it unless site is empty.
func JobTraps(v *job.View, site string) (*Traps, error) {
	c, err := readJobConfig(v)
	if err != nil {
		return nil, err
	}
	t := newTraps(site, c)
	err = eachLine(v, func(l line) {
		if t.isTrap(l) && (site == "" || frontier.SiteOf(l.text("url")) == site) {
			t.add(l)
		}
	})
	t.finish()
	return t, err
}

// isTrap reports whether a record tells of a trap.
func (t *Traps) isTrap(l line) bool {
	return l.is("type", string(ledger.Refusal)) && l.is("gate", string(crawler.GateTrap)) &&
		!l.is("reason", string(crawler.ReasonCleanParam))
}

// add takes in a refusal.
func (t *Traps) add(l line) {
	t.Refusals++
	url, reason := l.text("url"), crawler.Reason(l.text("reason"))
	where, bound, pattern := whereOf(reason, url), l.text("rule"), t.patterns.of(reason, url)
	if f, ok := trap.ParseFinding(bound); ok && reason == crawler.ReasonEndless {
		where, bound = pathOf(f.Place), f.Evidence
		switch f.Kind {
		case trap.Orders:
			pattern = ListingOrder
		case trap.Guises:
			pattern = OtherGuise
		case trap.Archives:
			pattern = Archives
		}
	}
	k := trapKey{site: frontier.SiteOf(url), where: where, pattern: pattern, reason: reason}
	found := t.byKey[k]
	if found == nil {
		if len(t.Traps) == maxTraps {
			t.Others++
			return
		}
		found = &Trap{
			Site: k.site, Where: k.where, Pattern: k.pattern, Reason: reason, Bound: bound, Setting: settings[reason],
			First: l.time("time"),
		}
		if reason == crawler.ReasonHostsPerDomain {
			found.Site = k.where
		}
		t.byKey[k] = found
		t.Traps = append(t.Traps, found)
	}
	found.Count++
	found.Bound = bound // what is asked last is judged again
	found.Last = l.time("time")
	if len(found.Samples) < maxSamples {
		found.Samples = append(found.Samples, url)
	}
}

// pathOf returns a place without its origin, if it has one.
func pathOf(place string) string {
	if _, rest, ok := strings.Cut(place, "://"); ok {
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			return rest[i:]
		}
	}
	return place
}

// whereOf returns where a trap lies: of a path the first two segments, or all before a query, with N for numbers; a directory that
// has too many pages itself.
func whereOf(reason crawler.Reason, url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	if reason == crawler.ReasonHostsPerDomain {
		_, domain, _ := strings.Cut(host, ".")
		return "*." + domain
	}
	path, _, hasQuery := strings.Cut(path, "?")
	const most = 2
	segments := strings.Split(path, "/")
	if reason == crawler.ReasonPrefixPages {
		segments[len(segments)-1] = ""
	}
	if len(segments) > most && !hasQuery {
		segments = append(segments[:most], "...")
	}
	return "/" + digitsToN(strings.Join(segments, "/"))
}

// digitsToN writes N for every number.
func digitsToN(s string) string {
	var b strings.Builder
	inNumber := false
	for i := range len(s) {
		isDigit := '0' <= s[i] && s[i] <= '9'
		switch {
		case !isDigit:
			b.WriteByte(s[i])
		case !inNumber:
			b.WriteByte('N')
		}
		inNumber = isDigit
	}
	return b.String()
}

func (t *Traps) finish() {
	slices.SortStableFunc(t.Traps, func(a, b *Trap) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Site+a.Where, b.Site+b.Where))
	})
}

// shownTraps is how many traps are printed.
const shownTraps = 20

// Print writes the report as text.
func (t *Traps) Print(w io.Writer) {
	if t.Refusals == 0 {
		fmt.Fprintf(w, "%-9s none was found\n", "traps")
		return
	}
	fmt.Fprintf(w, "%-9s %s in %s\n", "traps", say.Plural(t.Refusals, "refusal"), say.Plural(len(t.Traps), "place"))
	for _, trap := range t.Traps[:min(len(t.Traps), shownTraps)] {
		fmt.Fprintf(w, "%9s %s\n", say.Count(trap.Count), say.Printable(trap.String()))
		for _, s := range trap.Samples {
			fmt.Fprintf(w, "%9s   %s\n", "", say.Printable(say.Shorten(s, 100)))
		}
	}
	if more := len(t.Traps) - shownTraps; more > 0 {
		fmt.Fprintf(w, "%9s and %s more\n", "", say.Plural(more, "place"))
	}
}

// String says what looks endless, where, and by which bound.
func (t *Trap) String() string {
	text := fmt.Sprintf("%s at %s%s: %s (%s)", t.Pattern, t.Site, t.Where, say.Reason(t.Reason), t.Reason)
	if t.Site == t.Where {
		text = fmt.Sprintf("%s at %s: %s (%s)", t.Pattern, t.Where, say.Reason(t.Reason), t.Reason)
	}
	if t.Bound != "" {
		text += ": " + t.Bound
	}
	if t.Setting != "" {
		text += "; " + t.Setting + " overrules it"
	}
	return text
}
