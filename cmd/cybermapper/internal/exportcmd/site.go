package exportcmd

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// frontPage is the file with which one begins, siteMark says that a directory is such a copy, and placesFile is there until the
// copy is complete.
const (
	frontPage  = "index.html"
	siteMark   = ".cybermapper-site"
	placesFile = ".cybermapper-places"
)

func newSiteCommand() *cobra.Command {
	var dir, which string
	cmd := &cobra.Command{
		Use:   "site DIR",
		Short: "Write a copy of the pages that can be browsed without a server",
		Long: `Writes the latest version of each page into DIR, so that a browser can open
DIR/index.html, which lists the seeds, and go on from there. Links, images,
styles, srcset and addresses in CSS that were fetched lead to their copies, also
those that were redirected; all others are made absolute. Pages, and the styles,
scripts and texts that are read in their charset, are written in UTF-8, names of
files end as their types want it, and what a page says about content security,
integrity and base is left out, as it does not hold for files.

Applications that render a page on the server, and then again in the browser
(Next.js, Nuxt, Gatsby, Docusaurus, and others of React, Vue and Angular), take
it by the address of the file for another one, say "not found", and send links
astray. So the files with scripts of such pages are not run, and what a page has
for browsers without scripts is shown. With --scripts none this is so in all
pages, with --scripts all in none.

DIR must be new, empty, or such a copy, which is replaced.

Exit codes:
  0    done
  1    error
  2    wrong usage, or there is no job
  4    disk full
`,
		Example: `  cybermapper export site --job JOB copy/ && xdg-open copy/index.html`,
		Args:    cli.Exactly(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return exportSite(cmd.Context(), dir, args[0], scripts(which), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&which, "scripts", string(scriptsAuto), "run script files: auto, all or none")
	cli.CompleteValues(cmd, "scripts", string(scriptsAuto), string(scriptsAll), string(scriptsNone))
	cli.JobFlag(cmd, &dir)
	return cmd
}

func exportSite(ctx context.Context, dir, to string, of scripts, w, warnings io.Writer) (err error) {
	if err := of.check(); err != nil {
		return err
	}
	s, err := openSource(dir, warnings)
	if err != nil {
		return err
	}
	if err := clearSite(to); err != nil {
		return err
	}
	x := &site{source: s, dir: to, scripts: of}
	if err := x.openPlaces(ctx); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(to, placesFile), err)
	}
	defer func() { err = errors.Join(err, x.closePlaces()) }()
	if err := x.findPlaces(ctx); cli.IsDiskFull(err) {
		return fmt.Errorf("%s: %w", filepath.Join(to, placesFile), err)
	} else if err != nil {
		return err
	}
	if err := x.writePages(ctx); err != nil {
		return err
	}
	if err := x.writeFront(ctx); err != nil {
		return err
	}
	needed := ""
	if x.needed > 0 {
		needed = fmt.Sprintf(" and %s of what they need", say.Count(x.needed))
	}
	fmt.Fprintf(w, "%s: %s%s, %s lead to copies, %s to the web\n", filepath.Join(to, frontPage), say.Plural(x.pages, "page"),
		needed, say.Plural(x.local, "reference"), say.Count(x.absolute))
	if x.held > 0 {
		fmt.Fprintf(w, "the script files of %s are not run, so that they do not lead away: --scripts all runs them\n",
			say.Plural(x.held, "page"))
	}
	return nil
}

// clearSite makes a directory ready for a copy.
func clearSite(dir string) error {
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, siteMark)); err != nil && len(list) > 0 {
		return cli.UsageError("choose a new one", "%s is not empty, and not a copy of a site", dir)
	}
	if err := os.RemoveAll(filepath.Join(dir, frontPage)); err != nil { // first, so that half a copy has none
		return err
	}
	for _, e := range list {
		if e.Name() == siteMark {
			continue // so that a run that is cut short leaves what the next one replaces
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, siteMark), nil, 0o644)
}

// A site is a copy under way. Where the copy of each URL is stands in a database, since there may be millions.
type site struct {
	source  *source
	dir     string
	scripts scripts
	db      *sql.DB
	find    *sql.Stmt

	pages, needed, local, absolute int64
	held                           int64 // pages whose files with scripts are not run
}

func (x *site) openPlaces(ctx context.Context) (err error) {
	if x.db, err = openDatabase(filepath.Join(x.dir, placesFile)); err != nil {
		return err
	}
	_, err = x.db.ExecContext(ctx,
		`CREATE TABLE places (url TEXT PRIMARY KEY, file TEXT, redirect TEXT, number INTEGER, charset TEXT, via TEXT)
		WITHOUT ROWID`)
	if err != nil {
		return errors.Join(err, x.closePlaces())
	}
	return nil
}

func (x *site) closePlaces() error {
	if x.find != nil {
		x.find.Close()
	}
	return errors.Join(x.db.Close(), os.Remove(filepath.Join(x.dir, placesFile)))
}

