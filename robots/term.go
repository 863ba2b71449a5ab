package robots

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// MaxDirectives is how much of one META tag or header is read.
	MaxDirectives = 64 * 1024
	// MaxTerms is how many Directives.Terms are kept. Terms beyond have their effect all the same.
	MaxTerms = 1000
)

// splitList cuts a list at commas and at semicolons, which some write in their place.
func splitList(list string) []string {
	return strings.FieldsFunc(list[:min(len(list), MaxDirectives)], func(c rune) bool { return c == ',' || c == ';' })
}

// addMeta reads the content of a META tag: a list of terms that all speak to agent.
func (d *Directives) addMeta(content, agent string) {
	parts := splitList(content)
	for len(parts) > 0 {
		parts = d.addPart(parts, SourceMeta, agent, EffectApplied)
	}
}

// addHeader reads one X-Robots-Tag value.
func (d *Directives) addHeader(value, product string) {
	agent, effect := "", EffectApplied
	parts := splitList(value)
	for len(parts) > 0 {
		for {
			name, rest, ok := cutAgent(parts[0])
			if !ok {
				break
			}
			agent, effect, parts[0] = strings.ToLower(name), EffectApplied, rest
			if token := leadingToken(name); token != "*" && (token == "" || !equalFold(token, product)) {
				effect = EffectOther
			}
		}
		parts = d.addPart(parts, SourceHeader, agent, effect)
	}
}

// cutAgent cuts "name:" off a part of a header, unless name is a term or cannot be a robot.
func cutAgent(part string) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(part, ":")
	name = strings.TrimSpace(name)
	term := strings.ToLower(name)
	if !ok || name == "" || strings.ContainsAny(name, " \t") || knownTerm(term) || valueTerm(term) {
		return "", "", false
	}
	return name, rest, true
}

// addPart reads the first of parts as a term and returns the parts left. A date may take up two parts.
func (d *Directives) addPart(parts []string, source Source, agent string, effect Effect) (left []string) {
	name, value, hasValue := strings.Cut(parts[0], ":")
	t := Term{Name: normalTerm(name), Value: strings.TrimSpace(value), Source: source, Agent: agent, Effect: effect}
	left = parts[1:]
	switch {
	case valueTerm(t.Name) && hasValue:
		if t.Name == "unavailable_after" && len(left) > 0 {
			if glued := t.Value + ", " + strings.TrimSpace(left[0]); !isDate(t.Value) && isDate(glued) {
				t.Value, left = glued, left[1:]
			}
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
		d.addWords(t, normalTerm(parts[0]))
	}
	return left
}

// addWords reads a part that is no term: several known terms with blanks between them, or something unknown.
func (d *Directives) addWords(t Term, part string) {
	words := strings.Fields(part)
	for _, w := range words {
		if !knownTerm(w) {
			t.Name, t.Value = part, ""
			if t.Effect == EffectApplied {
				t.Effect = EffectUnknown
			}
			d.keep(t)
			return
		}
	}
	for _, w := range words {
		t.Name, t.Value = w, ""
		d.addTerm(t)
	}
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

// dateLayouts are the forms in which unavailable_after is met, with and without zone. A day without a time begins at
// midnight, a time without a zone is in UTC.
var dateLayouts = []string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02T15:04:05-0700",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
	"20060102T150405Z0700", "20060102",
	"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05", "2 Jan 2006 15:04 -0700", "2 Jan 2006 15:04", "2 Jan 2006",
	"2 Jan 06 15:04:05 -0700", "2 Jan 06 15:04:05", "2 Jan 06 15:04 -0700", "2 Jan 06 15:04",
	"2-Jan-06 15:04:05 -0700", "2-Jan-06 15:04:05", "2-Jan-2006 15:04:05 -0700", "2-Jan-2006 15:04:05", "2-Jan-2006",
	"Jan 2 15:04:05 2006", "Jan 2 15:04:05 MST 2006", "Jan 2, 2006", "Jan 2 2006", "2 January 2006 15:04:05 -0700",
	"2 January 2006 15:04:05", "2 January 2006", "January 2, 2006", "January 2 2006",
}

// parseDate reads a date of RFC 822, RFC 850, RFC 1123, ISO 8601 or asctime, with or without day of the week.
func parseDate(s string) (time.Time, bool) {
	if len(s) > 64 {
		return time.Time{}, false
	}
	s = strings.ToUpper(strings.Join(strings.Fields(s), " "))
	if day, rest, ok := strings.Cut(s, " "); ok && isWeekday(strings.TrimSuffix(day, ",")) {
		s = rest
	}
	s = numericZone(s)
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

func isDate(s string) bool {
	_, ok := parseDate(s)
	return ok
}

func isWeekday(s string) bool {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if name := day.String(); equalFold(s, name) || equalFold(s, name[:3]) {
			return true
		}
	}
	return false
}

// numericZone replaces the name of a zone at the end of s (RFC 822 section 5.1) by its offset. A zone that is not known is
// UTC.
func numericZone(s string) string {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 || strings.Trim(s[i+1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return s
	}
	offset := map[string]string{
		"CEST": "+0200", "CET": "+0100", "EDT": "-0400", "EST": "-0500", "CDT": "-0500", "CST": "-0600", "MDT": "-0600",
		"MST": "-0700", "PDT": "-0700", "PST": "-0800",
	}[s[i+1:]]
	return s[:i+1] + cmp.Or(offset, "+0000")
}
