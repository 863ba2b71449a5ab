package robots

import "strings"

// A Use is a line that says what pages may be used for. It never says whether they may be asked for.
type Use struct {
	Field string // "content-usage" or "content-signal"
	Value string // without the path; not interpreted here
	Line  int
	Text  string // the line as written, as in a Verdict
}

type useLine struct {
	Use
	path pattern
}

// Uses returns the Content-Usage and the Content-Signal lines that hold for the path and query of a URL, the former first. Of
// each field those with the longest matching path count, all of them when there are several
// (draft-ietf-aipref-attach-05); a line without a path is about the whole site. Which groups count is as with VisitTimes.
func (r *Rules) Uses(pathQuery string) (uses []Use) {
	if r == nil || len(r.wishes.uses) == 0 {
		return nil
	}
	path := appendPath(nil, pathQuery)
	longest := map[string]int{}
	for i := range r.wishes.uses {
		u := &r.wishes.uses[i]
		switch best := longest[u.Field]; {
		case u.path.length < best || !u.path.matches(path):
			continue
		case u.path.length > best:
			uses = without(uses, u.Field)
			longest[u.Field] = u.path.length
		}
		uses = append(uses, u.Use)
	}
	return uses
}

func without(uses []Use, field string) []Use {
	kept := uses[:0]
	for _, u := range uses {
		if u.Field != field {
			kept = append(kept, u)
		}
	}
	return kept
}

// parseUse reads "[path SP] preferences".
func parseUse(l wish) useLine {
	path, value := "/", l.value
	if strings.HasPrefix(value, "/") {
		path, value, _ = strings.Cut(strings.ReplaceAll(value, "\t", " "), " ")
	}
	return useLine{
		Use:  Use{Field: knownFields[l.field].name, Value: trimBlanks(value), Line: l.line, Text: l.text},
		path: parsePattern(path),
	}
}
