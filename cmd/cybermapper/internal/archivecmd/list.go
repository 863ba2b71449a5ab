package archivecmd

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/storage/warc"
)

func newListCommand() *cobra.Command {
	var dirs []string
	var kind string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [FILE...]",
		Short: "List the records of WARC files",
		Long: `Prints a line for each record: its offset in the file, its type, its date, the
status and media type of an HTTP response, the length of its block, and its URL.
` + damageHelp,
		Example: `  cybermapper archive list a.warc.gz
  cybermapper archive list --type response --job JOB
  cybermapper archive list --json a.warc.gz | jq -r 'select(.status == 404) | .url'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Trouble(list(cmd.Context(), args, dirs, strings.ToLower(kind), cmd.OutOrStdout(), cmd.ErrOrStderr(), asJSON))
		},
	}
	fileFlags(cmd, &dirs)
	cmd.Flags().StringVar(&kind, "type", "", "only records of this type: response, revisit, request, metadata, ...")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per record")
	return cmd
}

// A listed record is a line of archive list --json.
type listed struct {
	File   string      `json:"file"`
	Offset int64       `json:"offset"`
	Length int64       `json:"length"` // of the block
	Type   string      `json:"type"`
	ID     string      `json:"id"`
	Date   time.Time   `json:"date,omitzero"`
	URL    string      `json:"url,omitempty"`
	Status int         `json:"status,omitempty"`
	Media  string      `json:"media_type,omitempty"`
	Fields warc.Fields `json:"fields"` // of the header
}

func list(ctx context.Context, args, dirs []string, kind string, w, warnings io.Writer, asJSON bool) error {
	files, err := filesOf(args, dirs)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	last := ""
	damaged, err := records(ctx, files, false, warnings, func(rec *warc.Record) error {
		l, err := listRecord(rec)
		if err != nil || kind != "" && l.Type != kind {
			return err
		}
		if asJSON {
			return encoder.Encode(l)
		}
		if len(files) > 1 && l.File != last {
			fmt.Fprintf(out, "%s:\n", l.File)
			last = l.File
		}
		l.print(out)
		return nil
	})
	if err = errors.Join(err, out.Flush()); err != nil {
		return err
	}
	return damagedError(warnings, damaged)
}

// listRecord reads a record.
func listRecord(rec *warc.Record) (listed, error) {
	l := listed{
		File: rec.File, Offset: rec.Offset, Length: rec.Length, Type: rec.Type(), ID: rec.ID(), Date: rec.Date(), URL: rec.URI(),
		Fields: rec.Header,
	}
	if rec.IsHTTP() && l.Type != warc.TypeRequest {
		m, err := warc.ReadMessage(rec.Block)
		if isDamage(err) {
			return l, err
		}
		if err == nil {
			l.Status, l.Media = m.Status, m.Type()
		}
	}
	_, err := rec.Finish()
	return l, err
}

func (l *listed) print(w io.Writer) {
	status := "-"
	if l.Status > 0 {
		status = fmt.Sprint(l.Status)
	}
	media := cmp.Or(l.Media, "-")
	fmt.Fprintf(w, "%12d  %-10s  %-20s  %3s  %-24s  %10d  %s\n", l.Offset, say.Printable(l.Type),
		l.Date.Format(time.RFC3339), status, say.Printable(media), l.Length, say.Printable(l.URL))
}
