package graph

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// A Kind is a way in which something can be wrong with a site.
type Kind string

// The kinds.
const (
	DeadLink          Kind = "dead-link"
	Orphan            Kind = "orphan"
	RedirectChain     Kind = "redirect-chain"
	LinkedDisallowed  Kind = "linked-disallowed"
	LinkedNoindex     Kind = "linked-noindex"
	BadCanonical      Kind = "bad-canonical"
	BadSitemap        Kind = "bad-sitemap-entry"
	NoTitle           Kind = "no-title"
	DoubleTitle       Kind = "double-title"
	NoDescription     Kind = "no-description"
	DoubleDescription Kind = "double-description"
	Duplicate         Kind = "duplicate"
	Slow              Kind = "slow"
	Endless           Kind = "endless"
)

// Kinds returns all kinds, what does the most harm first.
func Kinds() []Kind {
	return []Kind{
		DeadLink, BadCanonical, BadSitemap, RedirectChain, Endless, LinkedDisallowed, LinkedNoindex, Orphan, Slow, NoTitle,
		DoubleTitle, NoDescription, DoubleDescription, Duplicate,
	}
}

// Text says in words what the faults of a kind are.
func (k Kind) Text() string {
	switch k {
	case DeadLink:
		return "pages link to what is not there"
	case Orphan:
		return "only a sitemap leads here, no stored page does"
	case RedirectChain:
		return "redirects lead on to redirects"
	case LinkedDisallowed:
		return "pages link to what robots.txt forbids"
	case LinkedNoindex:
		return "pages link to what asks not to be indexed; is that meant?"
	case BadCanonical:
		return "the page names another as the one to show, which cannot be shown"
	case BadSitemap:
		return "a sitemap lists what cannot be found"
	case NoTitle:
		return "no title"
	case DoubleTitle:
		return "different pages have the same title"
	case NoDescription:
		return "no META description"
	case DoubleDescription:
		return "different pages have the same META description"
	case Duplicate:
		return "the same page under several addresses, and none named as the one to show"
	case Slow:
		return "slow to answer"
	case Endless:
		return "the place looks endless to robots"
	}
	return string(k)
}

// A Fault is something that is wrong.
type Fault struct {
	Kind   Kind     `json:"kind"`
	URL    string   `json:"url"`
	Detail string   `json:"detail,omitempty"`
	Pages  []string `json:"pages,omitempty"` // that link to URL, or that share what is double; the first of them
	PagesN int      `json:"pages_total,omitempty"`

	id int64
}

// FaultOptions are those of Faults. The zero value means the defaults.
type FaultOptions struct {
	Slow   time.Duration // from which on an answer is slow; default 2s
	Host   string        // only faults of URLs of this host; empty for all
	Pages  int           // of each fault; default 20, negative for none
	Offset int           // faults to pass over
	Limit  int           // faults; default all
}

const defaultSlow = 2 * time.Second

