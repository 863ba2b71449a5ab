package changescmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler/extract"
)

// maxBody bounds a page that is compared.
const maxBody = 16 << 20

// compare fills in how the text of a changed page differs. Those whose text is the same are told last: where each answer has a
// token of its own in the markup, all pages have changed, and the few that say something else are looked for.
func (r *Report) compare(ctx context.Context, x *extract.Extractor, c *Change) error {
	before, err := r.text(ctx, x, c.Before)
	if err != nil {
		return err
	}
	after, err := r.text(ctx, x, c.After)
	if err != nil {
		return err
	}
	name := func(v *Version) string { return v.Fetched.UTC().Format(time.RFC3339) }
	c.SameText = len(before) > 0 && bytes.Equal(before, after) && c.Before.Title == c.After.Title
	c.Diff = cli.UnifiedDiff(name(c.Before), before, name(c.After), after)
	return nil
}

// text returns the visible text of a version, a line for each block; nothing when its file is gone or is no page of text.
func (r *Report) text(ctx context.Context, x *extract.Extractor, v *Version) ([]byte, error) {
	name := filepath.FromSlash(v.File)
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("page %s: its file %q is outside of the job", v.url, v.File)
	}
	f, err := job.OpenFile(filepath.Join(r.Job, job.PagesDir, name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxBody))
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(v.media, "text/") && v.media != "text/html" {
		return decoded(body, v.charset), nil
	}
	h := http.Header{"Content-Type": {v.media}}
	if v.charset != "" {
		h.Set("Content-Type", v.media+"; charset="+v.charset)
	}
	text, err := x.Text(ctx, extract.Input{URL: v.url, Header: h, Body: body})
	if err != nil || text == "" {
		return nil, err
	}
	return []byte(text + "\n"), nil
}

// decoded returns a text in a charset as UTF-8, without its byte order mark; as it is where the charset is none that is known, or
// one in which browsers show nothing at all.
func decoded(text []byte, charset string) []byte {
	e, err := htmlindex.Get(charset)
	if err != nil || e == encoding.Replacement {
		return text
	}
	utf8, err := e.NewDecoder().Bytes(text)
	if err != nil {
		return text
	}
	return bytes.TrimPrefix(utf8, []byte("\ufeff"))
}
