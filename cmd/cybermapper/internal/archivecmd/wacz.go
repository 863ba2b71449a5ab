package archivecmd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/storage/wacz"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// maxPage bounds a page whose title and text are looked for.
const maxPage = 16 << 20

func newWACZCommand() *cobra.Command {
	var dirs []string
	var title, description string
	cmd := &cobra.Command{
		Use:   "wacz [FILE...] OUT.wacz",
		Short: "Pack WARC files as a WACZ, which ReplayWeb.page and others open",
		Long: `Packs WARC files, or the archives of jobs, into OUT.wacz, as WACZ 1.1.1 has it:
the files as they are, a compressed index, and the list of pages with their
titles. Seeds are listed first where the archive says which they are.

The same files give the same bytes, whenever and wherever they are packed. What
is damaged stays in the WARC file but is not listed.
` + damageHelp,
		Example: `  cybermapper archive wacz --job JOB site.wacz
  cybermapper archive wacz --job JOB --job ANOTHER both.wacz
  cybermapper archive wacz a.warc.gz b.warc.gz both.wacz --title "Two crawls"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.UsageError("cybermapper archive wacz --job JOB site.wacz", "where to write is missing")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			last := len(args) - 1
			o := wacz.Options{Title: title, Description: description, Software: "cybermapper/" + cli.ReadBuild().Version}
			return cli.Trouble(pack(cmd.Context(), args[:last], dirs, args[last], o, cmd.OutOrStdout(), cmd.ErrOrStderr()))
		},
	}
	fileFlags(cmd, &dirs)
	cmd.Flags().StringVar(&title, "title", "", "of the archive")
	cmd.Flags().StringVar(&description, "description", "", "of the archive")
	return cmd
}

func pack(ctx context.Context, args, dirs []string, out string, o wacz.Options, w, warnings io.Writer) error {
	files, err := filesOf(args, dirs)
	if err != nil {
		return err
	}
	if filepath.Ext(out) != ".wacz" {
		return cli.UsageError("the last argument is the file to write", "%s: expected a name that ends in .wacz", out)
	}
	o.Page = newPageReader().read
	o.Damaged = func(e *warc.FormatError) { fmt.Fprintf(warnings, "cybermapper: warning: not listed: %v\n", e) }
	var s wacz.Summary
	err = job.Replace(out, func(f *os.File) (err error) {
		o.TempDir = filepath.Dir(f.Name())
		b := bufio.NewWriterSize(f, 256<<10)
		if s, err = wacz.Write(ctx, b, files, o); err != nil {
			return err
		}
		return b.Flush()
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: %s, %s, %s of them as seeds, in %s\n", out, say.Plural(s.Captures, "capture"),
		say.Plural(int64(s.Pages), "page"), say.Count(int64(s.Seeds)), say.Plural(int64(len(files)), "WARC file"))
	return damagedError(warnings, s.Damaged)
}

// A pageReader finds titles and texts of pages.
type pageReader struct {
	extractor *extract.Extractor
	decoder   *fetch.BodyDecoder
}

func newPageReader() *pageReader {
	return &pageReader{extract.New(extract.Options{}), fetch.NewBodyDecoder(maxPage)}
}

// read is for wacz.Options.Page.
func (p *pageReader) read(ctx context.Context, rec *warc.Record) (title, text string, ok bool, err error) {
	if !rec.IsHTTP() {
		return "", "", false, nil
	}
	m, err := warc.ReadMessage(rec.Block)
	if isDamage(err) {
		return "", "", false, err
	}
	if err != nil || m.Status != http.StatusOK {
		return "", "", false, nil
	}
	h := http.Header{}
	for _, f := range m.Header {
		h.Add(f.Name, f.Value)
	}
	if !extract.MayBeHTML(h) {
		return "", "", false, nil
	}
	encoded, err := io.ReadAll(io.LimitReader(m.Payload, maxPage))
	if err != nil {
		return "", "", false, err
	}
	body, _, err := p.decoder.Decode(ctx, h, encoded)
	if err != nil {
		return "", "", false, err
	}
	page, err := p.extractor.Page(ctx, extract.Input{URL: rec.URI(), Header: h, Body: body})
	if err != nil {
		return "", "", false, err
	}
	if !page.HTML {
		return "", "", false, nil
	}
	text, err = p.extractor.Text(ctx, extract.Input{URL: rec.URI(), Header: h, Body: body})
	return page.Title, text, true, err
}
