package compose

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

// A Policy says who may visit what, apart from how robots.txt would put it.
type Policy struct {
	Contact  string   // whom the maintainer of a robot may write to; goes into a comment
	Everyone Access   // for robots that have no entry of their own
	Robots   []Named  // each name once
	Sitemaps []string // absolute URLs
}

// A Named is a robot with an access of its own. What Everyone says does not hold for it (RFC 9309 section 2.2.1).
type Named struct {
	Name string
	Access
}

// Access is what a robot may do. The zero value lets it visit everything.
type Access struct {
	Deny       bool // nothing; the lists are then empty
	Allow      []string
	Disallow   []string
	CrawlDelay time.Duration // 0: not mentioned
	Use        Use
}

// Use is what may be done with the content. Nil is no statement, which permits and forbids nothing.
type Use struct {
	Search  *bool // to point to the page, with excerpts
	AIInput *bool // as input when an answer is generated
	AITrain *bool // to train models
}

// A Mistake is something in a Policy that robots.txt cannot say, or not clearly.
type Mistake struct {
	Where string // "everyone", the name of the robot, "sitemaps" or "contact"; "" when it is the whole
	What  string // the field of Access, in lower case, or ""
	Text  string
}

// Generate writes the robots.txt that says what a policy says: robots with the same access share a group, one with a name that
// holds another's comes before it, and everyone else comes last. When there are mistakes it writes nothing.
func Generate(p Policy) (text []byte, mistakes []Mistake) {
	if mistakes = p.check(); len(mistakes) > 0 {
		return nil, mistakes
	}
	var b strings.Builder
	if p.Contact != "" {
		fmt.Fprintf(&b, "# Questions about this file: %s\n\n", p.Contact)
	}
	var named []Named
	for _, r := range p.Robots {
		named = insertBeforeParts(named, r, func(r Named) string { return r.Name })
	}
	names, bodies := make([]string, len(named)), make([]string, len(named))
	for i, r := range named {
		names[i], bodies[i] = r.Name, r.Access.body()
	}
	for _, group := range groupsOf(names, bodies) {
		for _, i := range group {
			b.WriteString("User-agent: " + names[i] + "\n")
		}
		b.WriteString(bodies[group[0]] + "\n")
	}
	b.WriteString("User-agent: *\n" + p.Everyone.body())
	if len(p.Sitemaps) > 0 {
		b.WriteByte('\n')
	}
	for _, s := range p.Sitemaps {
		b.WriteString("Sitemap: " + s + "\n")
	}
	if b.Len() > robots.MaxBytes {
		return nil, []Mistake{{Text: fmt.Sprintf("the file would take %d bytes, and robots read the first %d only: close "+
			"directories in place of single pages", b.Len(), robots.MaxBytes)}}
	}
	return []byte(b.String()), nil
}

// body writes what follows the names in a group.
func (a Access) body() string {
	var b strings.Builder
	if a.Deny {
		b.WriteString("Disallow: /\n")
	}
	for _, path := range a.Disallow {
		b.WriteString("Disallow: " + path + "\n")
	}
	for _, path := range a.Allow {
		b.WriteString("Allow: " + path + "\n")
	}
	if !a.Deny && len(a.Disallow) == 0 {
		b.WriteString("Disallow:\n")
	}
	if a.CrawlDelay > 0 {
		b.WriteString("Crawl-delay: " + strconv.FormatFloat(a.CrawlDelay.Seconds(), 'f', -1, 64) + "\n")
	}
	b.WriteString(a.Use.lines())
	return b.String()
}

// lines says it in the two ways there are: the signals that a large provider introduced in 2025, and the vocabulary that
// the IETF is working on. Both are preferences; whoever honours neither is kept out by Disallow only.
func (u Use) lines() string {
	var signal, usage []string
	add := func(list *[]string, label string, may *bool, yes, no string) {
		switch {
		case may == nil:
		case *may:
			*list = append(*list, label+"="+yes)
		default:
			*list = append(*list, label+"="+no)
		}
	}
	add(&signal, "search", u.Search, "yes", "no")
	add(&signal, "ai-input", u.AIInput, "yes", "no")
	add(&signal, "ai-train", u.AITrain, "yes", "no")
	add(&usage, "search", u.Search, "y", "n")
	add(&usage, "train-ai", u.AITrain, "y", "n")
	var lines string
	if len(signal) > 0 {
		lines += "Content-Signal: " + strings.Join(signal, ", ") + "\n"
	}
	if len(usage) > 0 {
		lines += "Content-Usage: " + strings.Join(usage, ", ") + "\n"
	}
	return lines
}

// check finds the mistakes.
func (p Policy) check() (mistakes []Mistake) {
	wrong := func(where, what, format string, args ...any) {
		mistakes = append(mistakes, Mistake{where, what, fmt.Sprintf(format, args...)})
	}
	if strings.ContainsFunc(p.Contact, isControl) {
		wrong("contact", "", "must be one line")
	}
	p.Everyone.check("everyone", wrong)
	known := map[string]string{}
	for _, r := range p.Robots {
		name := strings.ToLower(r.Name)
		switch {
		case r.Name == "*":
			wrong(r.Name, "", "robots without an entry of their own are what everyone is for")
		case r.Name == "" || strings.ContainsFunc(r.Name, notName):
			wrong(r.Name, "", "%q is not the name of a robot: write its product token alone", r.Name)
		case known[name] != "":
			wrong(r.Name, "", "is the same robot as %s: letter case does not matter", known[name])
		}
		known[name] = cmp.Or(known[name], r.Name)
		r.check(r.Name, wrong)
	}
	for _, s := range p.Sitemaps {
		if !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://") || strings.ContainsFunc(s, notPath) {
			wrong("sitemaps", "", "%q is not an absolute URL", s)
		}
	}
	return mistakes
}

func (a Access) check(where string, wrong func(where, what, format string, args ...any)) {
	if a.Deny && len(a.Allow)+len(a.Disallow) > 0 {
		wrong(where, "deny", "leaves nothing for allow and disallow to say: for exceptions write disallow: [/] instead")
	}
	if len(a.Allow) > 0 && len(a.Disallow) == 0 && !a.Deny {
		wrong(where, "allow", "opens nothing, for nothing is closed: what is not disallowed is allowed")
	}
	if a.CrawlDelay < 0 {
		wrong(where, "crawl_delay", "is negative")
	}
	closed := map[string]bool{}
	for _, path := range a.Disallow {
		closed[robots.CanonicalPattern(path)] = true
	}
	for _, path := range a.Allow {
		if closed[robots.CanonicalPattern(path)] {
			wrong(where, "allow", "%q is disallowed, too: delete one of the two", path)
		}
	}
	for _, list := range []struct {
		what  string
		paths []string
	}{{"allow", a.Allow}, {"disallow", a.Disallow}} {
		for _, path := range list.paths {
			switch {
			case !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "*"):
				wrong(where, list.what, "%q is not a path: it must begin with / or *", path)
			case strings.ContainsFunc(path, notPath):
				wrong(where, list.what,
					"%q holds a blank, a # or a control character: write it percent-encoded, %%20 or %%23", path)
			}
		}
	}
}

func notPath(c rune) bool { return c <= ' ' || c == '#' || isControl(c) || c == '\ufffd' }

func isControl(c rune) bool {
	return c < ' ' || c >= 0x7f && c < 0xa0 || c == '\u2028' || c == '\u2029'
}
