package archivecmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// maxExtracted bounds a body that has a content coding to be undone: it is in memory as a whole.
const maxExtracted = 256 << 20

// extractOptions are the flags of extract.
type extractOptions struct {
	dirs   []string
	url    string
	at     string
	offset int64
	form   string
}

func newExtractCommand() *cobra.Command {
	var o extractOptions
	cmd := &cobra.Command{
		Use:   "extract [FILE...]",
		Short: "Write out one page, or one record, of WARC files",
		Long: `Writes what a URL answered to stdout: the capture nearest to --at, or the last
one. Where the files have none of that very URL, one with the same key is taken,
as with its parameters in another order, and stderr says which. Of a revisit
record it writes the body of the record that it refers to. Or it writes the
record at --offset of a single file. In the archive of a job, the indexes that
the crawl has written say where a capture is, and no other is read.

--as says in which form: body, without transfer and content coding; encoded, with
the content coding, the bytes that WARC-Payload-Digest is of; message, the HTTP
message as it is in the archive; record, the header and the block.
` + damageHelp,
		Example: `  cybermapper archive extract a.warc.gz --url https://example.org/ > page.html
  cybermapper archive extract --job JOB --url https://example.org/ --at 2026-11-22 --as message
  cybermapper archive extract a.warc.gz --offset 12345 --as record`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Trouble(extractRecord(cmd.Context(), args, o, cmd.OutOrStdout(), cmd.ErrOrStderr()))
		},
	}
	fileFlags(cmd, &o.dirs)
	f := cmd.Flags()
	f.StringVar(&o.url, "url", "", "what was asked for")
	f.StringVar(&o.at, "at", "", "time near which it was asked for: 2026-11-22, or 2026-11-22T12:00:00Z")
	f.Int64Var(&o.offset, "offset", -1, "place of a record in a single file, as list shows it")
	f.StringVar(&o.form, "as", "body", "body, encoded, message or record")
	return cmd
}

func (o *extractOptions) validate(files []string) (at time.Time, err error) {
	switch o.form {
	case "body", "encoded", "message", "record":
	default:
		return at, cli.UsageError("--as body, encoded, message or record", "--as %q is no form of a record", o.form)
	}
	if (o.url == "") == (o.offset < 0) {
		return at, cli.UsageError("cybermapper archive list shows both", "either --url or --offset")
	}
	if o.offset >= 0 && len(files) != 1 {
		return at, cli.UsageError("", "--offset is a place in one file, not in %d", len(files))
	}
	if o.at == "" {
		return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339, "20060102150405", "20060102"} {
		if at, err = time.Parse(form, o.at); err == nil {
			return at, nil
		}
	}
	return at, cli.UsageError("--at 2026-11-22T12:00:00Z", "--at %q is no time", o.at)
}

func extractRecord(ctx context.Context, args []string, o extractOptions, w, warnings io.Writer) error {
	files, err := filesOf(args, o.dirs)
	if err != nil {
		return err
	}
	at, err := o.validate(files)
	if err != nil {
		return err
	}
	if o.offset >= 0 {
		return writeAt(ctx, place{file: files[0], offset: o.offset}, o.form, w)
	}
	p, of, damaged, err := find(ctx, files, warnings, o.url, at)
	if err != nil {
		return err
	}
	if p.file == "" {
		return fmt.Errorf("no capture of %s in %s", o.url, say.Plural(len(files), "file"))
	}
	if canonical(p.uri) != canonical(o.url) {
		fmt.Fprintf(warnings, "cybermapper: note: no capture of %s; this is %s, which has the same key\n",
			say.Printable(o.url), say.Printable(p.uri))
	}
	if of != nil && (o.form == "body" || o.form == "encoded") {
		payload, err := of.find(ctx, files)
		if err != nil {
			return err
		}
		if payload.file == "" {
			return fmt.Errorf("%s: offset %d: the record only refers to %v, which is not in these files", p.file, p.offset, of)
		}
		p = payload
	}
	if err := writeAt(ctx, p, o.form, w); err != nil {
		return err
	}
	return damagedError(warnings, damaged)
}

// A place is where a record is.
type place struct {
	file   string
	offset int64
	id     string // of the record, by which it is told from others that are compressed with it; "" is the first one
	uri    string // what the record is of
}

func placeOf(rec *warc.Record) place { return place{rec.File, rec.Offset, rec.ID(), rec.URI()} }

// find looks for the capture of a URL nearest to a time: where the indexes say, and if they do not, everywhere. of is the payload
// when the record does not have it.
func find(
	ctx context.Context, files []string, warnings io.Writer, url string, at time.Time,
) (p place, of *payload, damaged int, err error) {
	const sameKey, sameURL, sameText = 1, 2, 3 // a nearer capture counts for less than one that is more alike
	key, own, most, nearest := warc.SURT(url), canonical(url), 0, time.Duration(0)
	look := func(rec *warc.Record) error {
		kind := rec.Type()
		if kind != warc.TypeResponse && kind != warc.TypeRevisit && kind != warc.TypeResource {
			return nil
		}
		like := sameKey
		switch uri := rec.URI(); {
		case uri == url:
			like = sameText
		case most == sameText || warc.SURT(uri) != key:
			return nil
		case canonical(uri) == own:
			like = sameURL
		}
		distance := at.Sub(rec.Date()).Abs()
		if like < most || like == most && distance > nearest {
			return nil
		}
		p, nearest, most = placeOf(rec), distance, like
		of = nil
		if kind == warc.TypeRevisit {
			of = payloadOf(rec)
		}
		return nil
	}
	if err := lookup(ctx, files, key, look); err == nil && p.file != "" {
		return p, of, 0, nil
	}
	p, of, most, nearest = place{}, nil, 0, 0
	damaged, err = records(ctx, files, false, warnings, look)
	return p, of, damaged, err
}

