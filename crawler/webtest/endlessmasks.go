package webtest

import (
	"fmt"
	"strconv"
	"strings"
)

// Places that wear a mask: what they show looks like what finite places have.

// leadsBack is a maze each page of which leads to eight documents of the site besides.
func leadsBack(path string) (string, string, []string) {
	title, text, links := maze("back/" + path)
	r := seeded("documents" + path)
	for range 8 {
		links = append(links, fmt.Sprintf("/docs/chapter-%d/section-%d.html", r.IntN(chapters), r.IntN(sections)))
	}
	return title, text, links
}

// Entries of the list that cursors has, and how many are on a page.
const listed, perPage = 200, 10

func entryPath(n int) string { return fmt.Sprintf("/entries/%d.html", n) }

// entries returns the pages that cursors lists.
func entries() map[string]string {
	pages := map[string]string{}
	for n := range listed {
		pages[entryPath(n)] = htmlOf(fmt.Sprintf("Entry %d", n), babble(entryPath(n), 120), at("list"))
	}
	return pages
}

// cursors is a list in pages. Where it goes on says a cursor that is another one in each answer; after the last entry it begins
// anew.
func cursors(path string) (string, string, []string) {
	_, cursor, _ := strings.Cut(path, "?cursor=")
	first, _ := strconv.Atoi(cursor[strings.LastIndexByte(cursor, '.')+1:])
	opaque := strconv.FormatUint(seeded(path).Uint64(), 36)
	links := at(fmt.Sprintf("list?cursor=%s.%d", opaque, (first+perPage)%listed))
	shown := make([]int, perPage)
	for i := range shown {
		shown[i] = (first + i) % listed
	}
	return showEntries(shown, links)
}

// draws shows ten entries by chance, and leads to the next ten.
func draws(path string) (string, string, []string) {
	_, n, _ := strings.Cut(path, "?draw=")
	draw, _ := strconv.Atoi(n)
	return showEntries(seeded(path).Perm(listed)[:perPage], at(fmt.Sprintf("list?draw=%d", draw+1)))
}

func showEntries(shown []int, links []string) (string, string, []string) {
	var text strings.Builder
	for _, n := range shown {
		entry := entryPath(n)
		links = append(links, entry)
		fmt.Fprintf(&text, "<p>%s: %s\n", entry, babble(entry, 12))
	}
	return "Entries", text.String(), links
}

// manyDeadEnds is a maze in which eleven pages of twenty lead nowhere.
func manyDeadEnds(path string) (string, string, []string) {
	title, text, links := maze("many/" + path)
	if path != "" && seeded("end"+path).IntN(20) < 11 {
		links = nil
	}
	return title, text, links
}