// Count returns how many faults of a kind there are.
func (g *Graph) Count(ctx context.Context, k Kind, o FaultOptions) (n int, err error) {
	o.setDefaults()
	if o.Host == "" && o.Slow == defaultSlow {
		if _, counted, err := g.isCounted(ctx); err != nil {
			return 0, err
		} else if counted {
			err := g.db.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = ?`, countOf(k)).Scan(&n)
			return n, err
		}
	}
	return g.count(ctx, k, o)
}

func (g *Graph) count(ctx context.Context, k Kind, o FaultOptions) (n int, err error) {
	text, values := questionOf(k, o).on(o.Host)
	err = g.db.QueryRowContext(ctx, "SELECT count(*) FROM ("+text+")", values...).Scan(&n)
	return n, err
}

func (o *FaultOptions) setDefaults() {
	o.Slow = cmp.Or(o.Slow, defaultSlow)
	o.Pages = cmp.Or(o.Pages, 20)
	o.Limit = cmp.Or(o.Limit, -1)
}

// Faults iterates over the faults of a kind. The error is final.
func (g *Graph) Faults(ctx context.Context, k Kind, o FaultOptions) iter.Seq2[Fault, error] {
	o.setDefaults()
	return func(yield func(Fault, error) bool) {
		for f, err := range g.faults(ctx, k, o) {
			if err == nil && o.Pages > 0 {
				err = f.findPages(o.Pages)
			}
			if !yield(f.Fault, err) || err != nil {
				return
			}
		}
	}
}

// A linkedFault is a fault and its pages.
type linkedFault struct {
	Fault
	pages iter.Seq2[string, error]
}

// faults is Faults without pages, which can be asked for as long as the fault is the last one. All is asked of one connection: who
// holds one and waits for another waits for ever where all others do so, too.
func (g *Graph) faults(ctx context.Context, k Kind, o FaultOptions) iter.Seq2[linkedFault, error] {
	return func(yield func(linkedFault, error) bool) {
		conn, err := g.db.Conn(ctx)
		if err != nil {
			yield(linkedFault{}, err)
			return
		}
		defer conn.Close()
		db := sqlfile.NewPrepared(conn)
		defer db.Close()
		q := questionOf(k, o)
		text, values := q.on(o.Host)
		for f, err := range sqlfile.Rows(ctx, db, func(f *linkedFault) []any { return []any{&f.id, &f.URL, &f.Detail} },
			fmt.Sprintf("%s LIMIT %d OFFSET %d", text, o.Limit, o.Offset), values...) {
			f.Kind, f.pages = k, func(func(string, error) bool) {}
			if q.pages != "" {
				f.pages = sqlfile.Rows(ctx, db, sqlfile.Column[string], q.pages, f.id)
			}
			if err == nil {
				err = f.word(ctx, db)
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// word words the detail of a fault.
func (f *Fault) word(ctx context.Context, db *sqlfile.Prepared) (err error) {
	switch f.Kind {
	case RedirectChain:
		if f.Detail == "" { // else the crawl saw a circle
			f.Detail, err = chain(ctx, db, f.id)
		}
	case DeadLink, BadCanonical, BadSitemap:
		f.Detail = worded(f.Detail)
	}
	return err
}

// findPages counts the pages of a fault and names the first of them.
func (f *linkedFault) findPages(most int) error {
	for url, err := range f.pages {
		if err != nil {
			return err
		}
		if f.PagesN++; f.PagesN <= most {
			f.Pages = append(f.Pages, url)
		}
	}
	return nil
}

// worded replaces the code for why a URL is unusable, which stands at the beginning or behind a colon.
func worded(detail string) string {
	before, code, ok := strings.Cut(detail, ": ")
	if !ok || strings.HasPrefix(detail, "robots ") {
		before, code = "", detail
	} else {
		before += ": "
	}
	kind, rest, _ := strings.Cut(code, " ")
	switch kind {
	case "noindex", "noindex,":
		return before + "it asks not to be indexed" + strings.TrimPrefix(code, "noindex")
	case "robots":
		return before + "robots.txt forbids it: " + rest
	case "error":
		return before + "no answer: " + rest
	case "status":
		var status int
		number, more, _ := strings.Cut(rest, ",")
		if _, err := fmt.Sscan(number, &status); err == nil {
			number = strings.TrimSpace(number + " " + http.StatusText(status))
		}
		if more != "" {
			number += "," + more
		}
		return before + number
	}
	return detail
}

// maxHops bounds the hops of a chain that are followed.
const maxHops = 20

// chain words where a redirect leads.
func chain(ctx context.Context, db *sqlfile.Prepared, id int64) (string, error) {
	step, err := db.Statement(ctx, `SELECT url, status, location FROM urls WHERE id = ?`)
	if err != nil {
		return "", err
	}
	var hops []string
	for met := map[int64]bool{}; len(hops) <= maxHops; {
		var url string
		var status int
		var next int64
		err := step.QueryRowContext(ctx, id).Scan(&url, &status, &next)
		if errors.Is(err, sql.ErrNoRows) {
			break // out of the scope
		}
		if err != nil {
			return "", err
		}
		if hops = append(hops, url); met[id] {
			return strings.Join(hops, " -> ") + ": in a circle", nil
		}
		if status < 300 || status > 399 || next == 0 {
			return fmt.Sprintf("%s: %d", strings.Join(hops, " -> "), status), nil
		}
		met[id], id = true, next
	}
	return strings.Join(hops, " -> "), nil
}

// IsKind reports whether a text names a kind.
func IsKind(s string) bool { return slices.Contains(Kinds(), Kind(s)) }
