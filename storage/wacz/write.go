package wacz

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/storage/ctxio"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// Options say what is written besides the WARC files.
type Options struct {
	Title, Description string
	Software           string // that wrote the WACZ
	TempDir            string // "" is that of the system

	// Page reads a response and returns its title and text; ok is false when it is no page. Nil lists no page. Damage in the record
	// is a *warc.FormatError.
	Page func(ctx context.Context, rec *warc.Record) (title, text string, ok bool, err error)

	// Damaged is told of each place that is damaged; nil ignores them.
	Damaged func(*warc.FormatError)
}

// A Summary tells what was written.
type Summary struct {
	Captures int64 // in the index
	Pages    int   // in both lists
	Seeds    int   // of these, in the list of pages that is shown first
	Damaged  int   // places that were skipped
}

// A resource is an entry as datapackage.json names it.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// datapackage is the JSON of that name.
type datapackage struct {
	Profile      string     `json:"profile"`
	WACZVersion  string     `json:"wacz_version"`
	Title        string     `json:"title,omitempty"`
	Description  string     `json:"description,omitempty"`
	Created      string     `json:"created,omitempty"`
	Software     string     `json:"software,omitempty"`
	MainPageURL  string     `json:"mainPageUrl,omitempty"`
	MainPageDate string     `json:"mainPageDate,omitempty"`
	Resources    []resource `json:"resources"`
}

// Write packs WARC files, in the order of their names, as a WACZ.
func Write(ctx context.Context, w io.Writer, files []string, o Options) (s Summary, err error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	if err := checkNames(files); err != nil {
		return s, err
	}
	p, err := newPacker(w, o)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	for _, name := range files {
		if err := p.survey(ctx, name); err != nil {
			return p.summary, err
		}
	}
	for _, name := range files {
		if err := p.addFile(ctx, name); err != nil {
			return p.summary, err
		}
	}
	err = p.addIndex()
	if err == nil {
		err = p.addPages()
	}
	if err == nil {
		err = p.addPackage()
	}
	if err == nil {
		err = p.zip.Close()
	}
	return p.summary, err
}

// checkNames refuses what could not be told apart in the WACZ, or not be read there.
func checkNames(files []string) error {
	if len(files) == 0 {
		return errors.New("wacz: no WARC file")
	}
	for i, name := range files {
		base := filepath.Base(name)
		if i > 0 && base == filepath.Base(files[i-1]) {
			return fmt.Errorf("wacz: two files are called %s: %s and %s", base, files[i-1], name)
		}
		if !strings.HasSuffix(base, ".warc.gz") && !strings.HasSuffix(base, ".warc") {
			return fmt.Errorf("wacz: %s: expected a file whose name ends in .warc.gz or .warc; replay tools read no others", name)
		}
	}
	return nil
}

// A packer is a WACZ under way.
type packer struct {
	options   Options
	zip       *zip.Writer
	lines     warc.Sorter
	lists     [2]*list // seeds, and the others
	newest    time.Time
	main      *page
	copies    map[string]bool // URLs of pages that are listed without a text
	resources []resource
	summary   Summary
}

func newPacker(w io.Writer, o Options) (*packer, error) {
	p := &packer{options: o, zip: zip.NewWriter(w), lines: warc.Sorter{Dir: o.TempDir}, copies: map[string]bool{}}
	heads := []string{
		`{"format":"json-pages-1.0","id":"pages","title":"Seed Pages","hasText":true}`,
		`{"format":"json-pages-1.0","id":"extra-pages","title":"Other Pages","hasText":true}`,
	}
	for i := range p.lists {
		var err error
		if p.lists[i], err = newList(o.TempDir, heads[i]); err != nil {
			return nil, errors.Join(err, p.close())
		}
	}
	return p, nil
}

// close removes what is temporary.
func (p *packer) close() error {
	errs := []error{p.lines.Close()}
	for _, l := range p.lists {
		if l != nil {
			errs = append(errs, l.close())
		}
	}
	return errors.Join(errs...)
}

