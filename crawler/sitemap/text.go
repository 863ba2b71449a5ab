package sitemap

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// text reads a URL per line. A file without any is none of ours.
func (p *parser) text(r *bufio.Reader) error {
	p.summary.Format = Text
	for {
		line, err := p.line(r)
		if err == nil || errors.Is(err, io.EOF) && !p.opts.Cut {
			if lerr := p.textLine(line); lerr != nil {
				return lerr
			}
		}
		switch {
		case errors.Is(err, io.EOF) && p.summary.Entries == 0 && p.summary.Skipped[LongLoc] == 0:
			p.summary.Format = ""
			return endf(Unknown, "neither XML nor a list of URLs")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// line reads a line up to its end, a line feed or a carriage return, and returns as much of it as may be a URL, and a byte more.
func (p *parser) line(r *bufio.Reader) (string, error) {
	var kept []byte
	for {
		c, err := r.ReadByte()
		if err != nil || c == '\n' || c == '\r' {
			return strings.TrimSpace(string(kept)), err
		}
		if len(kept) < p.opts.MaxLoc+3 { // with blanks
			kept = append(kept, c)
		}
	}
}

// textLine hands over the URL of a line.
func (p *parser) textLine(line string) error {
	switch {
	case line == "":
		return nil
	case !isURL(line):
		p.skip(NoLoc)
		return nil
	}
	return p.entry(Entry{Loc: line})
}

func isURL(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}
