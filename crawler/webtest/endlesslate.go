package webtest

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Places that were invented when the detector was finished, and left as they were.

// detours leads on by links that answer with a redirect, each to a page nobody has seen.
func detours(path string) (string, string, []string) {
	if from, ok := strings.CutPrefix(path, "go?from="); ok {
		return "", "", at("show/" + strconv.FormatUint(seeded(from).Uint64(), 36))
	}
	var links []string
	for i := range 4 {
		links = append(links, "go?from="+url.QueryEscape(path)+"."+strconv.Itoa(i))
	}
	return "Shown " + path, babble(path, 80), at(links...)
}

// replies is a discussion without end: each reply has a form to answer it, a page that shares it, the reply above it and two below.
func replies(path string) (string, string, []string) {
	if strings.Contains(path, "?") {
		return "Answer", "Write what you think of " + path, nil
	}
	above, id := "", strings.TrimPrefix(path, "reply-")
	if i := strings.LastIndexByte(id, '-'); i >= 0 {
		above = id[:i]
	}
	r := seeded(path)
	reply := func(id string) string { return "reply-" + id }
	return "Reply " + id, babble(path, 60), at("write?to="+id, "share?what="+id, "report?what="+id, reply(above),
		reply(id+"-"+strconv.Itoa(r.IntN(1000))), reply(id+"-"+strconv.Itoa(1000+r.IntN(1000))))
}

// shops finds the shops near a place, which has more of them wherever one looks.
func shops(path string) (string, string, []string) {
	_, query, _ := strings.Cut(path, "?")
	values, _ := url.ParseQuery(query)
	lat, _ := strconv.ParseFloat(values.Get("lat"), 64)
	lon, _ := strconv.ParseFloat(values.Get("lon"), 64)
	r := seeded(path)
	var links []string
	for range 5 {
		links = append(links, fmt.Sprintf("near?lat=%.5f&lon=%.5f", lat+r.Float64()-0.5, lon+r.Float64()-0.5))
	}
	return "Shops near here", babble(path, 50), at(links...)
}

// snapshots shows ten pages as they were at ever earlier moments.
func snapshots(path string) (string, string, []string) {
	var moment, page int
	fmt.Sscanf(path, "as-of-%d/page-%d", &moment, &page)
	var links []string
	for i := range 10 {
		links = append(links, fmt.Sprintf("as-of-%d/page-%d", moment, i))
	}
	links = append(links, fmt.Sprintf("as-of-%d/page-%d", moment+1+seeded(strconv.Itoa(moment)).IntN(900), page))
	return fmt.Sprintf("Page %d", page), babble(strconv.Itoa(page), 100), at(links...)
}