// survey reads the records of a file, twice: once for the index, once for the pages.
func (p *packer) survey(ctx context.Context, name string) error {
	var line []byte
	base := filepath.Base(name)
	indexer := warc.Indexer{Found: func(c *warc.Capture) error {
		if c.Type == warc.RevisitType && c.Status == http.StatusNotModified {
			return nil // players answer with it as it is, which shows nothing, and not with the page that it stands for
		}
		c.Key = c.PlayerKey()
		line = c.AppendTo(line[:0])
		p.summary.Captures++
		return p.lines.Add(line)
	}}
	err := p.records(ctx, name, true, func(rec *warc.Record) error {
		if d := rec.Date(); d.After(p.newest) {
			p.newest = d
		}
		return indexer.Add(rec, base)
	})
	if err == nil {
		err = indexer.Flush()
	}
	if err != nil || p.options.Page == nil {
		return err
	}
	var waiting *page // for what its metadata record says
	posted := ""      // the URL of the request before, if that is no GET
	err = p.records(ctx, name, false, func(rec *warc.Record) error {
		switch rec.Type() {
		case warc.TypeMetadata:
			return waiting.learn(rec)
		case warc.TypeRequest:
			if posted = postedTo(rec); waiting != nil && waiting.URL == posted {
				waiting = nil // nobody can go there
			}
			return nil
		case warc.TypeResponse, warc.TypeRevisit:
		default:
			return nil
		}
		answersPost := posted == rec.URI() && posted != ""
		posted = ""
		if err := p.list(waiting); err != nil {
			return err
		}
		waiting = nil
		if answersPost || rec.URI() == "" { // nobody can go there
			return nil
		}
		title, text, ok, err := p.read(ctx, rec)
		if err == nil && ok {
			if _, err = rec.Finish(); err == nil && !rec.Shared {
				waiting = newPage(rec, title, text)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return p.list(waiting)
}

// postedTo returns the URL of a request that is no GET.
func postedTo(rec *warc.Record) string {
	m, err := warc.ReadMessage(rec.Block)
	if err != nil || strings.HasPrefix(m.StartLine, "GET ") {
		return ""
	}
	return rec.URI()
}

// read finds the title and the text of a page; of one whose body was met under another URL, neither.
func (p *packer) read(ctx context.Context, rec *warc.Record) (title, text string, ok bool, err error) {
	if rec.Type() == warc.TypeResponse {
		return p.options.Page(ctx, rec)
	}
	url, of := rec.URI(), rec.Header.Get("WARC-Refers-To-Target-URI")
	if of == "" || of == url || p.copies[url] {
		return "", "", false, nil
	}
	m, err := warc.ReadMessage(rec.Block)
	if err != nil || m.Status != http.StatusOK || m.Type() != "text/html" && m.Type() != "application/xhtml+xml" {
		return "", "", false, nil // the survey for the index has told of damage
	}
	if len(p.copies) >= maxCopies {
		clear(p.copies)
	}
	p.copies[url] = true
	return "", "", true, nil
}

// records calls visit for each record that is not damaged.
func (p *packer) records(ctx context.Context, name string, tell bool, visit func(*warc.Record) error) error {
	r, err := warc.OpenFile(name)
	if err != nil {
		return err
	}
	defer r.Close()
	r.Until(ctx)
	for {
		rec, err := r.Next()
		if err == nil {
			err = visit(rec)
		}
		var bad *warc.FormatError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &bad):
			if tell {
				p.summary.Damaged++
				if p.options.Damaged != nil {
					p.options.Damaged(bad)
				}
			}
		case err != nil:
			return err
		}
	}
}

// list adds a page to the list that it belongs to. It may be nil.
func (p *packer) list(x *page) error {
	if x == nil {
		return nil
	}
	p.summary.Pages++
	if x.linked {
		return p.lists[1].add(x)
	}
	p.summary.Seeds++
	if p.main == nil {
		p.main = x
	}
	return p.lists[0].add(x)
}

// An entry is one that is being written. Its hash is that of what it is given.
type entry struct {
	w    io.Writer
	hash hash.Hash
	n    int64
}

func (e *entry) Write(b []byte) (int, error) {
	e.hash.Write(b)
	e.n += int64(len(b))
	return e.w.Write(b)
}

func (e *entry) digest() string { return "sha256:" + hex.EncodeToString(e.hash.Sum(nil)) }

// create begins an entry.
func (p *packer) create(path string) (*entry, error) {
	w, err := p.zip.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Store, Modified: p.newest.UTC()})
	return &entry{w: w, hash: sha256.New()}, err
}

// add writes an entry, which datapackage.json will name.
func (p *packer) add(path string, write func(io.Writer) error) error {
	e, err := p.create(path)
	if err == nil {
		err = write(e)
	}
	if err != nil {
		return fmt.Errorf("wacz: %s: %w", path, err)
	}
	p.resources = append(p.resources,
		resource{Name: nameOf(filepath.Base(path)), Path: path, Hash: e.digest(), Bytes: e.n})
	return nil
}

// nameOf makes of the name of a file one that a resource may have: small letters, digits, and a few signs (Data Package 1.0). For
// others stands their number, so that files that differ in these only have different names.
func nameOf(base string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(base) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "-%x", r)
		}
	}
	return b.String()
}

// addFile adds a WARC file.
func (p *packer) addFile(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return p.add("archive/"+filepath.Base(name), func(w io.Writer) error {
		_, err := io.Copy(w, ctxio.Reader(ctx, f))
		return err
	})
}

// addPackage adds what describes all other entries.
func (p *packer) addPackage() error {
	d := datapackage{
		Profile: "data-package", WACZVersion: "1.1.1", Title: cmp.Or(p.options.Title, "Web archive"),
		Description: p.options.Description, Software: p.options.Software, Resources: p.resources,
	}
	if !p.newest.IsZero() {
		d.Created = p.newest.UTC().Format(time.RFC3339)
	}
	if p.main != nil {
		d.MainPageURL, d.MainPageDate = p.main.URL, p.main.Time
	}
	text, err := indented(d)
	if err != nil {
		return err
	}
	e, err := p.create("datapackage.json")
	if err == nil {
		_, err = e.Write(text)
	}
	if err != nil {
		return err
	}
	if text, err = indented(map[string]string{"path": "datapackage.json", "hash": e.digest()}); err != nil {
		return err
	}
	if e, err = p.create("datapackage-digest.json"); err == nil {
		_, err = e.Write(text)
	}
	return err
}

func indented(v any) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return []byte(b.String()), err
}
