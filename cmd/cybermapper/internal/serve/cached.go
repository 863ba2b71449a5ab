package serve

import (
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// copyPolicy is the Content-Security-Policy of a cached copy: without an origin, and with nothing but its own text and style. The
// sandbox also keeps it from sending forms and from refreshing itself (HTML, sandboxed automatic features browsing context flag).
const copyPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'self'"

// A cachedView is a copy of a page as it was fetched.
type cachedView struct {
	*index.Page
	Copy string // its URL
}

// page returns the page at url if it may be shown. The request is answered if not.
func (s *Server) page(w http.ResponseWriter, r *http.Request, j *shown) (*index.Page, bool) {
	standing, err := j.standing(r.Context(), r.URL.Query().Get("url"))
	switch {
	case err != nil:
		s.broken(w, r, err)
	case standing == nil || standing.State != index.Indexed:
		s.fail(w, r, http.StatusNotFound, "That page is not in the search index, so no copy of it is shown.")
	case standing.Page.NoArchive:
		s.fail(w, r, http.StatusForbidden, "The page asks that no copy of it be shown (noarchive).")
	default:
		return standing.Page, true
	}
	return nil, false
}

func (s *Server) cachedPage(w http.ResponseWriter, r *http.Request, j *shown) {
	p, ok := s.page(w, r, j)
	if !ok {
		return
	}
	v := url.Values{"job": {j.name}, "url": {p.URL}}
	s.show(w, r, http.StatusOK, "cached.tmpl", view{Title: "Copy of " + p.URL, Here: "search", Job: j.name, Data: cachedView{
		Page: p, Copy: "/copy?" + v.Encode(),
	}})
}

func isHTML(typ string) bool {
	media, _, err := mime.ParseMediaType(typ)
	return err == nil && (media == "text/html" || media == "application/xhtml+xml")
}

// copyOf answers with the bytes of a page, for the frame of its cached copy.
func (s *Server) copyOf(w http.ResponseWriter, r *http.Request, j *shown) {
	p, ok := s.page(w, r, j)
	if !ok {
		return
	}
	root, err := os.OpenRoot(j.path(job.PagesDir))
	if err != nil {
		s.broken(w, r, err)
		return
	}
	defer root.Close()
	info, err := root.Stat(path.Clean(p.File))
	var f *os.File
	switch {
	case err != nil:
	case !info.Mode().IsRegular(): // opening a pipe would wait for ever
		err = errors.New("the file of this page is no file")
	default:
		f, err = root.Open(path.Clean(p.File))
	}
	if errors.Is(err, fs.ErrNotExist) {
		s.fail(w, r, http.StatusNotFound, "The file of this page is gone.")
		return
	}
	if err != nil {
		s.broken(w, r, err)
		return
	}
	defer f.Close()
	h := w.Header()
	h.Set("Content-Security-Policy", copyPolicy)
	switch {
	case isHTML(p.Type):
		h.Set("Content-Type", withCharset("text/html", j.charsetOf(p)))
	case strings.HasPrefix(p.Type, "text/"):
		h.Set("Content-Type", withCharset("text/plain", j.charsetOf(p)))
	default:
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", "attachment")
	}
	http.ServeContent(w, r, "", info.ModTime(), f)
}

// charsetOf returns the character encoding in which a page was read; empty if that is not known. Its bytes do not always say: it
// may have stood in the header of the answer.
func (j *shown) charsetOf(p *index.Page) string {
	l, err := pages.LineAt(j.path(job.PagesDir), p.Source)
	if err != nil || l.FinalURL != p.URL {
		return ""
	}
	return l.Charset
}

// withCharset is a media type with a character encoding.
func withCharset(media, charset string) string {
	if charset == "" {
		return media
	}
	return mime.FormatMediaType(media, map[string]string{"charset": charset})
}
