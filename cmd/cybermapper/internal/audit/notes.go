package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// maxNotes is how long a file of notes may be.
const maxNotes = 16 << 20

// readRoster returns what is known of robots: the bundled records, and those of the files, of which the one that notes are to be
// written to need not be there yet.
func readRoster(cmd *cobra.Command, names []string, written string) (*roster.List, error) {
	sources := [][]roster.Record{roster.Bundled()}
	for _, name := range names {
		if name == written && isMissing(name) {
			continue
		}
		records, err := readNotes(cmd, "--notes", name)
		if err != nil {
			return nil, err
		}
		sources = append(sources, records)
	}
	return roster.NewList(sources...), nil
}

// readNotes reads the records of a file, all of which must be in order.
func readNotes(cmd *cobra.Command, flag, name string) ([]roster.Record, error) {
	data, err := cli.ReadInput(cmd, name, maxNotes+1)
	if err != nil {
		return nil, err
	}
	if len(data) > maxNotes {
		return nil, cli.UsageError("", "%s %s: longer than %s", flag, name, say.Bytes(maxNotes))
	}
	records, problems := roster.Parse(data)
	if len(problems) > 0 {
		return nil, cli.UsageError("records consist of lines \"robot-id: token\", \"robot-owner-name: ...\", with a blank line "+
			"between records",
			"%s %s: %w", flag, name, problems[0])
	}
	return records, nil
}

// A notebook is the file of --write-notes.
type notebook struct {
	name    string
	records []roster.Record
}

// openNotebook reads what the file has already; nil without a name. A file that is not there has nothing.
func openNotebook(cmd *cobra.Command, name string) (*notebook, error) {
	switch name {
	case "":
		return nil, nil
	case "-":
		return nil, cli.UsageError("", "--write-notes needs a file: it is read before it is written")
	}
	n := &notebook{name: name}
	if isMissing(name) {
		return n, nil
	}
	var err error
	n.records, err = readNotes(cmd, "--write-notes", name)
	return n, err
}

func isMissing(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// write notes the robots of the report that nobody knows, and those that the file has, and says so. It replaces the file as a
// whole, if there is something new.
func (n *notebook) write(cmd *cobra.Command, r *audit.Report, known *roster.List, quiet bool) error {
	own := roster.NewList(n.records)
	var seen []roster.Sighting
	fresh := 0
	for _, s := range r.Sightings() {
		has := own.Find(s.Token) != nil
		if !has && known.Find(s.Token) != nil {
			continue
		}
		if !has {
			fresh++
		}
		seen = append(seen, s)
	}
	before, after := roster.Format(n.records), roster.Format(roster.Note(n.records, seen))
	if !bytes.Equal(before, after) {
		if err := job.WriteFile(n.name, after); err != nil {
			return fmt.Errorf("write notes: %w", err)
		}
	}
	if !quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s new, %d seen again\n", n.name, say.Plural(fresh, "robot"), len(seen)-fresh)
	}
	return nil
}
