package lint

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// File looks at a robots.txt file, whatever its bytes are.
func File(body []byte, o Options) Report {
	o = o.withDefaults()
	if o.Absent {
		l := &linter{Options: o, counts: map[Code]int{}}
		l.file("no-file", "Robots take a missing file (status 404) as leave to visit everything, and ask again next time.",
			"Put an empty file, or one that holds comments only, at /robots.txt; it means the same and keeps the error log clean.")
		return l.report(nil, 0)
	}
	l := &linter{Options: o, source: newSource(body), counts: map[Code]int{}}
	l.groups = l.source.groups()
	l.families = families(l.groups)
	if l.checkBinary(body) {
		return l.report(body, len(l.lines))
	}
	l.checkBytes(body)
	if l.checkHTML() {
		return l.report(body, len(l.lines))
	}
	for _, line := range l.lines {
		l.checkLine(line)
	}
	l.checkGroups()
	l.checkRules()
	l.checkReadings()
	l.checkURLs()
	r := l.report(body, len(l.lines))
	r.Robots = l.robotTable()
	return r
}

// markFixable marks the findings that are not there any more once the file is fixed.
func (r *Report) markFixable(body []byte, o Options) {
	fixed := Fix(body, o)
	if bytes.Equal(fixed, body) {
		return
	}
	o.Fixable, o.MaxPerCode = false, math.MaxInt
	type place struct {
		code Code
		text string
	}
	left := map[place]int{}
	for _, f := range File(fixed, o).Findings {
		left[place{f.Code, f.Text}]++
	}
	for i := len(r.Findings) - 1; i >= 0; i-- {
		f := &r.Findings[i]
		if at := (place{f.Code, f.Text}); left[at] > 0 {
			left[at]--
		} else {
			f.Fixable = infoOf(f.Code).Fixable
		}
	}
}

// A linter collects findings.
type linter struct {
	Options
	*source
	groups   []group
	families map[int]*family // of the groups, by number
	findings []Finding
	counts   map[Code]int
}

func (l *linter) report(body []byte, lines int) Report {
	slices.SortStableFunc(l.findings, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	r := Report{Findings: l.findings, Counts: l.counts, Bytes: len(body), Lines: lines}
	if l.Fixable {
		r.markFixable(body, l.Options)
	}
	if !l.Absent {
		r.Digest = l.source.file.Digest()
	}
	return r
}

// add adds a finding about a line; the zero line is the file.
func (l *linter) add(code Code, at line, message, advice string) {
	info := infoOf(code)
	l.addAs(code, info.Severity, at, message, advice)
}

// addAs is add with another severity than the usual one.
func (l *linter) addAs(code Code, s Severity, at line, message, advice string) {
	if l.counts[code]++; l.counts[code] > l.MaxPerCode {
		return
	}
	f := Finding{Code: code, Severity: s, Line: at.Number, Text: quote(at.raw), Message: message, Advice: advice}
	l.findings = append(l.findings, f)
}

// file adds a finding about the whole file.
func (l *linter) file(code Code, message, advice string) { l.add(code, line{}, message, advice) }

// checkBytes looks at the file as bytes: its size, its encoding, its line ends.
func (l *linter) checkBytes(body []byte) {
	switch {
	case l.bom == "\xfe\xff" || l.bom == "\xff\xfe":
		l.file("utf16", "RFC 9309 wants UTF-8. Robots that do not look at the byte order mark read nothing of this file.",
			"Save the file as UTF-8.")
	case l.bom != "":
		l.file("bom", "Most robots skip it; those that do not lose the first line.",
			"Save the file as UTF-8 without byte order mark.")
	}
	l.checkSize(body)
	ends := map[string]int{}
	for _, line := range l.lines {
		if line.end != "" {
			ends[line.end]++
		}
	}
	if ends["\r"] > 0 || len(ends) > 1 {
		l.file("line-ends", fmt.Sprintf("%d lines end with LF, %d with CRLF, %d with CR. RFC 9309 allows all of them; editors "+
			"and simple robots trip over the mixture.",
			ends["\n"], ends["\r\n"], ends["\r"]), "Save the file with one kind of line end.")
	}
}

// nearLimit is the size from which a file is said to be too near to robots.MaxBytes.
const nearLimit = robots.MaxBytes / 10 * 9

func (l *linter) checkSize(body []byte) {
	switch {
	case len(body) > robots.MaxBytes:
		from := "what comes after this line does not count"
		if l.lines[len(l.lines)-1].Role == robots.RoleCut {
			from = "this line, which goes on beyond that, and what comes after it do not count"
		}
		l.add("over-limit", line{Line: robots.Line{Number: len(l.lines)}},
			fmt.Sprintf("The file has %d bytes. Robots must read the first %d only (RFC 9309 section 2.5): %s.",
				len(body), robots.MaxBytes, from),
			"Shorten the file: directories in place of single pages, one group for all robots that are treated alike.")
	case len(body) > nearLimit:
		l.file("near-limit", fmt.Sprintf("The file has %d bytes; robots must read the first %d only (RFC 9309 section 2.5).",
			len(body), robots.MaxBytes),
			"Shorten the file: directories in place of single pages, one group for all robots that are treated alike.")
	}
}

// checkBinary reports whether the file begins as a picture, an archive or another kind of file that is no text; then there is
// nothing more to say.
func (l *linter) checkBinary(body []byte) bool {
	kind := http.DetectContentType(body)
	if strings.HasPrefix(kind, "text/") || kind == "application/octet-stream" || l.rules() > 0 {
		return false
	}
	// A text may begin with the letters BM, too, or OTTO; what these stand for has bytes soon that no text has.
	if body[0] != '%' && strings.HasPrefix(http.DetectContentType(body[1:]), "text/") {
		return false
	}
	l.file("binary", fmt.Sprintf("It begins as %s does. Robots find no rule in it and visit everything.", kind),
		"Serve a plain text file at /robots.txt; what is packed needs a Content-Encoding.")
	return true
}

// isOther reports whether a file is something else than a robots.txt file: a web page, a picture.
func isOther(body []byte) bool {
	l := &linter{source: newSource(body), counts: map[Code]int{}}
	l.groups = l.source.groups()
	return l.checkBinary(body) || l.checkHTML()
}

// rules returns how many rules all groups have together.
func (l *linter) rules() (n int) {
	for _, g := range l.groups {
		n += len(g.rules)
	}
	return n
}

// checkHTML reports whether the file is a web page; then there is nothing more to say.
func (l *linter) checkHTML() bool {
	start := strings.ToLower(l.text[:min(len(l.text), 2048)])
	trimmed := strings.TrimLeft(start, " \t\r\n")
	begins := func(tag string) bool { return strings.HasPrefix(trimmed, tag) }
	page := slices.ContainsFunc([]string{"<!doctype", "<?xml", "<meta", "<title", "<script", "<style", "<iframe"}, begins) ||
		strings.Contains(start, "<html") || strings.Contains(start, "<head>") || strings.Contains(start, "<body")
	if !page {
		return false
	}
	message := "Robots find no rule in it and visit everything."
	if rules := l.rules(); rules > 0 {
		message = fmt.Sprintf("Robots skip what is no field and obey the %d rules that they find among the markup; other tools "+
			"refuse the file.", rules)
	}
	advice := "Serve a plain text file at /robots.txt; if there is none to serve, answer 404."
	l.file("html", message, advice)
	return true
}