// findPlaces notes where the copy of each URL will be: of the latest version.
func (x *site) findPlaces(ctx context.Context) (err error) {
	rows := &rows{db: x.db}
	number := int64(0)
	for l, err := range x.source.lines(ctx) {
		if err != nil {
			return errors.Join(err, rows.end())
		}
		number++
		if !filepath.IsLocal(filepath.FromSlash(l.File)) {
			continue
		}
		f, err := x.source.open(l)
		if err != nil {
			return errors.Join(err, rows.end())
		}
		if f == nil {
			continue // what leads there is made absolute
		}
		f.Close()
		if err := rows.insert(ctx, "places", l.FinalURL, localName(l), nil, number, null(l.Charset), null(l.Via)); err != nil {
			return err
		}
	}
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Request}}
	for r, err := range ledger.Read(x.source.path(job.LedgerDir), o) {
		if err == nil {
			err = noteRedirect(ctx, rows, r)
		}
		if err != nil {
			return errors.Join(err, rows.end())
		}
	}
	if err := rows.end(); err != nil {
		return err
	}
	x.find, err = x.db.PrepareContext(ctx, `SELECT file, redirect, number FROM places WHERE url = ?`)
	return err
}

// noteRedirect notes where a request for a page was redirected, or that it no longer was.
func noteRedirect(ctx context.Context, rows *rows, r ledger.Record) error {
	purpose := crawler.Purpose(r.Purpose)
	if purpose != crawler.ForPage && purpose != crawler.ForRequisite {
		return nil
	}
	switch {
	case r.Status >= 200 && r.Status < 300, r.Status == http.StatusNotModified, r.Status == http.StatusNotFound,
		r.Status == http.StatusGone:
		return rows.exec(ctx, "UPDATE places SET redirect = NULL WHERE url = ?", r.URL)
	case r.Location == "" || r.Status < 300 || r.Status > 399:
		return nil
	}
	u, err := frontier.ParseURL(r.URL)
	if err != nil {
		return nil
	}
	target, err := u.Resolve(r.Location)
	if err != nil {
		return nil
	}
	_, fragment := cutFragment(r.Location)
	return rows.exec(ctx, "INSERT INTO places (url, redirect, number) VALUES (?, ?, 0)"+
		" ON CONFLICT DO UPDATE SET redirect = excluded.redirect", r.URL, target.String()+fragment)
}

// cutFragment splits a reference before "#".
func cutFragment(ref string) (rest, fragment string) {
	if i := strings.IndexByte(ref, '#'); i >= 0 {
		return ref[:i], ref[i:]
	}
	return ref, ""
}

// The types of documents that are read as XML.
const (
	typeXHTML = "application/xhtml+xml"
	typeSVG   = "image/svg+xml"
)

// endings are what a browser knows the type of a file by; those of other types than these show it nothing but a download.
var endings = map[string]string{
	"text/css": ".css", "text/javascript": ".js", "application/javascript": ".js", "application/x-javascript": ".js",
	typeSVG: ".svg", "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp",
	"image/avif": ".avif", "text/plain": ".txt", "application/pdf": ".pdf", "application/json": ".json",
	"application/xml": ".xml", "text/xml": ".xml", "application/rss+xml": ".xml", "application/atom+xml": ".xml",
}

// localName is the name of the copy of a page, below the directory, with slashes. It follows from the URL, not from the version,
// for which the job may have another file: bookmarks, and links that scripts make, lead there also when the page has changed. Its
// ending is that of its type where a browser would show it otherwise: style.css?v=3 is no page.
func localName(l pages.Line) string {
	name, ending := pages.FileName(l.FinalURL), endings[l.Type]
	if pages.IsASCIIName(l.File, l.URL, l.Digest) {
		name = pages.ASCIIFileName(l.FinalURL) // the file system may take no letters
	}
	inName := strings.ToLower(path.Ext(name))
	isXHTML := inName == ".xhtml" || inName == ".xht"
	isPage := inName == ".html" || inName == ".htm" || isXHTML
	switch {
	case l.Type == typeXHTML && !isXHTML:
		return strings.TrimSuffix(name, "~.html") + "~.xhtml" // an added part begins with ~
	case isHTML(l) && (!isPage || isXHTML && l.Type != typeXHTML):
		return name + "~.html"
	case isHTML(l), l.Type == "":
		return name
	case isPage:
		return name + "~" + cmp.Or(ending, ".bin")
	case (ending == ".css" || ending == ".svg") && inName != ending: // of these alone the type is minded where they are used
		return name + "~" + ending
	}
	return name
}

// maxRedirects bounds the chain from a link to a copy.
const maxRedirects = 10

// placeOf returns the copy of a URL, "" when there is none, the fragment that redirects lead to in it, and the number of its line.
func (x *site) placeOf(ctx context.Context, u string) (file, fragment string, number int64, err error) {
	brief, err := sqlfile.Brief(ctx)
	if err != nil {
		return "", "", 0, err
	}
	for range maxRedirects {
		var name, redirect sql.NullString
		err = x.find.QueryRowContext(brief, u).Scan(&name, &redirect, &number)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return "", "", 0, nil
		case err != nil:
			return "", "", 0, err
		case !redirect.Valid:
			return name.String, fragment, number, nil
		}
		target, of := cutFragment(redirect.String)
		u, fragment = target, cmp.Or(of, fragment)
	}
	return "", "", 0, nil
}

