package robots

import "strings"

// A Rel is what the rel attribute of a link asks of a crawler.
type Rel struct {
	NoFollow   bool // the author does not vouch for the target
	UGC        bool // a visitor wrote the link
	Sponsored  bool // the link is paid for
	NoReferrer bool // send no Referer
}

// LinkRel reads a rel attribute: terms in any letter case, between blanks or commas. Others are ignored.
func LinkRel(rel string) (r Rel) {
	for term := range strings.FieldsFuncSeq(rel, func(c rune) bool { return c <= ' ' || c == ',' }) {
		switch {
		case equalFold(term, "nofollow"):
			r.NoFollow = true
		case equalFold(term, "ugc"):
			r.UGC = true
		case equalFold(term, "sponsored"):
			r.Sponsored = true
		case equalFold(term, "noreferrer"):
			r.NoReferrer = true
		}
	}
	return r
}

// MayFollow reports whether the link may be queued from the page it is on. Links of visitors and paid ones are not.
func (r Rel) MayFollow() bool { return !r.NoFollow && !r.UGC && !r.Sponsored }
