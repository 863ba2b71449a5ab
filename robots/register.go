package robots

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Register is a file sorted by whom it speaks to, for those who ask about many products: it has read the file once, where
// File.Rules reads it for each of them. It does not change, and may be used concurrently.
type Register struct {
	file    *File
	records []record // one per reading, as File.read returns them
}

// A record is one reading of a file, sorted.
type record struct {
	*reader
	byToken map[string][]mention // in lower case
	written map[string]string    // the tokens by byToken's, as they are written where they stand first
	lengths []int                // of the tokens, each once
	star    voice                // of the groups that name "*"
}

// Said is what a file says to a product, before anything is made of it.
type Said struct {
	Rules     []Rule        // all of them, those too that never decide; not to be changed
	Delay     time.Duration // as of Rules.Delay
	DelayLine int
}

// Alike reports whether two robots are told the same in the same words: they have the same verdict on every path, and the same
// pause, though other lines may say so.
func (s Said) Alike(o Said) bool {
	alike := func(a, b Rule) bool { return a.Allow == b.Allow && a.Pattern == b.Pattern }
	return s.Delay == o.Delay && slices.EqualFunc(s.Rules, o.Rules, alike)
}

// maxPart is up to which length all parts of a product are looked up, rather than all tokens looked for.
const maxPart = 64

// Register sorts the file. A nil File has a Register in which nobody is named, and everything is forbidden.
func (f *File) Register() *Register {
	if f == nil {
		return &Register{}
	}
	x := &Register{file: f}
	for _, r := range f.read("", nil) {
		x.records = append(x.records, newRecord(r))
	}
	return x
}

func newRecord(r *reader) record {
	rec := record{reader: r, byToken: map[string][]mention{}, written: map[string]string{}}
	lengths := map[int]bool{}
	for i, g := range r.groups {
		for _, n := range g.names {
			token := lowerASCII(n.token)
			rec.byToken[token] = addMention(rec.byToken[token], mention{i, n.leniency})
			if rec.written[token] == "" {
				rec.written[token] = n.token
			}
			lengths[len(token)] = true
		}
	}
	rec.star = r.join(nil, rec.byToken["*"], nil).all
	rec.lengths = slices.Sorted(maps.Keys(lengths))
	return rec
}

// Names returns every name of a robot that a reading of the dialect takes from a user-agent line, each once, as it is written
// where it stands first, without "*" and sorted without regard to case. In Std1994 that is every word. A name
// need not be a product token: robots are called MJ12bot.
func (x *Register) Names() []string {
	written := map[string]string{}
	for i := range x.records {
		maps.Copy(written, x.records[len(x.records)-1-i].written)
	}
	delete(written, "*")
	names := make([]string, 0, len(written))
	for _, token := range slices.Sorted(maps.Keys(written)) {
		names = append(names, written[token])
	}
	return names
}

// Audience returns a key that products have in common if the same groups name them in the same way: they have the same Rules.
// That of a product that nobody names is empty.
func (x *Register) Audience(product string) string {
	var key []byte
	for i, m := range x.mentions(product) {
		for j, list := range [...][]mention{m.own, m.part} {
			for _, one := range list {
				key = append(key, byte('a'+2*i+j))
				key = strconv.AppendInt(key, int64(one.group), 36)
				key = append(key, one.leniency...)
			}
		}
	}
	return string(key)
}

// Audiences sorts products so that those in one audience have the same Rules in each of the registers. They stay in order.
func Audiences[R interface{ Audience(string) string }](products []string, registers ...R) (all [][]string) {
	place := map[string]int{}
	var key []byte
	for _, product := range products {
		key = key[:0]
		for _, x := range registers {
			key = append(append(key, x.Audience(product)...), '|')
		}
		at, known := place[string(key)]
		if !known {
			at = len(all)
			place[string(key)] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], product)
	}
	return all
}

// Rules returns what File.Rules does.
func (x *Register) Rules(product string) *Rules {
	if x.file == nil {
		return DenyAll(ReasonUnknown)
	}
	return x.file.rules(x.hear(x.mentions(product)))
}

// Said returns what File.Rules makes its Rules of. It is faster than Rules.
func (x *Register) Said(product string) Said {
	if x.file == nil {
		return Said{}
	}
	return x.said(x.hear(x.mentions(product)))
}

// SaidToPart returns what the file says, in Cautious, to a product that it does not name and of whose name this one, and no
// other in the file, is a part. Where several are parts, a path is closed to the product if what one of them says closes it.
func (x *Register) SaidToPart(name string) Said {
	if x.file == nil {
		return Said{}
	}
	all := make([]mentionsOf, len(x.records))
	for i := range x.records {
		if x.records[i].dialect == Cautious && len(name) >= minPart {
			all[i].part = x.records[i].byToken[lowerASCII(name)]
		}
	}
	return x.said(x.hear(all))
}