// writePages writes the copies.
func (x *site) writePages(ctx context.Context) error {
	number := int64(0)
	for l, err := range x.source.lines(ctx) {
		if err != nil {
			return err
		}
		number++
		name, _, latest, err := x.placeOf(ctx, l.FinalURL)
		if err != nil {
			return err
		}
		if latest != number {
			continue
		}
		if err := x.writePage(ctx, l, name); err != nil {
			return fmt.Errorf("copy %s: %w", l.FinalURL, err)
		}
	}
	return nil
}

func (x *site) writePage(ctx context.Context, l pages.Line, name string) error {
	body, err := x.source.body(l)
	if err != nil || body == nil {
		return err
	}
	if !l.IsPage() {
		x.needed++
	} else {
		x.pages++
	}
	if body, err = x.inUTF8(ctx, l, body); err != nil {
		return err
	}
	if r, err := newRewriter(ctx, x, l, name); err == nil {
		switch {
		case l.Type == typeXHTML, l.Type == typeSVG:
			body = r.xml(body)
		case isHTML(l):
			body = r.html(body)
		case l.Type == "text/css":
			body = r.sheet(body, l.Charset)
		}
		if r.err != nil {
			return r.err
		}
	}
	if isHTML(l) || dependents[l.Type] && !ascii(body) && utf8.Valid(body) && !bytes.HasPrefix(body, []byte("@charset ")) {
		body = append([]byte(bom), bytes.TrimPrefix(body, []byte(bom))...)
	}
	to := filepath.Join(x.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, body, 0o644)
}

// bom says that a file is in UTF-8, whatever else it says.
const bom = "\uFEFF"

// dependents are the types that a browser reads in the charset of the page that needs them, if they do not name one; from a file,
// none is named for text either. The pages of a copy are in UTF-8.
var dependents = map[string]bool{
	"text/css": true, "text/plain": true, "text/javascript": true, "application/javascript": true, "application/x-javascript": true,
	"text/ecmascript": true, "application/ecmascript": true,
}

// inUTF8 returns the body of a page, or of what pages need, in UTF-8, unless it says itself in what it is.
func (x *site) inUTF8(ctx context.Context, l pages.Line, body []byte) (_ []byte, err error) {
	name := l.Charset
	switch {
	case isHTML(l):
	case !dependents[l.Type], utf8.Valid(body), bytes.HasPrefix(body, []byte("@charset ")):
		return body, nil
	case l.Type == "text/css":
		name = extract.StyleCharset(name, body)
	}
	if name == "" && !isHTML(l) {
		if name, err = x.charsetAround(ctx, l.Via); err != nil {
			return nil, err
		}
	}
	return inUTF8(name, body), nil
}

func ascii(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf })
}

// maxAround bounds the style sheets that are between one and a page.
const maxAround = 8

// charsetAround returns the charset of the page that needs what was met at a URL; "" when it is not known.
func (x *site) charsetAround(ctx context.Context, u string) (string, error) {
	for range maxAround {
		var name, via sql.NullString
		err := x.db.QueryRowContext(ctx, "SELECT charset, via FROM places WHERE url = ?", u).Scan(&name, &via)
		if errors.Is(err, sql.ErrNoRows) {
			return "", nil
		}
		if err != nil || name.Valid || !via.Valid {
			return name.String, err
		}
		u = via.String
	}
	return "", nil
}

// writeFront writes the page with the seeds.
func (x *site) writeFront(ctx context.Context) error {
	seeds, err := job.Seeds(x.source.dir)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<meta charset=utf-8>\n<title>Copy of a crawl</title>\n<h1>Copy of a crawl</h1>\n")
	fmt.Fprintf(&b, "<p>%s. It begins here:</p>\n<ul>\n", say.Plural(x.pages, "page"))
	for _, s := range seeds {
		name, fragment, _, err := x.placeOf(ctx, s.URL.String())
		if err != nil {
			return err
		}
		shown := html.EscapeString(s.URL.String())
		if name == "" {
			fmt.Fprintf(&b, "<li><a href=\"%s\">%s</a> (not here)</li>\n", shown, shown)
		} else {
			fmt.Fprintf(&b, "<li><a href=\"%s\">%s</a></li>\n", html.EscapeString(relative("", name)+fragment), shown)
		}
	}
	b.WriteString("</ul>\n")
	return os.WriteFile(filepath.Join(x.dir, frontPage), []byte(b.String()), 0o644)
}

// relative returns the reference from one copy to another; both are names below the directory.
func relative(from, to string) string {
	a, b := strings.Split(from, "/"), strings.Split(to, "/")
	for len(a) > 1 && len(b) > 1 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for i, segment := range b {
		b[i] = url.PathEscape(segment)
	}
	rest := strings.Join(b, "/")
	if up := strings.Repeat("../", len(a)-1); up != "" {
		return up + rest
	}
	return "./" + rest
}
