package audit

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// A bundle is what is to be known of an incident: for each operator whose robots broke rules a folder with a letter, what its
// robots did, and the lines of the log that the letter cites; no lines of anybody else.
type bundle struct {
	text   map[citation]string
	fields map[citation]citation // where the fields of a line are named, for logs that do so
}

// A citation is a line that is cited.
type citation struct {
	file string
	line int64
}

// An operated is the robots of one operator that broke rules.
type operated struct {
	name   string
	folder string
	robots []audit.Robot
}

// operators returns who gets a letter. Who borrows a name gets none: it is not known who that is.
func operators(r *audit.Report) (list []operated) {
	for _, one := range r.Robots {
		if len(one.Faults) == 0 || one.Identity == audit.Disproved {
			continue
		}
		name := one.Token
		if one.About != nil && one.About.Owner != "" && !strings.HasPrefix(one.About.Owner, "whoever") {
			name = one.About.Owner
		}
		i := slices.IndexFunc(list, func(o operated) bool { return strings.EqualFold(o.name, name) })
		if i < 0 {
			list = append(list, operated{name: name, folder: freeFolder(list, folderName(name))})
			i = len(list) - 1
		}
		list[i].robots = append(list[i].robots, one)
	}
	return list
}

// freeFolder returns a name of a folder that no other operator has, be it in other letter case.
func freeFolder(list []operated, name string) string {
	free := name
	for n := 2; slices.ContainsFunc(list, func(o operated) bool { return strings.EqualFold(o.folder, free) }); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// folderName makes a name of a folder.
func folderName(name string) string {
	return cmp.Or(strings.Trim(strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}, say.Shorten(name, 60)), "-"), "robot")
}

// cited returns the lines that stand as evidence against robots.
func cited(robots []audit.Robot) (list []citation) {
	for _, one := range robots {
		evidence := slices.Concat(one.Disallowed.Evidence, one.Pace.Evidence)
		if one.Asking.FirstLine != nil {
			evidence = append(evidence, *one.Asking.FirstLine)
		}
		for _, e := range evidence {
			list = append(list, citation{e.File, e.Line})
		}
	}
	return list
}

// visited returns the lines of the visitor whose visits are told.
func visited(r *audit.Report) (list []citation) {
	if r.Visitor == nil {
		return nil
	}
	for _, s := range r.Visitor.Sessions {
		for _, step := range s.Steps {
			list = append(list, citation{step.File, step.Line})
		}
	}
	return list
}

// collect reads the lines that are cited, from the logs.
func (b *bundle) collect(r *audit.Report, sources []accesslog.Source) error {
	b.text, b.fields = map[citation]string{}, map[citation]citation{}
	wanted := map[string]map[int64]bool{}
	want := func(list []citation) {
		for _, c := range list {
			if wanted[c.file] == nil {
				wanted[c.file] = map[int64]bool{}
			}
			wanted[c.file][c.line] = true
		}
	}
	for _, o := range operators(r) {
		want(cited(o.robots))
	}
	want(visited(r))
	for _, s := range sources {
		if lines := wanted[s.Name]; lines != nil {
			if err := b.collectFrom(s, lines); err != nil {
				return fmt.Errorf("read %s again: %w", s.Name, err)
			}
		}
	}
	return nil
}

