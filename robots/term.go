package robots

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const (
	// MaxDirectives is how much of one META tag or header is read.
	MaxDirectives = 64 * 1024
	// MaxTerms is how many Directives.Terms are kept. Terms beyond have their effect all the same.
	MaxTerms = 1000
)

// splitList cuts a list at commas and at semicolons, which some write in their place, and its parts into terms. Quotation marks
// are no part of it: they are those of the configuration of a server. If named is set, names and colons may begin a part.
func splitList(list string, named bool) (parts []string) {
	isComma := func(c rune) bool { return c == ',' || c == ';' }
	for part := range strings.FieldsFuncSeq(list[:min(len(list), MaxDirectives)], isComma) {
		part = trimQuotes(part)
		terms := part
		for rest, ok := part, named; ok; {
			terms = rest
			_, rest, ok = cutAgent(rest)
		}
		parts = appendTerms(parts, part, len(part)-len(terms))
	}
	return parts
}

// appendTerms cuts a part into terms with blanks, slashes or the like between them: "noindex max-snippet:0", "noindex/nofollow".
// What stands before start goes with the first. A part that is not made of known terms, with their values, stays whole.
func appendTerms(parts []string, part string, start int) []string {
	kept, begin, begun := len(parts), 0, false
	takes, needs := false, false // whether the term may go on with a word that is no term, and whether it must
	for at, end := nextWord(part, start); at < end; at, end = nextWord(part, end) {
		name, value, _ := strings.Cut(part[at:end], ":")
		name = normalTerm(name)
		switch isTerm := knownTerm(name) || valueTerm(name); {
		case needs:
			needs = part[at:end] == ":"
			continue
		case !isTerm && takes:
			continue
		case !isTerm:
			return append(parts[:kept], part)
		case begun:
			parts = append(parts, strings.TrimRightFunc(part[begin:at], isBreak))
			begin = at
		}
		begun, takes = true, valueTerm(name)
		needs = takes && value == ""
	}
	if !begun {
		return append(parts, part)
	}
	return append(parts, strings.TrimRightFunc(part[begin:], isBreak))
}

// isBreak reports whether c stands between terms, where there should be a comma.
func isBreak(c rune) bool { return unicode.IsSpace(c) || c == '|' || c == '/' || c == '.' }

// nextWord returns where the next word of a part begins and ends.
func nextWord(part string, from int) (at, end int) {
	at = len(part) - len(strings.TrimLeftFunc(part[from:], isBreak))
	if length := strings.IndexFunc(part[at:], isBreak); length >= 0 {
		return at, at + length
	}
	return at, len(part)
}

// trimQuotes takes blanks and quotation marks off both ends.
func trimQuotes(s string) string { return strings.Trim(s, " \t\r\n\"'\u201c\u201d\u2018\u2019") }

// addMeta reads the content of a META tag: a list of terms that all speak to agent.
func (d *Directives) addMeta(content, agent string) {
	parts := splitList(content, false)
	for len(parts) > 0 {
		parts = d.addPart(parts, SourceMeta, agent, EffectApplied)
	}
}

// addHeader reads one X-Robots-Tag value.
func (d *Directives) addHeader(value, product string, source Source) {
	agent, effect := "", EffectApplied
	parts := splitList(value, true)
	for len(parts) > 0 {
		for {
			name, rest, ok := cutAgent(parts[0])
			if !ok {
				break
			}
			agent, effect, parts[0] = strings.ToLower(name), EffectApplied, rest
			if token := leadingToken(name); !isEverybody(token) && (token == "" || !equalFold(token, product)) {
				effect = EffectOther
			}
		}
		parts = d.addPart(parts, source, agent, effect)
	}
}

// isEverybody reports whether a name in a header is no robot's: that of META tags, or of the header, which some write twice.
func isEverybody(name string) bool {
	return name == "*" || equalFold(name, "robots") || equalFold(name, "x-robots-tag")
}

