package trap

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/simhash"
)

// A taggedSite is a shop of things with tags, in one language or two: lists of them, and a page for each set of tags, without end,
// which leads to all sets that are one smaller or larger, in other orders, too.
type taggedSite struct {
	languages []string // what paths begin with
	everyTag  bool     // all pages lead to all tags, not to those of the thing that they are about
	empty     bool     // sets show nothing, instead of the things that have all of their tags
	write     func(language string, tags []string) string
	read      func(path string) (tags string)

	honest map[string]taggedPage
	things map[string][]taggedThing // by language
}

type taggedPage struct {
	text  string
	links []string
}

type taggedThing struct {
	path, text string
	tags       []string
}

// ways in which sets are written, and read behind the language, with a space between the tags.
var waysOfSets = []struct {
	name  string
	write func(language string, tags []string) string
	read  func(path string) (tags string)
}{
	{"in a segment", func(language string, tags []string) string { return language + "/tags/" + strings.Join(tags, "+") },
		func(path string) string { return betweenTags(path, "/tags/", "+") }},
	{"in segments", func(language string, tags []string) string {
		return language + "/tags/" + strings.Join(tags, "/") + "/"
	},
		func(path string) string { return betweenTags(path, "/tags/", "/") }},
	{"in a parameter", func(language string, tags []string) string {
		return language + "/browse?tags=" + strings.Join(tags, ",")
	},
		func(path string) string { return betweenTags(path, "/browse?tags=", ",") }},
	{"in parameters", func(language string, tags []string) string {
		return language + "/browse?tag=" + strings.Join(tags, "&tag=")
	}, func(path string) string { return betweenTags(path, "/browse?tag=", "&tag=") }},
}

func betweenTags(path, prefix, separator string) string {
	rest, ok := strings.CutPrefix(path, prefix)
	if !ok {
		return ""
	}
	return strings.Trim(strings.ReplaceAll(rest, separator, " "), " ")
}

