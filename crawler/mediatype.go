package crawler

import (
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
)

// MediaTypes say which kinds of files are wanted. An entry is a media type ("application/pdf", "image/*") or an extension ("pdf").
// What is wanted is one of Accept, if there are any, and none of Reject. Pages of HTML are always asked for, because links are in
// them, and are stored only if they are wanted.
type MediaTypes struct{ Accept, Reject []string }

// NormalType returns an entry of MediaTypes in its usual form: *.PDF is pdf. It is not ok when it cannot be one.
func NormalType(entry string) (_ string, ok bool) {
	entry = strings.ToLower(strings.TrimSpace(entry))
	if kind, sub, isType := strings.Cut(entry, "/"); isType {
		return entry, kind != "" && sub != "" && !strings.ContainsAny(entry, " ;,") && !strings.Contains(kind, "*")
	}
	entry = strings.TrimPrefix(strings.TrimPrefix(entry, "*"), ".")
	return entry, entry != "" && !strings.ContainsAny(entry, " .*?,;")
}

// typeOf has the media types of usual extensions, those of pages as text/html, whatever program writes them.
var typeOf = map[string]string{
	"html": "text/html", "htm": "text/html", "xhtml": "application/xhtml+xml", "php": "text/html", "asp": "text/html",
	"aspx": "text/html", "jsp": "text/html", "cgi": "text/html", "txt": "text/plain", "md": "text/markdown", "csv": "text/csv",
	"css": "text/css", "js": "text/javascript", "mjs": "text/javascript", "json": "application/json", "xml": "application/xml",
	"rss": "application/rss+xml", "atom": "application/atom+xml", "pdf": "application/pdf", "ps": "application/postscript",
	"epub": "application/epub+zip", "doc": "application/msword", "rtf": "application/rtf",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"xls":  "application/vnd.ms-excel", "ppt": "application/vnd.ms-powerpoint",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"odt":  "application/vnd.oasis.opendocument.text", "ods": "application/vnd.oasis.opendocument.spreadsheet",
	"odp": "application/vnd.oasis.opendocument.presentation",
	"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "avif": "image/avif",
	"svg": "image/svg+xml", "bmp": "image/bmp", "ico": "image/vnd.microsoft.icon", "tif": "image/tiff", "tiff": "image/tiff",
	"mp3": "audio/mpeg", "ogg": "audio/ogg", "oga": "audio/ogg", "flac": "audio/flac", "wav": "audio/wav", "m4a": "audio/mp4",
	"mp4": "video/mp4", "webm": "video/webm", "avi": "video/x-msvideo", "mov": "video/quicktime", "mkv": "video/x-matroska",
	"mpg": "video/mpeg", "mpeg": "video/mpeg", "ogv": "video/ogg",
	"woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
	"zip": "application/zip", "gz": "application/gzip", "tgz": "application/gzip", "bz2": "application/x-bzip2",
	"xz": "application/x-xz", "zst": "application/zstd", "7z": "application/x-7z-compressed", "rar": "application/vnd.rar",
	"tar": "application/x-tar", "deb": "application/vnd.debian.binary-package", "rpm": "application/x-rpm",
	"exe": "application/vnd.microsoft.portable-executable", "msi": "application/x-msi", "dmg": "application/x-apple-diskimage",
	"iso": "application/x-iso9660-image", "apk": "application/vnd.android.package-archive", "jar": "application/java-archive",
}

// of returns what concerns entries of that kind: pages must be wanted, requisites not be unwanted, and nothing else matters.
func (m *MediaTypes) of(kind uint8) *MediaTypes {
	switch {
	case kind == kindPage:
		return m
	case isRequisite(kind):
		return &MediaTypes{Reject: m.Reject}
	}
	return &MediaTypes{}
}

func (m *MediaTypes) any() bool { return len(m.Accept)+len(m.Reject) > 0 }

// extension returns that of the path of a URL, in lower case.
func extension(u frontier.URL) string {
	p, _, _ := strings.Cut(u.PathQuery(), "?")
	return strings.ToLower(strings.TrimPrefix(path.Ext(p), "."))
}

// judgeLink turns away a link whose extension says that it is not wanted.
func (m *MediaTypes) judgeLink(u frontier.URL) (rule string, unwanted bool) {
	if !m.any() {
		return "", false
	}
	ext := extension(u)
	mediaType, known := typeOf[ext]
	if !known || isHTML(mediaType) {
		return "", false
	}
	return m.judge(ext, mediaType)
}

// judgeHeader tells the same of an answer by its Content-Type, or without one by the extension.
func (m *MediaTypes) judgeHeader(u frontier.URL, h http.Header) (mediaType, rule string, unwanted bool) {
	if !m.any() {
		return "", "", false
	}
	mediaType, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		if mediaType = typeOf[extension(u)]; mediaType == "" {
			return "", "", false // it may be anything; judgeBody tells
		}
	}
	rule, unwanted = m.judge(extension(u), mediaType)
	return mediaType, rule, unwanted
}

// judgeBody tells the same of an answer that judgeHeader knows no type of, by the one that its body was read as.
func (m *MediaTypes) judgeBody(u frontier.URL, h http.Header, read string) (rule string, unwanted bool) {
	if known, _, _ := m.judgeHeader(u, h); known != "" {
		return "", false
	}
	return m.judge(extension(u), read)
}

func (m *MediaTypes) judge(ext, mediaType string) (rule string, unwanted bool) {
	matches := func(entry string) bool {
		entry, _ = NormalType(entry)
		if kind, any := strings.CutSuffix(entry, "/*"); any {
			return strings.HasPrefix(mediaType, kind+"/")
		}
		return entry == mediaType || typeOf[entry] == mediaType || entry == ext && !isHTML(mediaType)
	}
	if i := slices.IndexFunc(m.Reject, matches); i >= 0 {
		return "reject " + m.Reject[i], true
	}
	if len(m.Accept) > 0 && !slices.ContainsFunc(m.Accept, matches) {
		return mediaType + " is not accepted", true
	}
	return "", false
}

// contentType returns the media type of an answer, as it says.
func contentType(h http.Header) string {
	mediaType, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return mediaType
}

func isHTML(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

// unwantedBy returns what tells an exchange to leave a body alone, nil when all bodies are wanted.
func (m *MediaTypes) unwantedBy(e frontier.Entry) func(int, http.Header) bool {
	if m = m.of(e.Kind); !m.any() {
		return nil
	}
	u := e.URL
	return func(status int, h http.Header) bool {
		mediaType, _, unwanted := m.judgeHeader(u, h)
		return unwanted && IsPage(status) && !isHTML(mediaType)
	}
}

// unwantedPage says of an answer whether it is not to be stored, and whether there is anything to read in it.
func (c *Crawler) unwantedPage(l frontier.Link, r *fetch.Response) (refusal Refusal, unwanted, readable bool) {
	mediaType, rule, unwanted := c.config.MediaTypes.of(l.Kind).judgeHeader(l.URL, r.Header)
	return Refusal{Gate: GateScope, Reason: ReasonMediaType, Rule: rule}, unwanted, isHTML(mediaType)
}
