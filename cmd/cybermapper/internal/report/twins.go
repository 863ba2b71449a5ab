package report

import (
	"regexp"
	"strings"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// twinOf tells whether a page is also at another origin of what is one site to its owner: with or without www, by http or https.
// The row names both origins, the same for all of their pages: Group is the one to keep, Name the other, which Rule leaves out.
func twinOf(p *pages.Line) (Row, bool) {
	u, err := frontier.ParseURL(p.FinalURL)
	if err != nil {
		return Row{}, false
	}
	own, ownPath, _ := strings.Cut(pages.FileName(p.FinalURL), "/")
	var other string
	switch {
	case p.SameAs != "":
		folder, path, _ := strings.Cut(p.SameAs, "/")
		if path != ownPath || folder == own {
			return Row{}, false
		}
		other = originOfFolder(folder)
	case p.Near != "":
		v, err := frontier.ParseURL(p.Near)
		if err != nil || v.PathQuery() != u.PathQuery() {
			return Row{}, false
		}
		other = v.Origin()
	}
	if other == "" || other == u.Origin() || bareHost(other) != bareHost(u.Origin()) {
		return Row{}, false
	}
	keep, leave := u.Origin(), other
	if lesser(keep, leave) {
		keep, leave = leave, keep
	}
	return Row{
		Group: keep, Name: leave, Rule: "--exclude '^" + regexp.QuoteMeta(leave) + "/'", Sample: p.FinalURL, Bytes: p.Bytes,
	}, true
}

// lesser reports whether an origin rather than its twin is to be left out: that without TLS, or else that with www.
func lesser(origin, twin string) bool {
	if a, b := strings.HasPrefix(origin, "https:"), strings.HasPrefix(twin, "https:"); a != b {
		return b
	}
	return len(origin) > len(twin)
}

// originOfFolder returns the origin of whose pages a folder of the store is, if it is one with a default port: those of other ports
// are sites of their own.
func originOfFolder(folder string) string {
	if host, ok := strings.CutSuffix(folder, "~80"); ok {
		return "http://" + host
	}
	if strings.Contains(folder, "~") {
		return ""
	}
	return "https://" + folder
}

// bareHost is what twins have in common.
func bareHost(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	return strings.TrimPrefix(host, "www.")
}
