package webtest

import (
	"cmp"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
)

// A Tree is a folder served as a plain file server does it: a folder without its slash redirects, with it answers with its
// index.html, and is a 404 without one. It follows symbolic links that stay within the folder. There is no robots.txt but the
// folder's.
type Tree struct{ root *os.Root }

// OpenTree opens a folder, until the test ends.
func OpenTree(tb TB, dir string) *Tree {
	tb.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		tb.Fatalf("webtest: open a tree: %v", err)
	}
	tb.Cleanup(func() { root.Close() })
	return &Tree{root}
}

// Open finds what answers an unescaped URL path: a file with its media type, or the path to redirect to; neither when there is
// none.
func (t *Tree) Open(urlPath string) (file *os.File, mediaType, location string) {
	name := cmp.Or(strings.Trim(path.Clean("/"+urlPath), "/"), ".")
	info, err := t.root.Stat(name)
	if err == nil && info.IsDir() {
		if !strings.HasSuffix(urlPath, "/") {
			return nil, "", urlPath + "/"
		}
		name = path.Join(name, "index.html")
		info, err = t.root.Stat(name)
	} else if strings.HasSuffix(urlPath, "/") {
		return nil, "", ""
	}
	if err != nil || !info.Mode().IsRegular() {
		return nil, "", ""
	}
	f, err := t.root.Open(name)
	if err != nil {
		return nil, "", ""
	}
	return f, mediaTypeOf(name), ""
}

// ServeHTTP answers a request.
func (t *Tree) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	file, mediaType, location := t.Open(r.URL.Path)
	switch {
	case location != "":
		w.Header().Set("Location", (&url.URL{Path: location, RawQuery: r.URL.RawQuery}).String())
		w.WriteHeader(http.StatusMovedPermanently)
	case file == nil:
		http.NotFound(w, r)
	default:
		defer file.Close()
		w.Header().Set("Content-Type", mediaType)
		if info, err := file.Stat(); err == nil {
			w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
		}
		io.Copy(w, file)
	}
}

// mediaTypeOf says what a server with the usual table says, which knows nothing of charsets.
func mediaTypeOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".shtml":
		return "text/html"
	case ".xhtml":
		return "application/xhtml+xml"
	case ".txt":
		return "text/plain"
	case ".xml":
		return "text/xml"
	case ".css":
		return "text/css"
	case ".js":
		return "application/javascript"
	case ".json":
		return "application/json"
	case ".png":
		return "image/png"
	case ".gif":
		return "image/gif"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".svg":
		return "image/svg+xml"
	case ".pdf":
		return "application/pdf"
	}
	return "application/octet-stream"
}
