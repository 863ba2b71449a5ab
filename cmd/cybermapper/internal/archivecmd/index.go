package archivecmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/storage/warc"
)

func newIndexCommand() *cobra.Command {
	var dirs []string
	var quick bool
	cmd := &cobra.Command{
		Use:   "index [FILE...]",
		Short: "Print the captures in WARC files as a sorted CDXJ index",
		Long: `Prints a line for each response, revisit and resource record: the key of its URL,
its time, and where it lies, sorted as pywb and other replay tools want it.

Visits that found a page unchanged (304) are listed as well. pywb shows nothing
for those: leave them out, as in the third example, of what you give to it.

The answer to a POST has the method and what was sent in its key, and is found by
players for such a request only.

Every record is read to its end, so that none is listed that is damaged. What is
damaged is skipped, with a warning that says where. Records that are compressed
together with others cannot be found by an index, and are skipped too.

--quick decompresses the head of a record only, if it can tell where the record
ends, which needs gzip and a digest in the header: several times as fast where
pages are large. Damage behind the head is not seen then, and what somebody has
put into a payload on purpose can be listed as a record. Use it for files that
are sound, of sites that you trust.
` + damageHelp,
		Example: `  cybermapper archive index a.warc.gz b.warc.gz > index.cdxj
  cybermapper archive index --job JOB | grep '"status":"404"'
  cybermapper archive index --job JOB | grep -v '"status":"304"' > index.cdxj`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Trouble(index(cmd.Context(), args, dirs, quick, cmd.OutOrStdout(), cmd.ErrOrStderr()))
		},
	}
	fileFlags(cmd, &dirs)
	cmd.Flags().BoolVar(&quick, "quick", false, "decompress only what the index is made of; see above")
	return cmd
}

// warnOfNames tells of files that an index cannot tell apart: it names them without their directory, as replay tools want it.
func warnOfNames(files []string, warnings io.Writer) {
	first := map[string]string{}
	for _, name := range files {
		base := filepath.Base(name)
		if other, ok := first[base]; ok {
			fmt.Fprintf(warnings, "cybermapper: warning: the index does not tell %s from %s: both are called %s\n",
				name, other, base)
			continue
		}
		first[base] = name
	}
}

func index(ctx context.Context, args, dirs []string, quick bool, w, warnings io.Writer) (err error) {
	files, err := filesOf(args, dirs)
	if err != nil {
		return err
	}
	warnOfNames(files, warnings)
	var lines warc.Sorter
	defer func() { err = errors.Join(err, lines.Close()) }()
	var line []byte
	indexer := warc.Indexer{Found: func(c *warc.Capture) error {
		line = c.AppendTo(line[:0])
		return lines.Add(line)
	}}
	damaged, err := records(ctx, files, quick, warnings, func(rec *warc.Record) error {
		return indexer.Add(rec, filepath.Base(rec.File))
	})
	if err == nil {
		err = indexer.Flush()
	}
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	err = lines.Each(func(line []byte) error {
		out.Write(line)
		return errors.Join(ctx.Err(), out.WriteByte('\n'))
	})
	if err = errors.Join(err, out.Flush()); err != nil {
		return err
	}
	return damagedError(warnings, damaged)
}
