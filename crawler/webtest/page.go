package webtest

import (
	"maps"
	"net/http"
	"strings"
)

// Pages is a site made of fixed pages by path. A path is looked up with its query first, then without. What is not listed,
// /robots.txt included, is a 404.
type Pages map[string]Page

// A Page is one fixed answer. The zero value is an empty 200.
type Page struct {
	Status  int               // 0 means 200
	Type    string            // Content-Type; "" means text/plain for robots.txt, text/html for the rest; "-" sends none
	Header  map[string]string // further header fields
	Body    string
	Handler http.Handler // if set, it answers instead
}

// ServeHTTP answers with the page, or 404.
func (ps Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, ok := ps[r.RequestURI]
	if !ok {
		p, ok = ps[r.URL.Path]
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	p.ServeHTTP(w, r)
}

// ServeHTTP answers with the page.
func (p Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.Handler != nil {
		p.Handler.ServeHTTP(w, r)
		return
	}
	switch {
	case p.Type == "-":
		w.Header()["Content-Type"] = nil
	case p.Type != "":
		w.Header().Set("Content-Type", p.Type)
	case strings.HasSuffix(r.URL.Path, "/robots.txt"):
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	for name, value := range maps.All(p.Header) {
		w.Header().Set(name, value)
	}
	if p.Status != 0 {
		w.WriteHeader(p.Status)
	}
	w.Write([]byte(p.Body))
}

// Redirect returns a page that leads to target with status code and an empty body.
func Redirect(code int, target string) Page {
	return Page{Status: code, Header: map[string]string{"Location": target}}
}
