package compose

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/robots"
)

// A Problem is something in a fragment that keeps it from being composed.
type Problem struct {
	File string
	Line int // 0 when it is about the whole file
	Text string
}

// String returns FILE:LINE: TEXT, without the line where there is none.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// A fragment is what one maintainer wrote, made to stand on its own at the top of the site.
type fragment struct {
	name  string
	scope string // the path it speaks for, with a slash at the end, percent-encoded
	lines []textLine
}

// IsFragment reports whether a file holds a fragment, by its name: robots.txt or something.robots.
func IsFragment(name string) bool {
	base := path.Base(name)
	return base == "robots.txt" || strings.HasSuffix(base, ".robots") && base[0] != '.'
}

// readFragments reads the fragments below a directory, in the order of their paths, the top first.
func readFragments(dir fs.FS) (all []*fragment, problems []Problem, err error) {
	var names []string
	err = fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.IsDir() && IsFragment(name):
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("look for fragments: %w", err)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(strings.Compare(scopeOf(a), scopeOf(b)), strings.Compare(a, b))
	})
	for _, name := range names {
		body, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, nil, fmt.Errorf("read fragment: %w", err)
		}
		f := &fragment{name: name, scope: scopeOf(name)}
		problems = append(problems, f.read(body)...)
		all = append(all, f)
	}
	return all, problems, nil
}

// scopeOf returns the path that the fragment in a file speaks for: that of its directory.
func scopeOf(name string) string {
	dir := path.Dir(name)
	if dir == "." {
		return "/"
	}
	return "/" + encodeName(dir) + "/"
}

// encodeName writes the name of a directory as it stands in a URL.
func encodeName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '/', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			strings.IndexByte("-._~!&'()+,;=:@", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// read takes in the lines of a fragment and says what is wrong with it. What robots read in different ways is wrong here:
// whoever composes a file can have it mended.
func (f *fragment) read(body []byte) (problems []Problem) {
	wrong := func(line int, format string, args ...any) {
		problems = append(problems, Problem{f.name, line, fmt.Sprintf(format, args...)})
	}
	switch {
	case len(body) > robots.MaxBytes:
		wrong(0, "larger than %d bytes, which is what robots read", robots.MaxBytes)
		return problems
	case strings.HasPrefix(string(body), "\xff\xfe"), strings.HasPrefix(string(body), "\xfe\xff"), !utf8.Valid(body):
		wrong(0, "is not UTF-8")
		return problems
	}
	all := readText(body)
	for i, l := range all {
		if why := f.wrong(l); why != "" {
			wrong(l.Number, "%s", why)
			continue
		}
		if l.Role == robots.RoleAgent && lostRules(all[:i], l) {
			wrong(l.Number, "the names above have no rules: write Disallow: below them, or take out the blank line to have them "+
				"share these")
		}
		l, why := f.place(l)
		if why != "" {
			wrong(l.Number, "%s", why)
		}
		f.lines = append(f.lines, l)
	}
	if n := len(all); n > 0 && endsWithNames(all) {
		wrong(n, "the last names have no rules: write Disallow: below them to let them in everywhere")
	}
	return problems
}

// wrong says what is wrong with a line, apart from its path.
func (f *fragment) wrong(l textLine) string {
	switch {
	case l.Note == robots.ProblemOrphan:
		return "a rule before the first User-agent speaks to nobody"
	case l.Note == robots.ProblemPath && l.isRule() && !strings.ContainsAny(l.Value, " \t"), l.Note == robots.LenientSlash:
		// a path that is relative
	case l.Note != "":
		return fmt.Sprintf("%q is not plain (%s): robots differ on what it means", l.text, l.Note)
	}
	switch {
	case l.Role == robots.RoleAgent && l.Value != "*" && strings.ContainsFunc(l.Value, notName):
		return fmt.Sprintf("%q is not the name of a robot: write its product token alone", l.Value)
	case l.Role == robots.RoleOther && f.scope != "/", l.Role == robots.RolePace && f.scope != "/",
		strings.EqualFold(l.Key, "license") && f.scope != "/":
		return l.Key + " speaks for the whole site: only a fragment at the top may say so"
	case l.Role == robots.RoleSitemap && !strings.HasPrefix(l.Value, "http://") && !strings.HasPrefix(l.Value, "https://"):
		return fmt.Sprintf("%q is not an absolute URL, which a sitemap needs", l.Value)
	case l.Role == robots.RolePreference && f.scope != "/" && l.Group == 0:
		return l.Key + " before the first User-agent speaks for the whole site"
	}
	return ""
}

// notName allows what names of robots are made of: RFC 9309 has letters, "-" and "_", the world has digits and dots too.
func notName(c rune) bool { return notToken(c) && (c < '0' || c > '9') && c != '.' }

// lostRules reports whether the agent line l joins names that a blank line sets apart from it: robots of 1994 and of RFC
// 9309 then read different things.
func lostRules(before []textLine, l textLine) bool {
	blank := false
	for i := len(before) - 1; i >= 0 && before[i].Group == l.Group; i-- {
		switch before[i].Role {
		case robots.RoleBlank:
			blank = true
		case robots.RoleAgent:
			return blank
		}
	}
	return false
}

func endsWithNames(lines []textLine) bool {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].isRule() {
			return false
		}
		if lines[i].Role == robots.RoleAgent {
			return true
		}
	}
	return false
}

// place makes the path of a line one from the top of the site, and says why if it may not stand in this fragment.
func (f *fragment) place(l textLine) (placed textLine, why string) {
	value, rest := l.Value, ""
	switch {
	case l.isRule() && value != "":
	case l.Role == robots.RolePreference && f.scope != "/":
		if strings.HasPrefix(value, "/") {
			value, rest, _ = strings.Cut(value, " ")
		} else {
			value, rest = "", value
		}
		rest = " " + strings.TrimSpace(rest)
	default:
		return l, ""
	}
	at, why := f.absolute(value)
	if l.Value = at + rest; why == "" {
		l.text, l.Note, l.pattern = l.Key+": "+l.Value, "", robots.CanonicalPattern(at)
	}
	return l, why
}

// absolute returns the pattern that a path in the fragment stands for. It must lie below the fragment's own directory.
func (f *fragment) absolute(pattern string) (absolute, why string) {
	if scheme, _, ok := strings.Cut(pattern, "://"); ok && !strings.Contains(scheme, "/") {
		return pattern, "a path is wanted, not a URL"
	}
	if !strings.HasPrefix(pattern, "/") && (f.scope != "/" || !strings.HasPrefix(pattern, "*")) {
		pattern = f.scope + strings.TrimPrefix(pattern, "./")
		if pattern == f.scope+"." {
			pattern = f.scope
		}
	}
	for segment := range strings.SplitSeq(robots.CanonicalPattern(pattern), "/") {
		switch strings.TrimSuffix(segment, "$") {
		case ".", "..":
			return pattern, "a path with " + segment + " in it matches no page: URLs are made plain before rules are asked"
		}
	}
	if !strings.HasPrefix(robots.CanonicalPattern(pattern), robots.CanonicalPattern(f.scope)) && f.scope != "/" {
		return pattern, fmt.Sprintf("%s lies outside %s, which is all that this file speaks for", pattern, f.scope)
	}
	return pattern, ""
}
