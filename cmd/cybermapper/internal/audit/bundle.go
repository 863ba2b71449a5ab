package audit

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// maxExtract bounds the lines of the log in a bundle, so that it can be mailed.
const maxExtract = 16 << 20

// A bundle collects what is to be known of an incident: the lines of the log, the report, and a letter to the robot's owner.
type bundle struct {
	extract bytes.Buffer
	left    int64 // lines that did not fit
	file    string
}

// reset forgets what was kept.
func (b *bundle) reset() { *b = bundle{} }

// keep takes in a line. It is an audit.Options.Keep.
func (b *bundle) keep(file string, line int64, text []byte) {
	if b.extract.Len()+len(text) > maxExtract {
		b.left++
		return
	}
	if file != b.file {
		fmt.Fprintf(&b.extract, "# %s\n", file)
		b.file = file
	}
	fmt.Fprintf(&b.extract, "%d\t%s\n", line, text)
}

// write writes the bundle as a zip file.
func (b *bundle) write(cmd *cobra.Command, name string, r *audit.Report) error {
	if b.left > 0 {
		fmt.Fprintf(&b.extract, "# %s left out\n", say.Plural(b.left, "line"))
	}
	public := withoutNotes(r)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, part := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"letter.txt", func(w io.Writer) error { writeLetter(w, r); return nil }},
		{"report.txt", func(w io.Writer) error { printReport(w, public); return nil }},
		{"report.json", func(w io.Writer) error { return cli.EncodeJSON(w, public) }},
		{"access.log.txt", func(w io.Writer) error { _, err := w.Write(b.extract.Bytes()); return err }},
	} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: part.name, Method: zip.Deflate, Modified: r.To})
		if err == nil {
			err = part.write(w)
		}
		if err != nil {
			return fmt.Errorf("write %s in %s: %w", part.name, name, err)
		}
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return writeFile(cmd, name, "the bundle", out.Bytes())
}

// writeLetter drafts a letter to those whose robots broke rules. It tells what the log shows and asks; it accuses nobody.
func writeLetter(w io.Writer, r *audit.Report) {
	p := printer{w}
	p.line("Subject: your robot on our site, %s to %s UTC", timeText(r.From), timeText(r.To))
	p.letterAddresses(r)
	p.line("\nHello,\n\nour access log shows requests of a robot that gives your name. The name may be borrowed; if it is not yours,\nplease tell us. This is what we saw; the lines of the log are in access.log.txt, all figures in report.json.")
	for _, one := range r.Robots {
		if len(one.Faults) > 0 {
			p.letterRobot(one)
		}
	}
	p.line("\nDid we misread something? Otherwise we should be glad if you could look into it.\n\nWhen we noticed: \nWhat it did to our server: \nWhat we have done so far: \n\nYours,")
	p.letterNotes(r)
}

// letterRobot says what one robot did.
func (p printer) letterRobot(r audit.Robot) {
	p.line("\n%s, from %s\n(%s)", robotName(r), addressesText(r), r.Agent)
	p.holders(r)
	if r.Disallowed.Count > 0 {
		p.line("- %s for what our robots.txt disallows, among them", say.Plural(r.Disallowed.Count, "request"))
		p.evidence(r.Disallowed.Evidence, r.Disallowed.Count)
	}
	if r.Pace.Broken > 0 {
		p.line("- %s after pauses shorter than the %s that our robots.txt asks for, the shortest %s, among them",
			say.Plural(r.Pace.Broken, "request"), spanOf(r.Pace.Asked), spanOf(r.Pace.ShortestGap))
		p.evidence(r.Pace.Evidence, r.Pace.Broken)
	}
	if r.Burden != nil && r.Burden.Suffered {
		p.line("- %s", r.Burden.Verdict)
	}
	if r.Asking.Unasked > 0 {
		p.line("- robots.txt was %s", askingText(r.Asking))
	}
}
