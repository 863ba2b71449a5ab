package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// What makes a block a list of links: so many of them at least, so much of its text, and neither a line with as much text that is
// no link as a paragraph has that tells something, nor the title of the page.
const (
	leastLinks  = 3
	leastLinked = 2 // thirds
)

// maxLists bounds the lists of links that are known of a page.
const maxLists = 1_000

// A measure is of the text up to somewhere.
type measure struct {
	text, linked int // bytes, and those of them in links
	links        int // that have ended
}

// measureText takes in what was written since before: nothing, if there is no room for the next word.
func (r *contentReader) measureText(before int) {
	now := r.text.Len()
	if now == before {
		return
	}
	if r.now.link {
		r.measured.linked += now - before
		r.run = now
		return
	}
	if before == 0 || r.text.String()[before] == '\n' {
		r.run = before
	}
	if now-r.run < shortest {
		return
	}
	if s := &r.segments[len(r.segments)-1]; !s.tells {
		s.tells, s.told = true, r.run
	}
	for i := range slices.Backward(r.open) {
		e := &r.open[i]
		if e.tells {
			break // as does all that is around it
		}
		e.tells = now-max(r.run, e.from.text) >= shortest
	}
}

// tellAll takes in that all elements that are open tell something.
func (r *contentReader) tellAll() {
	for i := range r.open {
		r.open[i].tells = true
	}
}

// measure returns the measure of the text so far.
func (r *contentReader) measure() measure {
	return measure{r.text.Len(), r.measured.linked, r.measured.links}
}

// noteList takes in an element that ends. Of a list of links those in it are parts.
func (r *contentReader) noteList(e *surrounding) {
	now := r.measure()
	text, linked, links := now.text-e.from.text, now.linked-e.from.linked, now.links-e.from.links
	if e.tells || links < leastLinks || linked*3 < text*leastLinked || !holdsList(e.tag) {
		return
	}
	for n := len(r.lists); n > 0 && r.lists[n-1].Start >= e.from.text; n = len(r.lists) {
		r.lists = r.lists[:n-1]
	}
	if len(r.lists) < maxLists {
		r.lists = append(r.lists, Range{e.from.text, now.text})
	}
}

// holdsList reports whether an element may be a list as a whole. Items, cells and paragraphs are part of what is around them, as
// what a table about a function names as its relatives.
func holdsList(tag atom.Atom) bool {
	switch tag {
	case atom.Div, atom.Ul, atom.Ol, atom.Dl, atom.Dir, atom.Menu, atom.Table, atom.Form, atom.Center, atom.Section, atom.Aside,
		atom.Header, atom.Details:
		return true
	}
	return false
}

// postponed returns the segments of the main text in the order in which it is to be read, and which is the first of those that come
// last: lists of links that stand before the first text that tells something. Most of these are menus and tables of contents that
// nothing else tells from the text, the same on each page of a site. No word is lost, whatever they are, but excerpts begin with
// what the page itself says.
func (r *contentReader) postponed(segments []segment) (ordered []segment, first int) {
	told := slices.IndexFunc(segments, func(s segment) bool { return s.tells })
	if told < 0 {
		return segments, len(segments)
	}
	lists := r.lists
	now, later := make([]segment, 0, len(segments)), []segment(nil)
	for _, s := range segments {
		s.apart = s.apart || len(later) > 0 && later[len(later)-1].end == s.start
		for s.start < s.end {
			for len(lists) > 0 && lists[0].End <= s.start {
				lists = lists[1:]
			}
			part := s
			switch {
			case len(lists) == 0 || lists[0].Start >= min(s.end, segments[told].told):
				now = append(now, part)
			case lists[0].Start > s.start:
				part.end = lists[0].Start
				now = append(now, part)
			default:
				part.end, part.apart = min(lists[0].End, s.end), true
				later = append(later, part)
			}
			s.start, s.apart = part.end, true
		}
	}
	return append(now, later...), len(now)
}

// joinAt writes a part of the text behind what was written.
func joinAt(b *strings.Builder, all string, s *segment) {
	if b.Len() == 0 || s.apart { // what parts it from the text before goes with that
		for s.start < s.end && isSpace(all[s.start]) {
			s.start++
		}
		if b.Len() > 0 && s.start < s.end {
			b.WriteByte('\n')
		}
	}
}