// cutAgent cuts "name:" off a part of a header, unless name is a term or cannot be a robot.
func cutAgent(part string) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(part, ":")
	name = trimQuotes(name)
	term := strings.ToLower(name)
	if !ok || name == "" || strings.ContainsAny(name, " \t") || knownTerm(term) || valueTerm(term) {
		return "", "", false
	}
	return name, trimQuotes(rest), true
}

// addPart reads the first of parts as a term and returns the parts left. A date may take up several.
func (d *Directives) addPart(parts []string, source Source, agent string, effect Effect) (left []string) {
	name, value, hasValue := strings.Cut(parts[0], ":")
	t := Term{Name: normalTerm(trimQuotes(name)), Value: trimQuotes(value), Source: source, Agent: agent, Effect: effect}
	left = parts[1:]
	switch {
	case valueTerm(t.Name) && hasValue:
		if t.Name == "unavailable_after" {
			t.Value, left = longestDate(t.Value, left)
		}
		d.addTerm(t)
	case knownTerm(t.Name):
		t.Value = ""
		d.addTerm(t)
		if rest := strings.TrimSpace(value); rest != "" { // "all: noindex"
			parts[0] = rest
			return parts
		}
	default:
		t.Name, t.Value = normalTerm(parts[0]), ""
		if t.Effect == EffectApplied {
			t.Effect = EffectUnknown
		}
		d.keep(t)
	}
	return left
}

func normalTerm(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// addTerm applies a known term, unless it speaks to another robot.
func (d *Directives) addTerm(t Term) {
	if t.Effect == EffectApplied {
		t.Effect = d.apply(t)
	}
	d.keep(t)
}

func (d *Directives) keep(t Term) {
	if len(d.Terms) < MaxTerms {
		d.Terms = append(d.Terms, t)
	}
}

// knownTerm reports whether name is a term that takes no value.
func knownTerm(name string) bool {
	switch name {
	case "all", "index", "follow", "noindex", "nofollow", "none", "noarchive", "nocache", "nosnippet", "noimageindex",
		"notranslate", "noai", "noimageai", "indexifembedded", "nositelinkssearchbox", "noodp", "noydir":
		return true
	}
	return false
}

// valueTerm reports whether name is a term that takes a value.
func valueTerm(name string) bool {
	switch name {
	case "max-snippet", "max-video-preview", "max-image-preview", "unavailable_after":
		return true
	}
	return false
}

func (d *Directives) apply(t Term) Effect {
	switch t.Name {
	case "none":
		d.NoIndex, d.NoFollow = true, true
	case "nocache":
		d.NoArchive = true
	case "max-snippet":
		effect := d.MaxSnippet.apply(t.Value)
		d.NoSnippet = d.NoSnippet || d.MaxSnippet == Limit{0, true}
		return effect
	case "max-video-preview":
		return d.MaxVideoPreview.apply(t.Value)
	case "max-image-preview":
		return d.applyPreview(strings.ToLower(t.Value))
	case "unavailable_after":
		date, ok := parseDate(t.Value)
		if !ok {
			return EffectInvalid
		}
		d.UnavailableAfter = earlier(d.UnavailableAfter, date)
	default:
		return d.applyFlag(t.Name)
	}
	return EffectApplied
}

func (d *Directives) applyFlag(term string) Effect {
	for _, flag := range d.flags() {
		if flag.term == term {
			*flag.set = true
			return EffectApplied
		}
	}
	return EffectNone
}

// apply lowers the limit to the number in value; -1 is no limit.
func (l *Limit) apply(value string) Effect {
	n, err := strconv.Atoi(value)
	switch {
	case err != nil || n < -1:
		return EffectInvalid
	case n == -1:
		return EffectNone
	}
	*l = l.lower(Limit{n, true})
	return EffectApplied
}

func (d *Directives) applyPreview(size string) Effect {
	if slices.Contains(previewSizes, size) {
		d.MaxImagePreview = smallerPreview(d.MaxImagePreview, size)
		return EffectApplied
	}
	return EffectInvalid
}
