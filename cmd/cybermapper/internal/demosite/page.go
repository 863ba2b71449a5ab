package demosite

import (
	"cmp"
	"io"
	"net/http"
	"strings"
)

// A page is one canned answer. The zero status is 200.
type page struct {
	status   int
	mime     string // default text/html
	robots   string // X-Robots-Tag
	retry    string // Retry-After
	location string
	cache    string // Cache-Control
	once     int    // a status to answer with the first time
	body     string
	later    string // the body from the second time on, if not the same
}

// html returns a page with a title, things for its head, and paragraphs.
func html(title, head string, paragraphs ...string) page {
	return page{body: "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title + "</title>" + head +
		"</head>\n<body><h1>" + title + "</h1>\n<p>" + strings.Join(paragraphs, "</p>\n<p>") + "</p>\n</body></html>\n"}
}

// answer writes the response to r and returns its status.
func (s *Site) answer(w http.ResponseWriter, r *http.Request) int {
	p, ok := s.page(r.URL.RequestURI(), r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return http.StatusNotFound
	}
	set := func(name, value string) {
		if value != "" {
			w.Header().Set(name, value)
		}
	}
	set("Content-Type", p.mime)
	set("X-Robots-Tag", p.robots)
	set("Retry-After", p.retry)
	set("Location", p.location)
	set("Cache-Control", p.cache)
	w.WriteHeader(p.status)
	io.WriteString(w, p.body)
	return p.status
}

// page finds what to answer to a request and fills in what is left out.
func (s *Site) page(uri, path string) (page, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.pages[uri]
	switch {
	case ok && p.once != 0:
		first := page{status: p.once, mime: "text/plain", body: "Not now.\n"}
		p.once = 0
		s.pages[uri] = p
		return first, true
	case ok && p.later != "":
		next := p
		next.body, next.later = p.later, ""
		s.pages[uri] = next
	case !ok && s.endless != "" && strings.HasPrefix(path, s.endless):
		p, ok = room(path), true
	}
	p.status = cmp.Or(p.status, http.StatusOK)
	p.mime = cmp.Or(p.mime, "text/html; charset=utf-8")
	return p, ok
}
