package graph

import (
	"cmp"
	"context"
	"strings"

	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// A State is what became of a URL, as the map colours it.
type State int

// The states.
const (
	Page     State = iota // it was fetched
	NoIndex               // it asks not to be indexed
	Refused               // robots.txt forbids it
	Dead                  // the server says no, or nothing
	Redirect              // it leads elsewhere
	Other                 // it was not asked for, for another reason
	states
)

// String returns the name of a state.
func (s State) String() string {
	return [states]string{"page", "noindex", "refused", "dead", "redirect", "other"}[s]
}

// Text says in words what a state is.
func (s State) Text() string {
	return [states]string{
		"fetched", "asks not to be indexed", "forbidden by robots.txt", "dead: an error, or no answer", "redirect",
		"not asked for, for another reason",
	}[s]
}

// States returns all states.
func States() []State { return []State{Page, NoIndex, Refused, Dead, Redirect, Other} }

// stateOf is the state of a URL u in SQL. What lies outside of the crawl is not on the map.
const (
	stateOf = `CASE WHEN u.noindex THEN 1 WHEN u.reason = 'robots-disallow' THEN 2
		WHEN u.status >= 400 OR u.status = 0 AND u.error != '' THEN 3 WHEN u.status BETWEEN 300 AND 399 AND u.status != 304 THEN 4
		WHEN u.status != 0 THEN 0 ELSE 5 END`
	inside = `NOT u.sitemap AND NOT (u.asked = 0 AND u.gate IN ('scope', 'action'))`
)

// MapOptions are those of Map. The zero value means the defaults.
type MapOptions struct {
	Under   string // only URLs that begin so; empty for all
	MaxURLs int    // that are drawn; of more, a sample is; default 100,000
	MaxDots int    // nodes; with more URLs only their hosts and directories are drawn; default 25,000
}

// A Map is a site on a plane of Wide by 1. Hosts and directories are boxes, as large as what is in them; a page is a dot.
type Map struct {
	Nodes  []Node         `json:"nodes"` // a box stands before what is in it
	URLs   int            `json:"urls"`  // there are
	Drawn  int            `json:"drawn"` // of them
	Dots   bool           `json:"dots"`  // pages are drawn, not only boxes
	States map[string]int `json:"states"`
	Hosts  []Box          `json:"-"` // and directories: the largest, in words
}

// A Node is a dot of a map: a page, or the sign of a box.
type Node struct {
	X     float64   `json:"x"`
	Y     float64   `json:"y"`
	Size  float64   `json:"size"`  // radius
	State string    `json:"state"` // of a box the one that most in it have
	Depth int       `json:"depth"` // links from a seed; of a box the least
	Label string    `json:"label"`
	URL   string    `json:"url"`
	Pages int       `json:"pages,omitempty"` // in a box; 0 for a page
	Box   []float64 `json:"box,omitempty"`   // left, bottom, width, height
	Via   int       `json:"via"`             // number of the node that led here first; -1 for none that is drawn
}

// A Box is a host or a directory.
type Box struct {
	URL    string
	Pages  int
	States [states]int
}

// Map draws the site.
func (g *Graph) Map(ctx context.Context, o MapOptions) (*Map, error) {
	o.MaxURLs = cmp.Or(o.MaxURLs, 100_000)
	o.MaxDots = cmp.Or(o.MaxDots, 25_000)
	m := &Map{Nodes: []Node{}, States: map[string]int{}}
	const condition = ` FROM urls u WHERE ` + inside + ` AND substr(u.url, 1, length(?1)) = ?1`
	if err := g.db.QueryRowContext(ctx, `SELECT count(*)`+condition, o.Under).Scan(&m.URLs); err != nil {
		return nil, err
	}
	t := newTree()
	// in the order of hashes, so that some of them are a sample
	for l, err := range sqlfile.Rows(ctx, g.db, func(l *leaf) []any { return []any{&l.id, &l.url, &l.via, &l.depth, &l.state} },
		`SELECT u.id, u.url, u.via, u.depth, `+stateOf+condition+` ORDER BY u.id LIMIT ?2`, o.Under, o.MaxURLs) {
		if err != nil {
			return nil, err
		}
		t.add(l)
		m.States[l.state.String()]++
		m.Drawn++
	}
	m.Dots = m.Drawn <= o.MaxDots
	t.prune(o.MaxDots)
	t.root.sum()
	m.Hosts = t.largest(50)
	t.draw(m)
	return m, nil
}

// split returns the boxes that a URL lies in, from the host inwards, each as the beginning of the URL.
func split(url string) (boxes []string) {
	start := strings.Index(url, "://")
	if start < 0 {
		return []string{url}
	}
	end := len(url)
	if i := strings.IndexAny(url[start+3:], "?#"); i >= 0 {
		end = start + 3 + i
	}
	for at := start + 3; ; {
		i := strings.IndexByte(url[at:end], '/')
		if i < 0 {
			break
		}
		at += i + 1
		if len(boxes) == maxLevels {
			break
		}
		boxes = append(boxes, url[:at])
	}
	if len(boxes) == 0 {
		boxes = []string{url[:end]}
	}
	return boxes
}