// canonical returns a URL as a crawl would write it; what is none stays as it is.
func canonical(url string) string {
	if u, err := frontier.ParseURL(url); err == nil {
		return u.String()
	}
	return url
}

// A payload is what a revisit record tells of the record that has what it leaves out.
type payload struct {
	digest      string
	uri         string
	date        time.Time // zero when it does not tell
	notModified bool
	revisited   time.Time
}

// noBytes is the payload digest that answers without a payload have.
const noBytes = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"

func payloadOf(rec *warc.Record) *payload {
	h := rec.Header
	p := &payload{
		digest: h.Get("WARC-Payload-Digest"), uri: cmp.Or(strings.Trim(h.Get("WARC-Refers-To-Target-URI"), "<>"), rec.URI()),
		notModified: strings.HasSuffix(h.Get("WARC-Profile"), "server-not-modified"), revisited: rec.Date(),
	}
	p.date, _ = time.Parse(time.RFC3339Nano, h.Get("WARC-Refers-To-Date"))
	if p.notModified && p.digest == noBytes {
		p.digest = "" // that of the answer
	}
	return p
}

// String says which payload it is.
func (p *payload) String() string {
	if p.digest != "" {
		return "the payload " + p.digest
	}
	return "an earlier capture of " + p.uri
}

// errFound ends a search.
var errFound = errors.New("found")

// find looks for the record that a revisit record names, by its digest, or by its URL and time. Of what a server said has not
// changed it may not name any: then it is the one before.
func (p *payload) find(ctx context.Context, files []string) (at place, err error) {
	var before time.Time
	look := func(rec *warc.Record) error {
		if rec.Type() != warc.TypeResponse {
			return nil
		}
		date := rec.Date()
		isNamed := !p.date.IsZero() && date.Equal(p.date) && rec.URI() == p.uri
		if isNamed || p.digest != "" && rec.Header.Get("WARC-Payload-Digest") == p.digest {
			at = placeOf(rec)
			return errFound
		}
		if !p.notModified || rec.URI() != p.uri || date.After(p.revisited) || date.Before(before) {
			return nil
		}
		if m, err := warc.ReadMessage(rec.Block); err == nil && m.Status == http.StatusOK {
			at, before = placeOf(rec), date
		}
		return nil
	}
	if err := lookup(ctx, files, warc.SURT(p.uri), look); errors.Is(err, errFound) || err == nil && at.file != "" {
		return at, nil
	}
	at, before = place{}, time.Time{}
	if _, err = records(ctx, files, false, io.Discard, look); errors.Is(err, errFound) {
		err = nil
	}
	return at, err
}

// writeAt writes the record at a place.
func writeAt(ctx context.Context, p place, form string, w io.Writer) error {
	r, err := warc.OpenFile(p.file)
	if err != nil {
		return err
	}
	defer r.Close()
	r.Until(ctx)
	r.GoTo(p.offset)
	rec, err := r.Next()
	for err == nil && p.id != "" && rec.ID() != p.id && rec.Offset == p.offset {
		rec, err = r.Next()
	}
	if errors.Is(err, io.EOF) || err == nil && rec.Offset != p.offset {
		return &warc.FormatError{File: p.file, Offset: p.offset, Want: "a record", Err: errors.New("the file ends before")}
	}
	if err != nil {
		return err
	}
	if err := writeRecord(ctx, rec, form, w); err != nil {
		return err
	}
	_, err = rec.Finish()
	return err
}

func writeRecord(ctx context.Context, rec *warc.Record, form string, w io.Writer) error {
	switch {
	case form == "record":
		if _, err := fmt.Fprintf(w, "%s\r\n", rec.Version); err != nil {
			return err
		}
		for _, f := range rec.Header {
			fmt.Fprintf(w, "%s: %s\r\n", f.Name, f.Value)
		}
		fmt.Fprint(w, "\r\n")
		fallthrough
	case form == "message" || !rec.IsHTTP():
		_, err := io.Copy(w, rec.Block)
		return err
	}
	m, err := warc.ReadMessage(rec.Block)
	if err != nil {
		return fmt.Errorf("%s: offset %d: expected an HTTP message: %w", rec.File, rec.Offset, err)
	}
	coding := m.Header.Get("Content-Encoding")
	if form == "encoded" || coding == "" {
		_, err := io.Copy(w, m.Payload)
		return err
	}
	encoded, err := io.ReadAll(io.LimitReader(m.Payload, maxExtracted))
	if err != nil {
		return err
	}
	body, truncated, err := fetch.NewBodyDecoder(maxExtracted).Decode(ctx, http.Header{"Content-Encoding": {coding}}, encoded)
	if err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	if truncated != "" {
		return fmt.Errorf("%s: offset %d: the body is not whole (%s); --as encoded writes what there is", rec.File,
			rec.Offset, truncated)
	}
	return nil
}
