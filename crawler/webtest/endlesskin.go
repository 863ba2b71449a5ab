package webtest

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// genealogy has persons, each with parents and children: the one that led here among them, and brothers and sisters that are known
// from there.
func genealogy(path string) (string, string, []string) {
	up, name := "", strings.TrimPrefix(path, "person/")
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		up = name[:i]
	}
	id := func(name string) string { return "person/" + name }
	links := []string{id(up)}
	for i := range 2 + seeded(path).IntN(3) {
		links = append(links, id(name+"."+strconv.Itoa(i)))
	}
	if up != "" {
		links = append(links, id(up+".0"), id(up+".1"))
	}
	return "Person " + name, babble(path, 90), at(links...)
}

// wrappers leads from each page to others that show it: to print, to send, translated.
func wrappers(path string) (string, string, []string) {
	of := url.QueryEscape(endlessPlace + path)
	links := []string{"print?of=" + of, "send?of=" + of, "translate?to=fr&of=" + of}
	name, _, _ := strings.Cut(path, "?")
	return "Page " + name, babble(path, 70), at(links...)
}

// sortedTable has twelve columns, and sorts by the one that was chosen last, then by those before; it has a thousand pages.
func sortedTable(path string) (string, string, []string) {
	_, query, _ := strings.Cut(path, "?")
	values, _ := url.ParseQuery(query)
	by := strings.FieldsFunc(values.Get("by"), func(r rune) bool { return r == ',' })
	page, _ := strconv.Atoi(values.Get("page"))
	var links []string
	for c := range 12 {
		column := "c" + strconv.Itoa(c)
		rest := slices.DeleteFunc(slices.Clone(by), func(b string) bool { return b == column })
		links = append(links, fmt.Sprintf("table?by=%s", strings.Join(append([]string{column}, rest...), ",")))
	}
	links = append(links, fmt.Sprintf("table?by=%s&page=%d", strings.Join(by, ","), (page+1)%1000))
	return "Table", babble(path, 60), at(links...)
}

// related is a search for three words, each page of which leads to searches for two of them and another one.
func related(path string) (string, string, []string) {
	_, query, _ := strings.Cut(path, "?q=")
	chosen := strings.Split(query, "+")
	for len(chosen) < 3 {
		chosen = append(chosen, words[len(chosen)])
	}
	r := seeded(path)
	var links []string
	for range 6 {
		next := slices.Clone(chosen)
		next[r.IntN(3)] = words[r.IntN(len(words))]
		links = append(links, "search?q="+strings.Join(next, "+"))
	}
	return "Search for " + query, babble(path, 70), at(links...)
}

// differences compares any version of a page with any other.
func differences(path string) (string, string, []string) {
	var a, b int
	fmt.Sscanf(path, "diff?from=%d&to=%d", &a, &b)
	links := []string{
		fmt.Sprintf("diff?from=%d&to=%d", a+1, b), fmt.Sprintf("diff?from=%d&to=%d", a, b+1),
		fmt.Sprintf("version?n=%d", a), fmt.Sprintf("version?n=%d", b),
	}
	if fmt.Sscanf(path, "version?n=%d", &a); strings.HasPrefix(path, "version") {
		links = []string{fmt.Sprintf("diff?from=%d&to=%d", a, a+1)}
	}
	return "Differences", babble(path, 80), at(links...)
}

// timetable leads from each moment to the next ones, at each of twenty stations.
func timetable(path string) (string, string, []string) {
	station, minute := 0, 0
	fmt.Sscanf(path, "station-%d/%d", &station, &minute)
	r := seeded(path)
	links := []string{fmt.Sprintf("station-%d/%d", station, minute+1+r.IntN(9))}
	for range 2 {
		links = append(links, fmt.Sprintf("station-%d/%d", r.IntN(20), minute+5+r.IntN(30)))
	}
	return "Departures", babble(path, 60), at(links...)
}
