package webtest

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// An Endless is a site with a place that has no end, among pages that are honest: a crawler should soon leave the one and miss
// none of the others. Its home page is "/".
type Endless struct {
	Name   string
	Honest []string // paths of the honest pages
	Most   int      // pages of the place that a crawler may ask for within the first thousand of the site
	Site   http.Handler
	hosts  bool // the place lies on other hosts, of EndlessDomain
}

// EndlessDomain is the domain of the site that has hosts without end: each name below it answers.
const EndlessDomain = "wild.example"

// Within reports whether what was asked for belongs to the endless place.
func (e *Endless) Within(host, path string) bool {
	if e.hosts {
		return strings.HasSuffix(host, "."+EndlessDomain) && host != "www."+EndlessDomain
	}
	return strings.HasPrefix(path, endlessPlace)
}

// endlessPlace is where the endless place of a site begins.
const endlessPlace = "/place/"

// EndlessKinds returns a site of each kind, new and independent of those returned before.
func EndlessKinds() []*Endless {
	var kinds []*Endless
	honest := honestPages(endlessPlace)
	add := func(name string, most int, place place) {
		kinds = append(kinds, newEndless(name, most, place, honest))
	}
	add("maze", 150, maze)
	add("growing paths", 150, growingPaths)
	add("session in the path", 150, sessionInPath())
	add("letter case", 150, letterCase())
	add("slashes and parameters of the path", 150, slashes())
	add("the same everywhere", 150, sameEverywhere)
	add("relative links that grow", 150, relativeGrowth)
	add("calendar", 400, calendar)
	add("facets in the path", 150, pathFacets)
	add("facets in the query", 150, queryFacets)
	add("counter in the path", 150, counter)
	add("counter in the query", 150, queryCounter)
	add("pages beyond the last", 150, beyondLast)
	add("query that grows", 150, growingQuery)
	add("tarpit", 150, tarpit())
	add("labyrinth of articles", 150, labyrinth())
	add("sets of tags", 150, tagSets)
	add("map in squares", 150, mapSquares)
	add("maze with dead ends", 150, deadEnds)
	add("genealogy", 150, genealogy)
	add("links that wrap the page", 150, wrappers)
	add("table sorted by columns", 150, sortedTable)
	add("related searches", 150, related)
	add("differences of versions", 150, differences)
	add("timetable", 150, timetable)
	add("maze that leads back to documents", 150, leadsBack)
	withEntries := entries()
	maps.Copy(withEntries, honest)
	kinds = append(kinds, newEndless("cursors over the same entries", 200, cursors, withEntries),
		newEndless("entries by chance", 200, draws, withEntries))
	add("maze with many dead ends", 150, manyDeadEnds)
	add("detours", 200, detours)
	add("replies to replies", 150, replies)
	add("shops near shops", 150, shops)
	add("snapshots", 150, snapshots)
	hosts := newEndless("hosts without end", 150, nil, honestPages("http://h0."+EndlessDomain+"/"))
	hosts.hosts = true
	return append(kinds, hosts)
}

// A place answers for a path with its query below endlessPlace, which is cut off: with the title, the text and the links of a
// page. A link is relative to the page. Without a title it redirects to the first link.
type place func(path string) (title, text string, links []string)

// newEndless returns a site with a place, and with honest pages by path, which are read only.
func newEndless(name string, most int, p place, honest map[string]string) *Endless {
	e := &Endless{Name: name, Most: most}
	for path := range honest {
		e.Honest = append(e.Honest, path)
	}
	e.Site = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, ok := honest[r.RequestURI]; ok && !e.Within(hostOf(r), "") {
			Page{Body: body}.ServeHTTP(w, r)
			return
		}
		switch rest, within := strings.CutPrefix(r.RequestURI, endlessPlace); {
		case p == nil && e.Within(hostOf(r), ""):
			Page{Body: htmlOf(wildHost(hostOf(r)))}.ServeHTTP(w, r)
		case p != nil && within:
			title, text, links := p(rest)
			if title == "" {
				http.Redirect(w, r, links[0], http.StatusFound)
				return
			}
			Page{Body: htmlOf(title, text, links)}.ServeHTTP(w, r)
		default:
			http.NotFound(w, r)
		}
	})
	return e
}

func hostOf(r *http.Request) string {
	host, _, _ := strings.Cut(r.Host, ":")
	return host
}

// htmlOf writes a page of the look that all of a site share.
func htmlOf(title, text string, links []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html lang=en><title>%s</title><div class=menu><a href=/>Home</a> <a "+
		"href=/docs/>Documents</a></div>\n<h1>%s</h1>\n<p>%s\n<ul>\n",
		title, title, text)
	for _, l := range links {
		fmt.Fprintf(&b, "<li><a href=\"%s\">%s</a>\n", strings.ReplaceAll(l, "&", "&amp;"), strings.Trim(l, "/."))
	}
	b.WriteString("</ul>\n<address>All rights reserved. Written by hand with care for readers of every kind.</address></html>\n")
	return b.String()
}

// Documents of the honest part of a site.
const chapters, sections = 12, 18

// honestPages returns the pages of a small site by path: documents in chapters, as manuals are, and news in pages of a list,
// which count up but come to an end. Some lead to the endless place too.
func honestPages(endless string) map[string]string {
	pages := map[string]string{}
	const lists = 12
	home := []string{"/docs/", "/news/page/1/", "/about.html", endless}
	pages["/"] = htmlOf("Home", babble("home", 120), home)
	pages["/about.html"] = htmlOf("About", babble("about", 200), []string{"/docs/"})
	var chapterLinks []string
	for c := range chapters {
		chapter := fmt.Sprintf("/docs/chapter-%d/", c)
		chapterLinks = append(chapterLinks, chapter)
		contents := []string{"/docs/"}
		for s := range sections {
			path := fmt.Sprintf("%ssection-%d.html", chapter, s)
			contents = append(contents, path)
			links := []string{chapter, fmt.Sprintf("/docs/chapter-%d/section-%d.html", (c*7+s)%chapters, (s*5+c)%sections)}
			if s > 0 {
				links = append(links, fmt.Sprintf("section-%d.html", s-1))
			}
			if s+1 < sections {
				links = append(links, fmt.Sprintf("section-%d.html", s+1))
			}
			if s%6 == 5 {
				links = append(links, endless)
			}
			pages[path] = htmlOf(fmt.Sprintf("Section %d.%d", c, s), babble(path, 150), links)
		}
		pages[chapter] = htmlOf(fmt.Sprintf("Chapter %d", c), babble(chapter, 60), contents)
	}
	pages["/docs/"] = htmlOf("Documents", babble("docs", 40), chapterLinks)
	for l := 1; l <= lists; l++ {
		var links []string
		if l < lists {
			links = append(links, fmt.Sprintf("/news/page/%d/", l+1))
		}
		for i := range 5 {
			path := fmt.Sprintf("/news/%d/", 100+5*l+i)
			links = append(links, path)
			pages[path] = htmlOf("News of "+path, babble(path, 180), []string{fmt.Sprintf("/news/page/%d/", l)})
		}
		pages[fmt.Sprintf("/news/page/%d/", l)] = htmlOf(fmt.Sprintf("News, page %d", l), babble("", 10), links)
	}
	return pages
}