// madeUp returns words that are the same for the same name.
func madeUp(name string, n int) string {
	r := chance(name)
	var b strings.Builder
	for range n {
		for range 2 + r.IntN(3) {
			b.WriteByte("bdfgklmnprstvz"[r.IntN(14)])
			b.WriteByte("aeiou"[r.IntN(5)])
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

var twentyTags = strings.Fields(madeUp("tags", 20))

// build makes the honest pages, with so many things in each language.
func (s *taggedSite) build(things int) {
	const perList = 24
	s.honest, s.things = map[string]taggedPage{}, map[string][]taggedThing{}
	for _, language := range s.languages {
		r := chance("shop" + language)
		list := func(k int) string { return fmt.Sprintf("%s/products/page/%d", language, k) }
		thing := func(i int) string { return fmt.Sprintf("%s/product/%s-%d", language, madeUp(fmt.Sprint(i), 1), i) }
		for i := range things {
			t := taggedThing{path: thing(i), text: madeUp(thing(i), 150)}
			for range 1 + r.IntN(3) {
				t.tags = append(t.tags, twentyTags[r.IntN(len(twentyTags))])
			}
			to := []string{thing(r.IntN(things)), thing(r.IntN(things)), thing(r.IntN(things)), thing(r.IntN(things))}
			s.things[language] = append(s.things[language], t)
			s.put(t.path, t.text, append(s.menu(language, t.path, t.tags), to...))
		}
		for k := 1; k <= (things+perList-1)/perList; k++ {
			text, to := "", s.menu(language, list(k), nil)
			for _, t := range s.things[language][(k-1)*perList : min(k*perList, things)] {
				text += beginning(t.text)
				to = append(to, t.path)
			}
			if k*perList < things {
				to = append(to, list(k+1))
			}
			s.put(list(k), text, to)
		}
		s.put(language+"/", madeUp("home"+language, 60), append(s.menu(language, language+"/", nil), thing(0), thing(1)))
		s.put(language+"/about", madeUp("about"+language, 90), s.menu(language, language+"/about", nil))
	}
}

func (s *taggedSite) put(path, text string, links []string) { s.honest[path] = taggedPage{text, links} }

func beginning(text string) string { return strings.Join(strings.Fields(text)[:8], " ") + " " }

// menu is what a page of a language leads to, whatever it shows.
func (s *taggedSite) menu(language, path string, tags []string) []string {
	to := []string{language + "/", language + "/products/page/1", language + "/about"}
	if s.everyTag {
		tags = twentyTags
	}
	for _, t := range tags {
		to = append(to, s.write(language, []string{t}))
	}
	for _, other := range s.languages {
		to = append(to, other+strings.TrimPrefix(path, language))
	}
	return to
}

// set answers for a set of tags; ok is false when it is none.
func (s *taggedSite) set(path string) (page taggedPage, ok bool) {
	list, order, _ := strings.Cut(path, "sort=")
	list = strings.TrimRight(list, "?&")
	for _, language := range s.languages {
		tags := strings.Fields(s.read(strings.TrimPrefix(list, language)))
		if !strings.HasPrefix(list, language+"/") || len(tags) == 0 {
			continue
		}
		to := s.menu(language, path, nil)
		for _, t := range twentyTags {
			set := slices.DeleteFunc(slices.Clone(tags), func(other string) bool { return other == t })
			if len(set) == len(tags) {
				set = slices.Sorted(slices.Values(append(set, t)))
			}
			if len(set) > 0 {
				to = append(to, s.write(language, set))
			}
		}
		text := "Tagged " + strings.Join(tags, ", ") + ". "
		for _, t := range s.things[language] {
			if !s.empty && isSubset(tags, t.tags) && len(tags) <= len(t.tags) {
				text += beginning(t.text)
				to = append(to, t.path)
			}
		}
		separator := "?"
		if strings.Contains(list, "?") {
			separator = "&"
		}
		if order == "" {
			to = append(to, list+separator+"sort=price", list+separator+"sort=name")
		}
		return taggedPage{text, to}, true
	}
	return page, false
}

// visit visits the site in an order and returns how many pages of sets were asked for, and how many honest ones were not.
func (s *taggedSite) visit(order, most int) (sets, missed int, found map[Finding]bool) {
	r := (&replay{most: len(s.honest) + most}).inOrder(order)
	var reader simhash.Reader
	visited := map[string]bool{}
	r.answers = func(path string) answered {
		page, ok := s.honest[path]
		switch {
		case ok:
		case path == "/":
			return answered{movedTo: s.languages[0] + "/"}
		default:
			if page, ok = s.set(path); !ok {
				return answered{}
			}
			sets += one(!visited[path])
		}
		visited[path] = true
		var to []string
		for _, l := range page.links {
			if l != path && !slices.Contains(to, l) {
				to = append(to, l)
			}
		}
		text := reader.Of([]byte("<title>" + path + "</title><p>home products about us, all rights reserved. " + page.text))
		return answered{ok: true, made: true, to: to, text: Text{text.Hash, text.Words, reader.Sample()}}
	}
	r.run("/")
	for path := range s.honest {
		missed += one(!visited[path])
	}
	return sets, missed, r.found
}

// Ensure that sets of tags end that all pages of an honest site lead to, however they are written, and that none of its other
// pages is lost by that: no page that one comes in by has the sets behind it and nothing else.
func TestDetector_SetsInHonestSites(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine has no races, and is slow when they are looked for")
	}
	const things, most = 240, 600 // pages of sets in one language, of more than a million
	orders := 2
	if testing.Short() {
		orders = 1
	}
	for _, way := range waysOfSets {
		for _, languages := range [][]string{{""}, {"/en", "/de"}} {
			for variant := range 4 {
				s := &taggedSite{languages: languages, write: way.write, read: way.read}
				s.everyTag, s.empty = variant%2 == 0, variant > 1
				s.build(things / len(languages))
				for order := range orders + furtherOrders() {
					sets, missed, found := s.visit(order, 3*most)
					if sets > most*len(languages) || missed > 0 {
						const message = "%s, %q, variant %d, order %d: %d sets were asked for, want at most %d; " +
							"%d of %d honest pages were not; found %v"
						limit := most * len(languages)
						t.Errorf(message, way.name, languages, variant, order, sets, limit, missed, len(s.honest), found)
					}
				}
			}
		}
	}
}