func (b *bundle) collectFrom(s accesslog.Source, lines map[int64]bool) error {
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	text := bufio.NewReaderSize(in, accesslog.MaxLine)
	fields := int64(0)
	for n, left := int64(1), len(lines); left > 0; n++ {
		line, err := text.ReadSlice('\n')
		if bytes.HasPrefix(line, []byte("#Fields:")) { // without it the lines after it mean nothing
			fields = n
			b.text[citation{s.Name, n}] = strings.TrimRight(string(line), "\r\n")
		}
		if lines[n] && fields > 0 {
			b.fields[citation{s.Name, n}] = citation{s.Name, fields}
		}
		if lines[n] {
			b.text[citation{s.Name, n}] = strings.TrimRight(string(line), "\r\n")
			left--
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = text.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// extract returns lines of the log as they stand there.
func (b *bundle) extract(list []citation) []byte {
	list = slices.Clone(list)
	for _, c := range list {
		if fields, ok := b.fields[c]; ok {
			list = append(list, fields)
		}
	}
	slices.SortFunc(list, func(x, y citation) int { return cmp.Or(cmp.Compare(x.file, y.file), cmp.Compare(x.line, y.line)) })
	var out bytes.Buffer
	file := ""
	for _, c := range slices.Compact(list) {
		if c.file != file {
			file = c.file
			fmt.Fprintf(&out, "# %s\n", say.Printable(file))
		}
		fmt.Fprintf(&out, "%d\t%s\n", c.line, strings.ReplaceAll(b.text[c], "\r", "\uFFFD"))
	}
	return out.Bytes()
}

// write writes the bundle as a zip file.
func (b *bundle) write(cmd *cobra.Command, name string, r *audit.Report) error {
	public := withoutNotes(r)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	add := func(file string, write func(w io.Writer) error) error {
		w, err := z.CreateHeader(&zip.FileHeader{Name: file, Method: zip.Deflate, Modified: r.To})
		if err == nil {
			err = write(w)
		}
		if err != nil {
			return fmt.Errorf("write %s in %s: %w", file, name, err)
		}
		return nil
	}
	letters := operators(r)
	err := add("README.txt", func(w io.Writer) error { writeSteps(w, r, letters); return nil })
	for i, o := range operators(public) {
		err = errors.Join(err,
			add(o.folder+"/letter.txt", func(w io.Writer) error { writeLetter(w, r, letters[i]); return nil }),
			add(o.folder+"/report.txt", func(w io.Writer) error { writeRobots(w, r, o); return nil }),
			add(o.folder+"/report.json", func(w io.Writer) error { return cli.EncodeJSON(w, o.robots) }),
			add(o.folder+"/access.log.txt", func(w io.Writer) error { _, err := w.Write(b.extract(cited(o.robots))); return err }))
	}
	if r.Visitor != nil {
		err = errors.Join(err,
			add("visitor/visits.txt", func(w io.Writer) error { printer{w: w}.visitor(r.Visitor); return nil }),
			add("visitor/access.log.txt", func(w io.Writer) error { _, err := w.Write(b.extract(visited(r))); return err }))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		return err
	}
	return writeFile(cmd, name, "the bundle", out.Bytes())
}

// writeSteps says whom to write to, one after the other. A name that can be checked and was not is checked first, and nothing is
// blocked for it.
func writeSteps(w io.Writer, r *audit.Report, letters []operated) {
	p := printer{w: w}
	if len(letters) == 0 {
		p.line("No robot broke a rule under its own name, as far as the log shows: there is nobody to write to.")
		return
	}
	p.line("One folder for each operator: send its letter, with the files beside it, and nothing of another folder.\nThe files " +
		"have lines of its robots only. If nobody answers in a week, take the next step.")
	for _, o := range letters {
		p.line("\n%s", o.folder)
		for _, one := range o.robots {
			step := 1
			say := func(format string, args ...any) {
				p.line("  %d. "+format, append([]any{step}, args...)...)
				step++
			}
			isDoubtful := slices.ContainsFunc(r.Standings, func(s audit.Standing) bool {
				return s.Name == one.Token && s.Verdict == audit.VerdictDoubtful
			})
			if isDoubtful {
				say("check the name, which may be borrowed: --ranges, --dns")
			}
			if to := one.Reach(); to != "" {
				say("%s: %s", one.Token, to)
				if domain := domainOf(to); domain != "" {
					say("its postmaster: postmaster@%s", domain)
				}
			}
			if h, client := one.HeldBy(); h != nil && h.Contact != "" {
				say("the network of %s: %s", client, h.Contact)
			} else if one.Whois != "" {
				say("the network's abuse address, which tells: %s", one.Whois)
			}
			if !isDoubtful {
				say("block it: see what to paste in the report")
			}
		}
	}
}

// domainOf returns the domain of a mail address or a URL.
func domainOf(to string) string {
	if _, domain, ok := strings.Cut(to, "@"); ok && !strings.Contains(to, "/") {
		return domain
	}
	if _, rest, ok := strings.Cut(to, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		return strings.TrimPrefix(host, "www.")
	}
	return ""
}

// writeRobots prints what the robots of one operator did.
func writeRobots(w io.Writer, r *audit.Report, o operated) {
	p := printer{w: w}
	p.line("%s to %s UTC", timeText(r.From), timeText(r.To))
	for _, one := range o.robots {
		p.robot(one, r.HasRules)
	}
}

// writeLetter drafts a letter to an operator. It tells what the log shows and asks; it accuses nobody.
func writeLetter(w io.Writer, r *audit.Report, o operated) {
	p := printer{w: w}
	p.line("Subject: your robot on our site, %s to %s UTC", timeText(r.From), timeText(r.To))
	p.letterAddresses(o.robots)
	p.line("\nHello,\n\nour access log shows requests of a robot that gives your name. The name may be borrowed; if it is not " +
		"yours,\nplease tell us. This is what we saw; the lines of the log are in access.log.txt, all figures in report.json.")
	for _, one := range o.robots {
		p.letterRobot(one)
	}
	p.line("\nDid we misread something? Otherwise we should be glad if you could look into it.\n\nWhen we noticed: \nWhat it " +
		"did to our server: \nWhat we have done so far: \n\nYours,")
	p.letterNotes(o.robots)
}

// letterRobot says what one robot did.
func (p printer) letterRobot(r audit.Robot) {
	p.line("\n%s, from %s\n(%s)", robotName(r), addressesText(r), r.Agent)
	p.holders(r)
	if r.Disallowed.Count > 0 {
		p.line("- %s for what our robots.txt disallows, whoever reads it (%s), among them",
			say.Plural(r.Disallowed.Count, "request"), r.Disallowed.Evidence[0].Reading)
		p.evidence(r.Disallowed.Evidence, r.Disallowed.Count)
	}
	for _, f := range r.Faults {
		if f.Code == audit.FaultDelay {
			p.line("- %s after pauses shorter than the %s that our robots.txt asks for, the shortest %s, among them",
				say.Plural(f.Count, "request"), say.Seconds(r.Pace.Asked), say.Seconds(r.Pace.ShortestGap))
			p.evidence(r.Pace.Evidence, r.Pace.Broken)
		}
	}
	if r.Burden != nil && r.Burden.Suffered {
		p.line("- %s", r.Burden.Verdict)
	}
	if r.Asking.Unasked > 0 {
		p.line("- robots.txt was %s", askingText(r.Asking))
	}
}