// Delay returns what Said does of the pause. It does not go over the rules, of which there may be many.
func (x *Register) Delay(product string) (d time.Duration, line int) {
	if x.file == nil {
		return 0, 0
	}
	var hearings []hearing
	for i, m := range x.mentions(product) {
		hearings = append(hearings, x.records[i].paces(m))
	}
	_, _, slowest := x.file.choose(hearings)
	return slowest.delay, slowest.line
}

// paces puts together the paces of what is said to a product, and nothing else.
func (rec *record) paces(m mentionsOf) hearing {
	of := func(list []mention) voice {
		v := voice{heard: len(list) > 0}
		for _, one := range list {
			v.pace.slowTo(rec.groups[one.group].pace)
		}
		return v
	}
	return hearing{own: of(m.own), part: of(m.part), all: voice{heard: rec.star.heard, pace: rec.star.pace}, global: &rec.global}
}

func (x *Register) said(hearings []hearing) Said {
	rules, _, slowest := x.file.choose(hearings)
	said := Said{Rules: make([]Rule, len(rules)), Delay: slowest.delay, DelayLine: slowest.line}
	for i := range rules {
		said.Rules[i] = rules[i].export(x.file.dialect)
	}
	return said
}

func (ru *ruleLine) export(d Dialect) Rule {
	pattern := string(appendPattern(make([]byte, 0, len(ru.path)+16), ru.path, d == Std1994))
	return Rule{Allow: ru.allow, Pattern: pattern, Line: ru.line, Text: ru.text, Leniency: ru.leniency}
}

// hear puts together what is said to a product in each reading, by the groups that mention it there.
func (x *Register) hear(mentions []mentionsOf) []hearing {
	hearings := make([]hearing, 0, len(mentions))
	for i, m := range mentions {
		rec := &x.records[i]
		h := rec.join(m.own, nil, m.part)
		h.all = rec.star
		hearings = append(hearings, h)
	}
	return hearings
}

// mentionsOf are the groups of a reading that name a product, and those that name a part of it.
type mentionsOf struct{ own, part []mention }

// mentions finds a product in each reading.
func (x *Register) mentions(product string) []mentionsOf {
	product = lowerASCII(productToken(product))
	all := make([]mentionsOf, len(x.records))
	named := false
	for i := range x.records {
		if x.records[i].dialect == Std1994 {
			all[i].own = x.records[i].within(product, Dialect.names)
		} else if product != "*" {
			all[i].own = x.records[i].byToken[product]
		}
		named = named || all[i].own != nil
	}
	for i := range x.records {
		if !named && x.records[i].dialect == Cautious {
			all[i].part = x.records[i].within(product, Dialect.namesPart)
		}
	}
	return all
}

// within returns the groups with tokens that are parts of product and name it.
func (rec *record) within(product string, names func(d Dialect, token, product string) bool) []mention {
	var runs [][]mention
	add := func(token string) {
		if token != "*" && names(rec.dialect, token, product) {
			runs = append(runs, rec.byToken[token])
		}
	}
	if len(product) > maxPart {
		for token := range rec.byToken {
			if strings.Contains(product, token) {
				add(token)
			}
		}
	} else {
		for _, n := range rec.lengths {
			for i := 0; i+n <= len(product); i++ {
				token := product[i : i+n]
				if rec.byToken[token] != nil && strings.Index(product, token) == i { // where it stands first
					add(token)
				}
			}
		}
	}
	switch len(runs) {
	case 0:
		return nil
	case 1:
		return runs[0]
	}
	// Those of each token are in order already, so that what is left is to merge them.
	for len(runs) > 1 {
		merged := runs[:0]
		for i := 0; i < len(runs); i += 2 {
			if i+1 == len(runs) {
				merged = append(merged, runs[i])
				break
			}
			merged = append(merged, mergeMentions(runs[i], runs[i+1]))
		}
		runs = merged
	}
	var list []mention
	for _, m := range runs[0] {
		list = addMention(list, m)
	}
	return list
}

// mergeMentions puts two lists together that are in order of their groups; of the same group what is in a comes first.
func mergeMentions(a, b []mention) []mention {
	all := make([]mention, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].group <= b[0].group {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// lowerASCII is strings.ToLower for ASCII letters only, as equalFold compares.
func lowerASCII(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				b[i] = lower(b[i])
			}
			return string(b)
		}
	}
	return s
}
