package index

import (
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/idna"
)

// filter takes in what narrows the query; false when name is no such operator.
func (r *queryReader) filter(name, value string, not bool) bool {
	f := &r.p.filters
	switch name {
	case "site":
		host, path := siteOf(value)
		if host == "" {
			r.p.note("site: needs a host, not %q", value)
			return true
		}
		r.narrow(name, host+path, not, tagHost+asTag(host))
	case "lang":
		lang := asTag(strings.ToLower(primary(value)))
		tags := []string{tagLang + lang}
		for _, other := range otherCodes[lang] {
			tags = append(tags, tagLang+other)
		}
		r.narrow(name, lang, not, tags...)
	case "filetype":
		tags := typeTags(value)
		if len(tags) == 0 {
			r.p.note("filetype: needs a type such as pdf or text/plain, not %q", value)
			return true
		}
		r.narrow(name, strings.TrimPrefix(tags[0], tagType), not, tags...)
	case "before", "after":
		at, next, ok := parseDate(value)
		if r.or {
			r.p.note("OR does not stand before %s:", name)
		}
		switch {
		case !ok:
			r.p.note("%s: needs a date such as 2026-01-31, 2026-01 or 2026, not %q", name, value)
		case not:
			r.p.note("-%s: is not possible", name)
		case name == "before":
			f.within(time.Time{}, at)
		default:
			f.within(next, time.Time{})
		}
	default:
		return false
	}
	return true
}

// narrow takes in a filter of pages that have one of the tags: behind OR as another way to pass the one before.
func (r *queryReader) narrow(kind, value string, not bool, tags ...string) {
	f := &r.p.filters
	n := len(f.tags)
	switch {
	case r.or && !not && r.kind == kind && n > 0 && f.tags[n-1].kind == kind && !f.tags[n-1].not:
		last := &f.tags[n-1]
		last.values, last.tags = append(last.values, value), append(last.tags, tags...)
		return
	case r.or:
		r.p.note("OR does not stand before %s: here", kind)
	}
	f.tags = append(f.tags, tagFilter{not: not, kind: kind, values: []string{value}, tags: tags})
}

// within narrows to what is not before since and before until, where these are not zero; nothing widens again.
func (f *filters) within(since, until time.Time) {
	if since.After(f.since) {
		f.since = since
	}
	if f.until.IsZero() || !until.IsZero() && until.Before(f.until) {
		f.until = until
	}
}

// primary returns the first subtag of a language tag.
func primary(tag string) string {
	tag, _, _ = strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return tag
}

// otherCodes are the other codes that pages in a language may name: older ones, and those of its two written forms.
var otherCodes = map[string][]string{
	"no": {"nb", "nn"}, "nb": {"no"}, "nn": {"no"}, "he": {"iw"}, "iw": {"he"}, "id": {"in"}, "in": {"id"}, "yi": {"ji"},
}

// typeTags returns the tags of a type as people write it: pdf, .pdf, text/plain.
func typeTags(value string) []string {
	value = strings.ToLower(strings.TrimPrefix(value, "."))
	if strings.Contains(value, "/") {
		var tags []string
		for _, t := range typesOf("", value) {
			tags = append(tags, tagType+t)
		}
		return tags
	}
	switch value {
	case "htm", "xhtml":
		value = "html"
	case "text":
		value = "txt"
	}
	return []string{tagType + asTag(value)}
}

// siteOf returns the host, as URLs have it, and the path of what somebody writes behind site:, be it a host or a URL.
func siteOf(value string) (host, path string) {
	if !strings.Contains(value, "://") {
		value = "http://" + strings.TrimLeft(value, "/*.")
	}
	u, err := url.Parse(value)
	if err != nil || u.Hostname() == "" {
		return "", ""
	}
	name := strings.ToLower(strings.Trim(u.Hostname(), "."))
	if ascii, err := idna.Lookup.ToASCII(name); err == nil {
		name = ascii
	}
	host = name
	if p := u.Port(); p != "" {
		host += ":" + p
	}
	if u.Path != "/" {
		path = u.EscapedPath()
	}
	return host, path
}

// parseDate reads a day, a month or a year: when it begins, and when it is over. A time of a day (RFC 3339) is both.
func parseDate(s string) (begin, end time.Time, ok bool) {
	s = strings.ReplaceAll(s, "/", "-")
	for _, l := range []struct {
		layout              string
		years, months, days int
	}{{"2006-1-2", 0, 0, 1}, {"2006-1", 0, 1, 0}, {"2006", 1, 0, 0}, {time.RFC3339, 0, 0, 0}} {
		if t, err := time.Parse(l.layout, s); err == nil {
			return t, t.AddDate(l.years, l.months, l.days), true
		}
	}
	return begin, end, false
}

// dateOf writes a time as parseDate reads it: the day that begins then, or so many days later, and else the time itself.
func dateOf(t time.Time, days int) string {
	if t = t.UTC(); t.Equal(t.Truncate(24 * time.Hour)) {
		return t.AddDate(0, 0, days).Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}
