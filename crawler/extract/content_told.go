package extract

// told is what the attributes of a start tag tell of the text in it, as written.
type told struct {
	id, name, href, role, class, lang []byte

	isLink bool // has an href
	hidden bool // data-nosnippet
}

// readTold reads the attributes of a tag. Of two with the same name the first one counts.
func (s *scanner) readTold() (t told) {
	if s.nattr == 0 {
		return t
	}
	const (
		id = 1 << iota
		name
		href
		role
		class
		lang
	)
	seen, b := 0, s.attrs
	first := func(attr int, to *[]byte, val []byte) {
		if seen&attr == 0 {
			*to = val
		}
		seen |= attr
	}
	for i := skipSpace(b, 0); i < len(b) && b[i] != '>'; i = skipSpace(b, i) {
		key, val, next := nextAttr(b, i)
		i = next
		var lower [len("data-nosnippet")]byte
		if len(key) > len(lower) {
			continue
		}
		for k, c := range key {
			lower[k] = lowerASCII(c)
		}
		switch string(lower[:len(key)]) {
		case "id":
			first(id, &t.id, val)
		case "name":
			first(name, &t.name, val)
		case "href":
			first(href, &t.href, val)
			t.isLink = true
		case "role":
			first(role, &t.role, val)
		case "class":
			first(class, &t.class, val)
		case "lang":
			first(lang, &t.lang, val)
		case "data-nosnippet":
			t.hidden = true
		}
	}
	return t
}

// isFurniture reports whether a name is one that authors give, as a whole class, to what stands around the main text on every page.
func isFurniture(class string) bool {
	switch class {
	case "nav", "navbar", "navigation", "navheader", "navfooter", "site-nav", "main-nav", "nav-header", "nav-footer", "sidebar",
		"side-bar", "sphinxsidebar", "wy-nav-side", "wy-nav-top", "wy-breadcrumbs", "rst-versions", "rst-footer-buttons",
		"toctree-wrapper-nav", "breadcrumb", "breadcrumbs", "footer", "site-footer", "page-footer", "site-header",
		"page-header-nav", "skip-link", "skiplink", "skip-to-content", "cookie-banner", "cookie-notice", "pagination", "pager",
		"noprint", "mw-editsection", "navbox", "printfooter", "related-posts", "social-share", "share-buttons", "site-menu",
		"main-menu", "topnav", "bottomnav", "related-topics", "prev-next", "edit-this-page":
		return true
	}
	return false
}

// isDivision reports whether a name is one that DocBook and docutils give to parts of the main text. A sidebar in one is a box of
// the text.
func isDivision(class string) bool {
	switch class {
	case "section", "sect1", "sect2", "sect3", "sect4", "sect5", "chapter", "preface", "appendix", "refentry":
		return true
	}
	return false
}
