package robots

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
	lengths []int                // of the tokens, each once
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
	rec := record{reader: r, byToken: map[string][]mention{}}
	lengths := map[int]bool{}
	for i, s := range r.sections {
		for _, n := range s.names {
			token := lowerASCII(n.token)
			rec.byToken[token] = addMention(rec.byToken[token], mention{i, n.leniency})
			lengths[len(token)] = true
		}
	}
	rec.lengths = slices.Sorted(maps.Keys(lengths))
	return rec
}

// Names returns every name of a robot that a reading of the dialect takes from a user-agent line, in lower case, sorted, each
// once, without "*". In Std1994 that is every word, so that there are names among them which RFC 9309 does not know.
func (x *Register) Names() []string {
	names := map[string]bool{}
	for _, rec := range x.records {
		for token := range rec.byToken {
			names[token] = true
		}
	}
	delete(names, "*")
	return slices.Sorted(maps.Keys(names))
}

// Audience returns a key that products have in common if the same groups name them in the same way: they have the same Rules.
// That of a product that nobody names is empty.
func (x *Register) Audience(product string) string {
	var key strings.Builder
	for i, m := range x.mentions(product) {
		for j, list := range [...][]mention{m.own, m.part} {
			for _, one := range list {
				fmt.Fprintf(&key, "%d.%d.%d%s ", i, j, one.section, one.leniency)
			}
		}
	}
	return key.String()
}

// Rules returns what File.Rules does.
func (x *Register) Rules(product string) *Rules {
	if x.file == nil {
		return DenyAll(ReasonUnknown)
	}
	var hearings []hearing
	for i, m := range x.mentions(product) {
		rec := &x.records[i]
		hearings = append(hearings, rec.join(m.own, rec.byToken["*"], m.part))
	}
	return x.file.rules(hearings)
}

// mentionsOf are the sections of a reading that name a product, and those that name a part of it.
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

// within returns the sections with tokens that are parts of product and name it.
func (rec *record) within(product string, names func(d Dialect, token, product string) bool) []mention {
	var found []mention
	add := func(token string) {
		if token != "*" && names(rec.dialect, token, product) {
			found = append(found, rec.byToken[token]...)
		}
	}
	if len(product) > maxPart {
		for token := range rec.byToken {
			if strings.Contains(product, token) {
				add(token)
			}
		}
	} else {
		seen := map[string]bool{}
		for _, n := range rec.lengths {
			for i := 0; i+n <= len(product); i++ {
				if token := product[i : i+n]; rec.byToken[token] != nil && !seen[token] {
					seen[token] = true
					add(token)
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b mention) int { return a.section - b.section })
	var list []mention
	for _, m := range found {
		list = addMention(list, m)
	}
	return list
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
